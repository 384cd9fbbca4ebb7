package crash

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A platform takes messages and keeps what it took. When it is armed, it kills
// the host with the next message in hand.
type platform struct {
	mu      sync.Mutex
	taken   []message
	copies  map[string]int // by key
	armed   func()         // called once, with a message in hand
	skip    int            // messages before that one
	answer  bool           // whether the message that kills is answered before
	struck  int            // kills with a message in hand
	refused int            // percent of requests that fail
	gate    chan struct{}  // not nil: nothing is taken before it is closed
	away    bool           // nothing is taken at all
	rand    *rand.Rand
}

func newPlatform() *platform {
	return &platform{copies: map[string]int{}, rand: rand.New(rand.NewPCG(1, 2))}
}

func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m message
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&m); err != nil {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	if p.gate != nil {
		<-p.gate
	}
	p.mu.Lock()
	if p.away {
		p.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	strike := p.armed
	if strike != nil && p.skip > 0 {
		strike = nil
		p.skip--
	} else {
		p.armed = nil
	}
	if p.rand.IntN(100) < p.refused && strike == nil {
		p.mu.Unlock()
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	p.taken = append(p.taken, m)
	p.copies[m.Key]++
	id := len(p.taken)
	if strike != nil {
		p.struck++
	}
	answer := p.answer
	p.mu.Unlock()
	if strike != nil && !answer {
		strike()
	}
	fmt.Fprintf(w, "m%d", id)
	if strike != nil && answer {
		http.NewResponseController(w).Flush()
		strike()
	}
}

// waitFor waits until all words of some jobs have arrived.
func (p *platform) waitFor(t *testing.T, all []order) {
	t.Helper()
	missing := 0
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		words := map[string]map[string]bool{}
		p.mu.Lock()
		for _, m := range p.taken {
			if words[m.Job] == nil {
				words[m.Job] = map[string]bool{}
			}
			for _, w := range strings.Fields(m.Text) {
				words[m.Job][w] = true
			}
		}
		p.mu.Unlock()
		missing = 0
		for _, o := range all {
			if !o.arrived(words[o.ID]) {
				missing++
			}
		}
		if missing == 0 {
			return
		}
	}
	t.Fatalf("%d of %d jobs have not arrived", missing, len(all))
}

// arm has the platform kill with a message in hand, the first that comes after a
// few.
func (p *platform) arm(kill func(), answer bool, skip int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.answer, p.skip = kill, answer, skip
}
