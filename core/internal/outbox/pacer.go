package outbox

import (
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A pacer spaces messages out, by whatever has a name. Its zero value is ready.
type pacer struct {
	mu   sync.Mutex
	free map[string]time.Time // when the next may go
}

// mostPaced is the number of names from which on those that are free are
// forgotten.
const mostPaced = 10_000

// reserve takes the next place of a name, and returns how long to wait for it.
func (p *pacer) reserve(name string, pace time.Duration, now time.Time) time.Duration {
	if pace <= 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free == nil {
		p.free = map[string]time.Time{}
	}
	at := now
	if next := p.free[name]; next.After(at) {
		at = next
	}
	if len(p.free) > mostPaced { // nearly all are long past
		for k, next := range p.free {
			if !next.After(now) {
				delete(p.free, k)
			}
		}
	}
	p.free[name] = at.Add(pace)
	return at.Sub(now)
}

// accountOf names the account that a target is reached with.
func accountOf(t surface.Target) string { return t.Surface + ":" + t.Account }

// chatOf names the chat of a target: platforms count its threads together.
func chatOf(t surface.Target) string { return accountOf(t) + ":" + t.Address }
