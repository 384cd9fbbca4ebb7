package journal_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/internal/journal"
	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

var (
	ctx   = context.Background()
	start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
)

// A model is what was asked of a journal and what it answered.
type model struct {
	small    bool // short texts
	n        int
	sessions map[string][]string // texts, in the order in which they were committed
	acked    map[string]int      // how many of them were acknowledged
	jobs     map[string][]string // entries of each job
	jobAcked map[string]int
	done     map[string]bool // jobs that may be finished
}

func newModel() *model {
	return &model{sessions: map[string][]string{}, acked: map[string]int{}, jobs: map[string][]string{}, jobAcked: map[string]int{}, done: map[string]bool{}}
}

func message(text string) ledger.Record {
	return ledger.Record{Time: start, Body: &ledger.Message{Role: ledger.User, Markdown: text}}
}

func entry(kind string) []store.Entry { return []store.Entry{{Time: start, Kind: kind}} }

func pending(job, target string) store.Put {
	return store.Put{New: true, Entries: entry("queued"), Row: store.Row{
		Job: job, Target: target, State: store.Pending, Due: start, Created: start, Updated: start,
	}}
}

// step commits something at random: records and a new job, or a change of a job.
// It tells the model before, what it asks, and behind, what was acknowledged.
func (m *model) step(j *journal.Journal, r *rand.Rand) error {
	m.n++
	session, size := fmt.Sprint("s", r.IntN(4)), r.IntN(3)*r.IntN(700)
	if m.small {
		size = r.IntN(20)
	}
	text := fmt.Sprint(m.n, ":", strings.Repeat("x", size))
	job := fmt.Sprint("j", m.n)
	c := store.Commit{ID: fmt.Sprint("c", m.n), Session: session, Settles: r.IntN(4) == 0}
	for i := range 1 + r.IntN(2) {
		c.Records = append(c.Records, message(fmt.Sprint(text, i)))
	}
	switch r.IntN(3) {
	case 0:
		c.Jobs = []store.Put{pending(job, fmt.Sprint("t", r.IntN(3)))}
	case 1:
		if m.n > 1 {
			job = fmt.Sprint("j", 1+r.IntN(m.n-1))
			if row, err := j.Job(ctx, job); err == nil && row.State.Live() {
				state := store.Pending
				if r.IntN(3) == 0 {
					state, m.done[job] = store.Delivered, true
				}
				row.State = state
				c.Jobs = []store.Put{{Row: row, Entries: entry(fmt.Sprint("e", m.n))}}
			}
		}
	}
	before := m.sessions[session]
	for i := range c.Records {
		m.sessions[session] = append(m.sessions[session], fmt.Sprint(text, i))
	}
	if len(c.Jobs) > 0 {
		m.jobs[job] = append(m.jobs[job], c.Jobs[0].Entries[0].Kind)
	}
	done, err := j.Commit(ctx, c)
	switch {
	case err == nil:
		m.acked[session] = len(m.sessions[session])
		if int(done.First) != len(before)+1 {
			return fmt.Errorf("commit %d got seq %d, not %d", m.n, done.First, len(before)+1)
		}
		if len(c.Jobs) > 0 {
			m.jobAcked[job] = len(m.jobs[job])
		}
	case !errors.Is(err, store.Broken): // then nothing of it may be there
		m.sessions[session] = before
		if len(c.Jobs) > 0 {
			m.jobs[job] = m.jobs[job][:len(m.jobs[job])-1]
		}
	}
	return nil
}

// check holds a journal to the model: what was acknowledged is there, and what is
// there was asked for, in order.
func (m *model) check(j *journal.Journal) error {
	h := j.Health(ctx)
	if h.NewWork != nil || h.ReadOnly != nil {
		return fmt.Errorf("health: %v, %v", h.NewWork, h.ReadOnly)
	}
	return m.compare(j)
}

// compare is the same, of a journal that may not be well.
func (m *model) compare(j *journal.Journal) error {
	for session, want := range m.sessions {
		got, err := texts(j, session, 1)
		if err != nil {
			return err
		}
		if len(got) < m.acked[session] || len(got) > len(want) {
			return fmt.Errorf("%s has %d records, %d were acknowledged of %d", session, len(got), m.acked[session], len(want))
		}
		for i, text := range got {
			if text != want[i] {
				return fmt.Errorf("%s has another record %d", session, i+1)
			}
		}
		m.sessions[session], m.acked[session] = got, len(got)
		if n := len(got); n > 1 {
			if tail, err := texts(j, session, ledger.Seq(n)); err != nil || len(tail) != 1 || tail[0] != got[n-1] {
				return fmt.Errorf("the last record of %s reads otherwise from its end: %v", session, err)
			}
		}
	}
	for job, want := range m.jobs {
		all, err := j.History(ctx, job)
		if errors.Is(err, store.NotFound) {
			if m.done[job] {
				continue // and forgotten
			}
			err = nil
		}
		if err != nil {
			return err
		}
		if m.done[job] && len(all) < m.jobAcked[job] {
			want = want[m.jobAcked[job]-len(all):] // what was before is older than what is kept
			m.jobAcked[job] = len(all)
		}
		if len(all) < m.jobAcked[job] || len(all) > len(want) {
			return fmt.Errorf("%s has %d entries, %d were acknowledged of %d", job, len(all), m.jobAcked[job], len(want))
		}
		for i := range all {
			if all[i].Kind != want[i] {
				return fmt.Errorf("%s has another entry %d", job, i)
			}
		}
		m.jobs[job], m.jobAcked[job] = want[:len(all):len(all)], len(all)
	}
	return nil
}

