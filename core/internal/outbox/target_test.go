package outbox

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestTargetGone has twenty jobs for a target that is gone: one request, one line
// in the log, and a person can open it again.
func TestTargetGone(t *testing.T) {
	gone := true
	inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
		if gone && r.Target.Address == "a" {
			time.Sleep(time.Second)
			return fails(surface.TargetGone)
		}
		return nil
	}, func(b *bench) {
		var ids []string
		for range 20 {
			ids = append(ids, b.submit("chat:a", "x"))
		}
		ids = append(ids, b.submit("chat:a", "held", posture(Digest, Normal)))
		time.Sleep(2 * time.Second)
		b.asked(1)
		for _, id := range ids {
			b.is(id, store.DeadLetter, TargetGone)
		}
		if got := len(b.logLines()); got != 1 {
			t.Errorf("%d lines in the log: %q", got, b.logLines())
		}
		b.restart()
		later := b.submit("chat:a", "later")
		b.is(later, store.DeadLetter, TargetGone)
		time.Sleep(48 * time.Hour)
		b.asked(1)

		gone = false
		b.apply(Retry, ids[3])
		b.is(ids[3], store.Delivered, "")
		if to := b.target("chat:a"); to.Closed {
			t.Error("it is still closed")
		}
		b.is(b.submit("chat:a", "new"), store.Delivered, "")
		b.is(later, store.DeadLetter, TargetGone) // each is replayed by itself
		b.apply(Retry, later)
		b.is(later, store.Delivered, "")
		b.got("a", "<x>", "<new>", "<later>")
	})
}

// TestGoneWhileAccepted has a target close between the time at which a job was made
// and that at which it is on disk: it is given up at once, not by the reconciler.
func TestGoneWhileAccepted(t *testing.T) {
	inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error { return fails(surface.TargetGone) }, func(b *bench) {
		s := b.submission("chat:a", "2")
		puts := b.outbox.Submit(t.Context(), []Submission{s}, false)
		b.is(b.submit("chat:a", "1"), store.DeadLetter, TargetGone)
		if _, err := b.store.Commit(t.Context(), store.Commit{Jobs: puts}); err != nil {
			t.Fatal(err)
		}
		b.outbox.Accepted(t.Context(), []Submission{s})
		b.is(s.Job, store.DeadLetter, TargetGone)
		b.asked(1)
	})
}

// TestGoneWhileAnotherLaneIsSent has both lanes of a target end in different ways:
// what one writes the other does not undo.
func TestGoneWhileAnotherLaneIsSent(t *testing.T) {
	inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
		time.Sleep(time.Second)
		if r.Kind == surface.Alert {
			return fails(surface.TargetGone)
		}
		return transient()
	}, func(b *bench) {
		slow, alert := b.submission("chat:a", "1"), b.submission("chat:a", "2", kind(surface.Alert))
		b.accept(store.Commit{}, false, slow, alert)
		time.Sleep(2 * time.Minute)
		b.asked(2)
		if to := b.target("chat:a"); !to.Closed {
			t.Errorf("the target is %+v", to)
		}
		b.is(alert.Job, store.DeadLetter, TargetGone)
		b.is(slow.Job, store.DeadLetter, TargetGone)
	})
}

// TestMoved has a chat that has become another.
func TestMoved(t *testing.T) {
	to := surface.Target{Surface: "chat", Address: "new"}
	inBubble(t, func(_ context.Context, r surface.SendRequest, n int) error {
		if r.Target.Address == "old" && n > 2 {
			return &surface.DeliveryError{Class: surface.Moved, Moved: &to}
		}
		return nil
	}, func(b *bench) {
		one := b.submit("chat:old", "1|2|3|4")
		var ids []string
		for i := range 5 {
			ids = append(ids, b.submit("chat:old", fmt.Sprint(i)))
		}
		time.Sleep(time.Minute)
		b.got("old", "<1>", "<2>")
		b.got("new", "<3>", "<4>", "<0>", "<1>", "<2>", "<3>", "<4>")
		b.asked(10)
		r := b.row(one)
		if r.Target != "chat:new" || r.State != store.Delivered || r.Attempts != 0 {
			t.Errorf("it is %+v", r)
		}
		if h := b.history(ids[0]); h != "submitted moved rendered attempt sent" {
			t.Errorf("the history of one that follows is %s", h)
		}
		if len(b.logLines()) != 1 || b.target("chat:old").Moved != "chat:new" {
			t.Errorf("it says so as %q and %+v", b.logLines(), b.target("chat:old"))
		}
		b.restart()
		b.submit("chat:old", "more")
		b.asked(11)
	})
	for why, to := range map[string]surface.Target{
		"to another surface":  {Surface: "webhook", Address: "x"},
		"to another account":  {Surface: "chat", Address: "x", Account: "y"},
		"to where it is":      {Surface: "chat", Address: "old"},
		"to what has no name": {Surface: "chat"},
		"to what cannot be":   {Surface: "chat", Address: "\x00"},
	} {
		t.Run(why, func(t *testing.T) {
			inBubble(t, script(&surface.DeliveryError{Class: surface.Moved, Moved: &to}), func(b *bench) {
				id := b.submit("chat:old", "1")
				time.Sleep(time.Hour)
				b.is(id, store.DeadLetter, Refused)
				b.asked(1)
				if b.target("chat:old").Moved != "" {
					t.Error("the target has moved")
				}
			})
		})
	}
	t.Run("in circles", func(t *testing.T) {
		inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
			to := surface.Target{Surface: "chat", Address: map[string]string{"a": "b", "b": "a"}[r.Target.Address]}
			return &surface.DeliveryError{Class: surface.Moved, Moved: &to}
		}, func(b *bench) {
			id := b.submit("chat:a", "1")
			time.Sleep(time.Hour)
			b.is(id, store.DeadLetter, Refused)
		})
	})
}

// TestClaimedWhileGivenBack has a job claimed again in the moment in which its
// courier gives it back: that claim is not lost. It takes some tries to hit.
func TestClaimedWhileGivenBack(t *testing.T) {
	to := surface.Target{Surface: "chat", Address: "new"}
	for range 100 {
		inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
			if r.Target.Address == "old" {
				return &surface.DeliveryError{Class: surface.Moved, Moved: &to}
			}
			return nil
		}, func(b *bench) {
			var ids []string
			for i := range 5 {
				ids = append(ids, b.submit("chat:old", fmt.Sprint(i)))
			}
			time.Sleep(time.Second)
			for _, id := range ids {
				b.is(id, store.Delivered, "")
			}
		})
	}
}
