package journal

import (
	"errors"
	"io"
	"path/filepath"
	"runtime"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// flush writes the batch that gathers, as the leader, and finds the next leader.
func (j *Journal) flush() {
	// Those who were just told that their commit is durable are about to make the
	// next one: they come first, which fills the batch and costs a lone writer
	// nothing.
	runtime.Gosched()
	j.mu.Lock()
	b := j.gathers
	j.gathers = nil
	tail := j.tail
	j.mu.Unlock()

	unsynced, err := write(tail, b)

	j.mu.Lock()
	switch {
	case err == nil:
		j.applied(b, j.now())
	case unsynced:
		b.err = j.poison("the journal could not be written", err)
	default:
		b.err = errFull(err)
		j.full = true
	}
	if b.err != nil {
		j.undo(b)
	}
	close(b.done)
	j.rotating = b.err == nil && j.segments[len(j.segments)-1].size >= j.size
	if !j.rotating {
		j.handOver()
	}
	j.settled.Broadcast()
	rotating := j.rotating
	j.mu.Unlock()

	j.file()
	if rotating {
		j.rotate()
		j.mu.Lock()
		j.rotating = false
		j.handOver()
		j.settled.Broadcast()
		j.mu.Unlock()
	}
}

// handOver makes somebody of the next batch the leader, if there is one.
func (j *Journal) handOver() {
	if j.gathers == nil {
		j.flushing = false
		return
	}
	j.gathers.lead <- struct{}{}
}

// write puts a batch on the disk. After an error that is not for want of room, or
// when what was written could not be taken back, nobody knows what is there:
// unsynced.
func write(tail fsys.File, b *batch) (unsynced bool, err error) {
	n, err := tail.WriteAt(b.buf, b.at)
	if err == nil && n < len(b.buf) {
		err = io.ErrShortWrite
	}
	if err == nil {
		return true, tail.Sync()
	}
	if !fsys.IsFull(err) && !errors.Is(err, io.ErrShortWrite) {
		return true, err
	}
	if cut := tail.Truncate(b.at); cut != nil {
		return true, errors.Join(err, cut)
	}
	if sync := tail.Sync(); sync != nil {
		return true, errors.Join(err, sync)
	}
	return false, err
}

// undo forgets a batch that failed, and the one behind it, which counts on it.
func (j *Journal) undo(b *batch) {
	failed := b.items
	if next := j.gathers; next != nil {
		failed = append(failed, next.items...)
		next.err = b.err
		close(next.done)
		j.gathers = nil
	}
	for _, it := range failed {
		j.mark(it, -1)
		if s := it.session; s != nil {
			s.next = s.head
		}
	}
	j.given, j.written = j.last, j.segments[len(j.segments)-1].size
}

func (j *Journal) reserveName() string { return filepath.Join(j.dirs.journal, "reserve") }

// useReserve gives the reserve back to the disk.
func (j *Journal) useReserve() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.reserve {
		return
	}
	j.reserve = false
	if err := j.fs.Remove(j.reserveName()); err != nil {
		j.log.Warn("the reserve could not be used", "error", err)
		return
	}
	j.log.Warn("the disk is full: accepted work goes on with the reserve, no new work is taken")
}

// makeRoom makes the reserve again and lets new work in, or says that there is
// no room. It is called with the lock held.
func (j *Journal) makeRoom() error {
	if free, known := j.fs.Free(j.dirs.journal); known && (free < j.spare/16 || free < 2*j.spare && !j.reserve) {
		return errFull(nil)
	}
	if !j.reserve {
		if err := j.writeReserve(); err != nil {
			return errFull(err)
		}
	}
	j.full = false
	return nil
}

// writeReserve makes the reserve of real blocks.
func (j *Journal) writeReserve() error {
	f, err := j.fs.Create(j.reserveName())
	if err != nil {
		return err
	}
	_, err = f.WriteAt(make([]byte, j.spare), 0)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		j.fs.Remove(j.reserveName())
		return err
	}
	j.reserve = true
	return nil
}
