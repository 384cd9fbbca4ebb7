package epoch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
)

const home = "/home/catalog"

// whole fails unless the store lists epochs of the samples 0 to most, all of them
// whole, the newest of which is no older than least.
func whole(t *testing.T, s *Store, least, most int) {
	t.Helper()
	if p := s.Problems(); len(p) > 1 { // a cut line may end in its line break
		t.Fatal(p)
	}
	newest := 0
	for _, e := range s.Entries() {
		found := false
		for n := 1; n <= most; n++ {
			if want := sample(n); e.Digest == digestOf(t, want) {
				found, newest = true, max(newest, n)
				loaded(t, s, e.Digest, want)
			}
		}
		if !found {
			t.Fatalf("%v was never published", e)
		}
	}
	if newest < least {
		t.Fatalf("the newest is epoch %d, and %d was acknowledged", newest, least)
	}
}

func digestOf(t *testing.T, e *Epoch) string {
	t.Helper()
	d, err := Digest(e)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestPowerLoss takes the power at every operation of three publications, some of
// which an earlier process was killed in. What was acknowledged is there, and what
// is listed is whole; numbers grow.
func TestPowerLoss(t *testing.T) {
	const publications = 3
	ops := 1
	for op := 1; op <= ops; op++ {
		for seed := range uint64(8) {
			m := memfs.New()
			var crashed *memfs.FS
			var mu sync.Mutex
			r := rand.New(rand.NewPCG(seed, uint64(op)))
			var acked, ackedAtCrash atomic.Int64
			var number, numberAtCrash uint64
			m.Hook(func(o memfs.Op) error {
				mu.Lock()
				defer mu.Unlock()
				if o.N == op && crashed == nil {
					crashed = m.Crash(r)
					ackedAtCrash.Store(acked.Load())
					numberAtCrash = number
				}
				return nil
			})
			for n := 1; n <= publications; n++ {
				s := opened(t, home, m) // each by another process
				e, err := s.Publish(sample(n), start)
				if err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				number = e.Number
				mu.Unlock()
				acked.Store(int64(n))
			}
			ops = max(ops, m.Ops())
			if crashed == nil {
				continue // the last operations are not the same number every time
			}
			if survived(t, fmt.Sprintf("operation %d, seed %d", op, seed), crashed, int(ackedAtCrash.Load()), numberAtCrash, publications); t.Failed() {
				return
			}
		}
	}
	if ops < 30 {
		t.Errorf("there were only %d operations", ops)
	}
}

func survived(t *testing.T, where string, m *memfs.FS, acked int, number uint64, most int) {
	t.Run(where, func(t *testing.T) {
		s := opened(t, home, m)
		whole(t, s, acked, most)
		next, err := s.Publish(sample(most+1), start)
		if err != nil {
			t.Fatal(err)
		}
		if next.Number <= number {
			t.Fatalf("the next number is %d, and %d was given", next.Number, number)
		}
		again := opened(t, home, m)
		whole(t, again, most+1, most+1)
		if e, _ := again.Current(); e != next {
			t.Fatalf("the current one is %v, want %v", e, next)
		}
	})
}

// TestKilledThenPowerLoss: names that a killed process did not make durable are so
// before an epoch is listed that needs them.
func TestKilledThenPowerLoss(t *testing.T) {
	died := errors.New("killed")
	for op, through := 1, false; !through; op++ {
		for seed := range uint64(8) {
			m := memfs.New()
			if err := m.Mkdir(filepath.Dir(home)); err != nil { // the lock of the home is there before
				t.Fatal(err)
			}
			first := m.Ops()
			m.Hook(func(o memfs.Op) error {
				if o.N >= first+op {
					return died
				}
				return nil
			})
			_, err := opened(t, home, m).Publish(sample(1), start)
			through = err == nil
			m.Hook(nil)
			e, err2 := opened(t, home, m).Publish(sample(1), start)
			if err2 != nil {
				t.Fatalf("killed at %d (%v): %v", op, err, err2)
			}
			s := opened(t, home, m.Crash(rand.New(rand.NewPCG(seed, uint64(op)))))
			if got, ok := s.Current(); !ok || got != e {
				t.Fatalf("killed at operation %d, seed %d: after a power cut there is %v, want %v", op, seed, got, e)
			}
			whole(t, s, 1, 1)
		}
		if through && op < 10 {
			t.Errorf("there were only %d operations", op)
		}
	}
}

// TestFailures has every operation fail once. The store goes on with the epoch of
// before, and publishes as soon as the disk lets it.
func TestFailures(t *testing.T) {
	for _, fault := range []error{syscall.EIO, &memfs.Short{N: 5, Err: syscall.ENOSPC}} {
		failed := 0
		ops := 1
		for op := 1; op <= ops; op++ {
			m := memfs.New()
			s := opened(t, home, m)
			base := published(t, s, sample(1), 1)
			first := m.Ops()
			m.Hook(func(o memfs.Op) error {
				if o.N == first+op {
					return fault
				}
				return nil
			})
			e, err := s.Publish(sample(2), start)
			ops = max(ops, m.Ops()-first)
			m.Hook(nil)
			if err != nil {
				failed++
				if f, ok := errors.AsType[*fsys.Error](err); !ok || f.Mend == "" || f.File == "" {
					t.Fatalf("operation %d: %v, want an Error", op, err)
				}
				if got, _ := s.Current(); got != base {
					t.Fatalf("operation %d: after an error the current epoch is %v", op, got)
				}
				if e, err = s.Publish(sample(2), start); err != nil {
					t.Fatal(err)
				}
			}
			again := opened(t, home, m)
			if got, _ := again.Current(); got != e || e.Number < 2 {
				t.Fatalf("operation %d: read again the current one is %v, want %v", op, got, e)
			}
			if p := again.Problems(); len(p) > 0 {
				t.Fatalf("operation %d: %q", op, p)
			}
			whole(t, again, 2, 2)
		}
		if failed < 5 {
			t.Errorf("%v: only %d operations failed", fault, failed)
		}
	}
}

// TestSeenNumberIsNotGivenAgain: a reader may see a line that could not be made
// durable.
func TestSeenNumberIsNotGivenAgain(t *testing.T) {
	m := memfs.New()
	s := opened(t, home, m)
	published(t, s, sample(1), 1)
	var seen Entry
	m.Hook(func(o memfs.Op) error {
		if o.Kind == memfs.Sync && filepath.Base(o.Name) == listName {
			seen, _ = opened(t, home, m).Current()
			return syscall.EIO
		}
		return nil
	})
	if _, err := s.Publish(sample(2), start); err == nil || seen.Number != 2 {
		t.Fatalf("a reader saw %v, %v", seen, err)
	}
	m.Hook(nil)
	if e, ok := opened(t, home, m).Current(); !ok || e.Number != 1 {
		t.Errorf("what could not be listed is: %v", e)
	}
	published(t, s, sample(3), 3)
}

// TestReaders: whoever opens the directory, or asks the store, while epochs are
// published finds whole ones, and never an older one than before.
func TestReaders(t *testing.T) {
	const publications = 40
	dir := filepath.Join(t.TempDir(), "catalog")
	s := opened(t, dir, fsys.OS)
	published(t, s, sample(1), 1)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for r := range 4 {
		wg.Go(func() {
			last := uint64(0)
			for {
				at := s
				if r%2 == 0 {
					var err error
					if at, err = Open(dir); err != nil {
						t.Error(err)
						return
					}
				}
				e, ok := at.Current()
				if !ok || e.Number < last {
					t.Errorf("after %d a reader found %v", last, e)
					return
				}
				last = e.Number
				got, err := at.Load(e.Digest)
				if err != nil {
					t.Error(err)
					return
				}
				if want := sample(int(e.Number)); !reflect.DeepEqual(got, want) {
					t.Errorf("epoch %d is\n%+v\nwant\n%+v", e.Number, got, want)
					return
				}
				if p := at.Problems(); len(p) > 0 {
					t.Error(p)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for n := 2; n <= publications; n++ {
		if _, err := s.Publish(sample(n), start); err != nil {
			t.Error(err)
			break
		}
	}
	close(done)
	wg.Wait()
}

// TestReadersDoNotWait: the disk is slow, and what is there can be asked meanwhile.
func TestReadersDoNotWait(t *testing.T) {
	m := memfs.New()
	s := opened(t, home, m)
	first := published(t, s, sample(1), 1)
	asked := 0
	m.Hook(func(o memfs.Op) error {
		if o.Kind == memfs.Sync && filepath.Base(o.Name) == listName {
			if e, ok := s.Current(); ok && e == first {
				asked++
			}
			if e, ok := s.Entry(1); ok && e == first {
				asked++
			}
		}
		return nil
	})
	published(t, s, sample(2), 2)
	if asked != 2 {
		t.Error("the store gave no answer while it was writing")
	}
}
