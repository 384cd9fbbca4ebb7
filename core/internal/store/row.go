package store

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// A State is what a job does.
type State string

// The states.
const (
	Pending    State = "pending"     // waits for its turn in its lane
	Sending    State = "sending"     // an attempt has begun; without a lease: it was cut off
	Held       State = "held"        // outside its lane, for Row.Reason
	Delivered  State = "delivered"   // done
	DeadLetter State = "dead_letter" // given up, for Row.Reason
	Discarded  State = "discarded"   // thrown away by hand
)

// Live reports whether there is still something to do.
func (s State) Live() bool { return s == Pending || s == Sending || s == Held }

func (s State) known() bool { return slices.Contains(states[:], s) }

// A Row is what scheduling and lists need of a job.
type Row struct {
	Job      string // id, at most MaxID bytes
	Target   string // canonical text; the lane's key
	Fast     bool   // in the second lane
	Kind     string // of what is delivered
	State    State
	Reason   string    // why it is held or dead: a word in snake_case
	Hold     string    // held for this; see Commit.Release
	Due      time.Time // pending: not before; held: told then, zero for never. Milliseconds.
	Attempts int       // that count, failed ones
	Part     int       // first part without a receipt
	Of       int       // number of parts; 0: it is not rendered yet
	Created  time.Time
	Updated  time.Time
	Digest   string // of what was submitted

	// Place is where the engine found the row. A put without a lease holds only
	// while the row is still there; an engine sets it, nobody else.
	Place Place
}

// A Place is where an engine finds a job's last line again. It grows with time;
// 0 is none.
type Place int64

// MaxID is the length in bytes of the longest job id, target, hold and commit
// id.
const MaxID = 512

// A TargetRow is the state of a target, over its jobs.
type TargetRow struct {
	Target   string    `json:"target"`
	Until    time.Time `json:"until,omitzero"`     // nothing goes before
	Why      string    `json:"why,omitempty"`      // of Until, or of Closed
	Failures int       `json:"failures,omitempty"` // in a row
	Opened   int       `json:"opened,omitempty"`   // how often its breaker opened since something went through
	Closed   bool      `json:"closed,omitempty"`   // nothing goes until it is opened by hand
	Moved    string    `json:"moved,omitempty"`    // where it is now, canonical text
}

// zero reports whether there is nothing to remember.
func (t TargetRow) zero() bool { return t == TargetRow{Target: t.Target} }

// check says what is wrong with a row.
func (r *Row) check() error {
	wrong := func(what string) error { return &Error{Kind: Invalid, Job: r.Job, What: what} }
	switch {
	case r.Job == "" || r.Target == "":
		return wrong("a job needs an id and a target")
	case len(r.Job) > MaxID || len(r.Target) > MaxID || len(r.Hold) > MaxID:
		return &Error{Kind: TooLarge, What: fmt.Sprintf("an id, a target or a hold is longer than %d bytes", MaxID)}
	case len(r.Reason) > MaxID || len(r.Kind) > MaxID || len(r.Digest) > MaxID:
		return wrong("its kind, reason or digest is too long")
	case !r.State.known():
		return wrong("there is no state " + strconv.Quote(string(r.State)))
	case r.State != Held && r.Hold != "":
		return wrong("it is not held and names a hold")
	case r.Attempts < 0 || r.Part < 0 || r.Of < 0 || r.Part > r.Of:
		return wrong("its counts contradict each other")
	}
	return nil
}
