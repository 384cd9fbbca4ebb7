package operations

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
)

// ORD-01: parts that were sent at the same time arrived in reverse. The platform
// here is slow with the first one.
func TestSlowFirstPart(t *testing.T) {
	o := newOffice(t, func(p post) int {
		if p.Part == 0 {
			time.Sleep(500 * time.Millisecond) // in which the others would overtake it
		}
		return http.StatusOK
	})
	v := begin(t, o)
	o.look = func(p post) string { return v.history(p.Job) }
	v.send("j", "courier:a", parts(5))
	v.until("j", state(core.JobDelivered))
	for i, p := range o.all() {
		if p.Part != i || strings.Count(p.settledBefore, "sent {") != i {
			t.Errorf("as number %d came part %d, before the one ahead of it was taken", i, p.Part)
		}
	}
	if n := len(o.all()); n != 5 {
		t.Errorf("%d messages", n)
	}
}

// ORD-03: an error in the middle ended the answer there, or let later parts pass.
func TestErrorInTheMiddle(t *testing.T) {
	o := newOffice(t, func(p post) int {
		if p.Part == 2 && p.times <= 2 {
			return http.StatusBadGateway
		}
		return http.StatusOK
	})
	v := begin(t, o)
	v.send("j", "courier:a", parts(5))
	v.send("next", "courier:a", "next")
	for range 2 {
		v.until("j", waits(1))
		v.hurry("j")
	}
	v.until("next", state(core.JobDelivered))
	var got []string
	for _, p := range o.all() {
		got = append(got, fmt.Sprint(p.Job, p.Part))
	}
	if want := []string{"j0", "j1", "j2", "j2", "j2", "j3", "j4", "next0"}; !slices.Equal(got, want) {
		t.Errorf("they came as %v, want %v", got, want)
	}
}

// QUE-06: an answer of two megabytes becomes thousands of messages. It is sent
// piece by piece at a pace; who waits for another chat does not notice.
func TestGiant(t *testing.T) {
	o := newOffice(t, nil)
	v := begin(t, o)
	began := time.Now()
	v.send("giant", "courier:a", strings.Repeat("nothing but words. ", 2<<20/19))
	v.until("giant", func(j core.Job) bool { return j.Sent > 0 })
	v.send("behind", "courier:a", "short")
	v.send("other", "courier:b", "short")
	v.until("other", state(core.JobDelivered))
	j := v.until("giant", func(j core.Job) bool { return j.Sent >= 3 })
	if took := time.Since(began); j.Parts < 4000 || took < 2*time.Second {
		t.Errorf("three of the giant's %d parts went in %v: it is not paced", j.Parts, took)
	}
	if j := v.until("behind", func(core.Job) bool { return true }); j.State != core.JobPending {
		t.Errorf("what is behind it is %s", j.State)
	}
	if _, err := v.Act(t.Context(), core.Discard, "giant"); err != nil { // an operator has mercy
		t.Fatal(err)
	}
	v.until("behind", state(core.JobDelivered))
}
