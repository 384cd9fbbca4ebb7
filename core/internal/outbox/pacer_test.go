package outbox

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
)

// TestManyParts is a giant answer in one chat: it keeps the pace, its history
// stays on disk as it goes, and nobody else waits.
func TestManyParts(t *testing.T) {
	for _, c := range []struct {
		why    string
		traits Traits
	}{
		{"the platform has a pace", Traits{Chat: []Rate{{1, time.Second}}, Account: []Rate{{30, time.Second}}}},
		{"nobody has named one", Traits{}},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, nil, func(b *bench) {
				b.traits = c.traits
				giant := b.submit("chat:a", numbered(500))
				small := b.submit("chat:a", "small")
				thread := b.submit("chat:a/7", "thread")
				other := b.submit("chat:b", "other")
				time.Sleep(100 * time.Millisecond)
				b.is(other, store.Delivered, "")
				time.Sleep(3 * time.Second)
				b.is(thread, store.Delivered, "") // shares the chat's pace, not its order
				time.Sleep(100 * time.Second)
				if r := b.row(giant); r.Part < 95 || r.Part > 105 {
					t.Errorf("%d parts in 103 seconds", r.Part)
				}
				_ = b.store.Close()
				b.stop()
				time.Sleep(time.Second) // a pace is forgotten with the process
				b.reopen()
				time.Sleep(410 * time.Second)
				b.is(giant, store.Delivered, "")
				b.is(small, store.Delivered, "")
				var before time.Duration
				for i, r := range b.platform.all() {
					if r.Target.Address != "a" || len(c.traits.Chat) == 0 && r.Job != giant {
						continue // where the platform has no pace, only the giant has one
					}
					if d := r.at - before; i > 0 && d < 990*time.Millisecond {
						t.Errorf("request %d came %s after the one before", i, d)
					}
					before = r.at
				}
				if n := len(b.texts("a")); n != 502 && n != 503 { // one may be a marked repeat
					t.Errorf("%d messages", n)
				}
			})
		})
	}
}

// TestShortJobs are not paced where the platform names no pace.
func TestShortJobs(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		b.submit("chat:a", numbered(20))
		b.asked(20)
		b.policy.MaxParts = 5
		b.submit("chat:b", numbered(6))
		b.asked(21)
		b.submit("chat:c", numbered(5))
		b.asked(26)
	})
}

// TestAccountPace sends to a hundred chats of one account.
func TestAccountPace(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		b.traits = Traits{Chat: []Rate{{1, time.Second}}, Account: []Rate{{10, time.Second}}}
		b.submit("chat:slow", "1|2|3")
		for i := range 100 {
			b.submit(fmt.Sprint("chat:", i), "x")
		}
		time.Sleep(9900 * time.Millisecond)
		b.asked(100) // ten a second
		time.Sleep(300 * time.Millisecond)
		b.asked(102)
		time.Sleep(time.Second)
		b.asked(103)
	})
}

// TestMemoryOfGiantJobs has fifty jobs of two megabytes wait for their pace.
func TestMemoryOfGiantJobs(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		b.workers = 4
		b.restart()
		b.traits.Chat = []Rate{{1, time.Second}}
		text := numbered(500)
		for i := range 50 {
			b.submit(fmt.Sprint("chat:", i), text)
		}
		time.Sleep(time.Minute)
		if n := runtime.NumGoroutine(); n > 200 {
			t.Errorf("%d goroutines", n)
		}
		at := map[string]bool{}
		for _, r := range b.platform.all() {
			at[r.Job] = true
		}
		if len(at) != 4 {
			t.Errorf("%d jobs are under way at once, with 4 places", len(at))
		}
	})
}
