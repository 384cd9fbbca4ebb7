package outbox

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// check looks at everything that must be true at the end.
func (w *weather) check(t *testing.T) {
	b := w.bench
	for id := range w.jobs {
		r := b.row(id)
		history, err := b.store.History(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		d, err := fold(r, history)
		if err != nil {
			t.Fatalf("job %s: %v", id, err)
		}
		w.checkEnd(t, d)
		w.checkHistory(t, id, history)
		if r.State == store.Delivered {
			w.checkArrived(t, d)
		}
	}
	w.checkOrder(t)
}

// checkEnd: every job that was accepted has come to an end, or waits for a person.
func (w *weather) checkEnd(t *testing.T, d *delivery) {
	id, left := d.row.Job, 0
	for _, p := range d.parts {
		if !p.done {
			left++
		}
	}
	switch d.row.State {
	case store.Delivered:
		if left > 0 || d.rendering == nil {
			t.Errorf("job %s is delivered and has %d parts left", id, left)
		}
	case store.DeadLetter, store.Discarded:
		if d.row.Reason == "" {
			t.Errorf("job %s is %s and nobody says why", id, d.row.State)
		}
		if Reason(d.row.Reason) == ByHand && !w.acted[id] {
			t.Errorf("job %s: nobody had a hand in it", id)
		}
	case store.Held:
		doubtful := false
		for _, p := range d.parts {
			doubtful = doubtful || !p.done && p.unknowns > 0
		}
		switch why := Reason(d.row.Reason); {
		case why == UnknownOutcome && doubtful, why == ByHand && w.acted[id]:
		default:
			t.Errorf("job %s is held for %s, which is not so", id, why)
		}
	default:
		t.Errorf("job %s is %s for ever", id, d.row.State)
	}
}

// checkHistory: one attempt at a time, none behind a receipt, every repeat of what
// may have arrived marked or under a key that the platform knows, and each rung of
// the ladder once.
func (w *weather) checkHistory(t *testing.T, id string, history []store.Entry) {
	type seen struct {
		done  bool
		doubt time.Time
		key   string
		rungs map[string]int
	}
	parts := map[string]*seen{}
	of := func(p string) *seen {
		if parts[p] == nil {
			parts[p] = &seen{rungs: map[string]int{}}
		}
		return parts[p]
	}
	open := ""
	for _, e := range history {
		switch e.Kind {
		case kindAttempt:
			a, _ := decode[attempt](e)
			p := of(a.Part)
			if open != "" {
				t.Errorf("job %s: an attempt at %s while one at %s has no outcome", id, a.Part, open)
			}
			if p.done {
				t.Errorf("job %s: part %s is sent again though it has a receipt", id, a.Part)
			}
			known := p.key == a.Key && (w.bench.traits.Window < 0 || e.Time.Sub(p.doubt) < w.bench.traits.Window)
			if !p.doubt.IsZero() && !a.Duplicate && !known {
				t.Errorf("job %s: part %s may have arrived, and is sent again without a note", id, a.Part)
			}
			open = a.Part
			p.key = a.Key
		case kindSent:
			s, _ := decode[sent](e)
			of(s.Part).done, open = true, ""
		case kindFailed:
			f, _ := decode[failed](e)
			if p := of(f.Part); f.Class == surface.Unknown && p.doubt.IsZero() {
				p.doubt = e.Time
			}
			open = ""
		case kindForm:
			f, _ := decode[form](e)
			p := of(f.Part)
			if rung := f.Why + string(f.Form); f.Why != whyNotContent {
				if p.rungs[rung]++; p.rungs[rung] > 1 {
					t.Errorf("job %s: part %s took the step %s twice", id, f.Part, rung)
				}
			}
		case kindSplit:
			s, _ := decode[split](e)
			p := of(s.Part)
			for _, piece := range s.Into {
				q := of(piece.ID)
				q.doubt, q.key = p.doubt, "another"
			}
			if p.rungs["split"]++; s.Why == string(surface.TooLong) && strings.HasSuffix(s.Part, "a") && p.rungs["split"] > 1 {
				t.Errorf("job %s: part %s was halved twice", id, s.Part)
			}
		}
	}
}

// checkArrived: all of a job's text is there.
func (w *weather) checkArrived(t *testing.T, d *delivery) {
	var all strings.Builder
	for _, text := range w.bench.texts(d.sub.Target.Address) {
		all.WriteString(strings.Trim(bare(text), "<>"))
	}
	for _, p := range d.parts {
		if !strings.Contains(all.String(), p.Chunk.Plain) {
			t.Errorf("job %s: %q did not arrive", d.row.Job, p.Chunk.Plain)
		}
	}
}

// checkOrder: jobs that went their way undisturbed arrive in the order of their
// commits. What was held, by a person, a posture or because others passed it, and
// what gave way to those that were, entered its lane again.
func (w *weather) checkOrder(t *testing.T) {
	b := w.bench
	last := map[string]int{}
	for _, r := range b.platform.accepted() {
		n := 0
		if _, err := fmt.Sscanf(r.Job, "j%d", &n); err != nil {
			t.Fatal(err)
		}
		h := b.history(r.Job)
		if w.acted[r.Job] || strings.Contains(h, "held") || strings.Contains(h, "dead") || w.gaveWay(r.Job) {
			continue
		}
		lane := fmt.Sprint(r.Target, b.row(r.Job).Fast)
		if was := last[lane]; n < was {
			t.Errorf("job %s arrived behind j%d, which was accepted after it", r.Job, was)
			for i := n; i <= was; i++ {
				t.Log(w.story(fmt.Sprintf("j%d", i)))
			}
			return
		}
		last[lane] = n
	}
}

func (w *weather) gaveWay(id string) bool {
	all, _ := w.bench.store.History(context.Background(), id)
	for _, e := range all {
		if r, err := decode[released](e); e.Kind == kindReleased && err == nil && r.Why == whyLater {
			return true
		}
	}
	return false
}

// story is a job's history, for a person to read.
func (w *weather) story(id string) string {
	r := w.bench.row(id)
	s := fmt.Sprintf("%s, to %s, fast %v:", id, r.Target, r.Fast)
	all, _ := w.bench.store.History(context.Background(), id)
	for _, e := range all {
		s += fmt.Sprintf("\n  %s %s", e.Time.Format("02 15:04:05.000"), e.Kind)
		if f, err := decode[failed](e); err == nil && e.Kind == kindFailed {
			s += " " + string(f.Class) + " " + f.Code
		}
		if r, err := decode[released](e); err == nil && e.Kind == kindReleased {
			s += " " + r.Why
		}
	}
	return s
}
