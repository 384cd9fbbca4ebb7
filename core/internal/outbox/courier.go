package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A courier takes one claimed job as far as it goes.
type courier struct {
	o       *Outbox
	d       *delivery
	run     *run
	probe   bool          // it passes one before it in its lane
	pending []store.Entry // written down with the next put
}

// deliver takes a claimed job as far as it goes. It gives the claim back in any
// case: with a put, or by letting it end.
func (o *Outbox) deliver(ctx context.Context, r *run) {
	for r != nil {
		o.deliverOnce(ctx, r)
		r = o.end(r)
	}
}

func (o *Outbox) deliverOnce(ctx context.Context, r *run) {
	k := &courier{o: o, run: r, probe: r.probe, d: &delivery{row: r.row}}
	err := func() error {
		leave := o.place(ctx, r)
		if leave == nil {
			if ctx.Err() != nil {
				return nil // nothing has happened yet
			}
			return k.giveBack(ctx)
		}
		defer leave()
		return k.deliver(ctx)
	}()
	log := o.log.With("job", r.row.Job, "target", r.row.Target)
	switch {
	case err == nil:
	case isLost(err):
		log.Warn("somebody else has taken the job over")
	case ctx.Err() == nil:
		log.Error("what became of a job cannot be written down", "cause", err)
	}
}

// deliver returns an error where something could not be read or written down.
func (k *courier) deliver(ctx context.Context) error {
	o := k.o
	history, err := o.config.Store.History(ctx, k.run.row.Job)
	if err != nil && !errors.Is(err, store.Corrupt) {
		return err
	}
	var d *delivery
	if err == nil {
		d, err = fold(k.run.row, history)
	}
	if err != nil {
		return k.parkDamaged(ctx, err)
	}
	k.d = d
	if to := o.targets.get(d.row.Target); to.Moved != "" {
		return k.follow(ctx, to.Moved)
	}
	if d.open != nil { // the process ended, or lost the claim, while it was sent
		cut := &surface.DeliveryError{Class: surface.Unknown, Code: "cut_off", Hint: "vak ended while it was sent"}
		if again, err := k.settle(ctx, d.part(d.open.Part), cut, true); err != nil || !again {
			return err
		}
	}
	if !d.sub.Expires.IsZero() && !o.config.Now().Before(d.sub.Expires) {
		return k.finish(ctx, store.DeadLetter, Expired, entry(o.clock.now(), kindDead, dead{Reason: Expired}))
	}
	if until, quiet := o.config.Policy(d.sub.Target).quietUntil(o.config.Now()); quiet && !d.row.Fast && !d.pressed && d.row.Part == 0 {
		v := verdict{row: d.row}
		v.park(o.clock.now(), QuietHours, o.clock.at(until), "")
		return k.write(ctx, v, false)
	}
	if !o.config.Transports.Ready(d.sub.Target) {
		err := k.hold(ctx, NoTransport, "")
		o.waiting.add(d.row.Target) // behind the put: who releases looks for it there
		return err
	}
	if parked := o.waiting.has(d.row.Target); parked || o.waiting.since(d.row.Created) {
		if parked {
			if err := o.release(ctx, d.row.Target); err != nil {
				return err
			}
		}
		if behind, err := k.letPass(ctx); err != nil || behind {
			return err
		}
	}
	if d.rendering == nil {
		if stop, err := k.render(ctx); err != nil || stop {
			return err
		}
	}
	for {
		p, i := d.next()
		if p == nil {
			return k.finish(ctx, store.Delivered, "", k.last()...)
		}
		again, err := k.send(ctx, p, i)
		if err != nil || !again {
			return err
		}
	}
}

// last is the entry that ends a delivery, where its last receipt does not.
func (k *courier) last() []store.Entry {
	if len(k.d.parts) > 0 && len(k.pending) > 0 {
		return nil
	}
	return []store.Entry{entry(k.o.clock.now(), kindDelivered, delivered{Empty: len(k.d.parts) == 0})}
}

// render has the job rendered. The result is written down with the first
// attempt.
func (k *courier) render(ctx context.Context) (stop bool, err error) {
	o, d := k.o, k.d
	within, cancel := context.WithTimeout(ctx, renderTime)
	defer cancel()
	r, err, answered := await(within, func(ctx context.Context) (Rendering, error) {
		return o.config.Renderer.Render(ctx, &d.sub)
	}, func() { o.log.Warn("a rendering came too late and is dropped", "job", d.row.Job) })
	switch {
	case ctx.Err() != nil:
		return true, k.giveBack(ctx)
	case !answered || errors.Is(err, context.DeadlineExceeded):
		o.log.Warn("a rendering takes too long, it is tried again later", "job", d.row.Job)
		return true, k.write(ctx, lateRendering(d, k.setting()), false)
	case err != nil:
		o.log.Error("the content of a job cannot be read, it is parked", "job", d.row.Job, "cause", err)
		return true, k.hold(ctx, Unreadable, "")
	}
	for i := range r.Parts {
		r.Parts[i].ID = fmt.Sprint(i)
	}
	if err := k.add(entry(o.clock.now(), kindRendered, r)); err != nil {
		return true, err
	}
	d.row.Of = len(d.parts)
	return false, nil
}

// letPass puts this job and those after it behind what was parked for want of a
// transport and released meanwhile, where that was accepted before them.
func (k *courier) letPass(ctx context.Context) (behind bool, err error) {
	more, older := k.o.newcomers(ctx, k.d.row)
	if !older || k.d.row.Part > 0 {
		return false, nil
	}
	now := k.o.clock.now()
	if err := k.add(entry(now, kindReleased, released{Why: whyLater})); err != nil {
		return false, err
	}
	row := k.d.row
	row.State, row.Due = store.Pending, now
	err = k.flush(ctx, put{row: row, tail: true, more: more})
	if isLost(err) { // one of the others has changed
		err = k.flush(ctx, put{row: row, tail: true})
	}
	return true, err
}

// follow gives the job the target that its own has moved to.
func (k *courier) follow(ctx context.Context, to string) error {
	t, err := surface.ParseTarget(to)
	now := k.o.clock.now()
	if err != nil || !k.d.mayFollow(t) {
		return k.finish(ctx, store.DeadLetter, Refused, entry(now, kindDead, dead{Reason: Refused, Code: "moved"}))
	}
	v := verdict{row: k.d.row, entries: []store.Entry{entry(now, kindMoved, moved{From: k.d.row.Target, To: t})}}
	v.row.Target, v.row.State, v.row.Due = to, store.Pending, now
	return k.write(ctx, v, false)
}

// parkDamaged parks a job whose history cannot be read, and leaves that as it is.
func (k *courier) parkDamaged(ctx context.Context, why error) error {
	reason := Unreadable
	if errors.Is(why, errNewer) {
		reason = NewerVersion
	}
	k.o.log.Error("a job's history cannot be read, it is parked", "job", k.d.row.Job, "cause", why)
	return k.hold(ctx, reason, "")
}

// expiry is when the job expires by the outbox's clock; zero: never.
func (k *courier) expiry() time.Time { return k.o.clock.at(k.d.sub.Expires) }
