package outbox

import (
	"slices"
	"time"
)

// A budget is what one chat or account may take. All of it is guarded by its
// pacer's mutex.
//
// A message counts from when it is let go, and by each rate for its span behind
// its answer. So wherever between the two the platform counts it, no span holds
// more than the rate says.
type budget struct {
	slots   []*slot
	longest time.Duration // the span of the slowest rate that asked
	fast    []*waiter     // for nobody else, but see mostAhead
	others  []*waiter
	ahead   int       // of the fast ones, let go in a row while others waited
	quiet   time.Time // the platform wants nothing before
	timer   *time.Timer
}

// A waiter waits for its slot.
type waiter struct {
	slot  *slot
	rates []Rate
	ready chan struct{} // closed: it may go
}

// mostAhead is how many of those that press go before one that does not, so that
// a flood of them ends nobody else's turn.
const mostAhead = 3

func (b *budget) enter(w *waiter, fast bool) {
	b.extend(w.rates)
	if fast {
		b.fast = append(b.fast, w)
		return
	}
	b.others = append(b.others, w)
}

// leave takes out one that waits no more, and reports whether it still did.
func (b *budget) leave(w *waiter) bool {
	for _, q := range []*[]*waiter{&b.fast, &b.others} {
		if i := slices.Index(*q, w); i >= 0 {
			*q = slices.Delete(*q, i, i+1)
			return true
		}
	}
	return false
}

// drop forgets a slot that was not used.
func (b *budget) drop(p *slot) {
	b.slots = slices.DeleteFunc(b.slots, func(o *slot) bool { return o == p })
}

// extend has messages remembered for as long as the rates need.
func (b *budget) extend(rates []Rate) {
	for _, r := range rates {
		b.longest = max(b.longest, r.Per)
	}
}

// serve lets go who may go, one after another, and sees to it that it is called
// again when the next one may.
func (b *budget) serve(now time.Time) {
	b.slots = slices.DeleteFunc(b.slots, func(p *slot) bool { return !p.end.IsZero() && !p.end.Add(b.longest).After(now) })
	for len(b.fast)+len(b.others) > 0 {
		q := &b.others
		if len(b.fast) > 0 && (b.ahead < mostAhead || len(b.others) == 0) {
			q = &b.fast
		}
		w := (*q)[0]
		at, known := b.next(w.rates)
		if !known {
			return // until one that has its slot goes, or gives it back
		}
		if at.After(now) {
			b.timer.Reset(at.Sub(now))
			return
		}
		*q = slices.Delete(*q, 0, 1)
		b.ahead++
		if q == &b.others || len(b.others) == 0 {
			b.ahead = 0
		}
		if len(w.rates) > 0 {
			b.slots = append(b.slots, w.slot)
		} else {
			w.slot.budget = nil
		}
		close(w.ready)
	}
	b.timer.Stop()
}

// next is when one more may go by some rates. It is not known while that depends
// on one that has not gone yet.
func (b *budget) next(rates []Rate) (at time.Time, known bool) {
	at = b.quiet
	var ends []time.Time
	for _, r := range rates {
		i := len(b.slots) - max(r.Messages, 1) // of the last one that must not count any more
		if i < 0 {
			continue
		}
		if ends == nil {
			ends = b.ends()
		}
		if ends[i].IsZero() {
			return at, false
		}
		if free := ends[i].Add(r.Per); free.After(at) {
			at = free
		}
	}
	return at, true
}

// ends are the ends of all slots, in order, those that have none last.
func (b *budget) ends() []time.Time {
	out := make([]time.Time, len(b.slots))
	for i, p := range b.slots {
		out[i] = p.end
	}
	slices.SortFunc(out, func(x, y time.Time) int {
		switch {
		case x.IsZero() == y.IsZero():
			return x.Compare(y)
		case x.IsZero():
			return 1
		}
		return -1
	})
	return out
}

// idle reports whether the budget has nothing to remember.
func (b *budget) idle(now time.Time) bool {
	for _, p := range b.slots {
		if p.end.IsZero() || p.end.Add(b.longest).After(now) {
			return false
		}
	}
	return len(b.fast)+len(b.others) == 0 && !b.quiet.After(now)
}
