package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/control"
)

// A list is jobs with what is to be said of all of them.
type list struct {
	jobs    []control.Job // as many as were asked for
	n       int           // of all
	states  map[string]int
	targets map[string]int
	paused  map[string]control.Target // those that wait or are closed
	held    bool                      // a process holds the home, and sends
}

// listing lists jobs of a filter and keeps at most most of them; 0: all.
func listing(ctx context.Context, who *answerer, f control.JobFilter, most int) (*list, error) {
	l := &list{jobs: []control.Job{}, states: map[string]int{}, targets: map[string]int{}, paused: map[string]control.Target{}, held: who.held}
	for j, err := range who.Jobs(ctx, f) {
		if err != nil {
			return nil, err
		}
		if most == 0 || len(l.jobs) < most {
			l.jobs = append(l.jobs, j)
		}
		l.n++
		l.states[string(j.State)]++
		l.targets[j.Target]++
	}
	all, err := who.Targets(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.Closed || !t.Until.IsZero() {
			l.paused[t.Target] = t
		}
	}
	return l, nil
}

// stateOf is a job's state, and why where it has a reason.
func stateOf(j control.Job) string {
	if j.Reason == "" {
		return string(j.State)
	}
	return string(j.State) + " (" + visible(j.Reason) + ")"
}

// text is the whole list.
func (l *list) text(now time.Time) string {
	if l.n == 0 {
		return "No jobs.\n"
	}
	return l.table(now) + "\n" + strings.Join(l.totals(), "\n") + "\n"
}

// table is a line for each job that was kept, below the names of the columns.
func (l *list) table(now time.Time) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "JOB\tTARGET\tKIND\tSTATE\tPARTS\tATTEMPTS\tAGE\tNEXT")
	for _, j := range l.jobs {
		parts := "-"
		if j.Parts > 0 {
			parts = fmt.Sprintf("%d/%d", j.Sent, j.Parts)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", visible(j.ID), visible(j.Target), visible(j.Kind), stateOf(j),
			parts, j.Attempts, control.Age(now.Sub(j.Created)), l.next(j, now))
	}
	t.Flush()
	return trimLines(b.String())
}

// next is when something happens to a job by itself.
func (l *list) next(j control.Job, now time.Time) string {
	due := j.Due
	switch j.State {
	case control.Sending:
		return "now"
	case control.Pending:
		if !l.held {
			return "when served"
		}
		if until := l.paused[j.Target].Until; until.After(due) {
			due = until
		}
		if !due.After(now) {
			return "in turn"
		}
	case control.Held:
		if due.IsZero() {
			return "-"
		}
	default:
		return "-"
	}
	return "in " + control.Age(max(due.Sub(now), 0))
}

// totals are the numbers by state and by target, and what else is to be known.
func (l *list) totals() []string {
	var states []string
	for _, s := range control.JobStates {
		if n := l.states[string(s)]; n > 0 {
			states = append(states, thousands(n)+" "+string(s))
		}
	}
	out := []string{count(l.n, "job") + ": " + strings.Join(states, ", ")}
	if len(l.targets) > 1 {
		var targets []string
		for _, t := range slices.Sorted(maps.Keys(l.targets)) {
			targets = append(targets, visible(t)+" "+thousands(l.targets[t]))
		}
		out = append(out, "By target: "+listed(targets, 10))
	}
	for _, t := range slices.Sorted(maps.Keys(l.paused)) {
		if p := l.paused[t]; l.targets[t] > 0 && p.Closed {
			means, _ := control.Reason(p.Why)
			out = append(out, visible(t)+" is closed: "+means)
		}
	}
	if !l.held && l.states[string(control.Pending)] > 0 {
		out = append(out, "No process holds the home, so nothing goes before \"vak serve\" runs.")
	}
	return out
}
