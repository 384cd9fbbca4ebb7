package outbox

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func TestBreaker(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	row := store.TargetRow{Target: "chat:a"}
	for i, want := range []time.Duration{0, 0, 0, 0, 1, 2, 4, 8, 15, 15, 15, 15, 15, 15, 15, 15} {
		row = failing(at, 1)(row)
		if got := row.Until.Sub(at); want == 0 && !row.Until.IsZero() || want != 0 && got != want*time.Minute {
			t.Errorf("after %d failures it is open for %s, want %d minutes", i+1, got, want)
		}
		at = at.Add(time.Hour)
	}
	if row = answering(at)(row); row != (store.TargetRow{Target: "chat:a"}) {
		t.Errorf("after an answer it is %+v", row)
	}
}

// TestTargetStates tries what one lane writes against what another has written.
func TestTargetStates(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	limited := store.TargetRow{Target: "t", Until: at.Add(time.Hour), Why: string(rateLimited), Failures: 3, Opened: 1}
	closed := store.TargetRow{Target: "t", Closed: true, Why: string(TargetGone)}
	for _, c := range []struct {
		why  string
		is   store.TargetRow
		how  change
		want store.TargetRow
	}{
		{"a rate holds though something got through", limited, accepting(at), store.TargetRow{Target: "t", Until: at.Add(time.Hour), Why: string(rateLimited)}},
		{"until it is over", limited, accepting(at.Add(time.Hour)), store.TargetRow{Target: "t"}},
		{"a breaker does not shorten it", store.TargetRow{Target: "t", Until: at.Add(time.Hour), Why: string(rateLimited), Failures: 4}, failing(at, 1), store.TargetRow{Target: "t", Until: at.Add(time.Hour), Why: string(rateLimited), Failures: 5, Opened: 1}},
		{"nor another rate", limited, pausing(at.Add(time.Minute), rateLimited), limited},
		{"a failure opens nothing that is closed", closed, failing(at, 1), store.TargetRow{Target: "t", Closed: true, Why: string(TargetGone), Failures: 1}},
		{"neither does a refusal", closed, answering(at), closed},
		{"what gets through does", closed, accepting(at), store.TargetRow{Target: "t"}},
		{"where it moved to stays", store.TargetRow{Target: "t", Moved: "u", Failures: 2}, accepting(at), store.TargetRow{Target: "t", Moved: "u"}},
	} {
		if got := c.how(c.is); got != c.want {
			t.Errorf("%s: %+v becomes %+v, want %+v", c.why, c.is, got, c.want)
		}
	}
}

// TestBreakerOpens has a platform that is down for a while, and a target that is
// asked all the time to take more.
func TestBreakerOpens(t *testing.T) {
	inBubble(t, script(transient(), transient(), transient(), transient(), transient(), nil), func(b *bench) {
		one, two := b.submit("chat:a", "1"), b.submit("chat:a", "2")
		time.Sleep(156 * time.Second) // the fourth failure and that of the probe
		b.asked(5)
		if to := b.target("chat:a"); to.Why != string(breaker) || to.Failures != 5 || time.Until(to.Until).Round(time.Second) != 59*time.Second {
			t.Errorf("the target is %+v", to)
		}
		for range 50 { // nothing counts while it is open
			b.submit("chat:a", "more")
			time.Sleep(time.Second)
		}
		b.asked(5)
		if got := b.row(one).Attempts + b.row(two).Attempts; got != 5 {
			t.Errorf("%d attempts count, want 5", got)
		}
		time.Sleep(time.Hour)
		b.is(one, store.Delivered, "")
		b.is(two, store.Delivered, "")
		if to := b.target("chat:a"); to != (store.TargetRow{Target: "chat:a"}) {
			t.Errorf("something got through, and the target is %+v", to)
		}
	})
}

// TestRefusalIsAnAnswer has refusals between failures: the platform is not down.
func TestRefusalIsAnAnswer(t *testing.T) {
	inBubble(t, func(_ context.Context, r surface.SendRequest, n int) error {
		if n%2 == 0 {
			return fails(surface.Permanent)
		}
		return transient()
	}, func(b *bench) {
		for i := range 10 {
			b.submit("chat:a", fmt.Sprint(i))
		}
		time.Sleep(time.Hour)
		b.asked(20)
		if got := b.times(); got != "0s 5s 5s 10s 10s 15s 15s 20s 20s 25s 25s 30s 30s 35s 35s 40s 40s 45s 45s 50s" {
			t.Errorf("asked at %s", got)
		}
	})
}

// TestOutage counts the requests that six hours without an answer cost, with a
// hundred jobs in the lane.
func TestOutage(t *testing.T) {
	var start time.Time
	inBubble(t, func(context.Context, surface.SendRequest, int) error {
		if time.Since(start) < 6*time.Hour {
			return server()
		}
		return nil
	}, func(b *bench) {
		start = time.Now()
		for i := range 100 {
			b.submit("chat:a", fmt.Sprintf("%03d", i))
		}
		time.Sleep(6*time.Hour - time.Second)
		b.asked(outageRequests)
		time.Sleep(12 * time.Hour)
		if n := len(b.texts("a")); n != 100 {
			t.Fatalf("%d of 100 arrived", n)
		}
		last := ""
		for i, text := range b.texts("a") {
			if bare(text) != text {
				continue // it was passed, and says so
			}
			if text < last {
				t.Errorf("%s came as number %d, behind %s", text, i, last)
			}
			last = text
		}
		if n := len(b.platform.all()); n > outageRequests+104 {
			t.Errorf("%d requests", n)
		}
	})
}

// outageRequests is what was measured; the record of the decision says so too.
const outageRequests = 16
