package outbox

import (
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Rate is what a platform takes: so many messages at most in any span of time.
type Rate struct {
	Messages int
	Per      time.Duration
}

// A pacer keeps what is sent within the rates of chats and of accounts. Its zero
// value is ready.
//
// It measures by the monotonic clock: a wall clock that jumps changes nothing.
// What it knows is bounded by what the rates let through, and is forgotten when
// it matters no more.
type pacer struct {
	mu      sync.Mutex
	budgets map[string]*budget // by the name of a chat or an account
	forget  int                // the number of them at which to look which are of no use
}

// mostPaced is the number of budgets from which on those that are of no use are
// forgotten.
const mostPaced = 10_000

// admit takes a slot of a name under its rates. Where there is none yet it calls
// wait with a channel that is closed once there is one; wait returns false where
// the slot is not wanted any more, and admit nil then. Whoever has a slot says
// what became of it.
func (p *pacer) admit(name string, rates []Rate, fast bool, wait func(<-chan struct{}) bool) *slot {
	p.mu.Lock()
	b := p.budgets[name]
	if b == nil && len(rates) == 0 {
		p.mu.Unlock()
		return &slot{pacer: p}
	}
	if b == nil {
		b = p.add(name)
	}
	w := &waiter{slot: &slot{pacer: p, budget: b}, rates: rates, ready: make(chan struct{})}
	b.enter(w, fast)
	b.serve(time.Now())
	p.mu.Unlock()
	select {
	case <-w.ready:
		return w.slot
	default:
	}
	if wait(w.ready) {
		return w.slot
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !b.leave(w) { // it was let go at the same moment
		b.drop(w.slot)
	}
	b.serve(time.Now())
	return nil
}

// hush has a name take nothing for a time from now on.
func (p *pacer) hush(name string, d time.Duration) {
	if d <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.budgets[name]
	if b == nil {
		b = p.add(name)
	}
	if until := time.Now().Add(d); until.After(b.quiet) {
		b.quiet = until
	}
}

// hushed is how long a name takes nothing yet.
func (p *pacer) hushed(name string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.budgets[name]; b != nil {
		return max(time.Until(b.quiet), 0)
	}
	return 0
}

// note counts a message that went some time ago.
func (p *pacer) note(name string, rates []Rate, ago time.Duration) {
	if len(rates) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.budgets[name]
	if b == nil {
		b = p.add(name)
	}
	b.extend(rates)
	b.slots = append(b.slots, &slot{pacer: p, budget: b, end: time.Now().Add(-ago)})
}

// add makes a budget, and forgets those that are of no use where there are many.
// The caller holds p.mu.
func (p *pacer) add(name string) *budget {
	if p.budgets == nil {
		p.budgets, p.forget = map[string]*budget{}, mostPaced
	}
	if len(p.budgets) >= p.forget {
		now := time.Now()
		for k, b := range p.budgets {
			if b.idle(now) {
				delete(p.budgets, k)
			}
		}
		p.forget = max(mostPaced, 2*len(p.budgets))
	}
	b := &budget{}
	b.timer = time.AfterFunc(time.Hour, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		b.serve(time.Now())
	})
	b.timer.Stop()
	p.budgets[name] = b
	return b
}

// A slot is the place of one message in a budget. One of a budget that nobody keeps
// means nothing.
type slot struct {
	pacer  *pacer
	budget *budget
	end    time.Time // the platform counts it no later; zero: it has not gone yet
}

// flight is how long after its start a message is counted by the platform at the
// latest. One that takes longer to be answered hangs elsewhere, and others need
// not wait for it.
const flight = 5 * time.Second

// begin notes that the message goes now.
func (p *slot) begin() {
	p.change(func(b *budget, now time.Time) { p.end = now.Add(flight) })
}

// done notes that the message has been answered.
func (p *slot) done() {
	p.change(func(b *budget, now time.Time) {
		if now.Before(p.end) {
			p.end = now
		}
	})
}

// back gives the slot back: the message did not go.
func (p *slot) back() {
	p.change(func(b *budget, now time.Time) { b.drop(p) })
}

func (p *slot) change(how func(b *budget, now time.Time)) {
	if p.budget == nil {
		return
	}
	p.pacer.mu.Lock()
	defer p.pacer.mu.Unlock()
	now := time.Now()
	how(p.budget, now)
	p.budget.serve(now)
}

// accountOf names the account that a target is reached with.
func accountOf(t surface.Target) string { return t.Surface + ":" + t.Account }

// chatOf names the chat of a target: platforms count its threads together.
func chatOf(t surface.Target) string { return accountOf(t) + ":" + t.Address }
