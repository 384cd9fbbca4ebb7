package outbox

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// script answers the requests in turn, and all behind them as the last one.
func script(answers ...error) answer {
	return func(_ context.Context, _ surface.SendRequest, n int) error { return answers[min(n, len(answers))-1] }
}

func TestOutcomes(t *testing.T) {
	refuse := func(texts ...string) answer {
		return func(_ context.Context, r surface.SendRequest, _ int) error {
			for _, x := range texts {
				if strings.Contains(r.Chunk.Plain, x) && r.Form != surface.FormPlain {
					return fails(surface.Payload)
				}
			}
			return nil
		}
	}
	for _, c := range []struct {
		why, text string
		how       answer
		state     store.State
		reason    Reason
		asked     string // texts in order
		got       string
	}{
		{"all is well", "1|2", nil, store.Delivered, "", "<1> <2>", "<1> <2>"},
		{"nothing visible makes no request", "", nil, store.Delivered, "", "", ""},
		{"a payload error walks the ladder, one rung at a time and at once", "#|2", refuse("#"), store.Delivered, "", `"#" <#> # <2>`, "# <2>"},
		{"each chunk walks it alone", "1|2|3", refuse("2"), store.Delivered, "", "<1> <2> 2 <3>", "<1> 2 <3>"},
		{"what is refused plain too is dead", "1", script(fails(surface.Payload)), store.DeadLetter, Refused, "<1> 1", ""},
		{"too long is halved once", "abcd", func(_ context.Context, r surface.SendRequest, _ int) error {
			if len(r.Chunk.Plain) > 2 {
				return fails(surface.TooLong)
			}
			return nil
		}, store.Delivered, "", "<abcd> ab cd", "ab cd"},
		{"and no further", "abcd", func(_ context.Context, r surface.SendRequest, _ int) error {
			if len(r.Chunk.Plain) > 1 {
				return fails(surface.TooLong)
			}
			return nil
		}, store.DeadLetter, OverLongParts, "<abcd> ab", ""},
		{"what cannot be halved is dead", "", nil, store.Delivered, "", "", ""},
		{"a permanent error is final, and what arrived has arrived", "1|2|3", func(_ context.Context, r surface.SendRequest, n int) error {
			if n == 2 {
				return fails(surface.Permanent)
			}
			return nil
		}, store.DeadLetter, Refused, "<1> <2>", "<1>"},
		{"a target that is gone", "1", script(fails(surface.TargetGone)), store.DeadLetter, TargetGone, "<1>", ""},
		{"moved to nowhere", "1", script(fails(surface.Moved)), store.DeadLetter, Refused, "<1>", ""},
		{"content that cannot be read", "lost", nil, store.Held, Unreadable, "", ""},
		{"an error of no kind may have been sent", "1", script(fmt.Errorf("oops"), nil), store.Delivered, "", "<1> (possible duplicate) <1>", "(possible duplicate) <1>"},
		{"so may one of a kind to come", "1", script(fails("later"), nil), store.Delivered, "", "<1> (possible duplicate) <1>", "(possible duplicate) <1>"},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, c.how, func(b *bench) {
				id := b.submit("chat:a", c.text)
				time.Sleep(time.Hour)
				b.is(id, c.state, c.reason)
				var asked []string
				for _, r := range b.platform.all() {
					asked = append(asked, r.text)
				}
				if got := strings.Join(asked, " "); got != c.asked {
					t.Errorf("it was asked %s, want %s", got, c.asked)
				}
				if got := strings.Join(b.texts("a"), " "); got != c.got {
					t.Errorf("there arrived %s, want %s", got, c.got)
				}
				if got := b.row(id).Attempts; got > 1 {
					t.Errorf("%d attempts count", got)
				}
			})
		})
	}
}

func TestThirdServerFault(t *testing.T) {
	t.Run("some servers fail at the form rather than say so", func(t *testing.T) {
		inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
			if r.Form != surface.FormPlain {
				return server()
			}
			return nil
		}, func(b *bench) {
			id := b.submit("chat:a", "1|2")
			time.Sleep(30 * time.Minute)
			b.is(id, store.Delivered, "")
			b.got("a", "1", "2")
			b.asked(8) // three times rich and once plain, each part
		})
	})
	t.Run("an outage does not cost the form", func(t *testing.T) {
		var healthy atomic.Bool
		inBubble(t, func(context.Context, surface.SendRequest, int) error {
			if healthy.Load() {
				return nil
			}
			return server()
		}, func(b *bench) {
			id := b.submit("chat:a", "1")
			time.Sleep(10 * time.Minute)
			healthy.Store(true)
			time.Sleep(time.Hour)
			b.is(id, store.Delivered, "")
			b.got("a", "<1>")
			forms := ""
			for _, r := range b.platform.all() {
				forms += string(r.Form) + " "
			}
			if want := "text text text plain text "; forms != want {
				t.Errorf("tried as %s, want %s: plain once", forms, want)
			}
		})
	})
	t.Run("a refused connection is no fault of the server", func(t *testing.T) {
		inBubble(t, script(&surface.DeliveryError{Class: surface.Transient, Code: "refused"}), func(b *bench) {
			b.submit("chat:a", "1")
			time.Sleep(24 * time.Hour)
			for _, r := range b.platform.all() {
				if r.Form != surface.FormText {
					t.Errorf("it was tried as %s", r.Form)
				}
			}
		})
	})
}

// TestPermanent is a message that was tried again at every start, for ever.
func TestPermanent(t *testing.T) {
	inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
		if r.Job == "j1" {
			return fails(surface.Permanent)
		}
		return nil
	}, func(b *bench) {
		id, next := b.submit("chat:a", "1"), b.submit("chat:a", "2")
		for range 5 {
			time.Sleep(time.Hour)
			b.restart()
		}
		b.asked(2)
		b.is(id, store.DeadLetter, Refused)
		b.is(next, store.Delivered, "")
		b.got("a", "<2>")
		if h := b.history(id); h != "submitted rendered attempt failed dead" {
			t.Errorf("its history is %s", h)
		}
	})
}

// TestTooLongPart is a message whose second part is never accepted: its first
// part was sent again at every attempt, for days.
func TestTooLongPart(t *testing.T) {
	inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
		if r.Part > 0 {
			return fails(surface.TooLong)
		}
		return nil
	}, func(b *bench) {
		id := b.submit("chat:a", "one|two")
		for range 10 {
			time.Sleep(time.Hour)
			b.kill()
		}
		b.got("a", "<one>")
		b.asked(3) // the first part, the second, its first half
		b.is(id, store.DeadLetter, OverLongParts)
		r := b.row(id)
		if r.Part != 1 || r.Of != 3 {
			t.Errorf("%d of %d parts have arrived", r.Part, r.Of)
		}
	})
}
