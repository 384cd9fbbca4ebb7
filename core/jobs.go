package core

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/packet"
)

// A JobState is what a job does.
type JobState string

// The states.
const (
	JobPending    JobState = "pending"     // waits for its turn
	JobSending    JobState = "sending"     // an attempt has begun
	JobHeld       JobState = "held"        // kept back, for Job.Reason
	JobDelivered  JobState = "delivered"   // done
	JobDeadLetter JobState = "dead_letter" // given up, for Job.Reason
	JobDiscarded  JobState = "discarded"   // thrown away by hand
)

// JobStates are all of them.
var JobStates = []JobState{JobPending, JobSending, JobHeld, JobDelivered, JobDeadLetter, JobDiscarded}

// Live reports whether there is still something to do.
func (s JobState) Live() bool { return store.State(s).Live() }

// A Job is one answer on its way to one target.
type Job struct {
	ID       string    `json:"id"`
	Target   string    `json:"target"`
	Kind     string    `json:"kind"`
	State    JobState  `json:"state"`
	Reason   string    `json:"reason,omitempty"` // why it is held or dead
	Parked   bool      `json:"parked,omitempty"` // held because it cannot go, not because it shall not
	Due      time.Time `json:"due,omitzero"`     // pending: not before; held: looked at then
	Attempts int       `json:"attempts"`         // failed ones since something got through
	Sent     int       `json:"sent"`             // parts that arrived
	Parts    int       `json:"parts"`            // 0: not rendered yet
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
}

func newJob(r store.Row) Job {
	return Job{
		ID: r.Job, Target: r.Target, Kind: r.Kind, State: JobState(r.State), Reason: r.Reason,
		Parked: r.State == store.Held && outbox.Reason(r.Reason).Parked(), Due: r.Due, Attempts: r.Attempts,
		Sent: r.Part, Parts: r.Of, Created: r.Created, Updated: r.Updated,
	}
}

// A JobFilter chooses jobs. Its zero value chooses all that are live.
type JobFilter struct {
	States []JobState
	Target string // canonical text; empty: all
	Reason string // empty: all
}

// Jobs lists jobs: live ones by target in the order in which they will go, then
// finished ones, the latest first. Finished ones are kept for 30 days. One that a
// damaged journal leaves in doubt is held as unreadable.
func (c *Core) Jobs(ctx context.Context, f JobFilter) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		if c.store == nil {
			yield(Job{}, errReadOnly())
			return
		}
		in := store.Filter{Target: f.Target, Reason: f.Reason}
		for _, s := range f.States {
			in.States = append(in.States, store.State(s))
		}
		for r, err := range c.store.Jobs(ctx, in) {
			j := newJob(r)
			if errors.Is(err, store.Corrupt) {
				if r.Job == "" {
					continue // nothing is known of it; Health tells of the damage
				}
				j.State, j.Reason, j.Parked, err = JobHeld, string(outbox.Unreadable), true, nil
			}
			if !yield(j, storeError(err)) {
				return
			}
		}
	}
}

// Job returns one job. Errors are of kind ErrNotFound or ErrStore.
func (c *Core) Job(ctx context.Context, id string) (Job, error) {
	if c.store == nil {
		return Job{}, errReadOnly()
	}
	r, err := c.store.Job(ctx, id)
	if err != nil {
		return Job{}, storeError(err)
	}
	return newJob(r), nil
}

// A JobEvent is one thing that happened to a job.
type JobEvent struct {
	Time time.Time       `json:"time"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body,omitempty"`
}

// JobHistory tells what happened to a job, oldest first. It holds the text of the
// answer.
func (c *Core) JobHistory(ctx context.Context, id string) ([]JobEvent, error) {
	if c.store == nil {
		return nil, errReadOnly()
	}
	entries, err := c.store.History(ctx, id)
	if err != nil {
		return nil, storeError(err)
	}
	out := make([]JobEvent, len(entries))
	for i, e := range entries {
		out[i] = JobEvent(e)
	}
	return out, nil
}

// Packet assembles the packet of a job. Before it is rendered the packet has no
// chunk.
func (c *Core) Packet(ctx context.Context, id string) (packet.Packet, error) {
	if c.store == nil {
		return packet.Packet{}, errReadOnly()
	}
	s, r, err := c.outbox.Content(ctx, id)
	if err != nil {
		return packet.Packet{}, jobError(err)
	}
	return desk{c}.packet(ctx, s, r)
}

// A JobAction is what an operator can do to a job.
type JobAction string

// The actions.
const (
	// Retry sends a held job or a dead letter now. Parts that arrived are not sent
	// again. A target that was closed is open then.
	Retry JobAction = "retry"

	// Hold takes a job out of its lane until it is released.
	Hold JobAction = "hold"

	// Release puts a held job at the end of its lane.
	Release JobAction = "release"

	// Dead makes a dead letter of a job.
	Dead JobAction = "dead"

	// Discard throws a job away; its history stays.
	Discard JobAction = "discard"
)

// JobActions are all of them.
var JobActions = []JobAction{Retry, Hold, Release, Dead, Discard}

// Act does an action to a job, and returns what it is then. A job that is being
// sent gets to the end of its part first. Errors are of kind ErrNotFound,
// ErrJobState or ErrStore.
func (c *Core) Act(ctx context.Context, a JobAction, id string) (Job, error) {
	if c.store == nil {
		return Job{}, errReadOnly()
	}
	r, err := c.outbox.Apply(ctx, outbox.Action(a), id)
	if err != nil {
		return Job{}, jobError(err)
	}
	if r.State != store.Pending && r.State != store.Sending {
		c.leases.done(id)
	}
	return newJob(r), nil
}

// A Target is where jobs go, with what waits for it.
type Target struct {
	Target  string    `json:"target"`
	Pending int       `json:"pending"`
	Sending int       `json:"sending"`
	Held    int       `json:"held"`
	Oldest  time.Time `json:"oldest,omitzero"` // of those
	Until   time.Time `json:"until,omitzero"`  // nothing goes before
	Why     string    `json:"why,omitempty"`   // it waits or is closed
	Closed  bool      `json:"closed,omitempty"`
	Moved   string    `json:"moved,omitempty"` // where it is now
}

// Targets lists the targets that something waits for, or that are in no ordinary
// state.
func (c *Core) Targets(ctx context.Context) ([]Target, error) {
	if c.store == nil {
		return nil, errReadOnly()
	}
	all, err := c.store.Targets(ctx)
	if err != nil {
		return nil, storeError(err)
	}
	out := make([]Target, len(all))
	for i, t := range all {
		out[i] = Target{
			Target: t.Target, Pending: t.Pending, Sending: t.Sending, Held: t.Held, Oldest: t.Oldest,
			Until: t.Until, Why: t.Why, Closed: t.Closed, Moved: t.Moved,
		}
	}
	return out, nil
}

// jobError tells what is wrong with a job in the terms of this package.
func jobError(err error) error {
	e, ok := errors.AsType[*outbox.Error](err)
	if !ok {
		return storeError(err)
	}
	kind := ErrJobState
	if e.Kind == outbox.NotFound {
		kind = ErrNotFound
	}
	return &Error{Kind: kind, What: "job " + e.Job + " " + e.What, Mend: e.Mend}
}
