package outbox

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestInOrder has a platform that takes its time for the first part: the others
// are not sent meanwhile.
func TestInOrder(t *testing.T) {
	inBubble(t, func(_ context.Context, r surface.SendRequest, n int) error {
		if n == 1 {
			time.Sleep(2 * time.Second)
		}
		return nil
	}, func(b *bench) {
		b.submit("chat:a", "1|2|3|4|5")
		b.submit("chat:a", "6|7")
		time.Sleep(time.Minute)
		b.got("a", "<1>", "<2>", "<3>", "<4>", "<5>", "<6>", "<7>")
		for i, r := range b.platform.all()[1:] {
			if r.at < 2*time.Second {
				t.Errorf("request %d came after %s", i+1, r.at)
			}
		}
	})
}

// TestErrorInTheMiddle has the third of five parts fail twice: the later ones wait.
func TestErrorInTheMiddle(t *testing.T) {
	inBubble(t, func(_ context.Context, r surface.SendRequest, n int) error {
		if n == 3 || n == 4 {
			return server()
		}
		return nil
	}, func(b *bench) {
		b.submit("chat:a", "1|2|3|4|5")
		b.submit("chat:a", "6")
		time.Sleep(time.Hour)
		b.got("a", "<1>", "<2>", "<3>", "<4>", "<5>", "<6>")
		if got, want := b.times(), "0s 0s 0s 5s 35s 35s 35s 35s"; got != want {
			t.Errorf("asked at %s, want %s", got, want)
		}
	})
}

// TestPassing has a job that fails while the platform is well.
func TestPassing(t *testing.T) {
	sick := func(until time.Duration) answer {
		var start time.Time
		return func(_ context.Context, r surface.SendRequest, n int) error {
			if n == 1 {
				start = time.Now()
			}
			if r.Job == "j1" && time.Since(start) < until {
				return transient()
			}
			return nil
		}
	}
	const late = "(late, from 2000-01-01 00:00 UTC) "
	t.Run("three failures hold the lane, the fourth lets the next one by", func(t *testing.T) {
		inBubble(t, sick(20*time.Minute), func(b *bench) {
			one, two, three := b.submit("chat:a", "1|1b"), b.submit("chat:a", "2|2b"), b.submit("chat:a", "3")
			time.Sleep(154 * time.Second)
			b.got("a")
			b.is(two, store.Pending, "")
			time.Sleep(2 * time.Second) // 2m35s: the fourth failure
			b.is(one, store.Held, HeadOfLine)
			b.is(two, store.Delivered, "")
			b.is(three, store.Delivered, "")
			four := b.submit("chat:a", "4")
			b.is(four, store.Delivered, "")
			time.Sleep(time.Hour)
			b.is(one, store.Delivered, "")
			b.got("a", "<2>", "<2b>", "<3>", "<4>", late+"<1>", "<1b>")
			// 12m35s: its own time, and one more failure; then half an hour
			if at := b.platform.all(); at[len(at)-1].at != 42*time.Minute+35*time.Second {
				t.Errorf("it went at %s", at[len(at)-1].at)
			}
		})
	})
	t.Run("over a restart too", func(t *testing.T) {
		inBubble(t, sick(20*time.Minute), func(b *bench) {
			one := b.submit("chat:a", "1")
			b.submit("chat:a", "2")
			time.Sleep(3 * time.Minute)
			b.is(one, store.Held, HeadOfLine)
			b.kill()
			time.Sleep(time.Hour)
			b.got("a", "<2>", late+"<1>")
		})
	})
	t.Run("a person may be quicker", func(t *testing.T) {
		for _, a := range []Action{Retry, Release} {
			inBubble(t, sick(4*time.Minute), func(b *bench) {
				one := b.submit("chat:a", "1")
				b.submit("chat:a", "2")
				time.Sleep(5 * time.Minute)
				b.apply(a, one)
				b.got("a", "<2>", late+"<1>")
			})
		}
	})
	t.Run("where the next fails too it is the platform, and order stays", func(t *testing.T) {
		var start time.Time
		inBubble(t, func(context.Context, surface.SendRequest, int) error {
			if time.Since(start) < 30*time.Minute {
				return transient()
			}
			return nil
		}, func(b *bench) {
			start = time.Now()
			var want []string
			for i := range 5 {
				b.submit("chat:a", fmt.Sprint(i))
				want = append(want, fmt.Sprintf("<%d>", i))
			}
			time.Sleep(20 * time.Minute)
			b.got("a")
			for _, r := range b.platform.all() {
				if r.Job != "j1" && r.Job != "j2" {
					t.Errorf("%s was tried", r.Job)
				}
			}
			time.Sleep(4 * time.Hour)
			got := b.texts("a")
			slices.SortStableFunc(got, func(a, b string) int { return len(a) - len(b) }) // marked ones may come later
			if !slices.Equal(got[:4], want[:4]) && !slices.Equal(got[:4], want[1:]) {
				t.Errorf("they came as %q", got)
			}
		})
	})
	t.Run("the one that passes is not broken in two", func(t *testing.T) {
		inBubble(t, func(_ context.Context, r surface.SendRequest, n int) error {
			switch {
			case r.Job == "j1" && n < 6, r.Job == "j2" && r.Part == 1 && n < 9:
				return transient()
			}
			return nil
		}, func(b *bench) {
			b.submit("chat:a", "1")
			b.submit("chat:a", "2|2b")
			time.Sleep(10 * time.Hour)
			got := b.texts("a")
			if i := slices.Index(got, "<2>"); i < 0 || i+1 >= len(got) || got[i+1] != "<2b>" {
				t.Errorf("they came as %q", got)
			}
		})
	})
}

