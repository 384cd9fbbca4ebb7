package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// settle writes down what became of an attempt, and what follows from it. cut
// says that nobody saw the attempt's end.
func (k *courier) settle(ctx context.Context, p *part, e *surface.DeliveryError, cut bool) (again bool, err error) {
	o, d := k.o, k.d
	s := k.setting()
	s.stopping, s.cut = ctx.Err() != nil, cut
	s.absent = e.Class == surface.Transient && e.Code == string(NoTransport) && !o.config.Transports.Ready(d.sub.Target)
	s.halve = func(c surface.Chunk) []surface.Chunk { return o.config.Renderer.Halve(&d.sub, c) }
	v := judge(d, p, e, s)
	o.log.Info("an attempt failed", "job", d.row.Job, "part", p.ID, "class", string(e.Class), "code", clip(e.Code, maxCode), "state", string(v.row.State), "reason", v.row.Reason)
	if v.again {
		v.row.State = store.Sending
		return true, k.write(ctx, v, true)
	}
	target := d.row.Target
	if err := k.write(ctx, v, false); err != nil {
		return false, err
	}
	if s.absent {
		o.waiting.add(target) // behind the put: who releases looks for it there
	}
	if v.row.Target != target {
		o.log.Warn("a target has moved; what waits for it follows", "target", target, "to", v.row.Target)
	}
	if v.gone {
		o.log.Warn("a target is gone; everything for it is given up without being sent", "target", target, "code", clip(e.Code, maxCode))
		return false, o.giveUpAll(ctx, target)
	}
	return false, nil
}

// through writes down that something got through. Where this job passed one
// before it, that one is parked: the target is not down.
func (k *courier) through(ctx context.Context, how change) error {
	row := k.d.row
	row.State = store.Sending
	var passed []store.Put
	for tries := 3; k.probe && tries > 0; tries-- {
		passed = k.o.passed(ctx, row)
		if err := k.flush(ctx, put{row: row, target: how, keep: true, more: passed}); !isLost(err) {
			k.probe = false
			return err
		}
	}
	k.probe = false
	return k.flush(ctx, put{row: row, target: how, keep: true})
}

func (k *courier) setting() setting {
	o, d := k.o, k.d
	return setting{
		now: o.clock.now(), chance: o.config.Chance(), policy: o.config.Policy(d.sub.Target),
		window: o.config.Traits(d.sub.Target).Window, expires: k.expiry(), tempo: o.tempo,
	}
}

// finish ends the job.
func (k *courier) finish(ctx context.Context, s store.State, why Reason, more ...store.Entry) error {
	v := verdict{row: k.d.row, entries: more}
	v.row.State, v.row.Reason, v.row.Due = s, string(why), time.Time{}
	return k.write(ctx, v, false)
}

// hold parks the job, until it expires.
func (k *courier) hold(ctx context.Context, why Reason, code string) error {
	v := verdict{row: k.d.row}
	v.park(k.o.clock.now(), why, k.expiry(), code)
	return k.write(ctx, v, false)
}

// pause is how long a job that was interrupted by hand stays where it is, so that
// what interrupted it finds it there.
const pause = time.Second

// giveBack ends the claim and counts nothing.
func (k *courier) giveBack(ctx context.Context) error {
	now := k.o.clock.now()
	v := verdict{row: k.d.row}
	v.row.State = store.Pending
	select {
	case <-k.run.stop:
		if v.row.Due.Before(now.Add(pause)) {
			v.row.Due = now.Add(pause)
		}
	default:
	}
	if len(k.pending) == 0 {
		v.entries = []store.Entry{entry(now, kindReleased, released{Why: "interrupted"})}
	}
	return k.write(ctx, v, false)
}

// add takes in an entry that is written down with the next put.
func (k *courier) add(e store.Entry) error {
	k.pending = append(k.pending, e)
	if k.d.sub.Version == 0 {
		return nil // its history cannot be read, and need not be to be added to
	}
	return k.d.add(e)
}

// A put is what a courier writes down at once.
type put struct {
	row    store.Row
	target change      // of the job's target; nil: as it was
	keep   bool        // the claim
	tail   bool        // to the end of its lane
	more   []store.Put // other jobs
}

// write writes down what is pending and a verdict. keep goes on with the claim.
func (k *courier) write(ctx context.Context, v verdict, keep bool) error {
	for _, e := range v.entries {
		if err := k.add(e); err != nil {
			return err
		}
	}
	return k.flush(ctx, put{row: v.row, target: v.target, keep: keep})
}

// flush writes down what is pending. While the disk is full it waits for room:
// what is known of an attempt must not be forgotten.
func (k *courier) flush(ctx context.Context, w put) error {
	o := k.o
	w.row.Updated = o.clock.now()
	if len(k.pending) == 0 {
		k.pending = []store.Entry{entry(w.row.Updated, kindReleased, released{Why: "goes on"})}
	}
	for {
		p := store.Put{Row: w.row, Entries: k.pending, Lease: o.leaseOf(k.run), Keep: w.keep, Tail: w.tail}
		err := o.put(ctx, p, k.d.row.Target, w.target, w.more...)
		switch {
		case err == nil:
			k.pending = nil
			k.d.row = w.row
			if !w.keep {
				o.gave(k.run, p.Lease)
			}
			return nil
		case isLost(err) && len(w.more) == 0 && o.renewed(k.run, p.Lease):
			continue
		case !errors.Is(err, store.Full):
			return err
		}
		t := time.NewTimer(fullPause)
		select {
		case <-ctx.Done():
			t.Stop()
			return err
		case <-t.C:
		}
	}
}

// fullPause is the time between two looks whether the disk has room again.
const fullPause = 5 * time.Second
