package outbox

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestShutdown stops in the middle of a part. One that answers soon is settled,
// one that does not counts as unknown, and nothing counts as a failure.
func TestShutdown(t *testing.T) {
	for _, c := range []struct {
		why   string
		takes time.Duration
		state store.State
		part  int
		got   string
	}{
		{"it answers in time", 2 * time.Second, store.Pending, 1, "<1> <2> <3>"},
		{"it does not", time.Minute, store.Pending, 0, "(possible duplicate) <1> <2> <3>"},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, func(ctx context.Context, r surface.SendRequest, n int) error {
				if n > 1 {
					return nil
				}
				select {
				case <-time.After(c.takes):
					return nil
				case <-ctx.Done():
					return &surface.DeliveryError{Class: surface.Unknown, Code: "timeout"}
				}
			}, func(b *bench) {
				id := b.submit("chat:a", "1|2|3")
				next := b.submit("chat:a", "4")
				since := time.Now()
				b.stop()
				if took := time.Since(since); took > farewell+grace {
					t.Errorf("it takes %s to stop", took)
				}
				r := b.row(id)
				if r.State != c.state || r.Part != c.part || r.Attempts != 0 {
					t.Errorf("it is %s, part %d, after %d attempts", r.State, r.Part, r.Attempts)
				}
				if to := b.target("chat:a"); to.Failures != 0 {
					t.Errorf("the target is %+v", to)
				}
				b.reopen()
				time.Sleep(time.Second)
				b.is(id, store.Delivered, "")
				b.is(next, store.Delivered, "")
				if got := strings.Join(b.texts("a"), " "); got != c.got+" <4>" {
					t.Errorf("there arrived %s, want %s", got, c.got)
				}
			})
		})
	}
	t.Run("while it waits", func(t *testing.T) {
		for _, how := range []func(*bench){
			func(b *bench) { b.traits.Chat = []Rate{{1, time.Hour}} },
			func(b *bench) { b.platform.how = script(transient()) },
			func(b *bench) { b.renderer.set(true, nil) },
			func(b *bench) { b.platform.goAway(true) },
		} {
			inBubble(t, nil, func(b *bench) {
				how(b)
				id := b.submit("chat:a", "1|2")
				since, before := time.Now(), b.row(id).Attempts
				b.stop()
				if time.Since(since) > time.Second {
					t.Errorf("it takes %s", time.Since(since))
				}
				if r := b.row(id); !r.State.Live() || r.Attempts != before {
					t.Errorf("it is %+v", r)
				}
			})
		}
	})
}

// TestTransportHangs has a transport that never answers, and does not look at its
// context: the claim is seen, the lane goes on, and what it says at last changes
// nothing.
func TestTransportHangs(t *testing.T) {
	var never atomic.Pointer[chan struct{}]
	inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
		if r.Job == "j1" {
			<-*never.Load()
		}
		return nil
	}, func(b *bench) {
		hang := make(chan struct{})
		never.Store(&hang)
		id, next, other := b.submit("chat:a", "1"), b.submit("chat:a", "2"), b.submit("chat:b", "3")
		b.is(other, store.Delivered, "")
		time.Sleep(sendTime - time.Second)
		b.is(id, store.Sending, "")
		time.Sleep(grace + 2*time.Second)
		b.is(id, store.Pending, "")
		if !strings.Contains(b.log.String(), "does not answer") {
			t.Error("nobody is told")
		}
		all, _ := b.store.History(context.Background(), id)
		if f, _ := decode[failed](all[len(all)-1]); f.Class != surface.Unknown || f.Code != "no_answer" {
			t.Errorf("the outcome is %+v", f)
		}
		time.Sleep(time.Hour)
		b.is(id, store.Held, UnknownOutcome) // four times, which is the bound
		b.is(next, store.Delivered, "")
		since := time.Now()
		b.stop()
		if time.Since(since) > farewell+grace {
			t.Errorf("it takes %s to stop", time.Since(since))
		}
		history := b.history(id)
		close(hang)
		time.Sleep(time.Second)
		synctest.Wait()
		if b.history(id) != history {
			t.Error("an answer that came after its time changed something")
		}
		b.platform.broken = nil // of course there were several at once
		if n := strings.Count(b.log.String(), "long after its time"); n != 4 {
			t.Errorf("%d late answers are in the log, want 4", n)
		}
	})
}

// TestRendererHangs is the same for what renders: the job is tried again, and no
// other lane waits.
func TestRendererHangs(t *testing.T) {
	for _, c := range []struct {
		why string
		how func(*renderer)
	}{
		{"with its context", func(r *renderer) { r.set(true, nil) }},
		{"for ever", func(r *renderer) { r.set(false, make(chan struct{})) }},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, nil, func(b *bench) {
				c.how(b.renderer)
				id := b.submit("chat:a", "1")
				time.Sleep(10 * time.Minute)
				if r := b.row(id); r.State != store.Pending || r.Attempts == 0 || b.target("chat:a").Failures != 0 {
					t.Errorf("it is %+v, and the target %+v", r, b.target("chat:a"))
				}
				if b.renderer.hang != nil {
					close(b.renderer.hang)
				}
				b.renderer.set(false, nil)
				time.Sleep(time.Hour)
				b.is(id, store.Delivered, "")
				b.got("a", "<1>")
			})
		})
	}
	inBubble(t, nil, func(b *bench) {
		b.renderer.set(true, nil)
		id := b.submit("chat:a", "1")
		time.Sleep(80 * time.Hour)
		b.is(id, store.DeadLetter, Exhausted) // and not for ever
	})
}

// TestNothingLeaks runs and stops an outbox many times. A bubble does not end
// while a goroutine of its is left.
func TestNothingLeaks(t *testing.T) {
	inBubble(t, func(_ context.Context, _ surface.SendRequest, n int) error {
		if n%3 == 0 {
			return transient()
		}
		return nil
	}, func(b *bench) {
		for range 50 {
			b.submit("chat:a", "1|2|3")
			time.Sleep(time.Second)
			b.restart()
		}
		b.stop()
		if n := len(b.outbox.running); n != 0 {
			t.Errorf("%d jobs are under way", n)
		}
	})
}
