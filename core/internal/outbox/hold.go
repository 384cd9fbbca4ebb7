package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// batch is the number of jobs that one commit changes at most, of many that
// change alike.
const batch = 200

// due releases a held job whose time has come.
func (o *Outbox) due(ctx context.Context, r store.Row) {
	why, late := "its time has come", false
	switch Reason(r.Reason) {
	case UntilComplete, QuietHours:
		if o.clock.now().Sub(r.Updated) >= holdLimit {
			why = "no policy holds longer than a day"
		}
	case HeadOfLine:
		late = true
	}
	if err := o.put(ctx, o.releasing(r, why, late), nil); err != nil && !isLost(err) && ctx.Err() == nil {
		o.log.Error("a held job cannot be released", "job", r.Job, "cause", err)
	}
}

// releasing is the put that takes a held job to the end of its lane.
func (o *Outbox) releasing(r store.Row, why string, late bool) store.Put {
	now := o.clock.now()
	r.State, r.Reason, r.Hold, r.Due, r.Updated = store.Pending, "", "", now, now
	return store.Put{Row: r, Tail: true, Entries: []store.Entry{entry(now, kindReleased, released{Why: why, Late: late})}}
}

// passed is the put that parks the job which another has passed in its lane.
func (o *Outbox) passed(ctx context.Context, by store.Row) (store.Put, bool) {
	for r, err := range o.config.Store.Jobs(ctx, store.Filter{States: []store.State{store.Pending, store.Sending}, Target: by.Target}) {
		if err != nil || r.Fast == by.Fast && r.Job == by.Job {
			break
		}
		if r.Fast != by.Fast || r.Attempts < store.ProbeAfter {
			continue
		}
		now := o.clock.now()
		h := held{Reason: HeadOfLine, Until: r.Due}
		r.State, r.Reason, r.Updated = store.Held, string(HeadOfLine), now
		return store.Put{Row: r, Entries: []store.Entry{entry(now, kindHeld, h)}}, true
	}
	return store.Put{}, false
}

// parkUnreadable parks a claimed job whose history cannot be read.
func (o *Outbox) parkUnreadable(ctx context.Context, c store.Claimed) {
	now := o.clock.now()
	r := c.Row
	r.State, r.Reason, r.Due, r.Updated = store.Held, string(Unreadable), time.Time{}, now
	p := store.Put{Row: r, Lease: c.Lease, Entries: []store.Entry{entry(now, kindHeld, held{Reason: Unreadable})}}
	if err := o.put(ctx, p, nil); err != nil && !isLost(err) {
		o.log.Error("a job cannot be parked", "job", r.Job, "cause", err)
	}
}

// giveUpAll makes dead letters of all that waits for a target which is gone.
func (o *Outbox) giveUpAll(ctx context.Context, target string) error {
	return o.change(ctx, store.Filter{Target: target}, func(r store.Row, now time.Time) (store.Put, bool) {
		r.State, r.Reason, r.Hold, r.Due = store.DeadLetter, string(TargetGone), "", time.Time{}
		return store.Put{Row: r, Entries: []store.Entry{entry(now, kindDead, dead{Reason: TargetGone})}}, true
	})
}

// TransportsChanged releases what was parked because there was no transport, and
// can go now.
func (o *Outbox) TransportsChanged(ctx context.Context) error {
	ready := map[string]bool{}
	return o.change(ctx, store.Filter{States: []store.State{store.Held}, Reason: string(NoTransport)}, func(r store.Row, _ time.Time) (store.Put, bool) {
		ok, known := ready[r.Target]
		if !known {
			t, err := surface.ParseTarget(r.Target)
			ok = err == nil && o.config.Transports.Ready(t)
			ready[r.Target] = ok
		}
		return o.releasing(r, "there is a transport", false), ok
	})
}

// change changes all jobs of a filter alike, in batches. A job that changes in
// between is left to what changed it.
func (o *Outbox) change(ctx context.Context, f store.Filter, how func(store.Row, time.Time) (store.Put, bool)) error {
	var puts []store.Put
	flush := func() error {
		err := o.putAll(ctx, puts)
		puts = puts[:0]
		return err
	}
	for r, err := range o.config.Store.Jobs(ctx, f) {
		if err != nil {
			return errors.Join(err, flush())
		}
		now := o.clock.now()
		p, ok := how(r, now)
		if !ok {
			continue
		}
		p.Row.Updated = now
		if puts = append(puts, p); len(puts) == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// putAll writes puts in one commit, or one by one where one of them holds no
// longer.
func (o *Outbox) putAll(ctx context.Context, puts []store.Put) error {
	if len(puts) == 0 {
		return nil
	}
	err := o.put(ctx, puts[0], nil, puts[1:]...)
	if !isLost(err) || len(puts) == 1 {
		if isLost(err) {
			return nil
		}
		return err
	}
	for _, p := range puts {
		if err := o.put(ctx, p, nil); err != nil && !isLost(err) {
			return err
		}
	}
	return nil
}

// reconcile does what an event should have led to and did not.
func (o *Outbox) reconcile(ctx context.Context) {
	all, err := o.config.Store.Targets(ctx)
	if err != nil {
		return // the engine says so itself
	}
	waiting := false
	for _, t := range all {
		if t.Closed && t.Pending+t.Sending+t.Held > 0 {
			if err := o.giveUpAll(ctx, t.Target); err != nil && ctx.Err() == nil {
				o.log.Error("what waits for a target that is gone cannot be given up", "target", t.Target, "cause", err)
			}
		}
		waiting = waiting || t.Held > 0
	}
	if waiting {
		if err := o.TransportsChanged(ctx); err != nil && ctx.Err() == nil {
			o.log.Error("parked jobs cannot be released", "cause", err)
		}
	}
}
