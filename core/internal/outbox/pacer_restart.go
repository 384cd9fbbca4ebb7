package outbox

import (
	"context"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// recent is how far back an outbox looks for what counts against its rates when
// it begins: as far as the slowest rate of a platform.
const recent = time.Minute

// recall takes over what a process before this one has sent and was told, so that
// one that starts again and again keeps the same rates.
func (o *Outbox) recall(ctx context.Context, live []store.Row, targets []store.TargetStatus) {
	now := o.clock.now()
	for _, t := range targets {
		if to, err := surface.ParseTarget(t.Target); err == nil && t.Why == string(rateLimited) {
			o.pacer.hush(chatOf(to), t.Until.Sub(now))
		}
	}
	for _, r := range live {
		if r.Attempts > 0 || r.Part > 0 || r.State == store.Sending || r.State == store.Pending && r.Due.After(r.Created) {
			o.recallJob(ctx, r, now)
		}
	}
	for r, err := range o.config.Store.Jobs(ctx, store.Filter{States: []store.State{store.Delivered, store.DeadLetter}}) {
		if err != nil {
			continue // it is told where it matters
		}
		if now.Sub(r.Updated) > recent { // and all behind it
			return
		}
		o.recallJob(ctx, r, now)
	}
}

// recallJob counts what was sent of one job.
func (o *Outbox) recallJob(ctx context.Context, r store.Row, now time.Time) {
	to, err := surface.ParseTarget(r.Target)
	if err != nil || now.Sub(r.Updated) > recent {
		return
	}
	traits := o.config.Traits(to)
	chat, account := o.tempo.rates(traits.Chat), o.tempo.rates(traits.Account)
	if len(chat)+len(account) == 0 {
		return
	}
	history, err := o.config.Store.History(ctx, r.Job)
	if err != nil {
		return
	}
	note := func(at time.Time) {
		if ago := max(now.Sub(at), 0); ago <= recent {
			o.pacer.note(chatOf(to), chat, ago)
			o.pacer.note(accountOf(to), account, ago)
		}
	}
	open := false
	for _, e := range history {
		switch e.Kind {
		case kindAttempt:
			open = true
		case kindSent, kindFailed:
			if open {
				note(e.Time)
			}
			open = false
		}
	}
	if open { // it ended in the middle, perhaps just now
		note(now)
	}
}
