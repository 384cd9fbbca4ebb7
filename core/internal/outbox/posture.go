package outbox

import (
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Posture decides when something goes, never what. Its zero value is immediate
// and normal.
type Posture struct {
	Cadence Cadence `json:"cadence,omitempty"`
	Urgency Urgency `json:"urgency,omitempty"`
}

// A Cadence is how often a target wants to hear.
type Cadence string

// The cadences; empty is immediate.
const (
	Immediate    Cadence = "immediate"
	OnCompletion Cadence = "on_completion"
	Digest       Cadence = "digest"
)

// An Urgency is how much a delivery presses.
type Urgency string

// The urgencies; empty is normal.
const (
	Ambient   Urgency = "ambient"
	Normal    Urgency = "normal"
	Interrupt Urgency = "interrupt"
)

// Cadences and Urgencies are all of them, the default first.
var (
	Cadences  = []Cadence{Immediate, OnCompletion, Digest}
	Urgencies = []Urgency{Normal, Ambient, Interrupt}
)

// A timing is what a posture decides.
type timing string

const (
	send              timing = "send"
	holdUntilComplete timing = "hold_until_complete"
	holdForDigest     timing = "hold_for_digest"
)

// timings is the one table of postures.
var timings = map[Cadence]map[Urgency]timing{
	Immediate:    {Ambient: send, Normal: send, Interrupt: send},
	OnCompletion: {Ambient: holdUntilComplete, Normal: holdUntilComplete, Interrupt: send},
	Digest:       {Ambient: holdForDigest, Normal: holdForDigest, Interrupt: send},
}

// timing decides for a job of a kind. completes says that it is the one that ends
// its turn. Approvals and alerts always go at once, and so does the completing
// job, which releases what was held for its turn.
func (p Posture) timing(k surface.Kind, completes bool) timing {
	t := timings[p.cadence()][p.urgency()]
	switch {
	case k == surface.Approval || k == surface.Alert:
		return send
	case t == holdUntilComplete && completes:
		return send
	}
	return t
}

// silent reports whether it goes without a sound.
func (p Posture) silent() bool { return p.urgency() == Ambient }

func (p Posture) cadence() Cadence {
	if p.Cadence == "" {
		return Immediate
	}
	return p.Cadence
}

func (p Posture) urgency() Urgency {
	if p.Urgency == "" {
		return Normal
	}
	return p.Urgency
}

// digestHour is when a digest is due, in UTC, until targets have times of their
// own.
const digestHour = 9

// nextDigest is the first time for a digest after now.
func nextDigest(now time.Time) time.Time {
	now = now.UTC()
	at := time.Date(now.Year(), now.Month(), now.Day(), digestHour, 0, 0, 0, time.UTC)
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at
}
