package journal_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// run takes a journal through its life: steps, with rotations, a close in between
// and a compaction.
func run(fs *memfs.FS, m *model) error {
	r := rand.New(rand.NewPCG(7, 7))
	for range 2 {
		j, err := open(fs, 2<<10)
		if err != nil {
			continue // it was the opening that failed
		}
		if err := m.compare(j); err != nil {
			return err
		}
		for range 10 {
			if err := m.step(j, r); err != nil {
				return err
			}
		}
		j.Compact(ctx, start.AddDate(1, 0, 0))
		j.Close()
	}
	return nil
}

// TestFailEvery has every operation on the disk fail in turn. What was
// acknowledged is there when the journal is opened again on a disk that works.
func TestFailEvery(t *testing.T) {
	count := memfs.New()
	if err := run(count, newModel()); err != nil {
		t.Fatal(err)
	}
	total := count.Ops()
	if total < 80 {
		t.Fatalf("only %d operations", total)
	}
	for _, c := range []struct {
		name string
		err  func(op memfs.Op) error
	}{
		{"EIO", func(memfs.Op) error { return syscall.EIO }},
		{"ENOSPC", func(memfs.Op) error { return syscall.ENOSPC }},
		{"short EIO", func(op memfs.Op) error { return &memfs.Short{N: int(op.Size) / 2, Err: syscall.EIO} }},
		{"short ENOSPC", func(op memfs.Op) error { return &memfs.Short{N: int(op.Size) - 1, Err: syscall.ENOSPC} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; n <= total; n += stride {
				for _, lasting := range []bool{false, true} {
					fs, m := memfs.New(), newModel()
					var failed memfs.Op
					fs.Hook(func(op memfs.Op) error {
						if op.N == n || lasting && op.N > n {
							if op.N == n {
								failed = op
							}
							return c.err(op)
						}
						return nil
					})
					if err := run(fs, m); err != nil {
						t.Fatalf("operation %d (%s %s), lasting: %t: %v", n, failed.Kind, failed.Name, lasting, err)
					}
					fs.Hook(nil)
					j, err := open(fs, 2<<10)
					if err == nil {
						err = m.check(j)
					}
					if err == nil {
						err = m.step(j, rand.New(rand.NewPCG(1, 1)))
					}
					if err == nil {
						err = m.check(j)
					}
					if err != nil {
						t.Fatalf("after operation %d (%s %s) failed, lasting: %t: %v", n, failed.Kind, failed.Name, lasting, err)
					}
					j.Close()
				}
			}
		})
	}
}

