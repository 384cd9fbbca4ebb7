package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// A world is an index with what it stands for, told the slow way.
type world struct {
	x      *Index
	now    time.Time
	next   Place
	rows   map[Place]Row
	place  map[string]Place // of every job's last row
	lanes  map[laneName][]string
	held   []string // in the order in which they were held
	claims map[laneName]claim
	closed map[string]TargetRow
}

type laneName struct {
	target string
	fast   bool
}

type claim struct {
	job   string
	lease Lease
	end   time.Time
}

func newWorld() *world {
	return &world{
		x: NewIndex(), now: epoch, rows: map[Place]Row{}, place: map[string]Place{},
		lanes: map[laneName][]string{}, claims: map[laneName]claim{}, closed: map[string]TargetRow{},
	}
}

func (w *world) row(id string) Row {
	r := w.rows[w.place[id]]
	r.Place = w.place[id]
	return r
}

// put applies p to both and fails when they do not agree on whether it may be.
func (w *world) put(t interface{ Fatalf(string, ...any) }, p Put) bool {
	id := p.Row.Job
	old, known := w.place[id]
	was := w.rows[old]
	l := laneName{p.Row.Target, p.Row.Fast}
	var held claim
	for _, c := range w.claims {
		if c.job == id && c.end.After(w.now) {
			held = c
		}
	}
	want := Kind("")
	switch {
	case p.New && known:
		want = Exists
	case !p.New && !known:
		want = NotFound
	case p.Lease != 0 && held.lease != p.Lease, p.Lease == 0 && held.lease != 0, known && p.Lease == 0 && p.Row.Place != old:
		want = Lost
	}
	err := w.x.Check(w.now, &p)
	if (want == "") != (err == nil) || want != "" && err.(*Error).Kind != want {
		t.Fatalf("put %+v: got %v, want %q", p, err, want)
	}
	if err != nil {
		return false
	}
	w.next++
	w.x.Apply(w.next, &p, w.now)
	w.rows[w.next], w.place[id] = p.Row, w.next

	stays := known && was.State.Live() && p.Row.State.Live() && (was.State == Held) == (p.Row.State == Held) &&
		laneName{was.Target, was.Fast} == l && !p.Tail
	for n, c := range w.claims {
		if c.job != id {
			continue
		}
		if stays && p.Keep && c.lease == p.Lease {
			c.end = w.now.Add(LeaseTime)
			w.claims[n] = c
		} else {
			delete(w.claims, n)
		}
	}
	if stays {
		return true
	}
	is := func(s string) bool { return s == id }
	for n := range w.lanes {
		w.lanes[n] = slices.DeleteFunc(w.lanes[n], is)
	}
	w.held = slices.DeleteFunc(w.held, is)
	switch {
	case p.Row.State == Held:
		w.held = append(w.held, id)
	case p.Row.State.Live():
		w.lanes[l] = append(w.lanes[l], id)
	}
	return true
}

// mayGo lists what may be claimed: a lane and the job.
func (w *world) mayGo() map[laneName]string {
	out := map[laneName]string{}
	for n, jobs := range w.lanes {
		if len(jobs) == 0 || w.closed[n.target].Closed {
			continue
		}
		if c, ok := w.claims[n]; ok {
			if !c.end.After(w.now) {
				out[n] = c.job
			}
			continue
		}
		if w.closed[n.target].Until.After(w.now) {
			continue
		}
		head := w.row(jobs[0])
		switch {
		case !head.Due.After(w.now):
			out[n] = jobs[0]
		case head.Attempts >= ProbeAfter && len(jobs) > 1 && !w.row(jobs[1]).Due.After(w.now):
			out[n] = jobs[1]
		}
	}
	return out
}

