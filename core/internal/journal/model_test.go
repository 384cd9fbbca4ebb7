package journal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/internal/journal"
	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/internal/store/memory"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// pair is the same store twice: in files, and in memory. They have to answer
// alike, whatever is asked.
type pair struct {
	now     time.Time
	fs      *memfs.FS
	j       *journal.Journal
	m       *memory.Store
	n       int
	leases  map[string][2]store.Lease // by job, what each was given
	commits int
}

func (p *pair) clock() time.Time { return p.now }

func (p *pair) open(t *rapid.T) {
	var err error
	if p.j, err = journal.Open(ctx, journal.Config{Dir: "/home", FS: p.fs, SegmentBytes: 2 << 10, ReserveBytes: 1, Now: p.clock}); err != nil {
		t.Fatal(err)
	}
}

func kind(err error) store.Kind {
	if e, ok := errors.AsType[*store.Error](err); ok {
		return e.Kind
	}
	return ""
}

// put draws a change of a job, for each of the two: they differ in places and
// leases alone.
func (p *pair) put(t *rapid.T) [2]store.Put {
	job := fmt.Sprint("j", rapid.IntRange(0, 12).Draw(t, "job"))
	put := pending(job, fmt.Sprint("t", rapid.IntRange(0, 2).Draw(t, "target")))
	put.Row.Fast = rapid.IntRange(0, 5).Draw(t, "fast") == 0
	put.Row.Created, put.Row.Updated, put.Row.Due = p.now, p.now, p.now
	var out [2]store.Put
	for i, s := range []store.Store{p.j, p.m} {
		out[i] = put
		if r, err := s.Job(ctx, job); err == nil {
			out[i].Row, out[i].New = r, false
		}
	}
	if !out[0].New && rapid.IntRange(0, 9).Draw(t, "again") == 0 {
		out[0].New, out[1].New = true, true
	}
	state := rapid.SampledFrom([]store.State{store.Pending, store.Pending, store.Sending, store.Held, store.Delivered, store.DeadLetter}).Draw(t, "state")
	p.n++
	lease := rapid.IntRange(0, 3).Draw(t, "lease") > 0
	keep := rapid.Bool().Draw(t, "keep")
	tail := rapid.IntRange(0, 5).Draw(t, "tail") == 0
	attempts := rapid.IntRange(0, 5).Draw(t, "attempts")
	due := p.now.Add(time.Duration(rapid.IntRange(-1, 3).Draw(t, "due")) * time.Minute)
	hold := fmt.Sprint("h", rapid.IntRange(0, 1).Draw(t, "hold"))
	for i := range out {
		o := &out[i]
		o.Entries = entry(fmt.Sprint("e", p.n))
		o.Row.State, o.Row.Attempts, o.Row.Due, o.Row.Hold, o.Row.Updated = state, attempts, due, "", p.now
		if state == store.Held {
			o.Row.Hold = hold
		}
		if lease {
			o.Lease = p.leases[job][i]
		}
		o.Keep, o.Tail = keep, tail
	}
	return out
}

