package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/control"
)

// A waiting waits for jobs that were accepted.
type waiting struct {
	*app
	flags    *sendFlags
	look     look
	live     bool // a line tells how it stands
	accepted control.Accepted
	jobs     []control.Job
}

// The pauses between two looks at a job, from the shortest to the longest.
const (
	shortLook = 10 * time.Millisecond
	longLook  = 500 * time.Millisecond
)

// awayTime is how long nobody may answer before waiting is given up: a service
// that starts anew takes less.
const awayTime = 30 * time.Second

// wait waits until every job has settled, and writes what became of them.
func (w *waiting) wait(ctx context.Context, who *answerer) error {
	within := ctx
	if w.flags.timeout > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, w.flags.timeout)
		defer cancel()
	}
	current := who
	defer func() {
		if current != who { // who is its opener's to close
			current.close()
		}
	}()
	var away time.Time
	for pause := shortLook; !w.settled(); pause = min(pause*3/2, longLook) {
		w.draw()
		select {
		case <-within.Done():
		case <-time.After(pause):
		}
		err := within.Err()
		if err == nil {
			err = w.refresh(within, current)
		}
		switch {
		case err == nil:
			away = time.Time{}
		case within.Err() != nil:
			w.erase()
			return w.cut(ctx, current)
		case errors.Is(err, control.Unreachable) && current.held:
			// Whoever held the home may have ended. The next, or this process,
			// goes on: what was accepted is on disk.
			if away.IsZero() {
				away = time.Now()
			}
			if time.Since(away) > awayTime {
				w.erase()
				return &problem{exitWaiting, fmt.Sprintf("accepted, and then nobody answered for %s: %v; \"vak outbox list\" shows what waits", awayTime, err)}
			}
			next, failed := w.keeper(within, delivers)
			if failed != nil {
				continue
			}
			if current != who {
				current.close()
			}
			current = next
		default:
			w.erase()
			return err
		}
	}
	w.erase()
	if err := w.write(ctx, current); err != nil {
		return err
	}
	return w.outcome()
}

func (w *waiting) settled() bool {
	for _, j := range w.jobs {
		if !j.State.Settled() {
			return false
		}
	}
	return true
}

// refresh looks at the jobs that have not settled.
func (w *waiting) refresh(ctx context.Context, who *answerer) error {
	for i, j := range w.jobs {
		if j.State.Settled() {
			continue
		}
		now, err := who.Job(ctx, j.ID)
		if err != nil {
			return err
		}
		w.jobs[i] = now
	}
	return nil
}

// cut is about jobs that have not settled when there is no more waiting.
func (w *waiting) cut(ctx context.Context, who *answerer) error {
	n := 0
	for _, j := range w.jobs {
		if !j.State.Settled() {
			n++
		}
	}
	stay := count(n, "job") + " stay"
	if n == 1 {
		stay += "s"
	}
	stay += " in the outbox"
	next := "\"vak outbox list\" shows what waits"
	if !who.held {
		next += ", and \"vak serve\" sends it"
	}
	if ctx.Err() != nil { // the exit code says that it was interrupted, and nothing else would
		fmt.Fprintf(w.err, "vak: interrupted; %s: %s\n", stay, next)
		return ctx.Err()
	}
	if err := w.write(ctx, who); err != nil {
		return err
	}
	return &problem{exitWaiting, fmt.Sprintf("not delivered within %s; %s: %s", w.flags.timeout, stay, next)}
}

// outcome is an error for what has not arrived.
func (w *waiting) outcome() error {
	dead, held := 0, 0
	for _, j := range w.jobs {
		switch j.State {
		case control.DeadLetter, control.Discarded:
			dead++
		case control.Held:
			held++
		}
	}
	of := fmt.Sprintf(" of %s", count(len(w.jobs), "job"))
	switch {
	case dead > 0:
		return &problem{exitDead, fmt.Sprintf("%d%s will not arrive; \"vak outbox show JOB\" says why and what to do", dead, of)}
	case held > 0:
		return &problem{exitWaiting, fmt.Sprintf("%d%s accepted and held; \"vak outbox show JOB\" says what for", held, of+isAre(held))}
	}
	return nil
}

func isAre(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

// draw tells on one line of a terminal how it stands.
func (w *waiting) draw() {
	if !w.live {
		return
	}
	n := 0
	var first *control.Job
	for i := range w.jobs {
		if w.jobs[i].State.Settled() {
			n++
		} else if first == nil {
			first = &w.jobs[i]
		}
	}
	if first == nil {
		return
	}
	text := first.Target + " " + progressOf(*first, time.Now())
	if len(w.jobs) > 1 {
		text = fmt.Sprintf("%d of %d settled · %s", n, len(w.jobs), text)
	}
	fmt.Fprint(w.out, "\r\x1b[K"+truncate(visible(text), w.look.width-1))
}

func (w *waiting) erase() {
	if w.live {
		fmt.Fprint(w.out, "\r\x1b[K")
	}
}

// progressOf is what a job that has not settled does.
func progressOf(j control.Job, now time.Time) string {
	s := string(j.State)
	if j.Parts > 1 {
		s += fmt.Sprintf(", %d of %d messages sent", j.Sent, j.Parts)
	}
	if j.Attempts > 0 {
		s += ", " + count(j.Attempts, "failed attempt")
	}
	if j.State == control.Pending && j.Due.After(now) {
		s += ", next try in " + control.Age(j.Due.Sub(now).Round(time.Second))
	}
	return s
}

// write writes what became of every job, or what it is now.
func (w *waiting) write(ctx context.Context, who *answerer) error {
	w.accepted.Jobs = w.jobs
	if w.flags.asJSON {
		return w.writeJSON(w.accepted)
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, j := range w.jobs {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", stateOf(j), visible(j.Target), visible(j.ID), visible(w.detail(ctx, who, j)))
	}
	t.Flush()
	out := trimLines(b.String())
	if w.flags.noWait && !who.held && !w.settled() {
		out += "\nNo process holds the home, so nothing goes before \"vak serve\" runs.\n"
	}
	_, err := w.out.WriteString(out)
	return err
}

// detail is what else there is to say of a job in a few words.
func (w *waiting) detail(ctx context.Context, who *answerer, j control.Job) string {
	repeated := ""
	if w.accepted.Repeated {
		repeated = "accepted before, "
	}
	switch j.State {
	case control.Delivered:
		if j.Parts == 0 {
			return repeated + "nothing to show"
		}
		return repeated + count(j.Parts, "message")
	case control.DeadLetter, control.Held:
		if why := lastFailure(ctx, who, j.ID); why != "" {
			return repeated + why
		}
		means, _ := control.Reason(j.Reason)
		return repeated + means
	case control.Pending, control.Sending:
		rest := strings.TrimPrefix(strings.TrimPrefix(progressOf(j, time.Now()), string(j.State)), ", ")
		return strings.TrimSuffix(repeated+rest, ", ")
	}
	return strings.TrimSuffix(repeated, ", ")
}

// lastFailure is what a platform said last of a job, as far as it is known.
func lastFailure(ctx context.Context, who *answerer, id string) string {
	events, err := who.History(ctx, id)
	if err != nil {
		return ""
	}
	for i := len(events) - 1; i >= 0; i-- {
		if e := events[i]; e.Kind == "failed" {
			var f failure
			if json.Unmarshal(e.Body, &f) == nil {
				return f.String()
			}
		}
	}
	return ""
}

// dumb reports whether the terminal says that it can move no cursor.
func dumb() bool { return os.Getenv("TERM") == "dumb" }

// trimLines is s without blanks at the ends of lines.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}
