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

// A TimeOfDay is a time on a clock, in minutes after midnight.
type TimeOfDay int

// on is the time on the day of t, and days later. Where a clock skips it, as it
// does once a year, it is the time that the clock shows instead.
func (d TimeOfDay) on(t time.Time, days int) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day()+days, int(d)/60, int(d)%60, 0, 0, t.Location())
}

// A Span is from one time of day to another, over midnight where the second is
// the earlier one. One that ends where it begins is empty.
type Span struct{ From, To TimeOfDay }

// digestTime is when a digest goes where nothing else is said.
const digestTime = TimeOfDay(9 * 60)

func (p Policy) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// nextDigest is the first time for a digest after now.
func (p Policy) nextDigest(now time.Time) time.Time {
	times := p.Digests
	if len(times) == 0 {
		times = []TimeOfDay{digestTime}
	}
	here := now.In(p.zone())
	var next time.Time
	for _, d := range times {
		at := d.on(here, 0)
		if !at.After(now) {
			at = d.on(here, 1)
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return next.UTC()
}

// quietUntil is the end of the quiet time that now is in, if it is in one.
func (p Policy) quietUntil(now time.Time) (end time.Time, quiet bool) {
	if p.Quiet.From == p.Quiet.To {
		return time.Time{}, false
	}
	here := now.In(p.zone())
	for _, day := range []int{-1, 0} { // begun yesterday, or today
		from := p.Quiet.From.on(here, day)
		to := p.Quiet.To.on(here, day)
		if p.Quiet.To < p.Quiet.From {
			to = p.Quiet.To.on(here, day+1)
		}
		if !now.Before(from) && now.Before(to) {
			return to.UTC(), true
		}
	}
	return time.Time{}, false
}
