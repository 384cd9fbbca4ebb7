package outbox

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// transient is a failure that is no fault of the platform's server.
func transient() error { return &surface.DeliveryError{Class: surface.Transient, Code: "refused"} }

func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		why    string
		chance float64
		want   string
	}{
		{"the middle of the jitter", 0.5, "0s 5s 35s 2m35s 12m35s 42m35s 1h42m35s 3h42m35s 7h42m35s 15h42m35s 23h42m35s 31h42m35s"},
		{"its least", 0, "0s 4s 28s 2m4s 10m4s 34m4s 1h22m4s 2h58m4s 6h10m4s 12h34m4s 18h58m4s 25h22m4s"},
		{"its most", 1, "0s 6s 42s 3m6s 15m6s 51m6s 2h3m6s 4h27m6s 9h15m6s 18h51m6s 28h27m6s"},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, script(transient()), func(b *bench) {
				b.chance = c.chance
				id := b.submit("chat:a", "1")
				time.Sleep(100 * time.Hour)
				b.is(id, store.DeadLetter, Exhausted)
				if got := b.times(); got != c.want {
					t.Errorf("tried at\n%s, want\n%s: until ten attempts and a day are over", got, c.want)
				}
			})
		})
	}
}

// TestJitter keeps every delay within a fifth of what the schedule says.
func TestJitter(t *testing.T) {
	for n := -1; n < 20; n++ {
		for _, chance := range []float64{0, 0.1, 0.5, 0.9, 1} {
			d, want := delay(n, chance), delays[min(max(n-1, 0), len(delays)-1)]
			if d < want*8/10 || d > want*12/10 {
				t.Errorf("after %d failures it waits %s, want %s ± 20 %%", n, d, want)
			}
		}
	}
}

func TestWhenItIsGivenUp(t *testing.T) {
	for _, c := range []struct {
		attempts int
		age      time.Duration
		want     bool
		why      string
	}{
		{9, 71 * time.Hour, false, "nine attempts are not enough"},
		{10, 23 * time.Hour, false, "neither is less than a day"},
		{10, 24 * time.Hour, true, "ten and a day"},
		{0, 72 * time.Hour, true, "three days whatever the count"},
		{50, time.Hour, false, "a day, whatever the count"},
	} {
		if got := exhausted(c.attempts, c.age); got != c.want {
			t.Errorf("%d attempts in %s: %v, want %v: %s", c.attempts, c.age, got, c.want, c.why)
		}
	}
}

