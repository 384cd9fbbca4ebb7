package outbox

import (
	"context"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A run is a claimed job, from its claim until its courier is done.
type run struct {
	row   store.Row
	probe bool

	// Guarded by Outbox.mu.
	lease store.Lease    // a claim that ended may be had again
	next  *store.Claimed // the last one that was
	gave  store.Lease    // the one that was given back

	again chan struct{} // signalled when it was
	stop  chan struct{} // closed: stop between two parts
	once  sync.Once
	done  chan struct{} // closed: it has stopped
}

// take claims jobs. fresh are those that are not under way already. A claim may
// end while its job is: when the clock jumps, or where a job waits long for its
// place. Nobody else was given it then, so that the courier goes on with the new
// one.
func (o *Outbox) take(ctx context.Context, now time.Time, most int) (claims store.Claims, fresh []*run, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	claims, err = o.config.Store.Claim(ctx, now, most)
	for _, c := range claims.Jobs {
		if r := o.running[c.Row.Job]; r != nil {
			r.lease, r.next = c.Lease, &c
			select {
			case r.again <- struct{}{}:
			default:
			}
			o.log.Debug("the claim on a job that is under way has ended and was renewed", "job", c.Row.Job)
			continue
		}
		fresh = append(fresh, o.begin(c))
	}
	return claims, fresh, err
}

func (o *Outbox) leaseOf(r *run) store.Lease {
	o.mu.Lock()
	defer o.mu.Unlock()
	return r.lease
}

// renewed reports whether a claim that does not hold any more was had again. Where
// its time has only just ended that is a moment away.
func (o *Outbox) renewed(r *run, was store.Lease) bool {
	if o.leaseOf(r) != was {
		return true
	}
	o.nudge()
	t := time.NewTimer(renewal)
	defer t.Stop()
	for o.leaseOf(r) == was {
		select {
		case <-r.again: // perhaps for an earlier one
		case <-t.C:
			return o.leaseOf(r) != was
		}
	}
	return true
}

// renewal is how long a claim may take to be had again.
const renewal = time.Second

// begin notes that a job is under way. The caller holds o.mu.
func (o *Outbox) begin(c store.Claimed) *run {
	r := &run{row: c.Row, probe: c.Probe, lease: c.Lease, again: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	o.running[c.Row.Job] = r
	return r
}

// gave notes that the claim under a lease was given back.
func (o *Outbox) gave(r *run, l store.Lease) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r.gave = l
}

// end notes that a run has ended. A claim that was had between the put that gave
// back the last one and now is one of its own: it is the next run.
func (o *Outbox) end(r *run) (next *run) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.running, r.row.Job)
	if r.next != nil && r.next.Lease != r.gave {
		next = o.begin(*r.next)
	}
	close(r.done)
	return next
}

// place waits for a place among the jobs of an account that are under way, and
// returns what gives it back; nil where the job is to stop.
func (o *Outbox) place(ctx context.Context, r *run) (leave func()) {
	account := "" // a target that cannot be read goes nowhere anyway
	if t, err := surface.ParseTarget(r.row.Target); err == nil {
		account = accountOf(t)
	}
	o.mu.Lock()
	places := o.places[account]
	if places == nil {
		places = make(chan struct{}, o.config.Workers)
		o.places[account] = places
	}
	o.mu.Unlock()
	select {
	case places <- struct{}{}:
		return func() { <-places }
	case <-r.stop:
	case <-ctx.Done():
	}
	return nil
}

// interrupt asks a job that is under way to stop between two parts, and waits for
// it.
func (o *Outbox) interrupt(ctx context.Context, id string) error {
	o.mu.Lock()
	r := o.running[id]
	o.mu.Unlock()
	if r == nil {
		return nil
	}
	r.once.Do(func() { close(r.stop) })
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// await does something that may take until within ends. What has not come back a
// grace later is not waited for: answered is false then, and late is called when
// it does come back.
func await[T any](within context.Context, do func(context.Context) (T, error), late func()) (v T, err error, answered bool) {
	type result struct {
		v   T
		err error
	}
	answers := make(chan result)
	given := make(chan struct{})
	go func() {
		v, err := do(within)
		select {
		case answers <- result{v, err}:
		case <-given:
			late()
		}
	}()
	select {
	case r := <-answers:
		return r.v, r.err, true
	case <-within.Done():
	}
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case r := <-answers:
		return r.v, r.err, true
	case <-t.C:
		close(given)
		return v, within.Err(), false
	}
}
