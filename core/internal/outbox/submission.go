package outbox

import (
	"encoding/json"
	"time"

	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Submission is what was accepted for one target: where the content stands and
// where it goes. It never changes.
type Submission struct {
	Version int              `json:"v"` // 1
	Job     string           `json:"job"`
	Target  surface.Target   `json:"target"`
	Kind    surface.Kind     `json:"kind"`
	Origin  Origin           `json:"origin"`
	Source  ledger.EntryID   `json:"source"` // the record that holds the content
	Turn    ledger.TurnID    `json:"turn,omitzero"`
	Posture Posture          `json:"posture"`
	Expires time.Time        `json:"expires_at,omitzero"`
	Epoch   uint64           `json:"epoch"`
	Actions []surface.Action `json:"actions,omitempty"`
	ReplyTo *surface.Ref     `json:"reply_to,omitempty"`
	Digest  string           `json:"digest"` // of what was submitted
}

// submissionVersion rises when an old reader would do something wrong.
const submissionVersion = 1

// An Origin says what a delivery answers.
type Origin string

// The origins.
const (
	Reply     Origin = "reply"     // of a turn
	Proactive Origin = "proactive" // a notice that nobody asked for
)

// fast reports whether the job has the lane that waits for nobody.
func (s *Submission) fast() bool {
	return s.Posture.Urgency == Interrupt || s.Kind == surface.Approval || s.Kind == surface.Alert
}

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("outbox: " + err.Error()) // all that is encoded are this package's own structs
	}
	return b
}
