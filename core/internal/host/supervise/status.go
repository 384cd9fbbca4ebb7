package supervise

import (
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

// A State is what a supervisor is about.
type State string

// The states.
const (
	Stopped     State = "stopped"     // no process; the next who needs one starts it
	Starting    State = "starting"    // a process is on its way
	Ready       State = "ready"       // a process takes calls
	Draining    State = "draining"    // a process serves what it has, and no other is there
	BackingOff  State = "backing_off" // it failed, and the next start is not due
	Quarantined State = "quarantined" // it failed too often; nothing starts it but a person
)

// A Status is a supervisor at one moment.
type Status[P Process] struct {
	State    State
	Process  P         // the one that takes calls, in state Ready; else the zero value
	Since    time.Time // when that became ready
	Calls    int       // under way, in whichever process
	Draining int       // processes that serve what they have
	Restarts int       // starts but the first
	Failures int       // within the policy's window
	Next     time.Time // when the next start is due, while backing off
	Last     *fault.Error
	LastAt   time.Time
}

// Status returns the present status.
func (s *Supervisor[P]) Status() Status[P] {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	out := Status[P]{State: Stopped, Draining: len(s.leaving), Restarts: max(0, s.starts-1), Last: s.last, LastAt: s.lastAt}
	for _, at := range s.failures {
		if now.Sub(at) <= s.c.Policy.Window {
			out.Failures++
		}
	}
	for m := range s.leaving {
		out.Calls += m.calls
	}
	switch {
	case s.closed:
		if len(s.leaving) > 0 {
			out.State = Draining
		}
	case s.current != nil && !ended(s.current.p):
		out.State, out.Process, out.Since = Ready, s.current.p, s.current.since
		out.Calls += s.current.calls
	case s.starting != nil:
		out.State = Starting
	case s.quarantined:
		out.State = Quarantined
	case now.Before(s.next):
		out.State, out.Next = BackingOff, s.next
	case len(s.leaving) > 0:
		out.State = Draining
	}
	return out
}
