package control

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestKept has a doctor look at everything that can be wrong with what is kept.
func TestKept(t *testing.T) {
	now := time.Now()
	well := func() *Kept { return &Kept{Segments: 1, Bytes: 5 << 20, Free: 1 << 40, Reserve: 4 << 20} }
	for _, c := range []struct {
		change func(*Kept)
		name   string
		want   Verdict
		says   string
		why    string
	}{
		{func(*Kept) {}, "journal", Fine, "can be written, 5.0 MiB in 1 file", "all is well"},
		{func(*Kept) {}, "disk", Fine, "1024.0 GiB free, and a reserve of 4.0 MiB", "all is well"},
		{func(*Kept) {}, "outbox", Fine, "0 pending, 0 sending", "nothing waits"},
		{func(k *Kept) { k.ReadOnly = &Error{Kind: Store, What: "a sync failed", Mend: "mend it"} }, "journal", Fail, "nothing can be written: a sync failed", "it is broken"},
		{func(k *Kept) { k.NewWork = &Error{Kind: Full, What: "no room"} }, "journal", Fail, "nothing new is accepted: no room", "it is full"},
		{func(k *Kept) { k.Torn = []Torn{{"/h/torn/1", "/h/1.jsonl", 2000}} }, "torn", Warn, "2.0 KiB of /h/1.jsonl in /h/torn/1", "a write was cut off"},
		{func(k *Kept) { k.Free = 1 << 20 }, "disk", Warn, "only 1.0 MiB free", "little room"},
		{func(k *Kept) { k.Reserve = 0 }, "disk", Fail, "the reserve for finishing accepted work is used", "no room"},
		{func(k *Kept) { k.Free = -1 }, "disk", "", "", "nobody knows the room"},
		{func(k *Kept) { k.Jobs[Pending] = map[string]Tally{"": {3, now.Add(-90 * time.Minute)}} }, "outbox", Fine, "3 pending, 0 sending, the oldest waits for 1h30m", "something waits"},
		{func(k *Kept) { k.Jobs[Held] = map[string]Tally{"digest": {1, now}} }, "outbox", Fine, "held: 1 digest, the oldest for 0s", "something is held by policy"},
		{func(k *Kept) { k.Jobs[Held] = map[string]Tally{"no_transport": {2, now.Add(-50 * time.Hour)}} }, "parked", Warn, "2 no_transport, the oldest for 2d2h", "something is parked"},
		{func(k *Kept) {
			k.Jobs[DeadLetter] = map[string]Tally{"refused": {2, now}, "exhausted": {1, now}}
			k.Cut = true
		}, "dead letters", Warn, "at least 1 exhausted, the oldest from 0s ago, 2 refused", "dead letters"},
		{func(k *Kept) { k.Err = &Error{Kind: Store, What: "no"} }, "outbox", Fail, "the jobs cannot be read: no", "jobs cannot be read"},
		{func(k *Kept) { k.Targets = []Target{{Target: "log:a", Closed: true, Why: "target_gone", Held: 2}} }, "target log:a", Warn, "closed: the platform says", "a closed target"},
		{func(k *Kept) {
			k.Targets = []Target{{Target: "log:a", Why: "breaker", Until: now.Add(time.Hour), Pending: 2}}
		}, "target log:a", Warn, "2 wait", "an open breaker"},
		{func(k *Kept) { k.Targets = []Target{{Target: "log:a", Why: "breaker", Until: now.Add(-time.Hour)}} }, "target log:a", "", "", "one that was open"},
		{func(k *Kept) { k.Targets = slices.Repeat([]Target{{Target: "log:a", Closed: true}}, 25) }, "targets", Warn, "5 more", "many targets"},
		{func(k *Kept) { k.Verified = []Verified{{Session: "s", OK: true, Records: 1}} }, "ledger", Fine, "1 session with 1 record, all in order", "all sessions are right"},
		{func(k *Kept) { k.Verified = []Verified{{Session: "s", What: "broken"}} }, "session s", Fail, "broken", "one is not"},
	} {
		k := well()
		k.Count(func(func(Job, error) bool) {})
		c.change(k)
		var r Report
		r.kept(k, now)
		var got Check
		for _, x := range r.Checks {
			if x.Name == c.name {
				got = x
			}
		}
		if got.Result != c.want || !strings.Contains(got.What, c.says) || got.Result != "" && got.Result != Fine && got.Mend == "" {
			t.Errorf("%s: %+v", c.why, got)
		}
		if (c.want == Fail) == r.OK {
			t.Errorf("%s: the report is ok: %v", c.why, r.OK)
		}
	}
}

func TestReplace(t *testing.T) {
	var r Report
	for _, name := range []string{"a", "b", "c", "b"} {
		r.Add(name, Fine, "old", "")
	}
	r.Replace([]Check{{Name: "x", Result: Fail, What: "new", Mend: "mend"}, {Name: "y", Result: Fine}}, "b")
	var got []string
	for _, c := range r.Checks {
		got = append(got, c.Name)
	}
	if !slices.Equal(got, []string{"a", "x", "y", "c"}) || r.OK || r.Checks[1].Mend != "mend" {
		t.Errorf("%+v", r)
	}
	r.Replace([]Check{{Name: "z", Result: Fine}}, "nothing")
	if n := len(r.Checks); n != 5 || r.Checks[4].Name != "z" {
		t.Errorf("%+v", r)
	}
}
