package host

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A slot is the place of one surface: at most one process serves it, started by
// the first who needs it.
type slot struct {
	host    *Host
	config  Config
	surface Surface         // as found; State is StateReady whether or not it runs
	builtin *hostapi.Client // instead of a process

	mu       sync.Mutex
	closed   bool
	current  *process // serves new calls
	starting *start
	leaving  map[*process]struct{} // serve what they have, then stop
}

// A start is a process on its way. done is closed when p or err is set.
type start struct {
	done chan struct{}
	p    *process
	err  *Error
}

func (s *slot) snapshot() Surface {
	out := s.surface
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && !s.current.gone() {
		out.State = StateRunning
	}
	return out
}

// render makes one attempt. again says that a fresh process may do better.
func (s *slot) render(caller context.Context, r surface.RenderRequest) (out surface.Rendering, again bool, _ *Error) {
	if s.surface.State == StateBroken {
		e, _ := errors.AsType[*Error](s.surface.Err)
		broken := *e
		broken.Op = "render"
		return surface.Rendering{}, false, &broken
	}
	ctx, cancel := context.WithTimeout(caller, s.config.RenderTimeout)
	defer cancel()
	if s.builtin != nil {
		out, err := s.builtin.Render(ctx, r)
		if err != nil {
			return surface.Rendering{}, false, s.named(fromCall("render", err))
		}
		return out, false, nil
	}
	p, e := s.acquire(ctx)
	if e != nil {
		return surface.Rendering{}, e.fresh() && !gaveUp(caller, ctx, e), e
	}
	out, err := p.api.Render(ctx, r)
	if err == nil {
		s.release(p, false)
		return out, false, nil
	}
	e = s.named(fromCall("render", err))
	if e.Kind == Unavailable {
		p.obituary(e)
	}
	again = e.fresh() && !gaveUp(caller, ctx, e)
	s.release(p, again)
	return surface.Rendering{}, again, e
}

// gaveUp reports whether e came of the caller's own haste, which is not the
// plugin's fault: it gave less time than an attempt has.
func gaveUp(caller, attempt context.Context, e *Error) bool {
	if caller.Err() != nil {
		return true
	}
	its, ok := caller.Deadline()
	ours, _ := attempt.Deadline()
	return e.Kind == Deadline && ok && !ours.Before(its)
}

func (s *slot) named(e *Error) *Error {
	e.Plugin, e.Version = s.surface.Info.ID, s.surface.Info.Version
	return e
}

// acquire returns a process that lives, starting one if there is none, and
// counts the caller in.
func (s *slot) acquire(ctx context.Context) (*process, *Error) {
	for range 3 { // a process that dies as soon as it is ready is not started for ever
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil, s.named(&Error{Op: "render", Kind: Closed, Source: FromHost, Message: "the host is closed"})
		}
		if p := s.current; p != nil && !p.gone() {
			p.calls++
			s.mu.Unlock()
			return p, nil
		}
		if s.current != nil {
			s.retire(s.current)
		}
		st := s.starting
		if st == nil {
			st = s.begin()
		}
		s.mu.Unlock()

		select {
		case <-st.done:
			if st.err != nil {
				return nil, st.err
			}
		case <-ctx.Done():
			kind, message := Canceled, "canceled by the caller"
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				kind, message = Deadline, "the process did not become ready in time"
			}
			return nil, s.named(&Error{Op: "start", Kind: kind, Source: FromPlugin, Message: message, Err: ctx.Err()})
		}
	}
	return nil, s.named(&Error{
		Op: "start", Kind: Unavailable, Source: FromPlugin, Message: "the process ended as soon as it was ready, three times",
		Hint: "see the plugin's log",
	})
}

// begin starts a process in the background: a caller that gives up does not take
// it away from the others. Called with mu held.
func (s *slot) begin() *start {
	st := &start{done: make(chan struct{})}
	s.starting = st
	s.host.work.Add(1)
	go func() {
		defer s.host.work.Done()
		began := time.Now()
		p, err := s.host.startProcess(s.surface, s.config)
		s.mu.Lock()
		s.starting = nil
		switch {
		case err != nil:
			st.err = s.named(err)
		case s.closed:
			st.err = s.named(&Error{Op: "start", Kind: Closed, Source: FromHost, Message: "the host is closed"})
		default:
			s.current, st.p = p, p
		}
		s.mu.Unlock()
		if p != nil && st.err != nil {
			p.stop()
		}
		if st.err == nil {
			s.host.log.Debug("plugin process ready", "plugin", s.surface.Info.ID, "version", s.surface.Info.Version, "pid", p.run.ID(), "took", time.Since(began))
		}
		close(st.done)
	}()
	return st
}

// release counts the caller out. A process that did wrong serves nobody else: it
// stops as soon as those who still wait for it are served or have given up.
func (s *slot) release(p *process, wrong bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.calls--
	if wrong && s.current == p {
		s.retire(p)
		return
	}
	if _, ok := s.leaving[p]; ok && p.calls == 0 {
		s.end(p)
	}
}

// retire takes p out of service. Called with mu held.
func (s *slot) retire(p *process) {
	s.current = nil
	if s.leaving == nil {
		s.leaving = map[*process]struct{}{}
	}
	s.leaving[p] = struct{}{}
	if p.calls == 0 || p.gone() {
		s.end(p)
	}
}

// end stops p in the background. Called with mu held, once for each p.
func (s *slot) end(p *process) {
	delete(s.leaving, p)
	s.host.work.Add(1)
	go func() {
		defer s.host.work.Done()
		p.stop()
	}()
}

// close stops everything, whoever still waits. The caller waits for host.work.
func (s *slot) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.current != nil {
		p := s.current
		s.current = nil
		s.end(p)
	}
	for p := range s.leaving {
		s.end(p)
	}
}
