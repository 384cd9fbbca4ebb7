package outbox

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
)

// An Action is what an operator can do to a job.
type Action string

// The actions.
const (
	// Retry sends a held job, or a dead letter, now. Parts that arrived are not
	// sent again. It opens the job's target where that was closed.
	Retry Action = "retry"

	// Hold takes a job out of its lane until it is released.
	Hold Action = "hold"

	// Release puts a held job at the end of its lane.
	Release Action = "release"

	// Dead makes a dead letter of a job.
	Dead Action = "dead"

	// Discard throws a job away. Its history stays as long as that of others.
	Discard Action = "discard"
)

// Actions are all of them.
var Actions = []Action{Retry, Hold, Release, Dead, Discard}

// from lists the states that an action can be applied to.
var from = map[Action][]store.State{
	Retry:   {store.Held, store.DeadLetter, store.Discarded, store.Pending},
	Hold:    {store.Pending, store.Sending},
	Release: {store.Held},
	Dead:    {store.Pending, store.Sending, store.Held},
	Discard: {store.Pending, store.Sending, store.Held, store.DeadLetter},
}

// Apply does an action to a job, and returns what it is then. One that is being
// sent finishes the part that is on its way first.
func (o *Outbox) Apply(ctx context.Context, a Action, id string) (store.Row, error) {
	for {
		r, err := o.config.Store.Job(ctx, id)
		if errors.Is(err, store.NotFound) {
			return store.Row{}, &Error{Kind: NotFound, Job: id, What: "is not known", Mend: "see \"vak outbox list\"; finished jobs are forgotten after 30 days"}
		}
		if err != nil {
			return store.Row{}, err
		}
		if !slices.Contains(from[a], r.State) {
			return r, &Error{Kind: State, Job: id, What: "is " + string(r.State) + " and cannot be treated so: " + string(a), Mend: mends[r.State]}
		}
		p, how := o.acting(a, r)
		err = o.put(ctx, p, r.Target, how)
		if !isLost(err) {
			if err == nil {
				o.nudge()
				return p.Row, nil
			}
			return r, err
		}
		if err := o.interrupt(ctx, id); err != nil {
			return r, err
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-time.After(10 * time.Millisecond): // it changed in between
		}
	}
}

var mends = map[store.State]string{
	store.Pending:    "it goes by itself",
	store.Sending:    "it is on its way",
	store.Held:       "use release, retry, dead or discard",
	store.Delivered:  "it has arrived",
	store.DeadLetter: "use retry or discard",
	store.Discarded:  "use retry",
}

// acting is the put of an action, and what becomes of the job's target.
func (o *Outbox) acting(a Action, r store.Row) (store.Put, change) {
	now := o.clock.now()
	p := store.Put{}
	was := r.State
	r.Hold, r.Due, r.Updated = "", time.Time{}, now
	switch a {
	case Retry:
		r.State, r.Reason, r.Due, r.Attempts = store.Pending, "", now, 0
		p.Row, p.Tail = r, was != store.Pending
		p.Entries = []store.Entry{entry(now, kindRetried, nil)}
		return p, accepting(now)
	case Release:
		return o.releasing(r, released{Why: "by hand", ByHand: true}), nil
	case Hold:
		r.State, r.Reason = store.Held, string(ByHand)
		p.Entries = []store.Entry{entry(now, kindHeld, held{Reason: ByHand})}
	case Dead:
		r.State, r.Reason = store.DeadLetter, string(ByHand)
		p.Entries = []store.Entry{entry(now, kindDead, dead{Reason: ByHand})}
	case Discard:
		r.State, r.Reason = store.Discarded, string(ByHand)
		p.Entries = []store.Entry{entry(now, kindDiscarded, nil)}
	}
	p.Row = r
	return p, nil
}
