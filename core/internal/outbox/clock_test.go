package outbox

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestClockSetBack sets the wall clock back by three days between two attempts:
// the second comes in its own time.
func TestClockSetBack(t *testing.T) {
	for _, c := range []struct {
		why  string
		then func(*bench)
		want string
	}{
		{"in a running process", func(*bench) {}, "0s 5s 35s 2m35s"},
		// How long it is since something was written down last nobody knows.
		{"over a restart", (*bench).restart, "0s 5s 40s 2m40s"},
		{"over a kill", (*bench).kill, "0s 5s 40s 2m40s"},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, script(transient(), transient(), transient(), nil), func(b *bench) {
				id := b.submit("chat:a", "1")
				held := b.submit("chat:b", "2", posture(OnCompletion, Normal))
				time.Sleep(10 * time.Second)
				b.setClock(-72 * time.Hour)
				c.then(b)
				time.Sleep(10 * time.Minute)
				b.is(id, store.Delivered, "")
				if got := b.times(); got != c.want {
					t.Errorf("tried at %s", got)
				}
				next := b.submit("chat:a", "3")
				b.is(next, store.Delivered, "")
				time.Sleep(24 * time.Hour)
				b.is(held, store.Delivered, "") // its day was over in its own time
				c.then(b)
				b.setClock(-200 * time.Hour)
				c.then(b)
				b.is(b.submit("chat:a", "4"), store.Delivered, "")
			})
		})
	}
	t.Run("what is old stays old, and what is new is not", func(t *testing.T) {
		inBubble(t, script(transient()), func(b *bench) {
			id := b.submit("chat:a", "1")
			time.Sleep(10 * time.Hour)
			b.setClock(-72 * time.Hour)
			b.restart()
			time.Sleep(40 * time.Hour)
			b.is(id, store.DeadLetter, Exhausted)
		})
	})
}

// TestClockSetForward sets the clock forward by ten minutes: what was due
// meanwhile goes with the next tick at the latest, and what is new at once.
func TestClockSetForward(t *testing.T) {
	for _, c := range []struct {
		why  string
		then func(*bench)
	}{
		{"in a running process", func(*bench) {}},
		{"over a restart", (*bench).restart},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, script(transient(), transient(), transient(), nil), func(b *bench) {
				id := b.submit("chat:a", "1")
				time.Sleep(40 * time.Second) // next at 2m35s
				b.setClock(10 * time.Minute)
				c.then(b)
				now := b.submit("chat:b", "2")
				b.is(now, store.Delivered, "")
				time.Sleep(tick)
				synctest.Wait()
				b.is(id, store.Delivered, "")
			})
		})
	}
}

// TestJumpWhileSending sets the clock forward by more than a lease lasts, while a
// part is on its way: nobody sends it a second time.
func TestJumpWhileSending(t *testing.T) {
	inBubble(t, func(context.Context, surface.SendRequest, int) error { time.Sleep(20 * time.Second); return nil }, func(b *bench) {
		id := b.submit("chat:a", "1|2")
		next := b.submit("chat:a", "3")
		for range 4 {
			time.Sleep(4 * time.Second)
			b.setClock(b.off() + time.Hour)
			_ = b.submit("chat:b", "wake")
		}
		time.Sleep(2 * time.Minute)
		b.is(id, store.Delivered, "")
		b.is(next, store.Delivered, "")
		b.got("a", "<1>", "<2>", "<3>")
	})
}

// TestExpiryByTheWall names a time on the wall, which is what it goes by when that
// has been wrong before.
func TestExpiryByTheWall(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		b.submit("chat:b", "0")
		b.setClock(-72 * time.Hour)
		b.platform.goAway(true)
		id := b.submit("chat:a", "ok?", kind(surface.Approval), func(s *Submission) { s.Expires = b.now().Add(10 * time.Minute) })
		time.Sleep(9 * time.Minute)
		b.is(id, store.Held, NoTransport)
		time.Sleep(2 * time.Minute)
		b.is(id, store.DeadLetter, Expired)
		digest := b.submit("chat:a", "x", posture(Digest, Normal))
		if due := b.row(digest).Due.Add(b.now().Sub(b.outbox.clock.now())); due.Hour() != int(digestTime)/60 || due.Minute() != 0 {
			t.Errorf("the digest is due at %s", due)
		}
	})
}

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var off time.Duration
		c := clock{wall: func() time.Time { return time.Now().Add(off) }}
		begun := c.now()
		check := func(want time.Duration, why string) {
			t.Helper()
			if got := c.now().Sub(begun); got != want {
				t.Errorf("%s: %s have passed, want %s", why, got, want)
			}
		}
		time.Sleep(time.Minute)
		check(time.Minute, "time passes")
		off = -time.Hour
		check(time.Minute, "it does not go back")
		time.Sleep(time.Minute)
		check(2*time.Minute, "and goes on")
		off = 0
		check(2*time.Minute, "until the wall clock has caught up")
		off = time.Hour
		check(time.Hour+2*time.Minute, "it follows a jump forward")
		off -= 500 * time.Millisecond
		check(time.Hour+2*time.Minute-500*time.Millisecond, "and small corrections")
		c = clock{wall: c.wall}
		c.notBefore(begun.Add(100 * time.Hour))
		time.Sleep(time.Second)
		check(100*time.Hour+time.Second, "it begins where something was written down last")
		if got := c.at(c.wall().Add(time.Minute)).Sub(begun); got != 100*time.Hour+61*time.Second {
			t.Errorf("a minute ahead on the wall is %s", got)
		}
	})
}

// TestSubmittedDueIsNow keeps what is submitted from waiting for a wall clock.
func TestSubmittedDueIsNow(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		b.submit("chat:a", "1")
		b.setClock(-time.Hour)
		b.submit("chat:a", "2|3")
		if got := b.times(); strings.Trim(got, "0s ") != "" {
			t.Errorf("sent at %s", got)
		}
	})
}
