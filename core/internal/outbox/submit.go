package outbox

import (
	"context"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Submit returns the puts that accept submissions, for the commit that holds
// their content too. completes says that they end their turn. A progress takes
// the place of earlier ones of its turn that have not gone; where one of those
// goes meanwhile the commit fails with store.Lost, and is to be tried again with
// what Submit then says.
func (o *Outbox) Submit(ctx context.Context, subs []Submission, completes bool) []store.Put {
	puts := make([]store.Put, 0, len(subs))
	mine := map[string]int{} // places in puts
	supersede := func(p store.Put) {
		if i, ok := mine[p.Row.Job]; ok {
			puts[i].Row, puts[i].Entries = p.Row, p.Entries
			return
		}
		mine[p.Row.Job] = len(puts)
		puts = append(puts, p)
	}
	for i := range subs {
		s := &subs[i]
		s.Version = submissionVersion
		if s.Kind == surface.Progress && !s.Turn.IsZero() {
			for _, p := range o.superseded(ctx, s) {
				supersede(p)
			}
			for k := range subs[:i] {
				if e := &subs[k]; e.Kind == s.Kind && e.Turn == s.Turn && e.Target == s.Target && e.Job != s.Job {
					p := puts[mine[e.Job]]
					p.Row, p.Entries = o.superseding(p.Row, p.Entries)
					supersede(p)
				}
			}
		}
		mine[s.Job] = len(puts)
		puts = append(puts, o.accept(s, completes))
	}
	return puts
}

// Accepted is to be called once the commit of submissions is durable: a target that
// was closed between Submit and the commit is one that nothing goes to, and what was
// accepted for it need not wait for the reconciler to be given up.
func (o *Outbox) Accepted(ctx context.Context, subs []Submission) {
	for i := range subs {
		name := subs[i].Target.String()
		if !o.targets.get(name).Closed {
			continue
		}
		if err := o.giveUpAll(ctx, name); err != nil && ctx.Err() == nil {
			o.log.Error("what waits for a target that is gone cannot be given up", "target", name, "cause", err)
		}
	}
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
		hold(ForDigest, o.clock.at(o.config.Policy(s.Target).nextDigest(o.config.Now())))
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
		if unreadable(err) {
			continue
		}
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
		p := store.Put{}
		p.Row, p.Entries = o.superseding(r, nil)
		out = append(out, p)
	}
	return out
}

// superseding is the row and what happened of a progress that a later one takes
// the place of.
func (o *Outbox) superseding(r store.Row, happened []store.Entry) (store.Row, []store.Entry) {
	now := o.clock.now()
	if r.State == store.DeadLetter {
		return r, happened
	}
	r.State, r.Reason, r.Hold, r.Due, r.Updated = store.DeadLetter, string(Superseded), "", time.Time{}, now
	return r, append(happened, entry(now, kindDead, dead{Reason: Superseded}))
}
