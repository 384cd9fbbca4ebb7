package core

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// A lease lets a turn, or a job that was accepted in one, go on with the epoch in
// which it began, whatever was revoked since.
type lease struct {
	at    *snapshot
	turn  ledger.TurnID // zero: the job is of none
	since time.Time
}

// leases are those of open turns, and of jobs that are due and were not rendered
// yet. A job that is held has none: what is revoked meanwhile it does without.
// The zero value is ready.
type leases struct {
	mu    sync.Mutex
	turns map[ledger.TurnID]lease
	jobs  map[string]lease
}

// begin gives a new turn the pin that the caller took.
func (l *leases) begin(id ledger.TurnID, at *snapshot, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.turns == nil {
		l.turns = map[ledger.TurnID]lease{}
	}
	l.turns[id] = lease{at, id, now}
}

// end ends the lease of a turn.
func (l *leases) end(id ledger.TurnID) {
	l.mu.Lock()
	of, ok := l.turns[id]
	delete(l.turns, id)
	l.mu.Unlock()
	if ok {
		of.at.unpin()
	}
}

// accept gives a job a lease of its own. It fails where the epoch was let go of.
func (l *leases) accept(job string, turn ledger.TurnID, at *snapshot, now time.Time) {
	if !at.pin() {
		return
	}
	l.mu.Lock()
	if l.jobs == nil {
		l.jobs = map[string]lease{}
	}
	_, twice := l.jobs[job]
	if !twice {
		l.jobs[job] = lease{at, turn, now}
	}
	l.mu.Unlock()
	if twice {
		at.unpin()
	}
}

// done ends the lease of a job.
func (l *leases) done(job string) {
	l.mu.Lock()
	of, ok := l.jobs[job]
	delete(l.jobs, job)
	l.mu.Unlock()
	if ok {
		of.at.unpin()
	}
}

// expire ends what began before a moment.
func (l *leases) expire(before time.Time) {
	var old []*snapshot
	l.mu.Lock()
	for id, of := range l.turns {
		if of.since.Before(before) {
			old = append(old, of.at)
			delete(l.turns, id)
		}
	}
	for job, of := range l.jobs {
		if of.since.Before(before) {
			old = append(old, of.at)
			delete(l.jobs, job)
		}
	}
	l.mu.Unlock()
	for _, s := range old {
		s.unpin()
	}
}

// waiting are the jobs that have one.
func (l *leases) waiting() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.jobs))
}

// turn is the epoch of a turn that has a lease; nil: it has none.
func (l *leases) turn(id ledger.TurnID) *snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.turns[id].at
}

// job is the epoch of a job that has a lease; nil: it has none.
func (l *leases) job(id string) *snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.jobs[id].at
}

// epoch is the one with a number that something has a lease of; nil: nothing has.
func (l *leases) epoch(number uint64) *snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, of := range l.turns {
		if of.at.Number == number {
			return of.at
		}
	}
	for _, of := range l.jobs {
		if of.at.Number == number {
			return of.at
		}
	}
	return nil
}

// each calls f for the epoch of every lease.
func (l *leases) each(f func(*snapshot)) {
	seen := map[*snapshot]bool{}
	l.mu.Lock()
	for _, of := range l.turns {
		seen[of.at] = true
	}
	for _, of := range l.jobs {
		seen[of.at] = true
	}
	l.mu.Unlock()
	for s := range seen {
		f(s)
	}
}

// holders are the turns whose epoch has a plugin, sorted by their text. Of one that
// is current they are none: nobody waits for them.
func (l *leases) holders(k host.Key, current bool) []string {
	if current {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	add := func(of lease) {
		if of.at.plugins[k] && !of.turn.IsZero() {
			out = append(out, of.turn.String())
		}
	}
	for _, of := range l.turns {
		add(of)
	}
	for _, of := range l.jobs {
		add(of)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