// TestFailedSync has one sync fail: nothing is taken any more, not even when the
// disk says that it is well again.
func TestFailedSync(t *testing.T) {
	fs := memfs.New()
	j, err := open(fs, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	commit := func(text string) error {
		_, err := j.Commit(ctx, store.Commit{Session: "a", Records: []ledger.Record{message(text)}})
		return err
	}
	if err := commit("one"); err != nil {
		t.Fatal(err)
	}
	syncs := 0
	fs.Hook(func(op memfs.Op) error {
		if op.Kind == memfs.Sync {
			syncs++
			return syscall.EIO
		}
		return nil
	})
	if err := commit("two"); !errors.Is(err, store.Broken) || !errors.Is(err, syscall.EIO) {
		t.Errorf("the commit whose sync failed: %v", err)
	}
	fs.Hook(nil)
	if err := commit("three"); !errors.Is(err, store.Broken) {
		t.Errorf("the commit after it: %v", err)
	}
	if syncs != 1 {
		t.Errorf("%d syncs, a failed one is not tried again", syncs)
	}
	if h := j.Health(ctx); !errors.Is(h.ReadOnly, store.Broken) {
		t.Errorf("health says %v", h.ReadOnly)
	}
	if _, err := j.Claim(ctx, start, 1); !errors.Is(err, store.Broken) {
		t.Errorf("a claim says %v", err)
	}
	if got, err := texts(j, "a", 1); err != nil || len(got) != 1 {
		t.Errorf("what is durable is read: %v, %v", got, err)
	}
}

// TestFull fills the disk: new work is refused, accepted work goes on with the
// reserve, and all goes on when there is room.
func TestFull(t *testing.T) {
	fs := memfs.New()
	fs.SetFree(20 << 20)
	j, err := open(fs, 0)
	if err != nil {
		t.Fatal(err)
	}
	enqueue := func(job string) error {
		_, err := j.Commit(ctx, store.Commit{Session: "a", Records: []ledger.Record{message(job)}, Jobs: []store.Put{pending(job, "t")}})
		return err
	}
	accepted := 0
	settle := func() error {
		row, err := j.Job(ctx, "j0")
		if err != nil {
			return err
		}
		_, err = j.Commit(ctx, store.Commit{Settles: true, Jobs: []store.Put{{Row: row, Entries: entry("begun")}}})
		return err
	}
	if err := enqueue("j0"); err != nil {
		t.Fatal(err)
	}
	for accepted = 1; ; accepted++ {
		fs.SetFree(max(0, 2000-int64(accepted)*300))
		if err = enqueue(fmt.Sprint("j", accepted)); err != nil {
			break
		}
	}
	if !errors.Is(err, store.Full) || accepted < 3 {
		t.Fatalf("after %d: %v", accepted, err)
	}
	if err := enqueue("x"); !errors.Is(err, store.Full) {
		t.Errorf("new work: %v", err)
	}
	if h := j.Health(ctx); !errors.Is(h.NewWork, store.Full) || h.ReadOnly != nil {
		t.Errorf("health says %v, %v", h.NewWork, h.ReadOnly)
	}
	for range 5 {
		if err := settle(); err != nil {
			t.Fatalf("accepted work: %v", err)
		}
	}
	if err := enqueue("x"); !errors.Is(err, store.Full) {
		t.Errorf("new work while the reserve is used: %v", err)
	}
	got, err := texts(j, "a", 1)
	if err != nil || len(got) != accepted {
		t.Errorf("read %d of %d records, %v", len(got), accepted, err)
	}
	fs.SetFree(20 << 20)
	if err := enqueue("y"); err != nil {
		t.Fatalf("with room again: %v", err)
	}
	if h := j.Health(ctx); h.NewWork != nil {
		t.Errorf("health says %v", h.NewWork)
	}
	if n, err := fs.Size("/home/journal/reserve"); err != nil || n < 64<<10 {
		t.Errorf("the reserve has %d bytes, %v", n, err)
	}
	j.Close()
	if j, err = open(fs, 0); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if got, err := texts(j, "a", 1); err != nil || len(got) != accepted+1 || j.Health(ctx).Torn != nil {
		t.Errorf("opened again: %d of %d records, %v", len(got), accepted+1, err)
	}
}

// TestFullTogether has many enqueue at once while the disk is full half-way: each
// is there as a whole or not at all, and one that was refused can be repeated.
func TestFullTogether(t *testing.T) {
	for round := range 20 {
		fs := memfs.New()
		j, err := open(fs, 0)
		if err != nil {
			t.Fatal(err)
		}
		failed := false
		fs.Hook(func(op memfs.Op) error {
			if op.Kind == memfs.Write && strings.HasSuffix(op.Name, "1.jsonl") && !failed && op.Size > 1000 {
				failed = true
				return &memfs.Short{N: int(op.Size) * round / 20, Err: syscall.ENOSPC}
			}
			return nil
		})
		fs.SetFree(100 << 20)
		var wg sync.WaitGroup
		var mu sync.Mutex
		ok := map[string]bool{}
		for w := range 8 {
			wg.Go(func() {
				for n := range 5 {
					job := fmt.Sprint(w, "-", n)
					c := store.Commit{ID: job, Session: "a", Records: []ledger.Record{message(job)}, Jobs: []store.Put{pending(job, "t")}}
					_, err := j.Commit(ctx, c)
					if errors.Is(err, store.Full) {
						_, err = j.Commit(ctx, c)
					}
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					ok[job] = true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for range 2 {
			got, err := texts(j, "a", 1)
			if err != nil || len(got) != len(ok) || len(ok) != 40 {
				t.Fatalf("round %d: %d records of %d, %v", round, len(got), len(ok), err)
			}
			for _, job := range got {
				if r, err := j.Job(ctx, job); err != nil || !ok[r.Job] {
					t.Fatalf("round %d: %v", round, err)
				}
			}
			j.Close()
			if j, err = open(fs, 0); err != nil {
				t.Fatal(err)
			}
		}
		j.Close()
	}
}

// TestSessionBehind keeps the files of sessions from growing while the journal
// has room: readers miss nothing, and the file catches up.
func TestSessionBehind(t *testing.T) {
	for _, later := range []string{"in time", "after it was opened again", "never"} {
		t.Run(later, func(t *testing.T) {
			fs := memfs.New()
			j, err := open(fs, 1<<10)
			if err != nil {
				t.Fatal(err)
			}
			full := func(op memfs.Op) error {
				if op.Kind == memfs.Write && strings.Contains(op.Name, "sessions") {
					return &memfs.Short{N: int(op.Size) / 3, Err: syscall.ENOSPC}
				}
				return nil
			}
			var want []string
			add := func(n int) {
				for range n {
					want = append(want, textOf(1, len(want)))
					if _, err := j.Commit(ctx, store.Commit{Session: "a", Records: []ledger.Record{message(want[len(want)-1])}}); err != nil {
						t.Fatal(err)
					}
				}
			}
			same := func() {
				t.Helper()
				for from := 1; from <= len(want); from += 3 {
					got, err := texts(j, "a", ledger.Seq(from))
					if err != nil || fmt.Sprint(got) != fmt.Sprint(want[from-1:]) {
						t.Fatalf("from %d: %d records of %d, %v", from, len(got), len(want)-from+1, err)
					}
				}
			}
			add(5)
			fs.Hook(full)
			add(5)
			same()
			if err := j.Compact(ctx, start.AddDate(1, 0, 0)); err != nil {
				t.Fatal(err)
			}
			same() // nothing was removed that its file lacks
			if later == "in time" {
				fs.Hook(nil)
			}
			add(3)
			same()
			j.Close()
			if later != "never" {
				fs.Hook(nil)
			}
			if j, err = open(fs, 1<<10); err != nil {
				t.Fatal(err)
			}
			same()
			add(2)
			same()
			j.Close()
			size, err := fs.Size("/home/sessions/a.jsonl")
			if whole := 0; err == nil && later != "never" {
				for _, s := range want {
					whole += len(s)
				}
				if size < int64(whole) {
					t.Errorf("the file has %d bytes", size)
				}
			}
		})
	}
}
