package outbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestRandomSchedules has a random platform, random hands and random ends of the
// process, for days, and then looks at what arrived. A failure names its seed: run
// it alone with -run 'TestRandomSchedules/seed_N$'.
func TestRandomSchedules(t *testing.T) {
	seeds := uint64(25)
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := &weather{random: rand.New(rand.NewPCG(seed, 2)), ill: 300}
			inBubble(t, w.answer, func(b *bench) {
				w.bench = b
				w.live(t)
			})
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		})
	}
}

// weather is a platform and a world in which anything may happen.
type weather struct {
	bench  *bench
	mu     sync.Mutex
	random *rand.Rand
	ill    int               // per mille: how often the platform fails
	jobs   map[string]string // target by job, as submitted
	acted  map[string]bool   // jobs that a person had a hand in
}

func (w *weather) intn(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.IntN(n)
}

func (w *weather) illness() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ill
}

func (w *weather) setIll(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ill = n
}

func (w *weather) answer(ctx context.Context, _ surface.SendRequest, _ int) error {
	if w.intn(3) == 0 {
		time.Sleep(time.Duration(w.intn(5000)) * time.Millisecond)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if w.intn(1000) >= w.illness() {
		return nil
	}
	switch w.intn(12) {
	case 0:
		return &surface.DeliveryError{Class: surface.RateLimited, RetryAfter: time.Duration(w.intn(100)) * time.Second, Account: w.intn(4) == 0}
	case 1:
		return fails(surface.Payload)
	case 2:
		return fails(surface.TooLong)
	case 3:
		return errTaken
	case 4:
		return fails(surface.Unknown)
	case 5:
		if w.intn(10) == 0 {
			return fails(surface.Permanent)
		}
	case 6:
		if w.intn(40) == 0 {
			return fails(surface.TargetGone)
		}
	case 7, 8:
		return server()
	}
	return transient()
}

func (w *weather) live(t *testing.T) {
	b := w.bench
	b.traits.Window = []time.Duration{0, 2 * time.Minute, -1}[w.intn(3)]
	b.traits.Chat = [][]Rate{nil, {{1, time.Second}}, {{2, time.Second}, {20, time.Minute}}}[w.intn(3)]
	b.traits.Account = [][]Rate{nil, {{3, time.Second}}}[w.intn(2)]
	b.policy.ParkUnknown = w.intn(4) == 0
	w.jobs, w.acted = map[string]string{}, map[string]bool{}
	for range 120 {
		switch n := w.intn(40); {
		case n < 20:
			w.submit()
		case n < 24 && len(w.jobs) > 0:
			w.act(t)
		case n < 26:
			b.restart()
		case n < 28:
			b.kill()
		case n < 29:
			b.setClock(b.off() + time.Duration(w.intn(100)-50)*time.Hour)
		case n < 30:
			b.platform.goAway(true)
		case n < 32:
			b.platform.goAway(false)
			_ = b.outbox.TransportsChanged(context.Background())
		case n < 33:
			w.setIll([]int{0, 300, 800, 1000}[w.intn(4)])
		case n < 34:
			b.accept(store.Commit{Release: "s/1"}, false)
		default:
			time.Sleep(time.Duration(w.intn(int(10 * time.Minute))))
		}
	}
	b.platform.goAway(false)
	w.setIll(0)
	time.Sleep(200 * time.Hour)
	synctest.Wait()
	w.check(t)
}

func (w *weather) submit() {
	b := w.bench
	var texts []string
	for i := range 1 + w.intn(3) {
		texts = append(texts, fmt.Sprintf("%03d.%d", b.jobs+1, i))
	}
	to := fmt.Sprintf("chat:%d", w.intn(3))
	s := b.submission(to, strings.Join(texts, "|"))
	switch w.intn(8) {
	case 0:
		s.Kind = surface.Alert
	case 1:
		s.Posture = Posture{OnCompletion, Normal}
	case 2:
		s.Posture = Posture{Digest, Ambient}
	}
	w.jobs[s.Job] = to
	b.accept(store.Commit{}, false, s)
}

func (w *weather) act(t *testing.T) {
	id := fmt.Sprintf("j%d", 1+w.intn(w.bench.jobs))
	a := Actions[w.intn(len(Actions))]
	if w.intn(2) == 0 {
		a = Retry
	}
	w.acted[id] = true
	_, err := w.bench.outbox.Apply(context.Background(), a, id)
	if _, refused := err.(*Error); err != nil && !refused {
		t.Errorf("%s: %v", a, err)
	}
}
