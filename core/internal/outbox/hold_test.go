package outbox

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestPostures is the table of the contract, and what always goes.
func TestPostures(t *testing.T) {
	for _, c := range []struct {
		cadence Cadence
		urgency Urgency
		kind    surface.Kind
		held    Reason // empty: it goes
		silent  bool
	}{
		{"", "", surface.Assistant, "", false},
		{Immediate, Ambient, surface.Assistant, "", true},
		{Immediate, Normal, surface.Assistant, "", false},
		{Immediate, Interrupt, surface.Assistant, "", false},
		{OnCompletion, Ambient, surface.Assistant, UntilComplete, true},
		{OnCompletion, Normal, surface.Assistant, UntilComplete, false},
		{OnCompletion, Interrupt, surface.Assistant, "", false},
		{Digest, Ambient, surface.Assistant, ForDigest, true},
		{Digest, Normal, surface.Assistant, ForDigest, false},
		{Digest, Interrupt, surface.Assistant, "", false},
		{Digest, Ambient, surface.Alert, "", true},
		{Digest, Normal, surface.Approval, "", false},
		{OnCompletion, Normal, surface.Alert, "", false},
		{OnCompletion, Normal, surface.Approval, "", false},
		{OnCompletion, Normal, surface.ToolResult, UntilComplete, false},
	} {
		t.Run(fmt.Sprint(c.cadence, c.urgency, c.kind), func(t *testing.T) {
			inBubble(t, nil, func(b *bench) {
				id := b.submit("chat:a", "1!", kind(c.kind), posture(c.cadence, c.urgency))
				if c.held != "" {
					b.is(id, store.Held, c.held)
					b.asked(0)
					time.Sleep(25 * time.Hour)
				}
				b.is(id, store.Delivered, "")
				if got := b.platform.all()[0].Silent; got != c.silent {
					t.Errorf("silent: %v, want %v", got, c.silent)
				}
			})
		})
	}
}

// TestCompletion holds what a turn says until it ends, and lets it go in order
// before the answer that ends it.
func TestCompletion(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		held := posture(OnCompletion, Normal)
		one, two := b.submit("chat:a", "1", held), b.submit("chat:a", "2", held)
		other := b.submit("chat:a", "other turn", held, func(s *Submission) { s.Turn = ledger.TurnID{Session: "s", Seq: 9} })
		now := b.submit("chat:a", "now")
		time.Sleep(time.Hour)
		b.got("a", "<now>")
		last := b.submission("chat:a", "3", held)
		b.accept(store.Commit{Release: last.Turn.String()}, true, last)
		synctest.Wait()
		b.got("a", "<now>", "<1>", "<2>", "<3>")
		for _, id := range []string{one, two, now, last.Job} {
			b.is(id, store.Delivered, "")
			if n := b.row(id).Attempts; n != 0 {
				t.Errorf("%d attempts", n)
			}
		}
		b.is(other, store.Held, UntilComplete)
		b.restart()
		time.Sleep(23*time.Hour - time.Second)
		b.is(other, store.Held, UntilComplete)
		time.Sleep(time.Second)
		synctest.Wait()
		b.is(other, store.Delivered, "") // no posture holds longer than a day
		if !strings.Contains(b.log.String(), "a turn that did not end in a day") {
			t.Error("and nobody is told")
		}
	})
}

// TestDigest releases what was held for a digest at its time, one by one.
func TestDigest(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		b.traits.Chat = []Rate{{1, time.Second}}
		time.Sleep(7 * time.Hour)
		for i := range 250 {
			b.submit("chat:a", fmt.Sprintf("%03d", i), posture(Digest, Normal))
			b.submit("chat:b", fmt.Sprintf("b%03d", i), posture(Digest, Normal))
		}
		time.Sleep(2*time.Hour - time.Second)
		b.asked(0)
		time.Sleep(time.Second)
		synctest.Wait()
		b.asked(2)
		tomorrow := b.submit("chat:a", "tomorrow", posture(Digest, Normal))
		time.Sleep(10 * time.Minute)
		b.asked(500)
		for i, text := range b.texts("a") {
			if want := fmt.Sprintf("<%03d>", i); text != want {
				t.Fatalf("number %d is %s", i, text)
			}
		}
		b.is(tomorrow, store.Held, ForDigest)
		time.Sleep(24 * time.Hour)
		b.is(tomorrow, store.Delivered, "")
		if at := b.platform.all()[500].at; at != 33*time.Hour {
			t.Errorf("the next digest went at %s", at)
		}
	})
}

// TestProgress has only the latest progress of a turn go.
func TestProgress(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		b.platform.goAway(true)
		progress := kind(surface.Progress)
		one := b.submit("chat:a", "1", progress)
		elsewhere := b.submit("chat:b", "1", progress)
		turn := b.submit("chat:a", "t", progress, func(s *Submission) { s.Turn.Seq = 2 })
		answer := b.submit("chat:a", "answer")
		two := b.submit("chat:a", "2", progress)
		b.is(one, store.DeadLetter, Superseded)
		// Three at once: each takes the place of those before it.
		subs := []Submission{b.submission("chat:a", "3", progress), b.submission("chat:a", "4", progress), b.submission("chat:a", "5", progress)}
		b.accept(store.Commit{}, false, subs...)
		synctest.Wait()
		b.is(two, store.DeadLetter, Superseded)
		b.is(subs[0].Job, store.DeadLetter, Superseded)
		b.is(subs[1].Job, store.DeadLetter, Superseded)
		b.platform.goAway(false)
		time.Sleep(time.Minute)
		for _, id := range []string{elsewhere, turn, answer, subs[2].Job} {
			b.is(id, store.Delivered, "")
		}
		b.got("a", "<t>", "<answer>", "<5>")
		b.got("b", "<1>")
		six := b.submit("chat:a", "6", progress)
		b.is(six, store.Delivered, "") // what has gone is not taken back
		b.is(subs[2].Job, store.Delivered, "")
	})
}

// TestExpiry has approvals that are good for ten minutes.
func TestExpiry(t *testing.T) {
	for _, c := range []struct {
		why   string
		how   answer
		setup func(*bench)
		asked int
	}{
		{"where there is no transport", nil, func(b *bench) { b.platform.goAway(true) }, 0},
		{"between two attempts", script(transient()), func(*bench) {}, 4},
		{"while the platform is busy", script(&surface.DeliveryError{Class: surface.RateLimited, RetryAfter: 10 * time.Minute}), func(*bench) {}, 1},
		{"where its outcome is not known", script(errTaken), func(b *bench) { b.policy.ParkUnknown = true }, 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, c.how, func(b *bench) {
				c.setup(b)
				id := b.submit("chat:a", "ok?", kind(surface.Approval), func(s *Submission) { s.Expires = time.Now().Add(10 * time.Minute) })
				time.Sleep(10*time.Minute - time.Second)
				if s := b.row(id).State; !s.Live() {
					t.Errorf("it is %s already", s)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				b.is(id, store.DeadLetter, Expired)
				b.asked(c.asked)
			})
		})
	}
	t.Run("one that is in time goes", func(t *testing.T) {
		inBubble(t, nil, func(b *bench) {
			id := b.submit("chat:a", "ok?", kind(surface.Approval), func(s *Submission) { s.Expires = time.Now().Add(time.Second) })
			b.is(id, store.Delivered, "")
		})
	})
}
