package journal

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// A replay is what the lines that were read say of a session: enough to see
// whether its file says the same.
type replay struct {
	from, to ledger.Seq
	bytes    int64
	sum      uint32
	last     span
	damaged  error
}

var newline = []byte{'\n'}

// replay takes in the records of a good line.
func (r *recovery) replay(at store.Place, l *line) {
	p := r.replays[l.session]
	if p == nil {
		p = &replay{from: ledger.Seq(l.q), to: ledger.Seq(l.q) - 1}
		r.replays[l.session] = p
	}
	if p.damaged != nil {
		return
	}
	if ledger.Seq(l.q) != p.to+1 {
		p.damaged = r.j.corrupt(fmt.Sprintf("session %s has record %d in commit %d, where %d belongs", l.session, l.q, l.n, p.to+1))
		return
	}
	for _, part := range l.records {
		b := l.record(part)
		p.to++
		p.bytes += int64(len(b)) + 1
		p.sum = crc32.Update(crc32.Update(p.sum, castagnoli, b), castagnoli, newline)
		p.last = span{at: at + store.Place(part.at), size: len(b)}
	}
}

// settleSessions holds the session files against the journal and mends those that
// are behind it.
func (r *recovery) settleSessions() error {
	j := r.j
	names, err := j.fs.List(j.dirs.sessions)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for name := range r.bases {
		known[name] = true
	}
	for name := range r.replays {
		known[name] = true
	}
	for _, file := range names {
		name, ok := strings.CutSuffix(file, ".jsonl")
		if ok && ledger.CheckSession(name) == nil {
			known[name] = true
		}
	}
	behind := map[string]*session{}
	for name := range known {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if ledger.CheckSession(name) != nil {
			continue // of a damaged line
		}
		s := newSession(name)
		j.sessions[name] = s
		base, ok := r.bases[name]
		late, err := r.settle(s, base, ok, r.replays[name])
		if err != nil {
			return err
		}
		if late {
			behind[name] = s
		}
		s.next, s.tip = s.head, s.head
	}
	if len(behind) == 0 {
		return nil
	}
	if err := r.findBehind(behind); err != nil {
		return err
	}
	for _, name := range j.sessionNames() {
		if s := behind[name]; s != nil && j.broken == nil {
			j.catchUp(s) // else it is caught up later
		}
	}
	return nil
}

// settle finds out where a session is, and whether its file is behind.
func (r *recovery) settle(s *session, base filed, based bool, p *replay) (late bool, err error) {
	j := r.j
	id := s.name
	name := j.dirs.session(id)
	size, err := j.fs.Size(name)
	if err != nil && !isNotExist(err) {
		return false, err
	}
	if !based && (p == nil || p.from != 1) {
		// Its beginning is in its file alone.
		var to ledger.Seq
		if p != nil && p.from > 0 {
			to = p.from - 1
		}
		if base, err = r.filed(id, to); err != nil {
			s.bad = j.corrupt(fmt.Sprintf("the file of session %s is damaged: %v", id, err))
		}
	}
	s.head, s.filed, s.size = base.chain, base.chain.Seq, base.size
	s.head.Session = id
	if size < base.size && s.bad == nil {
		s.bad = j.corrupt(fmt.Sprintf("the file of session %s has %d bytes, %d were there", id, size, base.size))
	}
	if p != nil && p.damaged != nil && s.bad == nil {
		s.bad = p.damaged
	}
	if p != nil && p.to > 0 && p.from != s.head.Seq+1 && s.bad == nil {
		s.bad = j.corrupt(fmt.Sprintf("session %s goes on with record %d after %d", id, p.from, s.head.Seq))
	}
	if s.bad != nil {
		s.size = size
		return false, nil
	}
	end := s.size
	if p != nil {
		b, err := j.recordAt(p.last)
		if err != nil {
			return false, err
		}
		s.head.Seq, s.head.Head = p.to, ledger.HashOf(b)
		s.dirty = true
		end += p.bytes
		if size < end {
			return true, nil
		}
		if !r.same(name, s.size, end, p.sum) {
			// It was changed, or a power cut left holes. The journal has it right;
			// what stood there is kept for whoever wants to know.
			return true, r.shorten(name, s.size, size)
		}
		s.filed, s.size = p.to, end
	}
	if size > end {
		return false, r.shorten(name, end, size)
	}
	return false, nil
}

// filed reads a session's file from its beginning to record to, or to its end
// for 0.
func (r *recovery) filed(name string, to ledger.Seq) (filed, error) {
	s := filed{chain: ledger.Chain{Session: name}}
	f, err := r.j.fs.Open(r.j.dirs.session(name), false)
	if err != nil {
		return s, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return s, err
	}
	sc := newScanner(f, 0, size, ledger.MaxLine)
	for to == 0 || s.chain.Seq < to {
		at, b, whole, err := sc.next()
		switch {
		case err == io.EOF && to == 0:
			return s, nil
		case err == io.EOF || err == nil && !whole:
			return s, errors.New("it ends early")
		case err != nil:
			return s, err
		}
		if _, err := s.chain.Add(b); err != nil {
			return s, err
		}
		s.size = at + int64(len(b)) + 1
	}
	return s, nil
}

// same reports whether a part of a file has a sum.
func (r *recovery) same(name string, at, end int64, want uint32) bool {
	f, err := r.j.fs.Open(name, false)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, min(end-at, 256<<10))
	sum := uint32(0)
	for at < end {
		n := min(end-at, int64(len(b)))
		if _, err := f.ReadAt(b[:n], at); err != nil {
			return false
		}
		sum = crc32.Update(sum, castagnoli, b[:n])
		at += n
	}
	return sum == want
}

// shorten sets aside what a session's file has behind all that the journal knows.
func (r *recovery) shorten(name string, at, end int64) error {
	j := r.j
	if j.broken != nil {
		return nil
	}
	f, err := j.fs.Open(name, true)
	if err != nil {
		j.readOnly("a session's file cannot be written to", err)
		return nil
	}
	defer f.Close()
	if err = j.quarantine(name, f, at, end, 1); err == nil {
		err = f.Truncate(at)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		j.readOnly("the end of a session's file could not be cut off", err)
	}
	return nil
}

// findBehind reads the segments again for the records that the files of sessions
// lack.
func (r *recovery) findBehind(behind map[string]*session) error {
	j := r.j
	for i := r.from; i < len(j.segments); i++ {
		s := j.segments[i]
		err := j.segmentFiles.with(j.dirs.segment(s.first), false, func(f fsys.File) error {
			sc := newScanner(f, 0, s.size, maxLine)
			for {
				at, b, whole, err := sc.next()
				if err == io.EOF {
					return nil
				}
				if err != nil {
					return err
				}
				if !whole {
					continue
				}
				l, err := parseLine(b)
				of := behind[l.session]
				if err != nil || of == nil {
					continue
				}
				for _, part := range l.records {
					of.behind = append(of.behind, span{at: s.place(at) + store.Place(part.at), size: part.size})
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
