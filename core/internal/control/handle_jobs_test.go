package control

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
)

// many are jobs of a few targets in all states.
func many(n int) []Job {
	out := make([]Job, n)
	for i := range out {
		out[i] = Job{ID: fmt.Sprint(i), Target: fmt.Sprintf("log:%d", i%7), State: JobStates[i%len(JobStates)], Updated: time.Unix(int64(i), 0)}
	}
	return out
}

func TestPages(t *testing.T) {
	f := &fake{}
	f.jobs = many(2500)
	c := Local(Handler(f, hclog.NewNullLogger()))
	for _, filter := range []JobFilter{{}, {States: JobStates}, {States: []JobState{DeadLetter, Held}}, {Target: "log:3"}, {States: []JobState{Delivered}, Target: "log:2"}} {
		var want, got []string
		for j := range f.Jobs(t.Context(), filter) {
			want = append(want, j.ID)
		}
		for after := ""; ; {
			p, err := c.JobPage(t.Context(), filter, 77, after)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Jobs) > 77 {
				t.Fatalf("a page of %d", len(p.Jobs))
			}
			for _, j := range p.Jobs {
				got = append(got, j.ID)
			}
			if after = p.Next; after == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %d jobs, want %d", filter, len(got), len(want))
		}
		n := 0
		for _, err := range c.Jobs(t.Context(), filter) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != len(want) {
			t.Errorf("%+v: %d jobs, want %d", filter, n, len(want))
		}
	}
}

// TestPagesMove has the last job of a page go on before the next is asked for.
func TestPagesMove(t *testing.T) {
	for why, move := range map[string]func(f *fake){
		"it was delivered": func(f *fake) { f.jobs = slices.Delete(f.jobs, 2, 3) },
		"it is held behind the others": func(f *fake) {
			j := f.jobs[2]
			j.State = Held
			f.jobs = append(slices.Delete(f.jobs, 2, 3), j)
		},
	} {
		f := &fake{}
		for i := range 6 {
			f.jobs = append(f.jobs, Job{ID: fmt.Sprint(i), Target: "log:a", State: Pending})
		}
		c := Local(Handler(f, hclog.NewNullLogger()))
		p, err := c.JobPage(t.Context(), JobFilter{}, 3, "")
		if err != nil || len(p.Jobs) != 3 {
			t.Fatal(p, err)
		}
		move(f)
		got := map[string]bool{}
		for after := p.Next; after != ""; after = p.Next {
			if p, err = c.JobPage(t.Context(), JobFilter{}, 10, after); err != nil {
				t.Fatal(err)
			}
			for _, j := range p.Jobs {
				got[j.ID] = true
			}
		}
		for _, id := range []string{"3", "4", "5"} {
			if !got[id] {
				t.Errorf("%s: job %s is left out", why, id)
			}
		}
	}
}

func TestActOn(t *testing.T) {
	f := &fake{}
	f.jobs = []Job{
		{ID: "1", Target: "log:a", State: Held, Reason: "digest"},
		{ID: "2", Target: "log:a", State: DeadLetter, Reason: "refused"},
		{ID: "3", Target: "log:a", State: Held, Reason: "by_hand"}, // it changes in between
		{ID: "4", Target: "log:b", State: Held, Reason: "digest"},
		{ID: "5", Target: "log:a", State: Pending},
	}
	c := Local(Handler(f, hclog.NewNullLogger()))
	for _, k := range []struct {
		q    ActRequest
		want []string
		more bool
		why  string
	}{
		{ActRequest{Action: ActRetry, Target: "log:a", DryRun: true}, []string{"1", "3", "2"}, false, "a rehearsal counts all"},
		{ActRequest{Action: ActRetry, Target: "log:a"}, []string{"1", "2"}, false, "held ones and dead letters, less one that is in another state by now"},
		{ActRequest{Action: ActRelease, Reason: "digest", Limit: 1}, []string{"1"}, true, "a limit"},
		{ActRequest{Action: ActHold, States: []JobState{Pending}}, []string{"5"}, false, "a state"},
		{ActRequest{Action: ActRelease, Target: "log:nobody"}, nil, false, "nothing"},
		{ActRequest{Action: ActRelease, States: JobStates, DryRun: true}, []string{"1", "3", "4"}, false, "all states, of which one can be released"},
		{ActRequest{Action: ActRelease, States: []JobState{Pending}}, nil, false, "none that can be"},
	} {
		f.acted = nil
		a, err := c.ActOn(t.Context(), k.q)
		if err != nil || !slices.Equal(a.IDs, k.want) || a.Count != len(k.want) || a.More != k.more {
			t.Errorf("%s: %+v, %v", k.why, a, err)
		}
		var want []string
		for _, id := range k.want {
			if !k.q.DryRun {
				want = append(want, string(k.q.Action)+" "+id)
			}
		}
		if !slices.Equal(f.acted, want) {
			t.Errorf("%s: done %v", k.why, f.acted)
		}
	}
	f.jobs = []Job{{ID: "1", Target: "log:a", State: Held, Reason: "unreadable"}}
	if _, err := c.ActOn(t.Context(), ActRequest{Action: ActRetry, Target: "log:a"}); !errors.Is(err, Store) {
		t.Errorf("a store that fails: %v", err)
	}
	f.jobs = many(20_000)
	if a, err := c.ActOn(t.Context(), ActRequest{Action: ActDiscard, Target: "log:1"}); err != nil || len(a.IDs) != min(a.Count, 100) || a.Count < 1000 {
		t.Errorf("many: %d of them, %v", a.Count, err)
	}
}
