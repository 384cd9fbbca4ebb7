package outbox

import (
	"context"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Submit returns the puts that accept submissions, for the commit that holds
// their content too. completes says that they end their turn. A progress takes
// the place of earlier ones of its turn that have not gone.
func (o *Outbox) Submit(ctx context.Context, subs []Submission, completes bool) []store.Put {
	puts := make([]store.Put, 0, len(subs))
	for i := range subs {
		s := &subs[i]
		s.Version = submissionVersion
		if s.Kind == surface.Progress && !s.Turn.IsZero() {
			puts = append(puts, o.superseded(ctx, s)...)
		}
		puts = append(puts, o.accept(s, completes))
	}
	return puts
}

// accept is the put of a new job.
func (o *Outbox) accept(s *Submission, completes bool) store.Put {
	now := o.clock.now()
	r := store.Row{
		Job: s.Job, Target: s.Target.String(), Fast: s.fast(), Kind: string(s.Kind), State: store.Pending,
		Due: now, Created: now, Updated: now, Digest: s.Digest,
	}
	p := store.Put{New: true, Entries: []store.Entry{entry(now, kindSubmitted, s)}}
	hold := func(why Reason, until time.Time) {
		r.State, r.Reason, r.Due = store.Held, string(why), until
		p.Entries = append(p.Entries, entry(now, kindHeld, held{Reason: why, Until: until}))
	}
	switch t := o.targets.get(r.Target); {
	case t.Closed:
		r.State, r.Reason, r.Due = store.DeadLetter, string(TargetGone), time.Time{}
		p.Entries = append(p.Entries, entry(now, kindDead, dead{Reason: TargetGone, Hint: "open it again with \"vak outbox retry\""}))
	case s.Posture.timing(s.Kind, completes) == holdForDigest:
		hold(ForDigest, nextDigest(now))
	case s.Posture.timing(s.Kind, completes) == holdUntilComplete && !s.Turn.IsZero():
		hold(UntilComplete, now.Add(holdLimit))
		r.Hold = s.Turn.String()
	}
	p.Row = r
	return p
}

// superseded gives up earlier progress of the same turn for the same target that
// has not gone.
func (o *Outbox) superseded(ctx context.Context, s *Submission) []store.Put {
	var out []store.Put
	f := store.Filter{States: []store.State{store.Pending, store.Held}, Target: s.Target.String()}
	for r, err := range o.config.Store.Jobs(ctx, f) {
		if err != nil {
			break
		}
		if r.Kind != string(surface.Progress) || r.Job == s.Job {
			continue
		}
		history, err := o.config.Store.History(ctx, r.Job)
		if err != nil {
			continue
		}
		if d, err := fold(r, history); err != nil || d.sub.Turn != s.Turn || d.row.Part > 0 {
			continue
		}
		now := o.clock.now()
		r.State, r.Reason, r.Hold, r.Due, r.Updated = store.DeadLetter, string(Superseded), "", time.Time{}, now
		out = append(out, store.Put{Row: r, Entries: []store.Entry{entry(now, kindDead, dead{Reason: Superseded})}})
	}
	return out
}
