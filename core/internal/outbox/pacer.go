package outbox

import (
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A pacer spaces messages out, by chat and by account.
type pacer struct {
	mu   sync.Mutex
	free map[string]time.Time // when the next may go
}

// reserve takes the next place for a message to t, and returns how long to wait
// for it.
func (p *pacer) reserve(t surface.Target, tr Traits, now time.Time) time.Duration {
	if tr.Pace <= 0 && tr.AccountPace <= 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free == nil {
		p.free = map[string]time.Time{}
	}
	if len(p.free) > 10_000 { // most are long past
		for k, at := range p.free {
			if at.Before(now) {
				delete(p.free, k)
			}
		}
	}
	account := t.Surface + " " + t.Account
	chat := account + " " + t.Address // with all of its threads: platforms count them together
	at := now
	for _, k := range []string{chat, account} {
		if next := p.free[k]; next.After(at) {
			at = next
		}
	}
	p.free[chat], p.free[account] = at.Add(tr.Pace), at.Add(tr.AccountPace)
	return at.Sub(now)
}
