package journal_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/journal"
	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

var figures = flag.Bool("figures", false, "measure, and print the table")

// kilobyte is a record of about that size, as a line.
var kilobyte = strings.Repeat("All is well that is written down. ", 26)

func opened(t testing.TB, cfg journal.Config) *journal.Journal {
	t.Helper()
	j, err := journal.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// BenchmarkCommit is one record of a kilobyte in a commit, by the number of
// writers, each with a session.
func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			j := opened(b, journal.Config{Dir: b.TempDir()})
			defer j.Close()
			b.ReportAllocs()
			b.ResetTimer()
			var left atomic.Int64
			left.Store(int64(b.N))
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					for left.Add(-1) >= 0 {
						if _, err := j.Commit(ctx, store.Commit{Session: fmt.Sprint("s", w), Records: []ledger.Record{message(kilobyte)}}); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// BenchmarkClaim is one job through the queue: claimed, begun, delivered.
func BenchmarkClaim(b *testing.B) {
	j := opened(b, journal.Config{Dir: b.TempDir(), FS: unsynced{fsys.OS}})
	defer j.Close()
	for i := range 1000 {
		if _, err := j.Commit(ctx, store.Commit{Jobs: []store.Put{pending(fmt.Sprint("j", i), fmt.Sprint("t", i))}}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		c, err := j.Claim(ctx, time.Now(), 1)
		if err != nil || len(c.Jobs) != 1 {
			b.Fatal(c, err)
		}
		r := c.Jobs[0].Row
		if _, err := j.Commit(ctx, store.Commit{Settles: true, Jobs: []store.Put{{Row: r, Lease: c.Jobs[0].Lease, Entries: entry("begun")}}}); err != nil {
			b.Fatal(err)
		}
	}
}

// unsynced leaves out what is not measured.
type unsynced struct{ fsys.FS }

func (u unsynced) Open(name string, write bool) (fsys.File, error) {
	f, err := u.FS.Open(name, write)
	return unsyncedFile{f}, err
}

func (u unsynced) Create(name string) (fsys.File, error) {
	f, err := u.FS.Create(name)
	return unsyncedFile{f}, err
}

func (u unsynced) SyncDir(string) error { return nil }

type unsyncedFile struct{ fsys.File }

func (unsyncedFile) Sync() error { return nil }

// TestFigures prints what the journal costs, as ratios to what the disk can do in
// the same run.
//
//	go test ./core/internal/journal -count=1 -run '^TestFigures$' -v -figures
func TestFigures(t *testing.T) {
	if !*figures {
		t.Skip("see -figures")
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	row := func(what, got, goal string) { fmt.Fprintf(w, "%s\t%s\t%s\n", what, got, goal) }
	row("what", "measured", "goal")

	const rounds = 9
	var raw, one, many []float64
	for range rounds {
		raw = append(raw, syncRate(t))
		one = append(one, commitRate(t, 1))
		many = append(many, commitRate(t, 64))
	}
	// What else a machine does only ever takes time away: the upper quartile counts.
	good := func(v []float64) float64 { slices.Sort(v); return v[len(v)*3/4] }
	r, o, m := good(raw), good(one), good(many)
	row("1 KB overwritten and synced, one by one", fmt.Sprintf("%.0f /s", r), "")
	row("1 KB commits, 1 writer", fmt.Sprintf("%.0f /s (%.2f×)", o, o/r), "≥ 0.5×")
	row("1 KB commits, 64 writers", fmt.Sprintf("%.0f /s (%.1f×)", m, m/r), "≥ 8×")

	const records = 1_000_000
	dir := t.TempDir()
	live := grow(t, dir, records)
	scan := reopen(t, dir)
	row(fmt.Sprintf("opened with %d records, %d live jobs, by checkpoint", records, live), fmt.Sprintf("%.2f s", scan.Seconds()), "≤ 2 s")
	names, err := filepath.Glob(filepath.Join(dir, "journal", "*.ckpt"))
	if err != nil || len(names) == 0 {
		t.Fatal("there is no checkpoint", err)
	}
	for _, name := range names {
		os.Remove(name)
	}
	row("  all read, sessions held against it", fmt.Sprintf("%.2f s", reopen(t, dir).Seconds()), "≤ 2 s")
	row("memory of a live job", fmt.Sprintf("%.0f B", perJob(t)), "≤ 200 B")
	w.Flush()
	t.Log("\n" + out.String())
}

const interval = 700 * time.Millisecond

// syncRate overwrites a file that has its blocks: the most that a disk can do.
func syncRate(t *testing.T) float64 {
	f, err := fsys.OS.Create(filepath.Join(t.TempDir(), "raw"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, 16<<20), 0); err != nil {
		t.Fatal(err)
	}
	f.Sync()
	b := []byte(kilobyte)
	n, begun := 0, time.Now()
	for ; time.Since(begun) < interval; n++ {
		if _, err := f.WriteAt(b, int64(n%16_000)<<10); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	return float64(n) / time.Since(begun).Seconds()
}

func commitRate(t *testing.T, writers int) float64 {
	j := opened(t, journal.Config{Dir: t.TempDir()})
	defer j.Close()
	var n atomic.Int64
	var wg sync.WaitGroup
	begun := time.Now()
	for w := range writers {
		wg.Go(func() {
			for time.Since(begun) < interval {
				if _, err := j.Commit(ctx, store.Commit{Session: fmt.Sprint("s", w), Records: []ledger.Record{message(kilobyte)}}); err != nil {
					t.Error(err)
					return
				}
				n.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(n.Load()) / time.Since(begun).Seconds()
}

// grow makes a journal of records of 300 bytes in 1000 sessions; every fourth
// comes with a job, of which one in ten stays.
func grow(t *testing.T, dir string, records int) (live int) {
	j := opened(t, journal.Config{Dir: dir, FS: unsynced{fsys.OS}})
	text := kilobyte[:120]
	for i := range records {
		c := store.Commit{Session: fmt.Sprint("s", i%1000), Records: []ledger.Record{message(text)}}
		switch {
		case i%4 == 0:
			c.Jobs = []store.Put{pending(fmt.Sprint("job-", i), fmt.Sprint("t", i%97))}
			live++
		case i%4 == 2 && i%40 != 2:
			r, err := j.Job(ctx, fmt.Sprint("job-", i-2))
			if err != nil {
				t.Fatal(err)
			}
			r.State = store.Delivered
			c.Jobs = []store.Put{{Row: r, Entries: entry("delivered")}}
			live--
		}
		if _, err := j.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	return live
}

// reopen is the least time of opening a journal three times.
func reopen(t *testing.T, dir string) time.Duration {
	var all []time.Duration
	for range 3 {
		begun := time.Now()
		j := opened(t, journal.Config{Dir: dir})
		all = append(all, time.Since(begun))
		if h := j.Health(ctx); h.NewWork != nil || h.ReadOnly != nil || len(h.Torn) != 0 {
			t.Fatalf("health is %+v", h)
		}
		j.Close()
	}
	slices.Sort(all)
	return all[0]
}

// perJob is the memory that a live job takes in an open journal.
func perJob(t *testing.T) float64 {
	const jobs = 100_000
	dir := t.TempDir()
	j := opened(t, journal.Config{Dir: dir, FS: unsynced{fsys.OS}})
	for i := 0; i < jobs; i += 100 {
		var c store.Commit
		for k := range 100 {
			c.Jobs = append(c.Jobs, pending(fmt.Sprint("job-", i+k), fmt.Sprint("t", k)))
		}
		if _, err := j.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	j = opened(t, journal.Config{Dir: dir})
	after := heap()
	j.Close()
	return float64(after-before) / jobs
}
