package outbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestActions applies every action in every state.
func TestActions(t *testing.T) {
	const gone = "an error"
	type after struct {
		state  store.State
		reason Reason
	}
	delivered, dead, held, discarded := after{store.Delivered, ""}, after{store.DeadLetter, ByHand}, after{store.Held, ByHand}, after{store.Discarded, ByHand}
	refused := after{gone, ""}
	for _, c := range []struct {
		state store.State
		make  func(*bench) string
		want  map[Action]after
	}{
		{store.Pending, func(b *bench) string { // it has failed, and waits
			return b.submit("chat:a", "fail once")
		}, map[Action]after{Retry: delivered, Hold: held, Release: refused, Dead: dead, Discard: discarded}},
		{store.Sending, func(b *bench) string {
			return b.submit("chat:a", "slow|2|3")
		}, map[Action]after{Retry: refused, Hold: held, Release: refused, Dead: dead, Discard: discarded}},
		{store.Held, func(b *bench) string {
			return b.submit("chat:a", "1", posture(Digest, Normal))
		}, map[Action]after{Retry: delivered, Hold: refused, Release: delivered, Dead: dead, Discard: discarded}},
		{store.Delivered, func(b *bench) string {
			return b.submit("chat:a", "1")
		}, map[Action]after{Retry: refused, Hold: refused, Release: refused, Dead: refused, Discard: refused}},
		{store.DeadLetter, func(b *bench) string {
			return b.submit("chat:a", "refused once")
		}, map[Action]after{Retry: delivered, Hold: refused, Release: refused, Dead: refused, Discard: discarded}},
		{store.Discarded, func(b *bench) string {
			id := b.submit("chat:a", "refused once")
			b.apply(Discard, id)
			return id
		}, map[Action]after{Retry: delivered, Hold: refused, Release: refused, Dead: refused, Discard: refused}},
	} {
		for _, a := range Actions {
			t.Run(fmt.Sprint(a, " ", c.state), func(t *testing.T) {
				inBubble(t, func(_ context.Context, r surface.SendRequest, n int) error {
					switch {
					case r.Chunk.Plain == "slow":
						time.Sleep(20 * time.Second)
					case r.Chunk.Plain == "fail once" && n == 1:
						return transient()
					case r.Chunk.Plain == "refused once" && n == 1:
						return fails(surface.Permanent)
					}
					return nil
				}, func(b *bench) {
					id := c.make(b)
					if s := b.row(id).State; s != c.state {
						t.Fatalf("it is %s, want %s", s, c.state)
					}
					_, err := b.outbox.Apply(context.Background(), a, id)
					time.Sleep(2 * time.Second)
					want := c.want[a]
					if want.state == gone {
						if !errors.Is(err, State) {
							t.Errorf("the error is %v, want one of kind State", err)
						}
						if e, ok := errors.AsType[*Error](err); !ok || e.Mend == "" {
							t.Error("it does not say what can be done")
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					b.is(id, want.state, want.reason)
					if c.state == store.Sending { // the part that was on its way has arrived
						b.got("a", "<slow>")
						if got := b.row(id).Part; got != 1 {
							t.Errorf("%d parts have receipts", got)
						}
						b.apply(map[Action]Action{Hold: Release, Dead: Retry, Discard: Retry}[a], id)
						b.got("a", "<slow>", "<2>", "<3>")
					}
				})
			})
		}
	}
	inBubble(t, nil, func(b *bench) {
		for _, a := range Actions {
			if _, err := b.outbox.Apply(context.Background(), a, "nobody"); !errors.Is(err, NotFound) {
				t.Errorf("%s: %v", a, err)
			}
		}
	})
}

// TestRetryOfDeadLetter sends what has not arrived, and has its patience anew.
func TestRetryOfDeadLetter(t *testing.T) {
	well := false
	inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
		if r.Part == 1 && !well {
			return transient()
		}
		return nil
	}, func(b *bench) {
		id := b.submit("chat:a", "1|2|3")
		time.Sleep(80 * time.Hour)
		b.is(id, store.DeadLetter, Exhausted)
		b.apply(Retry, id)
		time.Sleep(10 * time.Hour)
		b.is(id, store.Pending, "")
		well = true
		b.apply(Retry, id)
		time.Sleep(time.Minute)
		b.is(id, store.Delivered, "")
		b.got("a", "<1>", "<2>", "<3>")
	})
}

// TestActionsRace has many hands at one job.
func TestActionsRace(t *testing.T) {
	for seed := range 20 {
		inBubble(t, func(context.Context, surface.SendRequest, int) error { time.Sleep(3 * time.Millisecond); return nil }, func(b *bench) {
			id := b.submit("chat:a", "1|2|3|4|5")
			var hands sync.WaitGroup
			for i := range 12 {
				hands.Go(func() {
					time.Sleep(time.Duration(i*seed%17) * time.Millisecond)
					_, err := b.outbox.Apply(context.Background(), Actions[(i*7+seed)%len(Actions)], id)
					if err != nil && !errors.Is(err, State) {
						t.Error(err)
					}
				})
			}
			hands.Wait()
			time.Sleep(time.Minute)
			if r := b.row(id); r.State == store.Delivered {
				b.got("a", "<1>", "<2>", "<3>", "<4>", "<5>")
				return
			}
			if _, err := b.outbox.Apply(context.Background(), Retry, id); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			b.is(id, store.Delivered, "")
			b.got("a", "<1>", "<2>", "<3>", "<4>", "<5>")
		})
	}
}

// TestSubmitTwice is the same submission again, with the same and other content:
// the store knows the id, and the digest tells.
func TestSubmitTwice(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		s := b.submission("chat:a", "1")
		b.accept(store.Commit{}, false, s)
		time.Sleep(time.Second)
		b.restart()
		for range 2 {
			_, err := b.store.Commit(context.Background(), store.Commit{Jobs: b.outbox.Submit(context.Background(), []Submission{s}, false)})
			if !errors.Is(err, store.Exists) {
				t.Errorf("it is taken again: %v", err)
			}
			if b.row(s.Job).Digest != "1" {
				t.Error("its digest is not what was submitted")
			}
		}
		time.Sleep(time.Second)
		b.asked(1)
	})
}
