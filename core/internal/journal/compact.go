package journal

import (
	"context"
	"errors"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
)

// Compact removes the segments whose last commit is older than what is kept. A
// live job with lines in one of them is carried to the end of the journal first,
// with its whole history; finished jobs and commit ids from there are forgotten.
// A segment stays while a job in it is being sent, and so does the last one that
// has a checkpoint. It is to be called once a day, and may be called at any time.
func (j *Journal) Compact(ctx context.Context, now time.Time) error {
	j.compacting.Lock()
	defer j.compacting.Unlock()
	for {
		j.mu.Lock()
		err := j.writable(true)
		sure := len(j.segments) > 1 && j.segments[0].first < j.sealed && j.newWork == nil
		oldest := j.segments[0]
		var next segment
		if sure {
			next = j.segments[1]
		}
		j.mu.Unlock()
		if err != nil || !sure {
			return err
		}
		last, err := j.lastTime(oldest)
		if err != nil || last.Add(j.keep).After(now) {
			return err
		}
		all, err := j.carryFrom(ctx, next.place(0), last)
		if err != nil || !all {
			return err
		}
		if err := j.drop(oldest, next); err != nil {
			return err
		}
	}
}

// lastTime is when the last commit of a sealed segment was made.
func (j *Journal) lastTime(s segment) (time.Time, error) {
	if s.size == 0 {
		return time.Time{}, nil
	}
	j.reading.RLock()
	defer j.reading.RUnlock()
	l, _, err := j.lineAt(s.place(s.size - 1))
	if err != nil {
		return time.Time{}, err
	}
	return l.time(), nil
}

// carryFrom carries every live job that has a line before a place, which were all
// written until last. It reports whether it could.
func (j *Journal) carryFrom(ctx context.Context, before store.Place, last time.Time) (all bool, err error) {
	j.mu.Lock()
	var places []store.Place
	for at := range j.index.Live("") {
		places = append(places, at)
	}
	j.mu.Unlock()
	all = true
	for _, at := range places {
		c, err := j.carry(ctx, at, before, last)
		if err != nil {
			return false, err
		}
		if c == nil {
			continue
		}
		_, err = j.commit(ctx, c, true)
		switch {
		case errors.Is(err, store.Lost):
			all = false // it is being sent, or has just changed
		case errors.Is(err, store.NotFound): // it was finished and forgotten
		case err != nil:
			return false, err
		}
	}
	return all, nil
}

// carry makes the commit that carries the job whose last line is at a place, nil
// if it has nothing to be carried.
func (j *Journal) carry(ctx context.Context, at, before store.Place, last time.Time) (*store.Commit, error) {
	j.reading.RLock()
	defer j.reading.RUnlock()
	l, i, err := j.rowAt(at)
	if err != nil {
		return nil, err
	}
	r := l.rows[i].put.Row
	if at >= before && r.Created.After(last) {
		return nil, nil
	}
	reaches := at < before
	for k, n := l, i; !reaches; {
		prev := k.rows[n].prev
		if prev == 0 {
			return nil, nil
		}
		if reaches = prev < before; !reaches {
			if k, n, err = j.rowAt(prev); err != nil {
				return nil, err
			}
		}
	}
	entries, err := j.history(ctx, l, i)
	if err != nil {
		return nil, err
	}
	return &store.Commit{Settles: true, Jobs: []store.Put{{Row: r, Entries: entries}}}, nil
}

// drop removes the oldest segment. It is forgotten first, so that nobody looks for
// what is not there.
func (j *Journal) drop(oldest, next segment) error {
	j.reading.Lock()
	defer j.reading.Unlock()
	j.mu.Lock()
	j.segments = j.segments[1:]
	j.index.Forget(next.place(0))
	if l, _, err := j.lineAt(next.place(0)); err == nil {
		j.health.Oldest = l.time()
	}
	j.mu.Unlock()
	name := j.dirs.segment(oldest.first)
	j.segmentFiles.forget(name)
	if err := j.fs.Remove(j.dirs.checkpoint(oldest.first)); err != nil && !isNotExist(err) {
		return err
	}
	if err := j.fs.Remove(name); err != nil {
		return err
	}
	j.log.Info("a segment was removed: what is in it is older than what is kept", "segment", name)
	return j.fs.SyncDir(j.dirs.journal)
}
