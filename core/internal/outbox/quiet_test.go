package outbox

import (
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func clock24(h, m int) TimeOfDay { return TimeOfDay(60*h + m) }

func TestQuietUntil(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	night := Policy{Quiet: Span{clock24(22, 0), clock24(7, 0)}, Zone: berlin}
	noon := Policy{Quiet: Span{clock24(12, 0), clock24(13, 30)}}
	for _, c := range []struct {
		policy    Policy
		now, want string // RFC 3339; no want: it is not quiet
		why       string
	}{
		{Policy{}, "2026-01-02T03:00:00Z", "", "no quiet time"},
		{night, "2026-01-02T20:59:59Z", "", "a second before ten in the evening there"},
		{night, "2026-01-02T21:00:00Z", "2026-01-03T06:00:00Z", "ten in the evening"},
		{night, "2026-01-03T05:59:00Z", "2026-01-03T06:00:00Z", "the morning after"},
		{night, "2026-01-03T06:00:00Z", "", "seven in the morning"},
		{night, "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z", "the night in which clocks go forward is an hour shorter"},
		{night, "2026-10-24T21:00:00Z", "2026-10-25T06:00:00Z", "the night in which they go back an hour longer"},
		{noon, "2026-01-02T12:00:00Z", "2026-01-02T13:30:00Z", "within a day"},
		{noon, "2026-01-02T13:30:00Z", "", "behind it"},
	} {
		now, _ := time.Parse(time.RFC3339, c.now)
		end, quiet := c.policy.quietUntil(now)
		got := ""
		if quiet {
			got = end.Format(time.RFC3339)
		}
		if got != c.want {
			t.Errorf("%s: until %q, want %q", c.why, got, c.want)
		}
	}
}

func TestNextDigest(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	twice := Policy{Digests: []TimeOfDay{clock24(17, 30), clock24(9, 0)}, Zone: tokyo}
	for _, c := range []struct {
		policy         Policy
		now, want, why string
	}{
		{Policy{}, "2026-01-02T08:59:00Z", "2026-01-02T09:00:00Z", "nine o'clock where nothing is said"},
		{Policy{}, "2026-01-02T09:00:00Z", "2026-01-03T09:00:00Z", "the one that is now is over"},
		{twice, "2026-01-01T23:00:00Z", "2026-01-02T00:00:00Z", "nine in Tokyo"},
		{twice, "2026-01-02T01:00:00Z", "2026-01-02T08:30:00Z", "the next of two"},
		{twice, "2026-01-02T09:00:00Z", "2026-01-03T00:00:00Z", "and then tomorrow's first"},
	} {
		now, _ := time.Parse(time.RFC3339, c.now)
		if got := c.policy.nextDigest(now).Format(time.RFC3339); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// TestQuietHours holds what does not press until the morning, in order, and counts
// nothing. The bubble's time begins at midnight.
func TestQuietHours(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		b.policy = Policy{Quiet: Span{clock24(22, 0), clock24(7, 0)}}
		one := b.submit("chat:a", "one")
		two := b.submit("chat:a", "two", func(s *Submission) { s.Posture.Urgency = Ambient })
		now := b.submit("chat:a", "now", func(s *Submission) { s.Posture.Urgency = Interrupt })
		ask := b.submit("chat:a", "ask", func(s *Submission) { s.Kind = surface.Approval })
		hand := b.submit("chat:a", "hand")
		time.Sleep(time.Hour)
		for _, id := range []string{one, two, hand} {
			b.is(id, store.Held, QuietHours)
		}
		b.is(now, store.Delivered, "")
		b.is(ask, store.Delivered, "")
		b.apply(Release, hand)
		time.Sleep(time.Hour)
		b.got("a", "<now>", "<ask>", "<hand>")
		time.Sleep(5*time.Hour + time.Minute)
		b.got("a", "<now>", "<ask>", "<hand>", "<one>", "<two>")
		if r := b.row(one); r.Attempts != 0 {
			t.Errorf("%d attempts counted", r.Attempts)
		}
	})
}

// TestPostureRules has the rules of the postures, by name.
func TestPostureRules(t *testing.T) {
	for _, cadence := range append([]Cadence{""}, Cadences...) {
		for _, urgency := range append([]Urgency{""}, Urgencies...) {
			p := Posture{Cadence: cadence, Urgency: urgency}
			for _, completes := range []bool{false, true} {
				if p.timing(surface.Approval, completes) != send {
					t.Errorf("approval always sends: not with %+v", p)
				}
				if p.timing(surface.Alert, completes) != send {
					t.Errorf("alerts are never held for digest: not with %+v", p)
				}
				if urgency == Interrupt && p.timing(surface.Assistant, completes) != send {
					t.Errorf("interrupt overrides all cadences: not with %+v", p)
				}
			}
			if cadence == OnCompletion && urgency != Interrupt {
				if p.timing(surface.Progress, false) != holdUntilComplete {
					t.Errorf("on_completion holds progress: not with %+v", p)
				}
				if p.timing(surface.Assistant, true) != send {
					t.Errorf("the completing job goes: not with %+v", p)
				}
			}
			if cadence == Digest && urgency != Interrupt && p.timing(surface.Assistant, true) != holdForDigest {
				t.Errorf("a digest holds the answer too: not with %+v", p)
			}
			if p.silent() != (urgency == Ambient) {
				t.Errorf("ambient is silent: not with %+v", p)
			}
		}
	}
}
