package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestRates tells of what the channel takes yet, and whether it is the channel or
// the whole bot that is to wait.
func TestRates(t *testing.T) {
	at := time.Now()
	d := newDiscord(t, fake.DiscordOptions{Now: func() time.Time { return at }, Rates: func(channel string) []fake.Rate {
		if channel == "" {
			return []fake.Rate{{Messages: 3, Per: time.Second}}
		}
		return []fake.Rate{{Messages: 2, Per: 5 * time.Second}}
	}})
	b := newBot(t, d.API(), nil)
	send := func(key, channel string) (surface.Receipt, error) {
		return b.Send(t.Context(), with(part("a"), func(r *surface.SendRequest) { r.Key, r.Target.Address = key, channel }))
	}
	for i, want := range []time.Duration{0, 5 * time.Second} {
		if r, err := send([]string{"k1", "k2"}[i], room); err != nil || r.Wait != want {
			t.Errorf("message %d: wait %v (%v), want %v", i+1, r.Wait, err, want)
		}
	}
	_, err := send("k3", room)
	if e := sdktest.Failure(t, err); e.Class != surface.RateLimited || e.Account || e.RetryAfter < 5*time.Second {
		t.Errorf("a third: %+v", e)
	}
	if _, err := send("k4", "100000000000000099"); err != nil {
		t.Error(err)
	}
	_, err = send("k5", "100000000000000098")
	if e := sdktest.Failure(t, err); e.Class != surface.RateLimited || !e.Account {
		t.Errorf("a fourth of the bot: %+v", e)
	}
}

// TestRateHeaders reads headers that are not as they should be.
func TestRateHeaders(t *testing.T) {
	for _, c := range []struct {
		left, reset string
		want        time.Duration
	}{
		{"0", "1.25", 1250 * time.Millisecond},
		{" 0 ", " 2 ", 2 * time.Second},
		{"1", "5", 0},
		{"", "5", 0},
		{"0", "", 0},
		{"0", "NaN", 0},
		{"0", "-1", 0},
		{"0", "1e99", 24 * time.Hour},
		{"0", "soon", 0},
	} {
		h := http.Header{"X-Ratelimit-Remaining": {c.left}, "X-Ratelimit-Reset-After": {c.reset}}
		if got := exhausted(h); got != c.want {
			t.Errorf("%q left, full again after %q: %v, want %v", c.left, c.reset, got, c.want)
		}
	}
}