func texts(s store.Store, session string, from ledger.Seq) ([]string, error) {
	var out []string
	for b, err := range s.Read(ctx, session, from) {
		if err != nil {
			return nil, err
		}
		r, err := ledger.Parse(b)
		if err != nil {
			return nil, err
		}
		out = append(out, r.Body.(*ledger.Message).Markdown)
	}
	return out, nil
}

func open(fs *memfs.FS, bytes int64) (*journal.Journal, error) {
	return journal.Open(ctx, journal.Config{Dir: "/home", FS: fs, SegmentBytes: bytes, ReserveBytes: 64 << 10, Now: func() time.Time { return start.Add(time.Hour) }})
}

// TestCrash loses the machine's power again and again, at any operation on the
// disk, also while the journal is being opened.
func TestCrash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		segment := rapid.SampledFrom([]int64{1 << 10, 8 << 10, 1 << 20}).Draw(t, "segment")
		r := rand.New(rand.NewPCG(seed, 1))
		fs, m := memfs.New(), newModel()
		for life := range 4 {
			var crashed *memfs.FS
			at := r.IntN(60) + fs.Ops()
			var mu sync.Mutex
			fs.Hook(func(op memfs.Op) error {
				mu.Lock()
				defer mu.Unlock()
				if crashed != nil {
					return syscall.EIO // nobody is there any more to answer
				}
				if op.N > at {
					if op.Kind == memfs.Write && r.IntN(2) == 0 {
						return &memfs.Short{N: r.IntN(int(op.Size) + 1), Err: syscall.EIO}
					}
					crashed = fs.Crash(r)
					return syscall.EIO
				}
				return nil
			})
			j, err := open(fs, segment)
			if err == nil {
				if life > 0 && j.Health(ctx).ReadOnly == nil {
					if err := m.check(j); err != nil {
						t.Fatalf("life %d: %v", life, err)
					}
				}
				for i := range 40 {
					if err := m.step(j, r); err != nil {
						t.Fatalf("life %d: %v", life, err)
					}
					if i%10 == 9 {
						j.Compact(ctx, start.AddDate(1, 0, 0)) // whose error is the crash
					}
				}
				j.Close()
			}
			mu.Lock()
			if crashed == nil {
				crashed = fs.Crash(r)
			}
			fs = crashed
			mu.Unlock()
		}
		j, err := open(fs, segment)
		if err != nil {
			t.Fatalf("the last life: %v", err)
		}
		if err := m.check(j); err != nil {
			t.Fatalf("the last life: %v", err)
		}
		if err := m.step(j, r); err != nil {
			t.Fatal(err)
		}
		if err := m.check(j); err != nil {
			t.Fatalf("one step on: %v", err)
		}
		j.Close()
	})
}

// TestCrashTogether loses the power under several writers, whose commits are
// written together.
func TestCrashTogether(t *testing.T) {
	for range 150 {
		seed := rand.Uint64() // it chooses what is lost; the order of the writers is anybody's
		r := rand.New(rand.NewPCG(seed, 2))
		fs := memfs.New()
		const writers = 6
		counts := make([]int, writers) // of records that were acknowledged
		for life := range 4 {
			var mu sync.Mutex
			var crashed *memfs.FS
			at := r.IntN(40) + fs.Ops()
			fs.Hook(func(op memfs.Op) error {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case crashed != nil:
					return syscall.EIO
				case op.N > at && op.Kind == memfs.Sync: // when there is most to lose
					crashed = fs.Crash(r)
					return syscall.EIO
				}
				return nil
			})
			j, err := open(fs, 16<<10)
			if err == nil {
				var wg sync.WaitGroup
				for w := range writers {
					wg.Go(func() {
						have, err := texts(j, fmt.Sprint("s", w), 1)
						if err != nil || len(have) < counts[w] || j.Health(ctx).NewWork != nil {
							t.Errorf("life %d: writer %d has %d records of %d, %v, %v", life, w, len(have), counts[w], err, j.Health(ctx).NewWork)
							return
						}
						for n := len(have); n < len(have)+30; n++ {
							for i, text := range have {
								if i < n && text != textOf(w, i) {
									t.Errorf("life %d: writer %d has another record %d", life, w, i)
									return
								}
							}
							if _, err := j.Commit(ctx, store.Commit{Session: fmt.Sprint("s", w), Records: []ledger.Record{message(textOf(w, n))}}); err != nil {
								return
							}
							counts[w] = n + 1
						}
					})
				}
				wg.Wait()
				j.Close()
			}
			mu.Lock()
			if crashed == nil {
				crashed = fs.Crash(r)
			}
			fs = crashed
			mu.Unlock()
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func textOf(writer, n int) string {
	return fmt.Sprint(writer, "-", n, strings.Repeat("y", (writer*131+n*37)%900))
}
