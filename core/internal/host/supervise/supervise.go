package supervise

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

// A Process is what is supervised.
type Process interface {
	comparable

	// PID is its process id.
	PID() int

	// Ended is closed when it is dead.
	Ended() <-chan struct{}

	// Obituary says how it ended; nil if it did not.
	Obituary() *fault.Error

	// Check asks it whether it can serve.
	Check(context.Context) *fault.Error

	// Stop ends it and returns when nothing of it is left. It is called once.
	Stop()

	// Kill ends it at once. Stop is called all the same.
	Kill()
}

// Config says what is supervised, and how.
type Config[P Process] struct {
	// Start starts a process, or leaves nothing behind. It ends soon after its
	// context.
	Start func(context.Context) (P, *fault.Error)

	Policy Policy
	Log    hclog.Logger

	// Work counts every goroutine of the supervisor.
	Work *sync.WaitGroup
}

// A Supervisor keeps one process. It is safe for concurrent use.
type Supervisor[P Process] struct {
	c Config[P]

	done   context.Context // ends with Close
	cancel context.CancelFunc

	mu       sync.Mutex
	closed   bool
	aborted  bool       // what ends is killed
	current  *member[P] // takes new calls
	starting *attempt
	leaving  map[*member[P]]struct{} // serve what they have, then stop
	stopping map[*member[P]]struct{} // were asked to end

	starts      int
	row         int         // failures since a process was last healthy for long
	failures    []time.Time // those within the window that are the plugin's own
	next        time.Time   // of the next start, while backing off
	quarantined bool
	last        *fault.Error
	lastAt      time.Time
}

// A member is a process that is, or was, taking calls.
type member[P Process] struct {
	p      P
	since  time.Time
	calls  int
	again  int // those of the calls that are second attempts
	misses int
	out    chan struct{} // closed when it takes no new calls
}

// An attempt is a process on its way. done is closed when err is final.
type attempt struct {
	done chan struct{}
	err  *fault.Error
}

// New returns a supervisor that has started nothing.
func New[P Process](c Config[P]) *Supervisor[P] {
	c.Policy = c.Policy.withDefaults()
	s := &Supervisor[P]{c: c, leaving: map[*member[P]]struct{}{}, stopping: map[*member[P]]struct{}{}}
	s.done, s.cancel = context.WithCancel(context.Background())
	return s
}

// A Lease is a process that serves its holder until Release.
type Lease[P Process] struct {
	P     P
	s     *Supervisor[P]
	m     *member[P]
	again bool
}

// Lease returns a process that lives, starting one if there is none. It fails at
// once where the plugin is quarantined, or backing off for longer than
// Policy.Patience.
func (s *Supervisor[P]) Lease(ctx context.Context) (*Lease[P], *fault.Error) {
	return s.lease(ctx, false)
}

// LeaseAgain is Lease for the second attempt at what a process that was leased
// failed at, which was counted. Where this one fails at it, too, that is the same
// trouble: what one caller brings about counts once. A start that fails counts.
func (s *Supervisor[P]) LeaseAgain(ctx context.Context) (*Lease[P], *fault.Error) {
	return s.lease(ctx, true)
}

func (s *Supervisor[P]) lease(ctx context.Context, again bool) (*Lease[P], *fault.Error) {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil, closed()
		}
		if m := s.current; m != nil {
			if !ended(m.p) {
				m.calls++
				if again {
					m.again++
				}
				s.mu.Unlock()
				return &Lease[P]{P: m.p, s: s, m: m, again: again}, nil
			}
			s.mu.Unlock()
			s.died(m)
			continue
		}
		if s.starting == nil {
			if e := s.refuse(); e != nil {
				s.mu.Unlock()
				return nil, e
			}
			if wait := time.Until(s.next); wait > 0 {
				s.mu.Unlock()
				if e := s.sleep(ctx, wait); e != nil {
					return nil, e
				}
				continue
			}
			s.begin()
		}
		a := s.starting
		s.mu.Unlock()
		select {
		case <-a.done:
			if a.err != nil {
				return nil, a.err
			}
		case <-ctx.Done():
			return nil, gaveUp(ctx)
		}
	}
}

