package supervise

import (
	"context"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

// watch sees that m lives and answers, for as long as it takes new calls.
func (s *Supervisor[P]) watch(m *member[P]) {
	tick := time.NewTicker(s.c.Policy.CheckEvery)
	defer tick.Stop()
	for {
		select {
		case <-m.out:
			return
		case <-m.p.Ended():
			s.died(m)
			return
		case <-tick.C:
			s.check(m)
		}
	}
}

// check asks m whether it can serve. A process that has calls is not asked:
// these have deadlines of their own, and one that works hard is not ill.
func (s *Supervisor[P]) check(m *member[P]) {
	s.mu.Lock()
	busy := m.calls > 0
	s.mu.Unlock()
	if busy {
		return
	}
	ctx, cancel := context.WithTimeout(s.done, s.c.Policy.CheckTimeout)
	defer cancel()
	e := m.p.Check(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e == nil {
		m.misses = 0
		return
	}
	m.misses++
	if s.current != m || m.misses < s.c.Policy.Misses || ended(m.p) {
		return
	}
	e.Message = "the idle process does not answer: " + e.Message
	s.c.Log.Warn("plugin process does not answer", "pid", m.p.PID(), "kind", string(e.Kind))
	s.retire(m)
	s.replace(m, e)
}

// died counts the end of m, which nobody asked for.
func (s *Supervisor[P]) died(m *member[P]) {
	s.mu.Lock()
	if s.current != m {
		s.mu.Unlock()
		return
	}
	s.retire(m)
	// The words are filled in below: whoever asks next is not kept waiting for
	// them, but for the backoff.
	e := &fault.Error{Op: "run", Kind: fault.Unavailable, Source: fault.FromPlugin, Message: "the process ended by itself", Hint: "see the plugin's log"}
	s.replace(m, e)
	s.mu.Unlock()
	said := m.p.Obituary()
	if said == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == e {
		s.last = said
	}
}

// replace counts the failure of m and has another process started when the
// backoff is over. What is not used is started by the next who needs it, but m
// was: the next answer shall not have to wait. Where that start fails, the one
// after it is left to whoever needs it. Called with mu held.
func (s *Supervisor[P]) replace(m *member[P], e *fault.Error) {
	if m.again > 0 {
		s.failedAgain(e)
	} else {
		s.settle(m)
		s.failed(e)
	}
	if s.quarantined || s.closed {
		return
	}
	wait := time.Until(s.next)
	s.c.Work.Go(func() {
		if s.sleep(s.done, wait) != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed && s.current == nil && s.starting == nil && !s.quarantined && time.Until(s.next) <= 0 {
			s.begin()
		}
	})
}
