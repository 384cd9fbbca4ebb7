package host

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

var (
	soak     = flag.Int("soak", 400, "renders of TestSoak")
	soakSeed = flag.Uint64("soak.seed", 1, "seed of TestSoak")
)

// TestSoak renders while the renderers are killed at random. Every answer is
// whole, or an error that says what happened, which core renders plain for; and
// neither memory nor anything else grows.
//
//	go test ./core/internal/host -count=1 -run '^TestSoak$' -v -soak 10000 -timeout 30m
//
// The plugin "good" has all the patience that there is, so that it is there to
// be killed again; "frail" has the default, so it comes to be quarantined, and
// an operator restarts it.
func TestSoak(t *testing.T) {
	leavesNothing(t)
	patient := Config{StopTimeout: 200 * time.Millisecond}
	patient.Policy.Failures, patient.Policy.FirstBackoff, patient.Policy.MaxBackoff = 1<<30, time.Millisecond, 20*time.Millisecond
	hosts := map[string]*Host{
		"good":  open(t, patient, "good"),
		"frail": open(t, Config{StopTimeout: 200 * time.Millisecond}, "frail"),
	}
	say(t, hosts["good"], "good", "x")
	say(t, hosts["frail"], "frail", "x")
	random := rand.New(rand.NewPCG(*soakSeed, 0))

	done := make(chan struct{})
	var killer sync.WaitGroup
	var kills, restarts atomic.Int64
	killer.Go(func() {
		random := rand.New(rand.NewPCG(*soakSeed, 1))
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(5+random.IntN(40)) * time.Millisecond):
			}
			name := "good"
			if random.IntN(20) == 0 {
				name = "frail"
			}
			h := hosts[name]
			if s := h.Status()[0]; s.PID != 0 {
				syscall.Kill(s.PID, syscall.SIGKILL)
				kills.Add(1)
			} else if s.State == StateQuarantined && random.IntN(4) == 0 {
				if h.Restart(context.Background(), name) == nil {
					restarts.Add(1)
				}
			}
		}
	})

	counts := map[string]int{}
	var mu sync.Mutex
	var peak uint64
	work := make(chan surface.RenderRequest)
	var renderers sync.WaitGroup
	for range 8 {
		renderers.Go(func() {
			for r := range work {
				name := r.Profile.Surface
				out, _, err := hosts[name].Render(context.Background(), hosts[name].named(name), r)
				verdict := name + " whole"
				if err != nil {
					e, ok := errors.AsType[*Error](err)
					if !ok || e.Message == "" || e.Plugin != name {
						t.Errorf("err = %v", err)
						continue
					}
					verdict = name + " " + string(e.Kind)
				} else if got, want := echoed(out), wanted(r); got != want {
					t.Errorf("%d bytes of %d: an answer is not whole", len(got), len(want))
				}
				mu.Lock()
				counts[verdict]++
				mu.Unlock()
			}
		})
	}
	var m runtime.MemStats
	for i := range *soak {
		name := "good"
		if random.IntN(4) == 0 {
			name = "frail"
		}
		r := request(name, "echo")
		for j := range random.IntN(20) {
			r.Doc.Blocks = append(r.Doc.Blocks, &doc.Paragraph{ID: doc.ID(fmt.Sprint(j + 2)), Inlines: []doc.Inline{&doc.Text{Text: strings.Repeat(string(rune('a'+random.IntN(26))), 1+random.IntN(2000))}}})
		}
		work <- r
		if i%500 == 499 {
			runtime.GC()
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}
	close(work)
	renderers.Wait()
	close(done)
	killer.Wait()
	t.Logf("%d renders, %d kills, %d restarts by hand, at most %.1f MB live: %v", *soak, kills.Load(), restarts.Load(), float64(peak)/1e6, counts)
	if kills.Load() == 0 || counts["good whole"] == 0 {
		t.Error("this tested nothing")
	}
	if peak > 64<<20 {
		t.Errorf("%d bytes are live", peak)
	}
	for name, h := range hosts { // both can still do it
		if err := h.Restart(context.Background(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := say(t, h, name, "x"); got != "ok" {
			t.Errorf("%s says %q", name, got)
		}
	}
}

func echoed(r surface.Rendering) string {
	var b strings.Builder
	for _, c := range r.Chunks {
		b.WriteString(c.Text)
	}
	return b.String()
}

func wanted(r surface.RenderRequest) string {
	var b strings.Builder
	for _, p := range r.Doc.Blocks {
		for s := range doc.Visible(p) {
			b.WriteString(s)
		}
	}
	return b.String()
}