func (p *pair) commit(t *rapid.T) {
	var c [2]store.Commit
	p.commits++
	id := fmt.Sprint("c", p.commits)
	if rapid.IntRange(0, 9).Draw(t, "repeat") == 0 {
		id = fmt.Sprint("c", rapid.IntRange(1, p.commits).Draw(t, "id"))
	}
	session := fmt.Sprint("s", rapid.IntRange(0, 1).Draw(t, "session"))
	records := rapid.IntRange(0, 2).Draw(t, "records")
	var expect *ledger.Seq
	if rapid.IntRange(0, 4).Draw(t, "expects") == 0 {
		n := ledger.Seq(rapid.IntRange(0, 3).Draw(t, "expect"))
		expect = &n
	}
	for i := range c {
		c[i] = store.Commit{ID: id, Session: session, Expect: expect}
		for k := range records {
			c[i].Records = append(c[i].Records, message(fmt.Sprint(p.commits, "-", k)))
		}
	}
	seen := map[string]bool{}
	for range rapid.IntRange(0, 3).Draw(t, "puts") {
		put := p.put(t)
		if job := put[0].Row.Job; !seen[job] {
			seen[job] = true
			c[0].Jobs, c[1].Jobs = append(c[0].Jobs, put[0]), append(c[1].Jobs, put[1])
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "releases") == 0 {
		hold := fmt.Sprint("h", rapid.IntRange(0, 1).Draw(t, "release"))
		c[0].Release, c[1].Release = hold, hold
	}
	if rapid.IntRange(0, 5).Draw(t, "targets") == 0 {
		row := store.TargetRow{Target: fmt.Sprint("t", rapid.IntRange(0, 2).Draw(t, "which")), Closed: rapid.Bool().Draw(t, "closed"),
			Until: p.now.Add(time.Duration(rapid.IntRange(-1, 2).Draw(t, "until")) * time.Minute)}
		c[0].Targets, c[1].Targets = []store.TargetRow{row}, []store.TargetRow{row}
	}
	got, err := p.j.Commit(ctx, c[0])
	want, wantErr := p.m.Commit(ctx, c[1])
	if err != nil && wantErr != nil && expect != nil {
		return // of two reasons either may be told
	}
	if kind(err) != kind(wantErr) || got.First != want.First || got.Repeated != want.Repeated {
		t.Fatalf("commit %s: the journal says %+v, %v, memory %+v, %v", id, got, err, want, wantErr)
	}
}

// known leaves out what the two may differ in.
func known(rows ...store.Row) []string {
	var out []string
	for _, r := range rows {
		r.Place = 0
		out = append(out, fmt.Sprintf("%+v", r))
	}
	return out
}

func (p *pair) claim(t *rapid.T) {
	const most = 100 // of two lanes that may go alike either may go first
	got, err := p.j.Claim(ctx, p.now, most)
	want, wantErr := p.m.Claim(ctx, p.now, most)
	for _, jobs := range [][]store.Claimed{got.Jobs, want.Jobs} {
		slices.SortFunc(jobs, func(a, b store.Claimed) int { return strings.Compare(a.Row.Job, b.Row.Job) })
	}
	for _, holds := range [][]store.Row{got.Holds, want.Holds} {
		slices.SortFunc(holds, func(a, b store.Row) int { return strings.Compare(a.Job, b.Job) })
	}
	var a, b []store.Row
	for _, c := range got.Jobs {
		a = append(a, c.Row)
	}
	for i, c := range want.Jobs {
		b = append(b, c.Row)
		if i < len(got.Jobs) {
			p.leases[c.Row.Job] = [2]store.Lease{got.Jobs[i].Lease, c.Lease}
			if got.Jobs[i].Probe != c.Probe {
				t.Fatalf("claimed %s: a probe for one of them", c.Row.Job)
			}
		}
	}
	if err != nil || wantErr != nil || !slices.Equal(known(a...), known(b...)) || !slices.Equal(known(got.Holds...), known(want.Holds...)) {
		t.Fatalf("claim: the journal says\n%v %v, %v\nmemory\n%v %v, %v", known(a...), known(got.Holds...), err, known(b...), known(want.Holds...), wantErr)
	}
	if !got.Next.Equal(want.Next) && want.Next.After(p.now) {
		t.Fatalf("claim: next is %s and %s", got.Next, want.Next)
	}
}

func (p *pair) check(t *rapid.T) {
	for _, f := range []store.Filter{{}, {Target: "t1"}, {States: []store.State{store.Held}}, {Hold: "h1"}} {
		var all [2][]store.Row
		for i, s := range []store.Store{p.j, p.m} {
			for r, err := range s.Jobs(ctx, f) {
				if err != nil {
					t.Fatal(err)
				}
				all[i] = append(all[i], r)
			}
		}
		if a, b := known(all[0]...), known(all[1]...); !slices.Equal(a, b) {
			t.Fatalf("jobs of %+v: the journal lists\n%v\nmemory\n%v", f, a, b)
		}
	}
	for i := range 13 {
		job := fmt.Sprint("j", i)
		a, err := p.j.History(ctx, job)
		b, wantErr := p.m.History(ctx, job)
		if kind(err) != kind(wantErr) || fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("history of %s: %v, %v and %v, %v", job, a, err, b, wantErr)
		}
	}
	for _, s := range []string{"s0", "s1"} {
		a, err := texts(p.j, s, 1)
		b, wantErr := texts(p.m, s, 1)
		if err != nil || wantErr != nil || !slices.Equal(a, b) {
			t.Fatalf("%s: %v, %v and %v, %v", s, a, err, b, wantErr)
		}
	}
	a, _ := p.j.Targets(ctx)
	b, _ := p.m.Targets(ctx)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Fatalf("targets: the journal says\n%+v\nmemory\n%+v", a, b)
	}
}

// TestSameAsMemory asks both engines the same at random.
func TestSameAsMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &pair{now: start, fs: memfs.New(), leases: map[string][2]store.Lease{}}
		p.m = memory.New(p.clock)
		p.open(t)
		defer func() { p.j.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"commit":  p.commit,
			"commit2": p.commit,
			"claim":   p.claim,
			"wait": func(t *rapid.T) {
				p.now = p.now.Add(time.Duration(rapid.IntRange(1, 200).Draw(t, "seconds")) * time.Second)
			},
			"reopen": func(t *rapid.T) {
				p.j.Close()
				p.m.Close()
				clear(p.leases)
				p.now = p.now.Add(store.LeaseTime) // a hold that was told is told again, by one of them at once
				p.open(t)
				if err := p.m.Reopen(); err != nil {
					t.Fatal(err)
				}
			},
			"": p.check,
		})
	})
}
