// Package storetest is the suite that every engine of the store passes.
package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// An Opener opens a store: an empty one at first, and after it was closed the same
// one again. Leases end by the clock that it is given.
type Opener func(now func() time.Time) (store.Store, error)

// Run runs the suite. begin makes a new store for every test.
func Run(t *testing.T, begin func(t *testing.T) Opener) {
	for _, c := range []struct {
		name string
		run  func(*world)
	}{
		{"Records", records},
		{"Conflict", conflict},
		{"Idempotent", idempotent},
		{"Invalid", invalid},
		{"Turns", turns},
		{"ManySessions", manySessions},
		{"ConcurrentWriters", concurrentWriters},
		{"CommitOrder", commitOrder},
		{"Exists", exists},
		{"TwoClaimers", twoClaimers},
		{"Leases", leases},
		{"StalePlace", stalePlace},
		{"Held", held},
		{"Release", release},
		{"ReleaseRaces", releaseRaces},
		{"FastLane", fastLane},
		{"Heads", heads},
		{"Probe", probe},
		{"Targets", targets},
		{"Finished", finished},
		{"Lists", lists},
		{"Changed", changed},
		{"Reopen", reopen},
		{"Closed", closed},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{T: t, open: begin(t), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
			w.reopen()
			t.Cleanup(func() { w.s.Close() })
			c.run(w)
		})
	}
}

// A world is a store under test with a clock.
type world struct {
	*testing.T
	open Opener
	s    store.Store
	now  time.Time
}

var ctx = context.Background()

func (w *world) reopen() {
	w.Helper()
	if w.s != nil {
		w.must(w.s.Close())
	}
	var err error
	w.s, err = w.open(func() time.Time { return w.now })
	w.must(err)
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) commit(c store.Commit) store.Committed {
	w.Helper()
	done, err := w.s.Commit(ctx, c)
	w.must(err)
	return done
}

// refused commits c, which has to fail with a kind.
func (w *world) refused(c store.Commit, want store.Kind, why string) {
	w.Helper()
	_, err := w.s.Commit(ctx, c)
	e, ok := err.(*store.Error)
	if !ok || e.Kind != want {
		w.Errorf("%s: got %v, want %s", why, err, want)
	}
}

func message(text string) ledger.Record {
	return ledger.Record{Time: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Body: &ledger.Message{Role: ledger.User, Markdown: text}}
}

// texts are the messages of a session, whose chain is checked.
func (w *world) texts(session string, from ledger.Seq) []string {
	w.Helper()
	var out []string
	c := ledger.Chain{}
	for b, err := range w.s.Read(ctx, session, from) {
		w.must(err)
		r, err := ledger.Parse(b)
		w.must(err)
		if r.Session != session || c.Seq == 0 && r.Seq != from || c.Seq > 0 && (r.Seq != c.Seq+1 || r.Prev != c.Head) {
			w.Fatalf("record %d of %s does not follow %d", r.Seq, r.Session, c.Seq)
		}
		c.Seq, c.Head = r.Seq, ledger.HashOf(b)
		out = append(out, r.Body.(*ledger.Message).Markdown)
	}
	return out
}

func (w *world) entry(kind string) store.Entry {
	return store.Entry{Time: w.now, Kind: kind, Body: json.RawMessage(`{"is":"<b>` + kind + `</b>"}`)}
}

// pending is a new job that may go at once.
func (w *world) pending(job, target string) store.Put {
	return store.Put{New: true, Entries: []store.Entry{w.entry("queued")}, Row: store.Row{
		Job: job, Target: target, Kind: "assistant", State: store.Pending, Due: w.now, Created: w.now, Updated: w.now, Digest: "d-" + job,
	}}
}

func (w *world) add(puts ...store.Put) { w.Helper(); w.commit(store.Commit{Jobs: puts}) }

// queue makes jobs for a target, each in its own commit.
func (w *world) queue(target string, jobs ...string) {
	w.Helper()
	for _, job := range jobs {
		w.add(w.pending(job, target))
	}
}

// change is a put that changes a job to a state.
func (w *world) change(r store.Row, lease store.Lease, state store.State, kind string) store.Put {
	r.State, r.Updated = state, w.now
	if state != store.Held {
		r.Hold, r.Reason = "", ""
	}
	return store.Put{Row: r, Lease: lease, Entries: []store.Entry{w.entry(kind)}}
}

func (w *world) settle(c store.Claimed, state store.State) {
	w.Helper()
	w.add(w.change(c.Row, c.Lease, state, string(state)))
}

func (w *world) job(id string) store.Row {
	w.Helper()
	r, err := w.s.Job(ctx, id)
	w.must(err)
	return r
}

func (w *world) claims(most int) store.Claims {
	w.Helper()
	c, err := w.s.Claim(ctx, w.now, most)
	w.must(err)
	return c
}

// claim claims all there is, by job.
func (w *world) claim() map[string]store.Claimed {
	w.Helper()
	out := map[string]store.Claimed{}
	for _, c := range w.claims(100).Jobs {
		if _, twice := out[c.Row.Job]; twice {
			w.Fatalf("%s is claimed twice", c.Row.Job)
		}
		out[c.Row.Job] = c
	}
	return out
}

// claimed has exactly these jobs claimed.
func (w *world) claimed(why string, jobs ...string) map[string]store.Claimed {
	w.Helper()
	got := w.claim()
	var names []string
	for name := range got {
		names = append(names, name)
	}
	slices.Sort(names)
	slices.Sort(jobs)
	if !slices.Equal(names, jobs) {
		w.Fatalf("%s: claimed %v, want %v", why, names, jobs)
	}
	return got
}

// history is the kinds of a job's entries.
func (w *world) history(id string) string {
	w.Helper()
	all, err := w.s.History(ctx, id)
	w.must(err)
	var kinds []string
	for _, e := range all {
		if e.Kind != store.Released {
			var body struct{ Is string }
			if json.Unmarshal(e.Body, &body) != nil || body.Is != "<b>"+e.Kind+"</b>" || e.Time.IsZero() {
				w.Errorf("an entry of %s came back as %s %s", id, e.Time, e.Body)
			}
		}
		kinds = append(kinds, e.Kind)
	}
	return strings.Join(kinds, " ")
}

// listed are the ids of the jobs that a filter chooses.
func (w *world) listed(f store.Filter) string {
	w.Helper()
	var ids []string
	for r, err := range w.s.Jobs(ctx, f) {
		w.must(err)
		ids = append(ids, r.Job)
	}
	return strings.Join(ids, " ")
}

func (w *world) want(why string, got, want any) {
	w.Helper()
	if g, x := fmt.Sprint(got), fmt.Sprint(want); g != x {
		w.Errorf("%s: got %s, want %s", why, g, x)
	}
}
