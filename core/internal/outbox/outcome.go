package outbox

import (
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Policy is what a target wants where the platform leaves a choice.
type Policy struct {
	// ParkUnknown parks a job whose outcome is not known, for a person to look at.
	// Otherwise it is sent again and says that it may be a duplicate.
	ParkUnknown bool

	// MaxParts is the number of messages above which the parts of a job are
	// paced though the platform's traits name no pace; 0 is 20.
	MaxParts int

	// Digests are the times of day at which digests go; none: nine o'clock.
	Digests []TimeOfDay

	// LiveMentions lets the names in a message notify whom they name.
	LiveMentions bool

	// Quiet is a time of day in which only what presses goes: interrupts,
	// approvals, alerts, and what somebody sends by hand.
	Quiet Span

	// Zone is where those times are read off a clock; nil: UTC.
	Zone *time.Location
}

// A setting is what an outcome is judged by, beside the delivery itself.
type setting struct {
	now      time.Time
	chance   float64 // from 0 to 1, of the jitter
	policy   Policy
	window   time.Duration                       // in which the platform recognises a key; negative: always
	expires  time.Time                           // of the job; zero: never
	stopping bool                                // the failure may be our own doing
	cut      bool                                // it is what an end in the middle left
	absent   bool                                // it was not begun: the transport is gone until somebody mends it
	halve    func(surface.Chunk) []surface.Chunk // nil: it cannot be halved
	tempo    Tempo
}

// A verdict is what follows from an outcome.
type verdict struct {
	entries []store.Entry
	row     store.Row
	target  change // nil: as it was
	again   bool   // the same job goes on at once
	gone    bool   // everything for its target is to be given up
}

// judge decides what follows from an attempt at p that failed with e.
func judge(d *delivery, p *part, e *surface.DeliveryError, s setting) verdict {
	v := verdict{row: d.row}
	f := failed{Part: p.ID, Class: e.Class, Code: clip(e.Code, maxCode), Hint: clip(e.Hint, maxHint)}
	v.row.State = store.Pending
	if s.absent {
		f.Waits = true
		v.note(s.now, kindFailed, f)
		v.park(s.now, NoTransport, s.expires, f.Code)
		return v
	}
	if e.Class == surface.Transient && e.RetryAfter > 0 {
		v.wait(d, p, f, e.RetryAfter, s)
		return v
	}
	switch e.Class {
	case surface.RateLimited:
		v.wait(d, p, f, e.RetryAfter, s)

	case surface.Payload:
		v.note(s.now, kindFailed, f)
		v.target = answering(s.now)
		lesser, ok := lesserForm(p.form)
		if !ok {
			v.giveUp(s.now, Refused, f)
			return v
		}
		v.note(s.now, kindForm, form{Part: p.ID, Form: lesser, Why: string(e.Class)})
		v.again = true

	case surface.TooLong:
		v.note(s.now, kindFailed, f)
		v.target = answering(s.now)
		var halves []surface.Chunk
		if !p.halved && s.halve != nil {
			halves = s.halve(p.Chunk)
		}
		if len(halves) < 2 {
			v.giveUp(s.now, OverLongParts, f)
			return v
		}
		v.note(s.now, kindSplit, split{Part: p.ID, Why: string(e.Class), Into: pieces(p.ID, halves)})
		v.row.Of += len(halves) - 1
		v.again = true

	case surface.Permanent:
		v.note(s.now, kindFailed, f)
		v.target = answering(s.now)
		v.giveUp(s.now, Refused, f)

	case surface.TargetGone:
		v.note(s.now, kindFailed, f)
		v.target, v.gone = closing, true
		v.giveUp(s.now, TargetGone, f)

	case surface.Moved:
		v.note(s.now, kindFailed, f)
		if e.Moved == nil || !d.mayFollow(*e.Moved) {
			v.giveUp(s.now, Refused, f)
			return v
		}
		v.note(s.now, kindMoved, moved{From: d.row.Target, To: *e.Moved})
		v.target = moving(e.Moved.String())
		v.row.Target, v.row.Due = e.Moved.String(), s.now

	default: // Transient, Unknown, and whatever a later class may be called
		if e.Class != surface.Transient {
			f.Class = surface.Unknown
		}
		v.retry(d, p, f, s)
	}
	return v
}

// wait puts the target off for as long as it asks, and counts nothing.
func (v *verdict) wait(d *delivery, p *part, f failed, asked time.Duration, s setting) {
	age := d.age(s.now)
	if exhausted(0, age) {
		v.note(s.now, kindFailed, f)
		v.giveUp(s.now, Exhausted, f)
		return
	}
	f.Waits = true
	until := s.now.Add(s.tempo.asked(asked, p.waits))
	f.Next = s.sooner(until, age)
	why := rateLimited
	if f.Class == surface.Transient && f.Code == string(NoTransport) {
		why = NoTransport // the platform has nothing to do with it
	}
	v.row.Due, v.target = f.Next, pausing(until, why)
	v.note(s.now, kindFailed, f)
}

// retry puts the job off, or gives it up.
func (v *verdict) retry(d *delivery, p *part, f failed, s setting) {
	if f.Counted = !s.stopping && !s.cut; f.Counted {
		v.row.Attempts++
		v.target = failing(s.now, s.tempo)
	}
	age := d.age(s.now)
	doubtful := f.Class == surface.Unknown && !s.recognised(p, d.openAt)
	switch {
	case doubtful && (s.policy.ParkUnknown || p.unknowns >= maxUnknown):
		v.note(s.now, kindFailed, f)
		v.park(s.now, UnknownOutcome, s.expires, f.Code)
		return
	case exhausted(v.row.Attempts, age):
		v.note(s.now, kindFailed, f)
		v.giveUp(s.now, Exhausted, f)
		return
	case s.cut:
		v.again = true
	case s.stopping:
		f.Next = s.now
	default:
		f.Next = s.sooner(s.now.Add(s.tempo.of(delay(v.row.Attempts, s.chance))), age)
	}
	v.row.Due = f.Next
	v.note(s.now, kindFailed, f)
	if !f.Counted || !serverFault(f.Class, f.Code) {
		return
	}
	switch {
	case p.server+1 >= serverFaults && p.form != surface.FormPlain && !p.triedPlain:
		v.note(s.now, kindForm, form{Part: p.ID, Form: surface.FormPlain, Why: whyServer})
	case p.before != "": // it is not the content: nothing is gained by its plain form
		v.note(s.now, kindForm, form{Part: p.ID, Form: p.before, Why: whyNotContent})
	}
}

// lateRendering decides about a job whose rendering takes too long. The target is
// not to blame.
func lateRendering(d *delivery, s setting) verdict {
	v := verdict{row: d.row}
	v.row.State = store.Pending
	v.row.Attempts++
	age := d.age(s.now)
	if exhausted(v.row.Attempts, age) {
		v.giveUp(s.now, Exhausted, failed{Code: "rendering"})
		return v
	}
	v.row.Due = s.sooner(s.now.Add(s.tempo.of(delay(v.row.Attempts, s.chance))), age)
	v.note(s.now, kindReleased, released{Why: "its rendering takes too long"})
	return v
}

// sooner is next, or the end of a job's time, whichever comes first.
func (s setting) sooner(next time.Time, age time.Duration) time.Time {
	if end := s.now.Add(longestTime - age); end.Before(next) {
		next = end
	}
	if !s.expires.IsZero() && s.expires.Before(next) {
		next = s.expires
	}
	return next
}

// recognised reports whether the platform will still know the key of a part that
// may have arrived, so that sending it again makes no second message. attempted
// is when it was tried, for a part that was not in doubt before.
func (s setting) recognised(p *part, attempted time.Time) bool {
	first := attempted
	if !p.firstAt.IsZero() {
		first = p.firstAt
		if p.doubt != p.form { // what may have arrived had another key
			return false
		}
	}
	return s.window < 0 || s.now.Sub(first) < s.window-windowMargin
}

// windowMargin is how long a message may be on its way.
const windowMargin = 10 * time.Second

func (v *verdict) note(now time.Time, kind string, body any) {
	v.entries = append(v.entries, entry(now, kind, body))
}

func (v *verdict) giveUp(now time.Time, r Reason, f failed) {
	v.row.State, v.row.Reason, v.row.Hold, v.row.Due = store.DeadLetter, string(r), "", time.Time{}
	v.note(now, kindDead, dead{Reason: r, Code: f.Code, Hint: f.Hint})
}

func (v *verdict) park(now time.Time, r Reason, until time.Time, code string) {
	v.row.State, v.row.Reason, v.row.Due = store.Held, string(r), until
	v.note(now, kindHeld, held{Reason: r, Until: until, Code: code})
}

// lesserForm is the next rung of the ladder.
func lesserForm(f surface.Form) (surface.Form, bool) {
	switch f {
	case surface.FormNative:
		return surface.FormText, true
	case surface.FormText:
		return surface.FormPlain, true
	}
	return "", false
}

// pieces names what a part was parted into: "3" becomes "3a" and "3b".
func pieces(id string, chunks []surface.Chunk) []Part {
	out := make([]Part, len(chunks))
	for i, c := range chunks {
		out[i] = Part{ID: id + string(rune('a'+i)), Chunk: c}
	}
	return out
}

// Bounds in bytes of what a platform says of a failure.
const (
	maxCode = 100
	maxHint = 500
)

// clip shortens a text to n bytes at most, between characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