// refuse says why nothing is started now, nil if something may be or patience
// will do. Called with mu held.
func (s *Supervisor[P]) refuse() *fault.Error {
	now := time.Now()
	cause := ""
	if s.last != nil {
		cause = "; the last time: " + s.last.Message
	}
	switch {
	case s.quarantined:
		return &fault.Error{
			Op: "start", Kind: fault.Quarantined, Source: fault.FromPlugin, Err: s.last,
			Message: fmt.Sprintf("the plugin is quarantined: it failed %d times within %v%s", s.c.Policy.Failures, s.c.Policy.Window, cause),
			Hint:    "mend or update it, then restart it with \"vak plugin restart\"",
		}
	case s.next.Sub(now) > s.c.Policy.Patience:
		return &fault.Error{
			Op: "start", Kind: fault.BackingOff, Source: s.last.Source, Err: s.last,
			Message: fmt.Sprintf("the plugin is out of order and will be tried again in %v%s", s.next.Sub(now).Round(100*time.Millisecond), cause),
			Hint:    "see \"vak plugin inspect\", or restart it now with \"vak plugin restart\"",
		}
	}
	return nil
}

func (s *Supervisor[P]) sleep(ctx context.Context, d time.Duration) *fault.Error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-s.done.Done():
		return closed()
	case <-ctx.Done():
		return gaveUp(ctx)
	}
}

// begin starts a process in the background: a caller that gives up does not take
// it away from the others. Called with mu held.
func (s *Supervisor[P]) begin() {
	a := &attempt{done: make(chan struct{})}
	s.starting = a
	s.starts++
	s.c.Work.Go(func() {
		began := time.Now()
		p, e := s.c.Start(s.done)
		s.mu.Lock()
		s.starting = nil
		m := &member[P]{p: p, since: time.Now(), out: make(chan struct{})}
		switch {
		case s.closed:
			a.err = closed()
			if e == nil {
				s.retire(m)
			}
		case e != nil:
			a.err = e
			s.failed(e)
		default:
			s.current = m
			s.c.Work.Go(func() { s.watch(m) })
		}
		s.mu.Unlock()
		if a.err == nil {
			s.c.Log.Debug("plugin process ready", "pid", p.PID(), "took", time.Since(began))
		}
		close(a.done)
	})
}

// failed counts a failure. Called with mu held.
func (s *Supervisor[P]) failed(e *fault.Error) {
	now := time.Now()
	s.last, s.lastAt = e, now
	s.row++
	s.next = now.Add(s.c.Policy.backoff(s.row))
	if e.Source == fault.FromHost { // a machine that is out of memory is no plugin's fault
		return
	}
	s.failures = append(s.failures, now)
	for len(s.failures) > 0 && now.Sub(s.failures[0]) > s.c.Policy.Window {
		s.failures = s.failures[1:]
	}
	if len(s.failures) >= s.c.Policy.Failures && !s.quarantined {
		s.quarantined = true
		s.c.Log.Error("plugin quarantined", "failures", len(s.failures), "kind", string(e.Kind), "source", string(e.Source))
	}
}

// failedAgain is a failure that was counted before. Called with mu held.
func (s *Supervisor[P]) failedAgain(e *fault.Error) {
	s.last, s.lastAt = e, time.Now()
	s.next = s.lastAt.Add(s.c.Policy.backoff(s.row))
}

// forgive forgets all failures but the last. Called with mu held.
func (s *Supervisor[P]) forgive() {
	s.quarantined, s.row, s.failures, s.next = false, 0, nil, time.Time{}
}

// Forgive forgets all failures but the last, and with them backoff and
// quarantine: what is to be started has changed.
func (s *Supervisor[P]) Forgive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgive()
}

