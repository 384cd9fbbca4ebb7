package core

import (
	"context"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// A page is the records about things that were accepted before, which come at the
// same time and are committed together.
type page struct {
	records []ledger.Record
	done    chan struct{} // closed once err is final
	err     error
}

// beside does something while the caller goes on; once the core is being closed, before.
func (c *Core) beside(do func()) {
	c.ending.Lock()
	select {
	case <-c.closing:
		c.ending.Unlock()
		do()
	default:
		c.work.Go(do)
		c.ending.Unlock()
	}
}

// linger is how long a record waits for others of its session, and lets those commits
// go first which somebody waits for: written at once, it would make the way to a first
// message half as long again, or more.
const linger = 50 * time.Millisecond

// keep commits a record about something that was accepted before, a moment later.
// Where many come, as after an answer to many targets, one of the callers writes for
// all.
func (s *Session) keep(ctx context.Context, turn ledger.TurnID, b ledger.Body) error {
	s.aside.Lock()
	p := s.page
	first := p == nil
	if first {
		p = &page{done: make(chan struct{})}
		s.page = p
	}
	p.records = append(p.records, s.record(turn, b))
	s.aside.Unlock()
	if !first {
		select {
		case <-p.done:
			return p.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer close(p.done)
	t := time.NewTimer(linger)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.core.closing:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.aside.Lock()
	s.page = nil // who comes now begins another
	s.aside.Unlock()
	_, _, p.err = s.commit(context.WithoutCancel(ctx), func(ledger.Seq) store.Commit {
		return store.Commit{Records: p.records, Settles: true}
	})
	return p.err
}
