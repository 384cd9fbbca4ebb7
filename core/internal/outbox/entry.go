package outbox

import (
	"encoding/json"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// The kinds of entries of a job's history, each with the body that it has.
const (
	kindSubmitted = "submitted"    // Submission
	kindRendered  = "rendered"     // Rendering
	kindAttempt   = "attempt"      // attempt: about to send one part
	kindSent      = "sent"         // sent: the platform took it
	kindFailed    = "failed"       // failed
	kindForm      = "form"         // form: a part goes on in a lesser form
	kindSplit     = "split"        // split: a part became two
	kindMoved     = "moved"        // moved
	kindHeld      = "held"         // held
	kindReleased  = store.Released // released
	kindDelivered = "delivered"    // nothing was left to send
	kindDead      = "dead"         // dead
	kindRetried   = "retried"      // by hand: it starts over where it stands
	kindDiscarded = "discarded"    // by hand
)

// A Rendering is what a submission became, as it is sent.
type Rendering struct {
	Parts       []Part           `json:"parts"`
	Renderer    packet.Renderer  `json:"renderer"`
	Template    *packet.Template `json:"template,omitempty"`
	Coverage    packet.Coverage  `json:"coverage"`
	Diagnostics []doc.Diagnostic `json:"diagnostics,omitempty"`
	Plan        json.RawMessage  `json:"plan,omitempty"` // why it looks so, for whoever asks
	Body        json.RawMessage  `json:"body,omitempty"` // what a surface that takes packets is sent, the same at every attempt
}

// A Part is one message. Its id is its own for the life of the job, whatever
// becomes of the others.
type Part struct {
	ID    string        `json:"id"`
	Chunk surface.Chunk `json:"chunk"`
	Noted bool          `json:"noted,omitempty"` // the chunk already says that it may be a duplicate, or late
}

type attempt struct {
	Part      string       `json:"part"`
	Index     int          `json:"index"`
	Of        int          `json:"of"`
	N         int          `json:"n"` // at this part, from 1
	Form      surface.Form `json:"form"`
	Key       string       `json:"key"`
	Duplicate bool         `json:"duplicate,omitempty"` // it says that it may be one
	Late      bool         `json:"late,omitempty"`      // it says that it comes late
}

type sent struct {
	Part string        `json:"part"`
	Refs []surface.Ref `json:"refs,omitempty"`
}

type failed struct {
	Part    string        `json:"part"`
	Class   surface.Class `json:"class"`
	Code    string        `json:"code,omitempty"`
	Hint    string        `json:"hint,omitempty"`
	Counted bool          `json:"counted,omitempty"` // against the ten attempts
	Waits   bool          `json:"waits,omitempty"`   // as long as the platform asked for
	Next    time.Time     `json:"next,omitzero"`
}

type form struct {
	Part string       `json:"part"`
	Form surface.Form `json:"form"`
	Why  string       `json:"why"`
}

// Why a part changes its form or is split, beside the classes of failures.
const (
	whyServer     = "server"      // the platform's server fails at it
	whyNotContent = "not_content" // it fails at the plain form too
	whyNote       = "note"        // it has no room for what it must say
)

type split struct {
	Part string `json:"part"`
	Into []Part `json:"into"`
	Why  string `json:"why"`
}

type moved struct {
	From string         `json:"from"`
	To   surface.Target `json:"to"`
}

type held struct {
	Reason Reason    `json:"reason"`
	Until  time.Time `json:"until,omitzero"`
	Code   string    `json:"code,omitempty"`
}

type released struct {
	Why    string `json:"why"`
	ByHand bool   `json:"by_hand,omitempty"`
}

type dead struct {
	Reason Reason `json:"reason"`
	Code   string `json:"code,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

type delivered struct {
	Empty bool `json:"empty,omitempty"` // it shows nothing, so nothing was sent
}

// A Reason is why a job is held or dead.
type Reason string

// Why a job is held. The first four are policy, the others mean that it cannot go
// now: it is parked.
const (
	UntilComplete  Reason = "until_complete" // of its turn
	ForDigest      Reason = "digest"
	QuietHours     Reason = "quiet_hours"
	ByHand         Reason = "by_hand"
	NoTransport    Reason = "no_transport"
	HeadOfLine     Reason = "head_of_line" // others pass it
	UnknownOutcome Reason = "unknown_outcome"
	Unreadable     Reason = "unreadable"    // its content or history cannot be read
	NewerVersion   Reason = "newer_version" // a later version of vak wrote it
)

// Why a job is dead.
const (
	Refused       Reason = "refused" // the platform will never take it
	TargetGone    Reason = "target_gone"
	Exhausted     Reason = "exhausted" // ten attempts and a day, or three days
	Expired       Reason = "expired"
	Superseded    Reason = "superseded" // a later progress of its turn
	OverLongParts Reason = "too_long"   // even halved
)

// Parked reports whether r means that a job cannot go now, rather than that it
// shall not.
func (r Reason) Parked() bool {
	switch r {
	case NoTransport, HeadOfLine, UnknownOutcome, Unreadable, NewerVersion:
		return true
	}
	return false
}

func entry(now time.Time, kind string, body any) store.Entry {
	e := store.Entry{Time: now, Kind: kind}
	if body != nil {
		e.Body = encode(body)
	}
	return e
}

func decode[T any](e store.Entry) (T, error) {
	var v T
	return v, json.Unmarshal(e.Body, &v)
}
