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
	// paced; 0 is 20.
	MaxParts int
}

// A setting is what an outcome is judged by, beside the delivery itself.
type setting struct {
	now    time.Time
	chance float64 // from 0 to 1, of the jitter
	policy Policy
	window time.Duration // in which the platform recognises a key; negative: always
	target store.TargetRow
	halve  func(surface.Chunk) []surface.Chunk // nil: it cannot be halved
}

// A verdict is what follows from an outcome.
type verdict struct {
	entries []store.Entry
	row     store.Row
	target  *store.TargetRow // to be written; nil: as it was
	again   bool             // the same job goes on at once
	gone    bool             // everything for its target is to be given up
}

// judge decides what follows from an attempt at p that failed with e.
func judge(d *delivery, p *part, e *surface.DeliveryError, s setting) verdict {
	v := verdict{row: d.row}
	f := failed{Part: p.ID, Class: e.Class, Code: e.Code, Hint: e.Hint}
	note := func(kind string, body any) { v.entries = append(v.entries, entry(s.now, kind, body)) }
	v.row.State = store.Pending

	switch e.Class {
	case surface.RateLimited:
		f.Next = s.now.Add(max(e.RetryAfter, time.Second))
		t := s.target
		t.Until, t.Why = f.Next, string(rateLimited)
		v.target = &t
		v.row.Due = f.Next
		note(kindFailed, f)

	case surface.Payload:
		note(kindFailed, f)
		lesser, ok := lesserForm(p.form)
		if !ok {
			v.giveUp(s.now, Refused, e)
			return v
		}
		note(kindForm, form{Part: p.ID, Form: lesser, Why: string(e.Class)})
		v.again = true

	case surface.TooLong:
		note(kindFailed, f)
		var halves []surface.Chunk
		if !p.halved && s.halve != nil {
			halves = s.halve(p.Chunk)
		}
		if len(halves) < 2 {
			v.giveUp(s.now, OverLongParts, e)
			return v
		}
		note(kindSplit, split{Part: p.ID, Why: string(e.Class), Into: pieces(p.ID, halves)})
		v.row.Of += len(halves) - 1
		v.again = true

	case surface.Permanent:
		note(kindFailed, f)
		v.giveUp(s.now, Refused, e)

	case surface.TargetGone:
		note(kindFailed, f)
		v.giveUp(s.now, TargetGone, e)
		t := s.target
		t.Closed, t.Why, t.Until = true, string(TargetGone), time.Time{}
		v.target, v.gone = &t, true

	case surface.Moved:
		note(kindFailed, f)
		if e.Moved == nil || *e.Moved == d.sub.Target {
			v.giveUp(s.now, Refused, e)
			return v
		}
		v.move(s, d.row.Target, *e.Moved)

	default: // Transient, Unknown, and whatever a later class may be called
		if e.Class != surface.Transient {
			f.Class = surface.Unknown
		}
		v.retry(d, p, f, e, s)
	}
	return v
}

// retry puts the job off, or gives it up.
func (v *verdict) retry(d *delivery, p *part, f failed, e *surface.DeliveryError, s setting) {
	f.Counted = true
	v.row.Attempts++
	note := func(kind string, body any) { v.entries = append(v.entries, entry(s.now, kind, body)) }
	t := failure(s.target, s.now)
	v.target = &t
	age := d.age(s.now)
	unknowns := p.unknowns
	if f.Class == surface.Unknown {
		unknowns++
	}
	switch {
	case f.Class == surface.Unknown && !s.recognised(p, d.openAt) && (s.policy.ParkUnknown || unknowns > maxUnknown):
		note(kindFailed, f)
		v.park(s.now, UnknownOutcome, f.Code)
		return
	case v.row.Attempts >= enoughAttempts && age >= enoughTime, age >= longestTime:
		note(kindFailed, f)
		v.giveUp(s.now, Exhausted, e)
		return
	}
	f.Next = s.now.Add(max(delay(v.row.Attempts, s.chance), min(e.RetryAfter, delays[len(delays)-1])))
	v.row.Due = f.Next
	note(kindFailed, f)
	if serverFault(f.Class, f.Code) && p.server+1 == serverFaults && p.form != surface.FormPlain {
		note(kindForm, form{Part: p.ID, Form: surface.FormPlain, Why: "server"})
	}
}

// recognised reports whether the platform still knows the key of an attempt that
// was made at a time, so that sending it again makes no second message.
func (s setting) recognised(p *part, attempted time.Time) bool {
	first := attempted
	if !p.firstAt.IsZero() {
		first = p.firstAt
	}
	return s.window < 0 || s.now.Sub(first) < s.window
}

func (v *verdict) giveUp(now time.Time, r Reason, e *surface.DeliveryError) {
	body := dead{Reason: r}
	if e != nil {
		body.Code, body.Hint = e.Code, e.Hint
	}
	v.row.State, v.row.Reason, v.row.Hold, v.row.Due = store.DeadLetter, string(r), "", time.Time{}
	v.entries = append(v.entries, entry(now, kindDead, body))
}

func (v *verdict) park(now time.Time, r Reason, code string) {
	v.row.State, v.row.Reason, v.row.Due = store.Held, string(r), time.Time{}
	v.entries = append(v.entries, entry(now, kindHeld, held{Reason: r, Code: code}))
}

// move gives the job, and all that follow it, another target.
func (v *verdict) move(s setting, from string, to surface.Target) {
	v.entries = append(v.entries, entry(s.now, kindMoved, moved{From: from, To: to}))
	t := s.target
	t.Moved = to.String()
	v.target = &t
	v.row.Target, v.row.Due = t.Moved, s.now
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
