package outbox

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// batch is the number of jobs that one commit changes at most, of many that
// change alike.
const batch = 200

// due releases held jobs whose time has come.
func (o *Outbox) due(ctx context.Context, rows []store.Row) {
	puts := make([]store.Put, 0, len(rows))
	for _, r := range rows {
		why := "its time has come"
		if Reason(r.Reason) == UntilComplete {
			why = "no posture holds longer than a day"
			o.log.Warn("a job was held for a turn that did not end in a day; it goes now", "job", r.Job, "target", r.Target)
		}
		puts = append(puts, o.releasing(r, released{Why: why}))
	}
	if err := o.putAll(ctx, puts); err != nil && ctx.Err() == nil {
		o.log.Error("held jobs cannot be released", "cause", err)
	}
}

// releasing is the put that takes a held job to the end of its lane.
func (o *Outbox) releasing(r store.Row, body released) store.Put {
	now := o.clock.now()
	r.State, r.Reason, r.Hold, r.Due, r.Updated = store.Pending, "", "", now, now
	return store.Put{Row: r, Tail: true, Entries: []store.Entry{entry(now, kindReleased, body)}}
}

// passed are the puts that park the jobs which another has passed in its lane.
func (o *Outbox) passed(ctx context.Context, by store.Row) []store.Put {
	var out []store.Put
	now := o.clock.now()
	for r, err := range o.config.Store.Jobs(ctx, store.Filter{States: []store.State{store.Pending, store.Sending}, Target: by.Target}) {
		switch {
		case unreadable(err):
			continue
		case err != nil || r.Fast == by.Fast && r.Job == by.Job:
			return out
		case r.Fast != by.Fast || r.Attempts < store.ProbeAfter:
			continue
		}
		h := held{Reason: HeadOfLine, Until: r.Due}
		r.State, r.Reason, r.Updated = store.Held, string(HeadOfLine), now
		out = append(out, store.Put{Row: r, Entries: []store.Entry{entry(now, kindHeld, h)}})
	}
	return out
}

// giveUpAll makes dead letters of all that waits for a target which is gone.
func (o *Outbox) giveUpAll(ctx context.Context, target string) error {
	return o.change(ctx, store.Filter{Target: target}, func(r store.Row, now time.Time) store.Put {
		r.State, r.Reason, r.Hold, r.Due = store.DeadLetter, string(TargetGone), "", time.Time{}
		return store.Put{Row: r, Entries: []store.Entry{entry(now, kindDead, dead{Reason: TargetGone})}}
	})
}

// TransportsChanged releases what was parked because there was no transport, and
// can go now.
func (o *Outbox) TransportsChanged(ctx context.Context) error {
	var errs []error
	for _, name := range o.waiting.list() {
		if t, err := surface.ParseTarget(name); err != nil || !o.config.Transports.Ready(t) {
			continue
		}
		errs = append(errs, o.release(ctx, name))
	}
	return errors.Join(errs...)
}

// release releases what is parked at a target for want of a transport, in the
// order in which it was parked.
func (o *Outbox) release(ctx context.Context, target string) error {
	leave := o.waiting.enter(target)
	defer func() { leave(o.clock.now()) }()
	f := store.Filter{States: []store.State{store.Held}, Target: target, Reason: string(NoTransport)}
	err := o.change(ctx, f, func(r store.Row, _ time.Time) store.Put {
		return o.releasing(r, released{Why: "there is a transport"})
	})
	if err != nil {
		o.waiting.add(target)
	}
	return err
}

// newcomers are the puts that take jobs which wait in a lane behind those that
// were accepted before them and entered it after them. older says that there are
// such, and first, whose claim the caller has, being a newcomer itself.
func (o *Outbox) newcomers(ctx context.Context, first store.Row) (more []store.Put, older bool) {
	now, behind, looked := o.clock.now(), false, 0
	for r, err := range o.config.Store.Jobs(ctx, store.Filter{States: []store.State{store.Pending, store.Sending}, Target: first.Target}) {
		switch {
		case unreadable(err):
			continue
		case err != nil || looked == mostNewcomers:
			return nil, false
		case r.Job == first.Job:
			behind = true
		case !behind || r.Fast != first.Fast:
		case r.Created.Before(first.Created):
			return more, true
		case r.State == store.Pending && r.Part == 0:
			looked++
			r.Updated = now
			more = append(more, store.Put{Row: r, Tail: true, Entries: []store.Entry{entry(now, kindReleased, released{Why: whyLater})}})
		}
	}
	return more, false
}

// mostNewcomers is the number of jobs that newcomers looks at. They are those
// which came in the moment in which others were released.
const mostNewcomers = 32

// whyLater is why a job goes to the end of its lane without having been held.
const whyLater = "others were accepted before it"

// waiting is the targets where jobs may be parked for want of a transport. Its
// zero value is empty.
type waiting struct {
	mu    sync.Mutex
	names map[string]bool
	doors map[string]*turnstile // of targets where they are being released
	last  time.Time             // when any were released
}

func (w *waiting) add(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.names == nil {
		w.names = map[string]bool{}
	}
	w.names[name] = true
}

// enter begins to release what waits at a target, after whoever does already. What
// is parked from now on adds the target again.
func (w *waiting) enter(name string) (leave func(time.Time)) {
	w.mu.Lock()
	if w.doors == nil {
		w.doors = map[string]*turnstile{}
	}
	door := w.doors[name]
	if door == nil {
		door = &turnstile{}
		w.doors[name] = door
	}
	door.users++
	w.mu.Unlock()
	door.Lock()
	w.remove(name)
	return func(now time.Time) {
		door.Unlock()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.last = now
		if door.users--; door.users == 0 {
			delete(w.doors, name)
		}
	}
}

func (w *waiting) remove(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.names, name)
}

// has reports whether something may wait at a target, or is being released.
func (w *waiting) has(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names[name] || w.doors[name] != nil
}

// since reports whether anything was released since a job was accepted.
func (w *waiting) since(accepted time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !accepted.After(w.last)
}

func (w *waiting) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]string, 0, len(w.names))
	for n := range w.names {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// change changes all jobs of a filter alike, in batches. A job that changes in
// between is left to what changed it.
func (o *Outbox) change(ctx context.Context, f store.Filter, how func(store.Row, time.Time) store.Put) error {
	var puts []store.Put
	for r, err := range o.config.Store.Jobs(ctx, f) {
		if unreadable(err) {
			continue
		}
		if err != nil {
			return errors.Join(err, o.putAll(ctx, puts))
		}
		now := o.clock.now()
		p := how(r, now)
		p.Row.Updated = now
		if puts = append(puts, p); len(puts) == batch {
			if err := o.putAll(ctx, puts); err != nil {
				return err
			}
			puts = puts[:0]
		}
	}
	return o.putAll(ctx, puts)
}

// putAll writes puts in one commit, or one by one where one of them holds no
// longer.
func (o *Outbox) putAll(ctx context.Context, puts []store.Put) error {
	if len(puts) == 0 {
		return nil
	}
	err := o.put(ctx, puts[0], "", nil, puts[1:]...)
	if !isLost(err) {
		return err
	}
	if len(puts) == 1 {
		return nil
	}
	for _, p := range puts {
		if err := o.put(ctx, p, "", nil); err != nil && !isLost(err) {
			return err
		}
	}
	return nil
}
