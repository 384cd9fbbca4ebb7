package outbox

import (
	"context"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func TestUnknown(t *testing.T) {
	const mark = "(possible duplicate) "
	for _, c := range []struct {
		why    string
		traits Traits
		policy Policy
		text   string
		how    answer
		state  store.State
		reason Reason
		got    []string
	}{
		{"it is sent again and says so", Traits{}, Policy{}, "1|2", script(errTaken, nil), store.Delivered, "", []string{"<1>", mark + "<1>", "<2>"}},
		{"three times and no more", Traits{}, Policy{}, "1", script(errTaken), store.Held, UnknownOutcome, []string{"<1>", mark + "<1>", mark + "<1>", mark + "<1>"}},
		{"or parked", Traits{}, Policy{ParkUnknown: true}, "1", script(errTaken), store.Held, UnknownOutcome, []string{"<1>"}},
		{"within the window under its key, and without a note", Traits{Window: 2 * time.Minute}, Policy{ParkUnknown: true}, "1", script(errTaken, nil), store.Delivered, "", []string{"<1>", "<1>"}},
		{"behind the window with a note", Traits{Window: 2 * time.Minute}, Policy{}, "1", script(errTaken, transient(), transient(), nil), store.Delivered, "", []string{"<1>", mark + "<1>"}},
		{"behind the window not at all, where a person is to look", Traits{Window: 2 * time.Minute}, Policy{ParkUnknown: true}, "1", script(errTaken, transient(), transient(), nil), store.Held, UnknownOutcome, []string{"<1>"}},
		{"a receiver that knows every key", Traits{Window: -1}, Policy{ParkUnknown: true}, "1", script(errTaken, errTaken, errTaken, errTaken, errTaken, nil), store.Delivered, "", []string{"<1>", "<1>", "<1>", "<1>", "<1>", "<1>"}},
		{"another form has another key, which no window knows", Traits{Window: -1}, Policy{}, "1", script(errTaken, fails(surface.Payload), nil), store.Delivered, "", []string{"<1>", mark + "1"}},
		{"so have the halves", Traits{Window: -1}, Policy{}, "ab", script(errTaken, fails(surface.TooLong), nil), store.Delivered, "", []string{"<ab>", mark + "a", mark + "b"}},
		{"a note that has no room goes before", Traits{}, Policy{}, "1%|2", script(errTaken, nil), store.Delivered, "", []string{"<1%>", "possible duplicate", "1%", "<2>"}},
		{"what was never written is no duplicate", Traits{}, Policy{}, "1", script(transient(), transient(), nil), store.Delivered, "", []string{"<1>"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, c.how, func(b *bench) {
				b.traits, b.policy = c.traits, c.policy
				id := b.submit("chat:a", c.text)
				time.Sleep(10 * time.Hour)
				b.is(id, c.state, c.reason)
				b.got("a", c.got...)
			})
		})
	}
}

// TestUnknownLooksRecorded reads what is said of an outcome that is not known.
func TestUnknownLooksRecorded(t *testing.T) {
	inBubble(t, script(errTaken), func(b *bench) {
		id := b.submit("chat:a", "1")
		all, _ := b.store.History(context.Background(), id)
		f, err := decode[failed](all[len(all)-1])
		if err != nil || f.Class != surface.Unknown || f.Code != "reset" || f.Next.IsZero() {
			t.Errorf("it is recorded as %+v, %v", f, err)
		}
	})
}

// TestRetryOfUnknown has a person decide: it goes again, and says so still.
func TestRetryOfUnknown(t *testing.T) {
	for _, a := range []Action{Retry, Release} {
		t.Run(string(a), func(t *testing.T) {
			inBubble(t, script(errTaken, nil), func(b *bench) {
				b.policy.ParkUnknown = true
				id := b.submit("chat:a", "1|2")
				b.is(id, store.Held, UnknownOutcome)
				b.restart()
				b.apply(a, id)
				time.Sleep(time.Minute)
				b.is(id, store.Delivered, "")
				b.got("a", "<1>", "(possible duplicate) <1>", "<2>")
			})
		})
	}
}

// TestNoticeHasItsOwnKey is a notice about a job, and then the job: the notice
// must not have the job deduplicated away.
func TestNoticeHasItsOwnKey(t *testing.T) {
	inBubble(t, func(_ context.Context, r surface.SendRequest, n int) error {
		if n == 1 {
			return fails(surface.Permanent)
		}
		return nil
	}, func(b *bench) {
		b.traits.Window = -1
		id := b.submit("chat:a", "answer")
		b.submit("chat:a", "notice", kind(surface.Alert))
		b.apply(Retry, id)
		time.Sleep(time.Minute)
		b.got("a", "<notice>", "<answer>")
		all := b.platform.all()
		if all[1].Key == all[2].Key {
			t.Error("notice and answer have one key")
		}
	})
}