func (w *world) claim(t interface{ Fatalf(string, ...any) }, max int) []claim {
	may := w.mayGo()
	picks, holds, next := w.x.Claim(w.now, max, nil)
	if len(picks) != min(max, len(may)) {
		t.Fatalf("claimed %d, want %d of %v", len(picks), min(max, len(may)), may)
	}
	var out []claim
	for _, p := range picks {
		r := w.rows[p.Place]
		n := laneName{r.Target, r.Fast}
		if may[n] != r.Job || w.place[r.Job] != p.Place {
			t.Fatalf("claimed %s of %v, want %s", r.Job, n, may[n])
		}
		if probe := w.lanes[n][0] != r.Job; probe != p.Probe {
			t.Fatalf("%s: probe is %v", r.Job, p.Probe)
		}
		delete(may, n)
		c := claim{r.Job, p.Lease, w.now.Add(LeaseTime)}
		w.claims[n] = c
		out = append(out, c)
	}
	for _, h := range holds {
		if r := w.rows[h]; r.State != Held || r.Due.IsZero() || r.Due.After(w.now) || w.place[r.Job] != h {
			t.Fatalf("told of the hold of %+v", r)
		}
	}
	if len(may) > 0 && next.After(w.now) || len(may) == 0 && len(holds) < max && !next.IsZero() && !next.After(w.now) {
		t.Fatalf("next is %v at %v with %d left", next, w.now, len(may))
	}
	return out
}

// same holds the index against the world.
func (w *world) same(t interface{ Fatalf(string, ...any) }) {
	live := 0
	for _, n := range w.names() {
		var want, got []string
		for _, fast := range []bool{true, false} {
			want = append(want, w.lanes[laneName{n, fast}]...)
		}
		for _, id := range w.held {
			if w.row(id).Target == n {
				want = append(want, id)
			}
		}
		for p := range w.x.Live(n) {
			got = append(got, w.rows[p].Job)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("target %s holds %v, want %v", n, got, want)
		}
		live += len(want)
	}
	if w.x.Len() != live {
		t.Fatalf("%d live jobs, want %d", w.x.Len(), live)
	}
	for id, p := range w.place {
		at, alive, ok := w.x.Find(id)
		if !ok || at != p || alive != w.rows[p].State.Live() {
			t.Fatalf("%s is at %d, %v, %v", id, at, alive, ok)
		}
	}
	for _, as := range []State{Delivered, DeadLetter, Discarded} {
		n := 0
		for k, p := range w.x.Finished(as) {
			if n++; w.rows[p].State != as || KeyOf(w.rows[p].Job) != k || w.place[w.rows[p].Job] != p {
				t.Fatalf("%+v is among those that are %s", w.rows[p], as)
			}
		}
		for _, p := range w.place {
			if w.rows[p].State == as {
				n--
			}
		}
		if n != 0 {
			t.Fatalf("%d too many are %s", n, as)
		}
	}
	for _, hold := range []string{"t/1", "t/2"} {
		var want, got []string
		for _, id := range w.held {
			if w.row(id).Hold == hold {
				want = append(want, id)
			}
		}
		for _, p := range w.x.Held(hold) {
			got = append(got, w.rows[p].Job)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("held for %s: %v, want %v", hold, got, want)
		}
	}
}

