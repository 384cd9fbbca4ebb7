package hostapi_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestWaitsCross is what a platform says of its rates, with a message and without
// one: nothing of it comes out shorter, and nothing longer than a day.
func TestWaitsCross(t *testing.T) {
	for _, c := range []struct {
		said, want time.Duration
		why        string
	}{
		{0, 0, "nothing"},
		{-time.Second, 0, "less than nothing"},
		{1500 * time.Millisecond, 1500 * time.Millisecond, "as Discord says it"},
		{time.Microsecond, time.Millisecond, "what would be rounded to nothing"},
		{1200 * time.Microsecond, 2 * time.Millisecond, "what would be rounded down"},
		{math.MaxInt64, 24 * time.Hour, "for ever"},
	} {
		for _, account := range []bool{false, true} {
			var refuse error
			s := sender(t, pipe{send: func(context.Context, surface.SendRequest) (surface.Receipt, error) {
				return surface.Receipt{Refs: []surface.Ref{{ID: "m"}}, Wait: c.said}, refuse
			}}, nil)
			if got, err := s.Send(context.Background(), message()); err != nil || got.Wait != c.want {
				t.Errorf("%s: a wait of %v (%v), want %v", c.why, got.Wait, err, c.want)
			}
			refuse = &surface.DeliveryError{Class: surface.RateLimited, RetryAfter: c.said, Account: account}
			_, err := s.Send(context.Background(), message())
			if e := delivery(t, err); e.RetryAfter != c.want || e.Account != account {
				t.Errorf("%s: again after %v, of the account %v; want %v, %v", c.why, e.RetryAfter, e.Account, c.want, account)
			}
		}
	}
}
