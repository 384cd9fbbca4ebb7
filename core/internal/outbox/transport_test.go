package outbox

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// absent is what a transport's host says that did not begin a delivery.
func absent(after time.Duration) error {
	return &surface.DeliveryError{Class: surface.Transient, Code: "no_transport", RetryAfter: after}
}

// TestTransportOutOfOrder is a transport that crashes: while it is tried again by
// itself jobs wait, and once nobody tries it any more they are parked. Neither is
// the job's fault, nor the target's.
func TestTransportOutOfOrder(t *testing.T) {
	var b *bench
	gone := 3 // requests until it is given up
	inBubble(t, func(_ context.Context, _ surface.SendRequest, n int) error {
		switch {
		case n < gone:
			return absent(10 * time.Second)
		case n == gone:
			b.platform.goAway(true)
			return absent(5 * time.Second)
		}
		return nil
	}, func(made *bench) {
		b = made
		id, next := b.submit("chat:a", "1"), b.submit("chat:a", "2")
		untouched := func(why Reason) {
			t.Helper()
			if r := b.row(id); r.Attempts != 0 {
				t.Errorf("%d attempts count", r.Attempts)
			}
			if to := b.target("chat:a"); to.Failures != 0 || Reason(to.Why) != why || to.Closed {
				t.Errorf("the target is %+v, want it to wait for %s", to, why)
			}
		}
		b.is(id, store.Pending, "")
		b.asked(1)
		untouched(NoTransport)
		time.Sleep(15 * time.Second)
		b.asked(2)
		time.Sleep(10 * time.Second)
		b.asked(gone)
		b.is(id, store.Held, NoTransport)
		time.Sleep(100 * time.Hour) // more than a job has
		b.restart()
		time.Sleep(100 * time.Hour)
		b.is(id, store.Held, NoTransport)
		b.is(next, store.Held, NoTransport)
		b.asked(gone)
		if r := b.row(id); r.Attempts != 0 {
			t.Errorf("%d attempts count", r.Attempts)
		}
		b.platform.goAway(false)
		if err := b.outbox.TransportsChanged(context.Background()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		b.is(id, store.Delivered, "")
		b.is(next, store.Delivered, "")
		b.got("a", "<1>", "<2>") // in order, and neither is late nor a duplicate
		untouched("")
	})
}