func (w *world) names() []string {
	names := map[string]bool{}
	for _, r := range w.rows {
		names[r.Target] = true
	}
	var out []string
	for n := range names {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// TestIndex holds the index against what it stands for, over random changes.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"})
		live := rapid.SampledFrom([]State{Pending, Pending, Sending, Held})
		any := rapid.SampledFrom([]State{Pending, Sending, Held, Delivered, DeadLetter, Discarded})
		change := func(r *Row, s State) {
			r.State, r.Hold = s, ""
			if s == Held {
				r.Hold = rapid.SampledFrom([]string{"", "t/1", "t/2"}).Draw(t, "hold")
			}
			r.Due = time.Time{}
			if rapid.Bool().Draw(t, "timed") {
				r.Due = w.now.Add(time.Duration(rapid.IntRange(-5, 300).Draw(t, "due")) * time.Second)
			}
			r.Attempts = rapid.SampledFrom([]int{0, 3, 4, 4}).Draw(t, "attempts")
			r.Updated = w.now
		}
		t.Repeat(map[string]func(*rapid.T){
			"new": func(t *rapid.T) {
				r := Row{Job: id.Draw(t, "id"), Target: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "target"), Fast: rapid.Bool().Draw(t, "fast"), Created: w.now}
				change(&r, live.Draw(t, "state"))
				w.put(t, Put{Row: r, New: true})
			},
			"change": func(t *rapid.T) {
				r := w.row(id.Draw(t, "id"))
				if r.Job == "" {
					return
				}
				if rapid.IntRange(0, 9).Draw(t, "moves") == 0 {
					r.Target = "z"
				}
				if rapid.IntRange(0, 9).Draw(t, "stale") == 0 {
					r.Place = 0
				}
				change(&r, any.Draw(t, "state"))
				w.put(t, Put{Row: r, Tail: rapid.Bool().Draw(t, "tail")})
			},
			"claim": func(t *rapid.T) { w.claim(t, rapid.IntRange(1, 4).Draw(t, "max")) },
			"settle": func(t *rapid.T) {
				for n, c := range w.claims {
					r := w.row(c.job)
					change(&r, any.Draw(t, "state"))
					lease := c.lease
					if rapid.IntRange(0, 9).Draw(t, "wrong") == 0 {
						lease += 1000
					}
					w.put(t, Put{Row: r, Lease: lease, Keep: rapid.Bool().Draw(t, "keep"), Tail: rapid.Bool().Draw(t, "tail")})
					_ = n
					break
				}
			},
			"target": func(t *rapid.T) {
				row := TargetRow{Target: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "target"), Closed: rapid.Bool().Draw(t, "closed")}
				if rapid.Bool().Draw(t, "until") {
					row.Until = w.now.Add(time.Minute)
				}
				w.x.ApplyTarget(row)
				w.closed[row.Target] = row
			},
			"wait":   func(t *rapid.T) { w.now = w.now.Add(time.Duration(rapid.IntRange(0, 240).Draw(t, "s")) * time.Second) },
			"reopen": func(t *rapid.T) { w.reopen(t) },
			"":       func(t *rapid.T) { w.same(t) },
		})
	})
}

// reopen replaces the index by the one read from its own bytes; leases end.
func (w *world) reopen(t interface{ Fatalf(string, ...any) }) {
	x, err := ParseIndex(w.x.Append(nil))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	w.x, w.claims = x, map[laneName]claim{}
}

// TestProbe has a job pass one that failed often, and not one that failed less.
func TestProbe(t *testing.T) {
	w := newWorld()
	w.put(t, Put{New: true, Row: Row{Job: "a", Target: "x", State: Pending, Due: epoch.Add(time.Hour), Attempts: ProbeAfter - 1}})
	w.put(t, Put{New: true, Row: Row{Job: "b", Target: "x", State: Pending}})
	w.put(t, Put{New: true, Row: Row{Job: "c", Target: "x", State: Pending}})
	if got := w.claim(t, 9); len(got) != 0 {
		t.Fatalf("claimed %v past one that failed %d times", got, ProbeAfter-1)
	}
	head := w.row("a")
	head.Attempts = ProbeAfter
	w.put(t, Put{Row: head})
	if got := w.claim(t, 9); len(got) != 1 || got[0].job != "b" {
		t.Fatalf("claimed %v, want b", got)
	}
}

// TestSetAside has a lane go on without a job that an engine cannot read, also
// when it was claimed.
func TestSetAside(t *testing.T) {
	w := newWorld()
	for _, id := range []string{"a", "b", "c"} {
		w.put(t, Put{New: true, Row: Row{Job: id, Target: "x", State: Pending}})
	}
	w.x.SetAside(KeyOf("nobody"))
	picks, _, _ := w.x.Claim(w.now, 9, nil)
	if len(picks) != 1 || picks[0].Key != KeyOf("a") {
		t.Fatalf("claimed %v", picks)
	}
	w.x.SetAside(picks[0].Key)
	w.x.SetAside(KeyOf("b"))
	picks, _, _ = w.x.Claim(w.now, 9, nil)
	if len(picks) != 1 || picks[0].Key != KeyOf("c") {
		t.Errorf("claimed %v behind them", picks)
	}
	if got := w.x.Targets(); got[0].Held != 2 || got[0].Pending != 1 || w.x.Len() != 3 {
		t.Errorf("targets %+v", got)
	}
}

