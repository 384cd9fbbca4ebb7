package journal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/journal"
	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// TestCompact lets a month go by: what is finished is forgotten, what is alive is
// there with its whole history, and no record is lost.
func TestCompact(t *testing.T) {
	fs, now := memfs.New(), start
	var j *journal.Journal
	reopen := func(fs *memfs.FS) {
		t.Helper()
		if j != nil {
			j.Close()
		}
		var err error
		j, err = journal.Open(ctx, journal.Config{Dir: "/home", FS: fs, SegmentBytes: 1 << 10, ReserveBytes: 1 << 10, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
	}
	reopen(fs)
	var said []string
	commit := func(c store.Commit) store.Committed {
		t.Helper()
		done, err := j.Commit(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	talk := func(n int) {
		t.Helper()
		for range n {
			said = append(said, textOf(3, len(said)))
			commit(store.Commit{Session: "a", Records: []ledger.Record{message(said[len(said)-1])}})
		}
	}
	change := func(job string, lease store.Lease, state store.State, kind string) error {
		r, err := j.Job(ctx, job)
		if err != nil {
			t.Fatal(err)
		}
		r.State = state
		_, err = j.Commit(ctx, store.Commit{Jobs: []store.Put{{Row: r, Lease: lease, Entries: entry(kind)}}})
		return err
	}
	held := pending("held", "t")
	held.Row.State, held.Row.Hold = store.Held, "turn"
	commit(store.Commit{ID: "once", Jobs: []store.Put{held, pending("first", "t"), pending("second", "t"), pending("touched", "u"), pending("done", "v")}, Begin: "a/1"})
	commit(store.Commit{Targets: []store.TargetRow{{Target: "t", Closed: true, Why: "gone"}}})
	for _, err := range []error{change("first", 0, store.Pending, "again"), change("done", 0, store.Delivered, "delivered")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	talk(20)
	count := len(segments(fs))
	if err := j.Compact(ctx, now.AddDate(0, 0, 29)); err != nil || len(segments(fs)) != count {
		t.Fatalf("before its time: %d segments of %d, %v", len(segments(fs)), count, err)
	}
	now = now.AddDate(0, 0, 20)
	if err := change("touched", 0, store.Pending, "touched"); err != nil {
		t.Fatal(err)
	}
	talk(20)
	now = now.AddDate(0, 0, 11) // the 31st
	commit(store.Commit{Targets: []store.TargetRow{{Target: "t", Closed: true, Why: "gone"}}})
	claims, err := j.Claim(ctx, now, 10)
	if err != nil || len(claims.Jobs) != 1 || claims.Jobs[0].Row.Job != "touched" {
		t.Fatalf("claimed %+v, %v", claims, err)
	}
	count = len(segments(fs))
	if err := j.Compact(ctx, now); err != nil || !strings.HasSuffix(segments(fs)[0], "01.jsonl") {
		t.Fatalf("while a job is being sent: the first segment is %s, %v", segments(fs)[0], err)
	}
	if err := change("touched", claims.Jobs[0].Lease, store.Pending, "failed"); err != nil {
		t.Fatalf("its claim has to hold: %v", err)
	}
	if err := j.Compact(ctx, now); err != nil {
		t.Fatal(err)
	}
	if n := len(segments(fs)); n >= count-3 {
		t.Fatalf("%d segments of %d are left", n, count)
	}
	if h := j.Health(ctx); h.Segments != len(segments(fs)) || h.Oldest.IsZero() {
		t.Errorf("health is %+v", h)
	}
	check := func(why string) {
		t.Helper()
		for job, want := range map[string]string{"held": "queued", "first": "queued again", "second": "queued", "touched": "queued touched failed"} {
			all, err := j.History(ctx, job)
			var kinds []string
			for _, e := range all {
				kinds = append(kinds, e.Kind)
			}
			if got := strings.Join(kinds, " "); err != nil || got != want {
				t.Errorf("%s: history of %s is %s, %v, want %s", why, job, got, err, want)
			}
		}
		if _, err := j.Job(ctx, "done"); !errors.Is(err, store.NotFound) {
			t.Errorf("%s: a job that is done: %v", why, err)
		}
		if got, err := texts(j, "a", 1); err != nil || !slices.Equal(got, said) {
			t.Errorf("%s: %d records of %d, %v", why, len(got), len(said), err)
		}
		var order []string
		for r, err := range j.Jobs(ctx, store.Filter{Target: "t"}) {
			if err != nil {
				t.Fatal(err)
			}
			order = append(order, r.Job)
		}
		if fmt.Sprint(order) != "[first second held]" {
			t.Errorf("%s: the lane is %v", why, order)
		}
		if h := j.Health(ctx); h.NewWork != nil || h.ReadOnly != nil {
			t.Errorf("%s: %v, %v", why, h.NewWork, h.ReadOnly)
		}
	}
	check("compacted")
	reopen(fs)
	check("opened again")
	if all, _ := j.Targets(ctx); len(all) != 2 || !all[0].Closed {
		t.Errorf("targets are %+v", all)
	}
	if open, _ := j.OpenTurns(ctx); len(open) != 1 {
		t.Errorf("open turns are %v", open)
	}
	reopen(bare(fs))
	check("without checkpoints")
	reopen(fs)
	if commit(store.Commit{ID: "once", Begin: "a/2"}).Repeated {
		t.Error("the id of a commit is kept longer than it has to be")
	}
	commit(store.Commit{Release: "turn"})
	if all, err := j.History(ctx, "held"); err != nil || len(all) != 2 {
		t.Errorf("a history that goes on: %v, %v", all, err)
	}
	if rep, err := journal.VerifyFS(ctx, fs, "/home"); err != nil || len(rep.Problems) != 0 {
		t.Errorf("it verifies as %+v, %v", rep, err)
	}
	j.Close()
}

// TestClockBack opens a journal whose last lines are of tomorrow: what was due in a
// minute is due in a minute.
func TestClockBack(t *testing.T) {
	for _, segment := range []int64{100, 0} { // with a checkpoint and without
		fs, now := memfs.New(), start.AddDate(0, 0, 1)
		clock := func() time.Time { return now }
		cfg := journal.Config{Dir: "/home", FS: fs, SegmentBytes: segment, ReserveBytes: 1 << 10, Now: clock}
		j, err := journal.Open(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		p := pending("j", "t")
		p.Row.Updated, p.Row.Due = now, now.Add(time.Minute)
		if _, err := j.Commit(ctx, store.Commit{Jobs: []store.Put{p}}); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Commit(ctx, store.Commit{Session: "a", Records: []ledger.Record{message("behind the checkpoint")}}); err != nil {
			t.Fatal(err)
		}
		j.Close()
		now = start
		if j, err = journal.Open(ctx, cfg); err != nil {
			t.Fatal(err)
		}
		c, err := j.Claim(ctx, now, 10)
		if err != nil || len(c.Jobs) != 0 || !c.Next.Equal(now.Add(time.Minute)) {
			t.Errorf("segments of %d: it asks to be asked at %s, %v", segment, c.Next, err)
		}
		j.Close()
	}
}
