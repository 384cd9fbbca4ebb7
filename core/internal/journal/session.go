package journal

import (
	"errors"
	"io"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// A session is one ledger. head and next belong to the journal's lock, the rest to
// who is filing.
type session struct {
	name string       // never changes
	head ledger.Chain // durable
	next ledger.Chain // with what waits to be written
	bad  error        // why it cannot go on; set when the journal is opened

	tip    ledger.Chain // of what is in its file or behind
	filed  ledger.Seq   // last record in its file
	size   int64        // of its file up to there
	behind []span       // what its file lacks
	dirty  bool         // not synced since the last checkpoint
}

func newSession(name string) *session {
	c := ledger.Chain{Session: name}
	return &session{name: name, head: c, next: c}
}

// A span is where a record is in the journal.
type span struct {
	at   store.Place
	size int
}

// file brings the session files up to what is durable.
func (j *Journal) file() {
	j.filing.Lock()
	defer j.filing.Unlock()
	j.fileAll()
}

// fileAll does so for who is filing.
func (j *Journal) fileAll() {
	for {
		j.mu.Lock()
		queue := j.queue
		j.queue = nil
		j.mu.Unlock()
		if len(queue) == 0 {
			return
		}
		more := map[*session][]*item{}
		var order []*session
		for _, b := range queue {
			for _, it := range b.items {
				if s := it.session; s != nil {
					if more[s] == nil {
						order = append(order, s)
					}
					more[s] = append(more[s], it)
				}
			}
		}
		for _, s := range order {
			j.fileOne(s, more[s])
		}
		j.mu.Lock()
		for _, b := range queue {
			if cap(b.buf) <= maxScratch && len(j.buffers) < 4 {
				j.buffers = append(j.buffers, b.buf)
			}
			b.buf, b.items = nil, nil
		}
		j.mu.Unlock()
	}
}

// fileOne appends the records of items to the file of s, or remembers where they
// are.
func (j *Journal) fileOne(s *session, items []*item) {
	s.dirty, s.tip = true, items[len(items)-1].chain
	lines := j.lined[:0]
	for _, it := range items {
		lines = it.lines(lines)
	}
	if cap(lines) <= maxScratch {
		j.lined = lines
	}
	if len(s.behind) > 0 && j.catchUp(s) != nil || j.extend(s, lines) != nil {
		for _, it := range items {
			s.behind = append(s.behind, it.spans()...)
		}
		return
	}
	s.filed = s.tip.Seq
}

// lines appends the records of an item, one a line.
func (it *item) lines(dst []byte) []byte {
	at := it.at + it.draft.recordsAt
	for _, n := range it.draft.sizes {
		dst = append(append(dst, it.batch.buf[at:at+n]...), '\n')
		at += n + 1
	}
	return dst
}

// spans is where the records of an item are.
func (it *item) spans() []span {
	at := it.place + store.Place(it.draft.recordsAt)
	out := make([]span, 0, len(it.draft.sizes))
	for _, n := range it.draft.sizes {
		out = append(out, span{at: at, size: n})
		at += store.Place(n) + 1
	}
	return out
}

// extend appends lines to the file of s.
func (j *Journal) extend(s *session, lines []byte) error {
	err := j.sessionFiles.with(j.dirs.session(s.name), true, func(f fsys.File) error {
		n, err := f.WriteAt(lines, s.size)
		if err == nil && n < len(lines) {
			err = io.ErrShortWrite
		}
		return err
	})
	switch {
	case err == nil:
		s.size += int64(len(lines))
	case fsys.IsFull(err) || errors.Is(err, io.ErrShortWrite):
		if len(s.behind) > 0 {
			break // it was said
		}
		j.log.Warn("a session's file is behind its journal: the disk is full", "session", s.name)
	default:
		j.mu.Lock()
		err = j.poison("a session's file could not be written", err)
		j.mu.Unlock()
	}
	return err
}

// catchUp appends to the file of s what it lacks.
func (j *Journal) catchUp(s *session) error {
	const most = 1 << 20
	for len(s.behind) > 0 {
		var lines []byte
		n := 0
		for n < len(s.behind) && (n == 0 || len(lines)+s.behind[n].size < most) {
			b, err := j.recordAt(s.behind[n])
			if err != nil {
				return err
			}
			lines = append(append(lines, b...), '\n')
			n++
		}
		if err := j.extend(s, lines); err != nil {
			return err
		}
		s.filed += ledger.Seq(n)
		s.behind = s.behind[n:]
		s.dirty = true
	}
	s.behind = nil
	return nil
}

// recordAt reads a record from the journal.
func (j *Journal) recordAt(p span) ([]byte, error) {
	b := make([]byte, p.size)
	err := j.segmentFiles.with(j.dirs.segment(segmentOf(p.at)), false, func(f fsys.File) error {
		_, err := f.ReadAt(b, offsetOf(p.at))
		return err
	})
	if err != nil {
		return nil, j.unreadable(p.at, err)
	}
	return b, nil
}
