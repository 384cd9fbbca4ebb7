package operations

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core"
)

// PRM-01: what the platform refused was sent again with every start, for ever.
func TestRefusedForGood(t *testing.T) {
	for _, c := range []struct {
		why      string
		status   int
		reason   string
		requests int
	}{
		{"a bad request, in its markup and plain", http.StatusBadRequest, "refused", 2},
		{"too long, though it is no longer than one word", http.StatusRequestEntityTooLarge, "too_long", 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			o := newOffice(t, func(p post) int {
				if p.Job == "bad" {
					return c.status
				}
				return http.StatusOK
			})
			v := begin(t, o)
			v.send("bad", "courier:a", "x")
			v.send("good", "courier:a", "next")
			v.until("good", state(core.JobDelivered))
			v.until("bad", state(core.JobDeadLetter))
			for range 5 {
				v.restart()
			}
			v.send("last", "courier:a", "last")
			v.until("last", state(core.JobDelivered))
			if j := v.until("bad", state(core.JobDeadLetter)); j.Reason != c.reason {
				t.Errorf("it is dead for %q", j.Reason)
			}
			if came := o.came("bad"); !slices.Equal(came, []int{c.requests}) {
				t.Errorf("it came %v times, want %d", came, c.requests)
			}
			if h := v.history("bad"); !strings.Contains(h, fmt.Sprint(c.status)) {
				t.Errorf("its history does not say why:\n%s", h)
			}
			v.hurry("bad") // by hand it is tried again
			v.until("bad", state(core.JobDeadLetter))
			if came := o.came("bad"); came[0] <= c.requests {
				t.Errorf("by hand it came %v times", came)
			}
		})
	}
}

// PRM-02: twenty answers wait for a chat that has blocked the bot.
func TestTargetGone(t *testing.T) {
	gone, gate := true, make(chan struct{})
	var o *office
	o = newOffice(t, func(p post) int {
		<-gate
		o.mu.Lock()
		defer o.mu.Unlock()
		if gone {
			return http.StatusForbidden
		}
		return http.StatusOK
	})
	v := begin(t, o)
	for n := range 20 {
		v.send(fmt.Sprint("j", n), "courier:a", fmt.Sprint(n))
	}
	close(gate)
	for n := range 20 {
		if j := v.until(fmt.Sprint("j", n), state(core.JobDeadLetter)); j.Reason != "target_gone" {
			t.Errorf("%+v", j)
		}
	}
	if n := len(o.all()); n != 1 {
		t.Errorf("%d requests, want one", n)
	}
	if n := strings.Count(v.log.String(), "a target is gone"); n != 1 {
		t.Errorf("it was reported %d times", n)
	}
	if said := v.api("GET", "/v1/doctor"); !strings.Contains(said, "target courier:a") {
		t.Errorf("a doctor does not say so: %s", said)
	}
	o.mu.Lock()
	gone = false
	o.mu.Unlock()
	v.hurry("j3")
	v.until("j3", state(core.JobDelivered))
	v.send("next", "courier:a", "next")
	v.until("next", state(core.JobDelivered))
}

// PRM-03: addresses that are dead were called for ever, and one that had trouble
// for an hour was given up.
func TestDeadAddresses(t *testing.T) {
	for _, c := range []struct {
		status int
		state  core.JobState
		reason string
		why    string
	}{
		{http.StatusGone, core.JobDeadLetter, "refused", "deleted"},
		{http.StatusNotFound, core.JobDeadLetter, "refused", "never there"},
		{http.StatusUnauthorized, core.JobDeadLetter, "refused", "the token is wrong"},
		{http.StatusForbidden, core.JobDeadLetter, "target_gone", "not allowed any more"},
		{http.StatusInternalServerError, core.JobPending, "", "trouble that goes by"},
		{http.StatusTooManyRequests, core.JobPending, "", "no time now"},
	} {
		t.Run(c.why, func(t *testing.T) {
			down := true
			var o *office
			o = newOffice(t, func(post) int {
				o.mu.Lock()
				defer o.mu.Unlock()
				if down {
					return c.status
				}
				return http.StatusOK
			})
			v := begin(t, o)
			v.send("1", "courier:a", "1")
			j := v.until("1", func(j core.Job) bool {
				return j.State == c.state && (c.state != core.JobPending || j.Due.After(j.Created))
			})
			if j.Reason != c.reason {
				t.Errorf("it is %+v", j)
			}
			if n := len(o.all()); n != 1 {
				t.Errorf("%d requests, want one", n)
			}
			if c.state != core.JobPending {
				return
			}
			v.send("2", "courier:a", "2")
			o.mu.Lock()
			down = false
			o.mu.Unlock()
			v.hurry("1")
			v.until("2", state(core.JobDelivered))
			if all := o.all(); len(all) != 3 || all[1].Text != "1" || all[2].Text != "2" {
				t.Errorf("they came as %+v", all)
			}
		})
	}
}