// TestFair claims from many lanes that are always ready: each gets its turn.
func TestFair(t *testing.T) {
	w := newWorld()
	for i := range 30 {
		for lane := range 10 {
			w.put(t, Put{New: true, Row: Row{Job: fmt.Sprintf("%d-%d", lane, i), Target: fmt.Sprint(lane), State: Pending, Created: w.now}})
		}
	}
	got := map[string]int{}
	for range 100 {
		w.now = w.now.Add(time.Millisecond)
		for _, c := range w.claim(t, 2) {
			r := w.row(c.job)
			got[r.Target]++
			r.State = Delivered
			w.put(t, Put{Row: r, Lease: c.lease})
		}
	}
	for lane, n := range got {
		if n != 20 {
			t.Errorf("lane %s was served %d times, want 20", lane, n)
		}
	}
}

func TestPutForm(t *testing.T) {
	full := Put{Tail: true, Row: Row{
		Job: "s/1:1:log:a", Target: "log:a", Fast: true, Kind: "alert", State: Held, Reason: "policy", Hold: "s/1", Due: epoch,
		Attempts: 3, Part: 1, Of: 2, Created: epoch, Updated: epoch.Add(time.Second), Digest: "0a",
	}}
	const want = `{"j":"s/1:1:log:a","g":"log:a","f":1,"k":"alert","s":"held","w":"policy","h":"s/1","d":1767323045000,"a":3,"p":1,"o":2,"c":1767323045000,"u":1767323046000,"m":"0a","x":1,"l":77}`
	if got := string(AppendPut(nil, &full, 77)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, c := range []struct{ in, why string }{
		{want, "as it is written"},
		{`{"l":77,"x":1,"m":"0a","u":1767323046000,"c":1767323045000,"o":2,"p":1,"a":3,"d":1767323045000,"h":"s/1","w":"policy","s":"held","k":"alert","f":1,"g":"log:a","j":"s/1:1:log:a"}`, "another order"},
		{`{ "j":"s/1:1:log:a","new":{"a":[1]},"g":"log:\u0061","f":1,"k":"alert","s":"held","w":"policy","h":"s/1","d":1767323045000,"a":3,"p":1,"o":2,"c":1767323045000,"u":1767323046000,"m":"0a","x":1,"l":77}`, "an unknown member and an escape"},
	} {
		p, prev, n, err := ParsePut([]byte(c.in + `,{"j"`))
		if err != nil || n != len(c.in) || prev != 77 || p.Tail != full.Tail || p.Row != full.Row {
			t.Errorf("%s: %+v, %d, %d, %v", c.why, p, prev, n, err)
		}
	}
	for _, in := range []string{``, `[]`, `{}`, `{"j":"a"}`, `{"j":"a","g":"b","s":"flying"}`, `{"j":"a","g":"b","s":"pending","p":2,"o":1}`, `{"j":"a`, `{"j":"a","g":"b","s":"pending","h":"t"}`} {
		if p, _, _, err := ParsePut([]byte(in)); err == nil {
			t.Errorf("%s was read as %+v", in, p)
		}
	}
}

// FuzzParsePut finds that what is read is written again and read the same.
func FuzzParsePut(f *testing.F) {
	f.Add([]byte(`{"j":"a","g":"b","s":"pending","d":5}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, prev, _, err := ParsePut(b)
		if err != nil {
			return
		}
		again, prev2, _, err := ParsePut(AppendPut(nil, &p, prev))
		if err != nil || again.Row != p.Row || again.Tail != p.Tail || prev2 != prev {
			t.Errorf("%+v, %d became %+v, %d, %v", p, prev, again, prev2, err)
		}
	})
}

// FuzzParseIndex finds that damaged bytes are refused and harm nobody.
func FuzzParseIndex(f *testing.F) {
	x := NewIndex()
	x.Apply(1, &Put{Row: Row{Job: "a", Target: "t", State: Pending}}, epoch)
	x.Apply(2, &Put{Row: Row{Job: "b", Target: "t", State: Held, Due: epoch}}, epoch)
	f.Add(x.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if x, err := ParseIndex(b); err == nil {
			x.Claim(epoch, 10, nil)
		}
	})
}
