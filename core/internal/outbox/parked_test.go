package outbox

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
)

// TestNoTransport parks jobs in order, and releases them so when there is one,
// before what came later.
func TestNoTransport(t *testing.T) {
	const many = 450
	for _, c := range []struct {
		why string
		how func(*bench)
	}{
		{"somebody says so", func(b *bench) {
			if err := b.outbox.TransportsChanged(context.Background()); err != nil {
				b.t.Error(err)
			}
		}},
		{"the next tick finds out", func(*bench) {}},
		{"the next job does", func(b *bench) { b.submit("chat:a", "next") }},
		{"after a restart", (*bench).restart},
		{"after a kill", (*bench).kill},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, nil, func(b *bench) {
				b.platform.goAway(true)
				var want []string
				var last string
				for i := range many {
					last = b.submit("chat:a", fmt.Sprintf("%03d", i))
					want = append(want, fmt.Sprintf("<%03d>", i))
				}
				b.is(last, store.Held, NoTransport)
				time.Sleep(5 * 24 * time.Hour) // more than a job has
				b.is(last, store.Held, NoTransport)
				b.asked(0)
				b.platform.goAway(false)
				c.how(b)
				synctest.Wait()
				later := b.submit("chat:a", "later")
				time.Sleep(tick + time.Second)
				got := b.texts("a")
				for i := range want {
					if i >= len(got) || got[i] != want[i] {
						t.Errorf("number %d is not %s", i, want[i])
						break
					}
				}
				b.is(later, store.Delivered, "")
				if r := b.row(last); r.State != store.Delivered || r.Attempts != 0 {
					t.Errorf("the last one is %+v", r)
				}
			})
		})
	}
}

// TestParkedIsFound has another process park a job: nobody here remembers it.
func TestParkedIsFound(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		b.platform.goAway(true)
		id := b.submit("chat:a", "1")
		b.outbox.waiting.remove("chat:a")
		b.platform.goAway(false)
		time.Sleep(lookEvery*tick + time.Second)
		b.is(id, store.Delivered, "")
	})
}