// TestFastLane has what cannot wait overtake a job of many parts, and one that
// waits.
func TestFastLane(t *testing.T) {
	for _, c := range []struct {
		why string
		how func(*Submission)
	}{
		{"an approval", kind(surface.Approval)},
		{"an alert", kind(surface.Alert)},
		{"an interrupt", posture(Immediate, Interrupt)},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
				if r.Job == "j1" {
					time.Sleep(10 * time.Second)
				}
				return nil
			}, func(b *bench) {
				b.submit("chat:a", "1|2|3")
				b.submit("chat:a", "now!", c.how)
				time.Sleep(time.Second)
				b.got("a", "<now!>")
				time.Sleep(time.Minute)
				b.got("a", "<now!>", "<1>", "<2>", "<3>")
			})
			inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
				if r.Job == "j1" {
					return transient()
				}
				return nil
			}, func(b *bench) {
				b.submit("chat:a", "1")
				time.Sleep(time.Second)
				b.submit("chat:a", "now!", c.how)
				b.got("a", "<now!>")
			})
		})
	}
}

// TestLanesDoNotWait has one target hang, one fail and one hold ten thousand
// jobs, and many accounts whose chats hang: a healthy one is served at once.
func TestLanesDoNotWait(t *testing.T) {
	const many = 10_000
	inBubble(t, func(ctx context.Context, r surface.SendRequest, _ int) error {
		switch r.Target.Address {
		case "fails":
			return transient()
		case "well":
			return nil
		}
		<-ctx.Done()
		return &surface.DeliveryError{Class: surface.Transient, Code: "timeout"}
	}, func(b *bench) {
		for _, to := range []struct {
			target func(i int) string
			how    func(*Submission)
		}{
			{func(int) string { return "chat:hangs" }, nil},
			{func(int) string { return "chat:fails" }, nil},
			{func(int) string { return "chat:held" }, posture(Digest, Normal)},
			{func(i int) string { return fmt.Sprint("other:", i) }, nil},
		} {
			subs := make([]Submission, many)
			for i := range subs {
				if subs[i] = b.submission(to.target(i), "x"); to.how != nil {
					to.how(&subs[i])
				}
			}
			b.accept(store.Commit{}, false, subs...)
		}
		var took []time.Duration
		for i := range 200 {
			time.Sleep(1500 * time.Millisecond)
			since := time.Now()
			id := b.submit("chat:well", fmt.Sprint(i))
			for b.row(id).State != store.Delivered && time.Since(since) < time.Minute {
				time.Sleep(10 * time.Millisecond)
			}
			took = append(took, time.Since(since))
		}
		slices.Sort(took)
		if p99 := took[len(took)*99/100-1]; p99 >= time.Second {
			t.Errorf("the healthy one waits %s", p99)
		}
	})
}

// TestOneInFlight is seen by the platform of every test; here it sees many.
func TestOneInFlight(t *testing.T) {
	inBubble(t, func(context.Context, surface.SendRequest, int) error { time.Sleep(time.Second); return nil }, func(b *bench) {
		for i := range 40 {
			b.submit(fmt.Sprint("chat:", i%4), "1|2", kind([]surface.Kind{surface.Assistant, surface.Alert}[i/4%2]))
		}
		time.Sleep(time.Minute)
		b.asked(80)
		if last := b.platform.all()[79].at; last > 11*time.Second {
			t.Errorf("the last one came after %s: lanes waited for each other", last)
		}
	})
}
