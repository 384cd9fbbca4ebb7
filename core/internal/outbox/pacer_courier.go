package outbox

import (
	"context"
	"slices"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A leave is that one message may go: slots of its chat and of its account.
type leave struct {
	chat, account *slot
	used          bool
}

func (l *leave) begin() {
	l.used = true
	l.chat.begin()
	l.account.begin()
}

func (l *leave) done() {
	l.chat.done()
	l.account.done()
}

// back gives up a leave that was not used.
func (l *leave) back() {
	if !l.used {
		l.chat.back()
		l.account.back()
	}
}

// wait waits until the chat takes a message, and then the account: a chat that
// waits for its own turn takes none of another's. It returns nil where the job
// does not go now, which is written down.
func (k *courier) wait(ctx context.Context) (*leave, error) {
	o, to := k.o, k.d.sub.Target
	traits := k.traits()
	var failed error
	for {
		if k.stopping(ctx) {
			return nil, k.giveBack(ctx)
		}
		if rest := o.pacer.hushed(chatOf(to)); rest > restHere {
			return nil, k.putOff(ctx, rest)
		}
		await := func(ready <-chan struct{}) bool {
			var ok bool
			ok, failed = k.await(ctx, ready)
			return ok
		}
		l := &leave{}
		if l.chat = o.pacer.admit(chatOf(to), traits.Chat, k.d.row.Fast, await); l.chat != nil {
			if l.account = o.pacer.admit(accountOf(to), traits.Account, k.d.row.Fast, await); l.account == nil {
				l.chat.back()
			}
		}
		switch {
		case failed != nil:
			return nil, failed
		case l.account == nil, k.stopping(ctx), k.expired():
			if l.account != nil {
				l.back()
			}
			return nil, k.giveBack(ctx)
		case o.pacer.hushed(chatOf(to)) == 0: // nor has it become so while the account was waited for
			return l, nil
		}
		l.back()
	}
}

// restHere is how long a job stays under way while its chat wants nothing. One
// that waits longer leaves its place to others.
const restHere = 10 * time.Second

// await waits for a slot, and reports whether there is one. What is pending is
// written down before it waits.
func (k *courier) await(ctx context.Context, ready <-chan struct{}) (bool, error) {
	if len(k.pending) > 0 {
		row := k.d.row
		row.State = store.Pending
		if err := k.write(ctx, verdict{row: row}, true); err != nil {
			return false, err
		}
	}
	var expiry <-chan time.Time
	if at := k.d.sub.Expires; !at.IsZero() {
		t := time.NewTimer(at.Sub(k.o.config.Now()))
		defer t.Stop()
		expiry = t.C
	}
	select {
	case <-ready:
		return true, nil
	case <-ctx.Done():
	case <-k.run.stop:
	case <-expiry:
	}
	return false, nil
}

// stopping reports whether the job is to stop between two parts.
func (k *courier) stopping(ctx context.Context) bool {
	select {
	case <-k.run.stop:
		return true
	default:
		return ctx.Err() != nil
	}
}

// expired reports whether nobody wants the job any more.
func (k *courier) expired() bool {
	at := k.d.sub.Expires
	return !at.IsZero() && !k.o.config.Now().Before(at)
}

// putOff gives the job back until its chat wants something again, and counts
// nothing.
func (k *courier) putOff(ctx context.Context, rest time.Duration) error {
	now := k.o.clock.now()
	v := verdict{row: k.d.row, target: pausing(now.Add(rest), rateLimited)}
	v.row.State, v.row.Due = store.Pending, now.Add(rest)
	if at := k.expiry(); !at.IsZero() && at.Before(v.row.Due) {
		v.row.Due = at
	}
	v.entries = []store.Entry{entry(now, kindReleased, released{Why: "its chat takes nothing for a while"})}
	return k.write(ctx, v, false)
}

// traits are those of the job's platform. A job of many parts takes a second for
// each at least.
func (k *courier) traits() Traits {
	to := k.d.sub.Target
	t := k.o.config.Traits(to)
	most := k.o.config.Policy(to).MaxParts
	if most <= 0 {
		most = defaultMaxParts
	}
	if len(k.d.parts) > most {
		t.Chat = append(slices.Clone(t.Chat), Rate{1, manyPace})
	}
	t.Chat, t.Account = k.o.tempo.rates(t.Chat), k.o.tempo.rates(t.Account)
	return t
}

const (
	defaultMaxParts = 20
	manyPace        = time.Second
)

// learn takes in what the platform said of its rates, before anybody else goes.
// waits is how often in a row it had no time before.
func (k *courier) learn(to surface.Target, r surface.Receipt, failure *surface.DeliveryError, waits int) {
	switch {
	case failure == nil:
		k.o.pacer.hush(chatOf(to), min(r.Wait, longestWait))
	case failure.Class != surface.RateLimited:
	case failure.Account:
		k.o.pacer.hush(accountOf(to), k.o.tempo.asked(failure.RetryAfter, waits))
	default:
		k.o.pacer.hush(chatOf(to), k.o.tempo.asked(failure.RetryAfter, waits))
	}
}
