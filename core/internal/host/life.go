package host

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/core/internal/host/supervise"
)

// A supervisor is one of whatever kind of process.
type supervisor interface {
	Restart(context.Context) *Error
	Forgive()
	Close()
	Drain()
	Abort()
	wait() // until nothing of it runs; called after one of the three above
}

// A keeper is a supervisor that counts what runs for it.
type keeper[P supervise.Process] struct {
	*supervise.Supervisor[P]
	work sync.WaitGroup
}

func newKeeper[P supervise.Process](c supervise.Config[P]) *keeper[P] {
	k := &keeper[P]{}
	c.Work = &k.work
	k.Supervisor = supervise.New(c)
	return k
}

func (k *keeper[P]) wait() { k.work.Wait() }

// newRenderer keeps the process that has no credential.
func (s *slot) newRenderer() *keeper[*process.Process] {
	return newKeeper(supervise.Config[*process.Process]{
		Start:  s.start,
		Policy: s.host.config.Policy,
		Log:    s.host.log.With("plugin", s.key.ID, "version", s.info.Version),
	})
}

// renders is the supervisor of the process that has no credential.
func (s *slot) renders() *keeper[*process.Process] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sup
}

// serving are the supervisors that start processes: of the renderer and of every
// transport. Called with s.mu held; empty for a built-in.
func (s *slot) serving() iter.Seq2[supervisor, *outlet] {
	return func(yield func(supervisor, *outlet) bool) {
		if s.sup == nil || s.closed || !yield(s.sup, nil) {
			return
		}
		for _, o := range s.outlets {
			if !yield(o.sup, o) {
				return
			}
		}
	}
}

// supervisors lists those that serve.
func (s *slot) supervisors() (out []supervisor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sup := range s.serving() {
		out = append(out, sup)
	}
	return out
}

// sending lists the accounts that were used, by name, and behind them those whose
// process sends its last message.
func (s *slot) sending() []*outlet {
	s.mu.Lock()
	defer s.mu.Unlock()
	byName := func(a, b *outlet) int { return strings.Compare(a.account, b.account) }
	out := slices.SortedFunc(maps.Values(s.outlets), byName)
	return append(out, slices.SortedFunc(maps.Values(s.former), byName)...)
}

// tend has a slot do what is wanted of it by now: serve, end with the calls that are
// under way, or end at once. It starts nothing and waits for nothing. Called with h.mu
// held, after every change of the slot.
func (h *Host) tend(s *slot) {
	if s.builtin != nil || h.closed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.banned != nil:
		s.end(supervisor.Abort)
	case !s.current && s.holds == 0:
		s.end(supervisor.Drain)
	case s.closed:
		s.closed, s.sup = false, s.newRenderer()
	case !s.current: // held, and another sends now
		for _, o := range s.outlets {
			s.leave(o.sup, o, supervisor.Drain)
		}
		s.outlets = nil
	}
	if s.listed || s.holds > 0 || h.slots[s.key] != s {
		return
	}
	delete(h.slots, s.key)
	if len(s.leaving) > 0 {
		h.parting[s] = struct{}{}
	}
}

// end has nothing started any more, and ends every process in the way that how says.
// Called with h.mu and s.mu held.
func (s *slot) end(how func(supervisor)) {
	for sup := range s.leaving {
		how(sup)
	}
	for sup, o := range s.serving() {
		s.leave(sup, o, how)
	}
	s.closed, s.outlets = true, nil
}

// leave takes a supervisor out of service, which is the outlet's if that is not nil.
// Called with h.mu and s.mu held.
func (s *slot) leave(sup supervisor, o *outlet, how func(supervisor)) {
	how(sup)
	if s.leaving == nil {
		s.leaving, s.former = map[supervisor]chan struct{}{}, map[supervisor]*outlet{}
	}
	gone := make(chan struct{})
	s.leaving[sup] = gone
	if o != nil {
		s.former[sup] = o
	}
	h := s.host
	h.work.Go(func() {
		sup.wait()
		h.mu.Lock()
		defer h.mu.Unlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.leaving, sup)
		delete(s.former, sup)
		if len(s.leaving) == 0 {
			delete(h.parting, s)
		}
		close(gone)
	})
}

// left is the error of a call that found nothing to be started: e, if the host is
// closed. Nil: it was ended, and by now is wanted again.
func (s *slot) left(e *Error) *Error {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	switch {
	case s.host.closed:
		return e.Named(s.key.ID, s.info.Version)
	case s.banned != nil:
		return s.banned
	case s.current || s.holds > 0:
		return nil
	}
	return replaced(s.key)
}
