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
	claim   store.Claimed
	run     *run
	pending []store.Entry // written down with the next put
}

// deliver takes a claimed job as far as it goes. It gives the claim back in any
// case: with a put, or by letting it end.
func (o *Outbox) deliver(ctx context.Context, c store.Claimed) {
	id := c.Row.Job
	r := o.begin(id)
	defer o.end(id, r)
	log := o.log.With("job", id, "target", c.Row.Target)
	history, err := o.config.Store.History(ctx, id)
	var d *delivery
	if err == nil {
		d, err = fold(c.Row, history)
	}
	if err != nil {
		if ctx.Err() == nil {
			log.Error("a job's history cannot be read, it is parked", "cause", err)
			o.parkUnreadable(ctx, c)
		}
		return
	}
	k := &courier{o: o, d: d, claim: c, run: r}
	switch err := k.deliver(ctx); {
	case err == nil:
	case isLost(err):
		log.Warn("somebody else has taken the job over")
	case ctx.Err() == nil:
		log.Error("what became of a job cannot be written down", "cause", err)
	}
}

// deliver returns an error where something could not be written down.
func (k *courier) deliver(ctx context.Context) error {
	o, d := k.o, k.d
	now := o.clock.now()
	if to := o.targets.get(d.row.Target); to.Moved != "" {
		return k.follow(ctx, to.Moved)
	}
	if d.open != nil { // the process ended, or lost the claim, while it was sent
		cut := &surface.DeliveryError{Class: surface.Unknown, Code: "cut_off", Hint: "vak ended while it was sent"}
		if again, err := k.settle(ctx, k.open(), cut); err != nil || !again {
			return err
		}
	}
	if !d.sub.Expires.IsZero() && !now.Before(d.sub.Expires) {
		return k.finish(ctx, store.DeadLetter, Expired, entry(now, kindDead, dead{Reason: Expired}))
	}
	if !o.config.Transports.Ready(d.sub.Target) {
		return k.hold(ctx, NoTransport, time.Time{})
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

// last is the entry of a delivery that sent nothing.
func (k *courier) last() []store.Entry {
	if len(k.d.parts) > 0 {
		return nil
	}
	return []store.Entry{entry(k.o.clock.now(), kindDelivered, delivered{Empty: true})}
}

// open is the part whose attempt has no outcome.
func (k *courier) open() *part {
	for _, p := range k.d.parts {
		if p.ID == k.d.open.Part {
			return p
		}
	}
	return &part{} // fold has refused an attempt at a part that there is not
}

// render has the job rendered. The result is written down with the first
// attempt.
func (k *courier) render(ctx context.Context) (stop bool, err error) {
	o, d := k.o, k.d
	within, cancel := context.WithTimeout(ctx, renderTime)
	defer cancel()
	r, err := o.config.Renderer.Render(within, &d.sub)
	switch {
	case ctx.Err() != nil:
		return true, k.giveBack(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		v := verdict{row: d.row}
		v.row.Due = o.clock.now().Add(delays[1])
		return true, k.write(ctx, v, false)
	case err != nil:
		o.log.Error("the content of a job cannot be read, it is parked", "job", d.row.Job, "cause", err)
		return true, k.hold(ctx, Unreadable, time.Time{})
	}
	for i := range r.Parts {
		r.Parts[i].ID = fmt.Sprint(i)
	}
	k.add(entry(o.clock.now(), kindRendered, r))
	d.row.Of = len(d.parts)
	return false, nil
}

// send makes one attempt at a part. again says that the job goes on.
func (k *courier) send(ctx context.Context, p *part, i int) (again bool, err error) {
	o, d := k.o, k.d
	p, duplicate, late := k.annotate(p)
	if stop, err := k.wait(ctx); err != nil || stop {
		return false, err
	}
	now := o.clock.now()
	a := attempt{
		Part: p.ID, Index: i, Of: len(d.parts), N: p.attempts + 1, Form: p.form,
		Key: key(d.row.Job, p.ID, p.form), Duplicate: duplicate, Late: late,
	}
	k.add(entry(now, kindAttempt, a))
	row := d.row
	row.State = store.Sending
	if err := k.write(ctx, verdict{row: row}, true); err != nil {
		return false, err
	}
	receipt, failure := k.call(ctx, p, a)
	if failure != nil {
		return k.settle(ctx, p, failure)
	}
	k.add(entry(o.clock.now(), kindSent, sent{Part: p.ID, Refs: receipt.Refs}))
	d.row.Part = i + 1
	d.row.Attempts = 0 // the next part has its own patience
	t := o.targets.get(d.row.Target)
	if ok := success(t); ok != t {
		v := verdict{row: row, target: &ok}
		v.row.Part, v.row.Attempts = d.row.Part, 0
		return true, k.write(ctx, v, true)
	}
	return true, nil
}

// annotate has a part say what a reader must know: that it may be a duplicate, or
// comes late. Where there is no room the part becomes two.
func (k *courier) annotate(p *part) (_ *part, duplicate, late bool) {
	d := k.d
	now := k.o.clock.now()
	duplicate = !p.firstAt.IsZero() && !k.setting(now).recognised(p, p.firstAt)
	late = d.late
	if !duplicate && !late || p.Noted {
		return p, duplicate, late
	}
	var words string
	switch {
	case duplicate && late:
		words = "late, possible duplicate"
	case duplicate:
		words = "possible duplicate"
	default:
		words = "late, first tried " + d.row.Created.UTC().Format("2006-01-02 15:04 UTC")
	}
	into := pieces(p.ID, k.o.config.Renderer.Annotate(&d.sub, p.Chunk, words))
	if len(into) == 0 {
		return p, false, false
	}
	for i := range into {
		into[i].Noted = true
	}
	if len(into) == 1 {
		into[0].ID = p.ID
	}
	noted := newPart(into[0])
	noted.form, noted.attempts, noted.unknowns, noted.firstAt, noted.server = p.form, p.attempts, p.unknowns, p.firstAt, p.server
	if len(into) == 1 { // sent so, and kept as it was: the next attempt may have no need of it
		noted.Noted = false
		return noted, duplicate, late
	}
	k.add(entry(now, kindSplit, split{Part: p.ID, Into: into, Why: "note"}))
	d.row.Of = len(d.parts)
	first, _ := d.next()
	return first, duplicate, late
}

// wait keeps the pace of the target. What is pending is written down before it
// waits long.
func (k *courier) wait(ctx context.Context) (stop bool, err error) {
	o, d := k.o, k.d
	pause := o.pacer.reserve(d.sub.Target, o.config.Traits(d.sub.Target.Surface), o.clock.now())
	if pause > 0 {
		if len(k.pending) > 0 {
			row := d.row
			row.State = store.Pending
			if err := k.write(ctx, verdict{row: row}, true); err != nil {
				return true, err
			}
		}
		t := time.NewTimer(pause)
		defer t.Stop()
		select {
		case <-ctx.Done():
		case <-k.run.stop:
		case <-t.C:
		}
	}
	select {
	case <-ctx.Done():
		return true, k.giveBack(ctx)
	case <-k.run.stop:
		return true, k.giveBack(ctx)
	default:
		return false, nil
	}
}

// call calls the transport. It may go on for a moment after ctx has ended, so
// that the outcome is known.
func (k *courier) call(ctx context.Context, p *part, a attempt) (surface.Receipt, *surface.DeliveryError) {
	o, d := k.o, k.d
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(farewell, cancel) })
	defer stop()
	r := surface.SendRequest{
		Key: a.Key, Job: d.row.Job, Part: a.Index, Of: a.Of, Attempt: a.N, Target: d.sub.Target,
		Kind: d.sub.Kind, Form: a.Form, Chunk: p.Chunk, ReplyTo: d.sub.ReplyTo, Silent: d.sub.Posture.silent(),
	}
	if a.Index == a.Of-1 {
		r.Actions = d.sub.Actions
	}
	if d.rendering.Packet {
		packet, err := o.config.Renderer.Packet(within, &d.sub, d.rendering)
		if err != nil {
			return surface.Receipt{}, &surface.DeliveryError{Class: surface.Transient, Code: "no_packet", Hint: "see vak's log"}
		}
		r.Packet = packet
	}
	receipt, err := o.config.Transports.Send(within, r)
	if err == nil {
		return receipt, nil
	}
	failure, ok := errors.AsType[*surface.DeliveryError](err)
	if !ok {
		failure = &surface.DeliveryError{Class: surface.Unknown, Code: "unclassified"}
	}
	return surface.Receipt{}, failure
}

// settle writes down what became of an attempt, and what follows from it.
func (k *courier) settle(ctx context.Context, p *part, e *surface.DeliveryError) (again bool, err error) {
	o, d := k.o, k.d
	if kept := d.part(p.ID); kept != nil {
		p = kept // rather than the one with a note
	}
	s := k.setting(o.clock.now())
	s.halve = func(c surface.Chunk) []surface.Chunk { return o.config.Renderer.Halve(&d.sub, c) }
	v := judge(d, p, e, s)
	o.log.Info("an attempt failed", "job", d.row.Job, "part", p.ID, "class", string(e.Class), "code", e.Code, "state", string(v.row.State), "reason", v.row.Reason)
	if v.again {
		v.row.State = store.Sending
		return true, k.write(ctx, v, true)
	}
	if err := k.write(ctx, v, false); err != nil {
		return false, err
	}
	if v.gone {
		o.log.Warn("a target is gone; everything for it is given up without being sent", "target", d.row.Target, "code", e.Code)
		return false, o.giveUpAll(ctx, d.row.Target)
	}
	return false, nil
}

func (k *courier) setting(now time.Time) setting {
	o, d := k.o, k.d
	return setting{
		now: now, chance: o.config.Chance(), policy: o.config.Policy(d.sub.Target),
		window: o.config.Traits(d.sub.Target.Surface).Window, target: o.targets.get(d.row.Target),
	}
}

// finish ends the job. One that passed another in its lane parks that one.
func (k *courier) finish(ctx context.Context, s store.State, why Reason, more ...store.Entry) error {
	v := verdict{row: k.d.row, entries: more}
	v.row.State, v.row.Reason, v.row.Due = s, string(why), time.Time{}
	if s == store.Delivered && k.claim.Probe {
		for range 3 {
			head, ok := k.o.passed(ctx, k.d.row)
			if !ok {
				break
			}
			if err := k.write(ctx, v, false, head); !isLost(err) {
				return err
			}
		}
	}
	return k.write(ctx, v, false)
}

// hold parks the job.
func (k *courier) hold(ctx context.Context, why Reason, until time.Time) error {
	now := k.o.clock.now()
	v := verdict{row: k.d.row, entries: []store.Entry{entry(now, kindHeld, held{Reason: why, Until: until})}}
	v.row.State, v.row.Reason, v.row.Due = store.Held, string(why), until
	return k.write(ctx, v, false)
}

// giveBack ends the claim and counts nothing.
func (k *courier) giveBack(ctx context.Context) error {
	row := k.d.row
	row.State = store.Pending
	v := verdict{row: row}
	if len(k.pending) == 0 {
		v.entries = []store.Entry{{Time: k.o.clock.now(), Kind: kindReleased, Body: encode(released{Why: "interrupted"})}}
	}
	return k.write(ctx, v, false)
}

// follow gives the job the target that its own has moved to.
func (k *courier) follow(ctx context.Context, to string) error {
	t, err := surface.ParseTarget(to)
	if err != nil {
		return k.hold(ctx, Unreadable, time.Time{})
	}
	v := verdict{row: k.d.row}
	v.entries = []store.Entry{entry(k.o.clock.now(), kindMoved, moved{From: k.d.row.Target, To: t})}
	v.row.Target, v.row.State = to, store.Pending
	return k.write(ctx, v, false)
}

// add takes in an entry that is written down with the next put.
func (k *courier) add(e store.Entry) {
	k.pending = append(k.pending, e)
	k.d.add(e) // what it wrote itself it can read
}

// write writes down what is pending and a verdict. keep goes on with the claim.
func (k *courier) write(ctx context.Context, v verdict, keep bool, more ...store.Put) error {
	for _, e := range v.entries {
		k.add(e)
	}
	v.row.Updated = k.o.clock.now()
	if len(k.pending) == 0 {
		k.pending = []store.Entry{{Time: v.row.Updated, Kind: kindReleased, Body: encode(released{Why: "goes on"})}}
	}
	p := store.Put{Row: v.row, Entries: k.pending, Lease: k.claim.Lease, Keep: keep}
	if err := k.o.put(ctx, p, v.target, more...); err != nil {
		return err
	}
	k.pending = nil
	k.d.row = v.row
	return nil
}

func (d *delivery) part(id string) *part {
	for _, p := range d.parts {
		if p.ID == id {
			return p
		}
	}
	return nil
}