// TestThreeDays has parts get through now and then, so that ten attempts never
// come together: it ends at 72 hours, to the second.
func TestThreeDays(t *testing.T) {
	inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
		if r.Attempt > 7 {
			return nil
		}
		return transient()
	}, func(b *bench) {
		id := b.submit("chat:a", numbered(100))
		time.Sleep(72*time.Hour - time.Second)
		b.is(id, store.Pending, "")
		time.Sleep(time.Second)
		synctest.Wait()
		b.is(id, store.DeadLetter, Exhausted)
		if got := b.row(id).Part; got < 10 {
			t.Errorf("only %d parts got through", got)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for _, class := range []surface.Class{surface.RateLimited, surface.Transient} {
		t.Run(string(class), func(t *testing.T) {
			inBubble(t, func(_ context.Context, r surface.SendRequest, n int) error {
				if n == 1 {
					return &surface.DeliveryError{Class: class, RetryAfter: 42 * time.Second}
				}
				return nil
			}, func(b *bench) {
				id, next := b.submit("chat:a", "1"), b.submit("chat:a", "2")
				urgent := b.submit("chat:a", "3", kind(surface.Alert))
				time.Sleep(41 * time.Second)
				b.asked(1)
				if r := b.row(id); r.Attempts != 0 || r.State != store.Pending {
					t.Errorf("it is %s after %d attempts that count", r.State, r.Attempts)
				}
				if to := b.target("chat:a"); to.Why != string(rateLimited) || to.Failures != 0 {
					t.Errorf("the target is %+v", to)
				}
				time.Sleep(time.Minute)
				for _, id := range []string{id, next, urgent} {
					b.is(id, store.Delivered, "")
				}
				if at := b.platform.all()[1].at; at != 42*time.Second {
					t.Errorf("it asked again after %s", at)
				}
			})
		})
	}
	t.Run("another chat does not wait", func(t *testing.T) {
		inBubble(t, func(_ context.Context, r surface.SendRequest, n int) error {
			if r.Target.Address == "a" {
				return &surface.DeliveryError{Class: surface.RateLimited, RetryAfter: time.Hour}
			}
			return nil
		}, func(b *bench) {
			b.submit("chat:a", "1")
			b.submit("chat:b", "2")
			b.got("b", "<2>")
		})
	})
	t.Run("a hostile time is bounded", func(t *testing.T) {
		inBubble(t, script(&surface.DeliveryError{Class: surface.RateLimited, RetryAfter: 1 << 62}, nil), func(b *bench) {
			id := b.submit("chat:a", "1")
			time.Sleep(longestWait + time.Second)
			b.is(id, store.Delivered, "")
		})
	})
	t.Run("who never has time is asked ever less, for three days", func(t *testing.T) {
		inBubble(t, script(&surface.DeliveryError{Class: surface.RateLimited}), func(b *bench) {
			id := b.submit("chat:a", "1")
			time.Sleep(73 * time.Hour)
			b.is(id, store.DeadLetter, Exhausted)
			if n := len(b.platform.all()); n > 72*12+10 {
				t.Errorf("%d requests", n)
			}
			if !strings.HasPrefix(b.times(), "0s 1s 3s 7s 15s 31s 1m3s 2m7s 4m15s 8m31s 13m31s 18m31s ") {
				t.Errorf("at %s", b.times()[:100])
			}
			if b.row(id).Attempts != 0 {
				t.Error("it counts")
			}
		})
	})
}

// TestHeldTimeDoesNotCount parks a job for four days: it has its patience still.
func TestHeldTimeDoesNotCount(t *testing.T) {
	for _, c := range []struct {
		why  string
		hold func(b *bench, id string)
		free func(b *bench, id string)
	}{
		{"there is no transport", func(b *bench, _ string) { b.platform.goAway(true) }, func(b *bench, _ string) { b.platform.goAway(false) }},
		{"it is held by hand", func(b *bench, id string) { b.apply(Hold, id) }, func(b *bench, id string) { b.apply(Release, id) }},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, script(transient()), func(b *bench) {
				id := b.submit("chat:a", "1")
				time.Sleep(4 * time.Second)
				c.hold(b, id)
				time.Sleep(2 * time.Second)
				if s := b.row(id).State; s != store.Held {
					t.Fatalf("it is %s", s)
				}
				time.Sleep(100 * time.Hour)
				b.asked(1)
				c.free(b, id)
				time.Sleep(20 * time.Hour)
				b.is(id, store.Pending, "")
				if r := b.row(id); r.Attempts < 9 {
					t.Errorf("%d attempts", r.Attempts)
				}
				time.Sleep(20 * time.Hour)
				b.is(id, store.DeadLetter, Exhausted)
			})
		})
	}
}

// TestOldUnknown is a process that comes back after a week: what may have arrived
// then is not sent now, but reported.
func TestOldUnknown(t *testing.T) {
	inBubble(t, func(ctx context.Context, _ surface.SendRequest, _ int) error { <-ctx.Done(); return ctx.Err() }, func(b *bench) {
		id := b.submit("chat:a", "1")
		_ = b.store.Close()
		b.stop()
		time.Sleep(7 * 24 * time.Hour)
		b.reopen()
		time.Sleep(time.Minute)
		b.is(id, store.DeadLetter, Exhausted)
		b.asked(1)
	})
}

func TestPatience(t *testing.T) {
	var got []string
	for n := range 11 {
		got = append(got, fmt.Sprint(patience(n)))
	}
	if s := strings.Join(got, " "); s != "1s 2s 4s 8s 16s 32s 1m4s 2m8s 4m16s 5m0s 5m0s" {
		t.Errorf("it waits %s", s)
	}
}
