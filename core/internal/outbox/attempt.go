package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// send makes one attempt at a part. again says that the job goes on.
func (k *courier) send(ctx context.Context, p *part, i int) (again bool, err error) {
	o, d := k.o, k.d
	leave, err := k.wait(ctx)
	if err != nil || leave == nil {
		return false, err
	}
	defer leave.back()         // where it does not go
	p, a, err := k.annotate(p) // behind the wait: what is recognised now may not be then
	if err != nil {
		return false, err
	}
	if p == nil {
		return false, k.hold(ctx, UnknownOutcome, "")
	}
	a.Part, a.Index, a.Of, a.N, a.Form = p.ID, i, len(d.parts), p.attempts+1, p.form
	a.Key = key(d.row.Job, p.ID, p.form)
	if len(d.rendering.Body) > 0 { // it is the same whatever the form
		a.Key = key(d.row.Job, p.ID, "")
	}
	if err := k.add(entry(o.clock.now(), kindAttempt, a)); err != nil {
		return false, err
	}
	row := d.row
	row.State = store.Sending
	if err := k.write(ctx, verdict{row: row}, true); err != nil {
		return false, err
	}
	leave.begin()
	receipt, failure := k.call(ctx, p, a)
	k.learn(d.sub.Target, receipt, failure, p.waits)
	leave.done()
	if failure != nil {
		return k.settle(ctx, d.part(p.ID), failure, false)
	}
	now := o.clock.now()
	if err := k.add(entry(now, kindSent, sent{Part: p.ID, Refs: receipt.Refs})); err != nil {
		return false, err
	}
	d.row.Part, d.row.Attempts = i+1, 0 // the next part has its own patience
	if how := accepting(now); k.probe || how(o.targets.get(row.Target)) != o.targets.get(row.Target) {
		return true, k.through(ctx, how)
	}
	return true, nil
}

// annotate has a part say what a reader must know: that it may be a duplicate, or
// comes late. Where there is no room the part becomes several. It returns no part
// where the job is to be parked instead.
func (k *courier) annotate(p *part) (*part, attempt, error) {
	d := k.d
	s := k.setting()
	a := attempt{Late: d.late, Duplicate: !p.firstAt.IsZero() && !s.recognised(p, p.firstAt)}
	if a.Duplicate && s.policy.ParkUnknown && p.unknowns > 0 {
		return nil, a, nil
	}
	if !a.Duplicate && !a.Late || p.Noted {
		return p, a, nil
	}
	from := d.row.Created.UTC().Format("2006-01-02 15:04 UTC")
	var words string
	switch {
	case a.Duplicate && a.Late:
		words = "possible duplicate, late, from " + from
	case a.Duplicate:
		words = "possible duplicate"
	default:
		words = "late, from " + from
	}
	into := pieces(p.ID, k.o.config.Renderer.Annotate(&d.sub, p.Chunk, words))
	switch {
	case len(into) == 0 && a.Duplicate:
		return nil, a, nil
	case len(into) == 0:
		a.Late = false
		return p, a, nil
	case len(into) == 1: // sent so, and kept as it was: the next attempt may have no need of it
		noted := *p
		noted.Chunk = into[0].Chunk
		if noted.form == surface.FormNative && noted.Chunk.Native == nil {
			noted.form = surface.FormText
		}
		return &noted, a, nil
	}
	for i := range into {
		into[i].Noted = true
	}
	if err := k.add(entry(s.now, kindSplit, split{Part: p.ID, Into: into, Why: whyNote})); err != nil {
		return nil, a, err
	}
	d.row.Of = len(d.parts)
	first, _ := d.next()
	return first, a, nil
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
	if o.config.Policy(d.sub.Target).LiveMentions {
		r.Mentions = surface.LiveMentions
	}
	if a.Index == a.Of-1 {
		r.Actions = d.sub.Actions
	}
	r.Packet = d.rendering.Body
	receipt, err, answered := await(within, func(ctx context.Context) (surface.Receipt, error) {
		return o.config.Transports.Send(ctx, r)
	}, func() {
		o.log.Warn("a transport answered long after its time, which changes nothing", "job", r.Job, "part", a.Part)
	})
	if err == nil {
		return receipt, nil
	}
	failure, ok := errors.AsType[*surface.DeliveryError](err)
	switch {
	case !answered:
		o.log.Error("a transport does not answer, the outcome is not known", "job", r.Job, "target", d.row.Target)
		failure = &surface.DeliveryError{Class: surface.Unknown, Code: "no_answer", Hint: "the transport hangs; see \"vak plugin list\""}
	case !ok:
		failure = &surface.DeliveryError{Class: surface.Unknown, Code: "unclassified"}
	}
	return surface.Receipt{}, failure
}