// Release returns the process. wrong, if not nil, says that the process is not
// to serve anybody else: it stops as soon as those who still wait for it are
// served or have given up. It counts as a failure if counts is set.
func (l *Lease[P]) Release(wrong *fault.Error, counts bool) {
	s := l.s
	s.mu.Lock()
	defer s.mu.Unlock()
	again := l.again || ended(l.m.p) && l.m.again > 0
	l.m.calls--
	if l.again {
		l.m.again--
	}
	if wrong != nil && s.current == l.m {
		s.retire(l.m)
		if counts && again {
			s.failedAgain(wrong)
		} else if counts {
			s.settle(l.m)
			s.failed(wrong)
		}
		return
	}
	if _, ok := s.leaving[l.m]; ok && l.m.calls == 0 {
		s.end(l.m)
	}
}

// settle ends the row of failures if m was healthy for long. Called with mu held.
func (s *Supervisor[P]) settle(m *member[P]) {
	if time.Since(m.since) >= s.c.Policy.Healthy {
		s.row = 0
	}
}

// retire takes the current process out of service. Called with mu held.
func (s *Supervisor[P]) retire(m *member[P]) {
	s.leave(m)
	if m.calls == 0 || ended(m.p) {
		s.end(m)
	}
}

// end stops m in the background. Called with mu held, once for each m.
func (s *Supervisor[P]) end(m *member[P]) {
	delete(s.leaving, m)
	s.stopping[m] = struct{}{}
	if s.aborted {
		m.p.Kill()
	}
	s.c.Work.Go(func() {
		m.p.Stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.stopping, m)
	})
	s.c.Work.Done()
}

// Restart ends what the process has against it, and replaces it: the old one
// serves what it has, new calls wait for the new one. It returns when that is
// ready or failed, or with ctx.
func (s *Supervisor[P]) Restart(ctx context.Context) *fault.Error {
	for first := true; ; first = false {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return closed()
		}
		s.forgive()
		a := s.starting
		mine := a == nil // what was under way before may be what is to be replaced
		if mine {
			if s.current != nil {
				s.retire(s.current)
			}
			s.begin()
			a = s.starting
		}
		s.mu.Unlock()
		select {
		case <-a.done:
			if mine || !first {
				return a.err
			}
		case <-ctx.Done():
			return gaveUp(ctx)
		}
	}
}

// Close stops everything, whoever still waits. The caller waits for the work
// group.
func (s *Supervisor[P]) Close() { s.shut(func(*member[P]) bool { return true }) }

// Abort is Close, and kills every process instead of asking it to end, those
// included that were asked before.
func (s *Supervisor[P]) Abort() {
	s.mu.Lock()
	s.aborted = true
	for m := range s.stopping {
		m.p.Kill()
	}
	s.mu.Unlock()
	s.Close()
}

// Drain starts nothing any more, and stops the process as soon as those who wait for
// it are served or have given up. The caller waits for the work group.
func (s *Supervisor[P]) Drain() {
	s.shut(func(m *member[P]) bool { return m.calls == 0 || ended(m.p) })
}

// shut takes no more calls, and ends the processes of which at says that it is to be
// now. The others end with their last call.
func (s *Supervisor[P]) shut(at func(*member[P]) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.cancel()
	}
	if s.current != nil {
		s.leave(s.current)
	}
	for m := range s.leaving {
		if at(m) {
			s.end(m)
		}
	}
}

// leave takes the current process out of service. The work group counts it until it
// is stopped. Called with mu held.
func (s *Supervisor[P]) leave(m *member[P]) {
	s.current = nil
	close(m.out)
	s.leaving[m] = struct{}{}
	s.c.Work.Add(1)
}

func ended[P Process](p P) bool {
	select {
	case <-p.Ended():
		return true
	default:
		return false
	}
}

func closed() *fault.Error {
	return &fault.Error{Op: "start", Kind: fault.Closed, Source: fault.FromHost, Message: "the host is closed"}
}

// gaveUp is the error of a caller whose context ended before there was a process.
func gaveUp(ctx context.Context) *fault.Error {
	e := &fault.Error{Op: "start", Kind: fault.Canceled, Source: fault.FromPlugin, Message: "canceled by the caller", Err: ctx.Err()}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.Kind, e.Message = fault.Deadline, "the process did not become ready in time"
	}
	return e
}
