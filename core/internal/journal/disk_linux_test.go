package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-1ae66336/vak/core/internal/journal"
	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// TestShortWrites has the kernel write half a batch, by a limit on the size of
// files, while two writers enqueue.
func TestShortWrites(t *testing.T) {
	if dir := os.Getenv("VAK_TEST_LIMIT"); dir != "" {
		limited(t, dir)
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestShortWrites$", "-test.v")
	cmd.Env = append(os.Environ(), "VAK_TEST_LIMIT="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rep, err := journal.Verify(ctx, dir)
	if err != nil || len(rep.Problems) != 0 || rep.Tail != 0 {
		t.Fatalf("it verifies as %+v, %v", rep, err)
	}
	j, err := journal.Open(ctx, journal.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	acked := 0
	for line := range strings.Lines(string(out)) {
		if job, ok := strings.CutPrefix(strings.TrimSpace(line), "acked "); ok {
			acked++
			if _, err := j.Job(ctx, job); err != nil {
				t.Errorf("%s was acknowledged: %v", job, err)
			}
		}
	}
	jobs := 0
	for range j.Jobs(ctx, store.Filter{}) {
		jobs++
	}
	if h := j.Health(ctx); acked < 11 || jobs != acked || len(h.Torn) != 0 || h.NewWork != nil {
		t.Errorf("%d jobs, %d acknowledged, health %+v", jobs, acked, h)
	}
}

// limited enqueues in a child that may not write large files, until it may.
func limited(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	j, err := journal.Open(ctx, journal.Config{Dir: dir, ReserveBytes: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	enqueue := func(job string) error {
		_, err := j.Commit(ctx, store.Commit{Session: "s" + job[:1], Records: []ledger.Record{message(job)}, Jobs: []store.Put{pending(job, "t")}})
		if err == nil {
			fmt.Println("acked", job)
		}
		return err
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for round := range 10 {
		size, err := os.Stat(filepath.Join(dir, "journal", fmt.Sprintf("%020d.jsonl", 1)))
		if err != nil {
			t.Fatal(err)
		}
		low := limit
		low.Cur = uint64(size.Size()) + 500 + uint64(round)*37
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &low); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		for w := range 2 {
			wg.Go(func() {
				for n := range 5 {
					err := enqueue(fmt.Sprintf("%d-%d-%d", w, round, n))
					mu.Lock()
					switch {
					case errors.Is(err, store.Full):
						refused++
					case err != nil:
						t.Error(err)
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		if err := enqueue(fmt.Sprintf("9-%d", round)); err != nil {
			t.Errorf("with room again: %v", err)
		}
	}
	if refused < 10 {
		t.Errorf("%d were refused", refused)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

// TestReadOnly opens a journal that may not be written to, whole and torn: it is
// read.
func TestReadOnly(t *testing.T) {
	for _, torn := range []bool{false, true} {
		fs, m := sound(t, 1<<10, 6)
		if torn {
			all := segments(fs)
			f, _ := fs.Open(all[len(all)-1], true)
			size, _ := f.Size()
			f.WriteAt([]byte(`{"v":1,"n":`), size)
		}
		fs.Hook(func(memfs.Op) error { return syscall.EROFS })
		j, err := open(fs, 1<<10)
		if err != nil {
			t.Fatal(err)
		}
		if h := j.Health(ctx); torn != (h.ReadOnly != nil) {
			t.Errorf("torn: %t: health says %v", torn, h.ReadOnly)
		}
		_, err = j.Commit(ctx, store.Commit{Begin: "a/1"})
		if !errors.Is(err, store.Broken) || !errors.Is(err, syscall.EROFS) {
			t.Errorf("torn: %t: a commit: %v", torn, err)
		}
		if err := m.compare(j); err != nil {
			t.Errorf("torn: %t: %v", torn, err)
		}
		j.Close()
	}
}

// TestModes looks at what the journal leaves on a real disk: files that nobody
// else reads, and no descriptor.
func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	before, _ := os.ReadDir("/proc/self/fd")
	for range 3 {
		j, err := journal.Open(ctx, journal.Config{Dir: dir, SegmentBytes: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 200 {
			if _, err := j.Commit(ctx, store.Commit{Session: fmt.Sprint("s", n), Records: []ledger.Record{message("x")}}); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := texts(j, "s7", 1); err != nil || len(got) == 0 {
			t.Error(err)
		}
		if err := j.Compact(ctx, start.AddDate(10, 0, 0)); err != nil {
			t.Error(err)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
	if after, _ := os.ReadDir("/proc/self/fd"); len(after) != len(before) {
		t.Errorf("%d descriptors, %d before", len(after), len(before))
	}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			t.Error(err)
			return nil
		}
		st, err := d.Info()
		if want := map[bool]os.FileMode{true: os.ModeDir | 0o700, false: 0o600}[d.IsDir()]; err != nil || st.Mode() != want {
			t.Errorf("%s is %v, %v", path, st.Mode(), err)
		}
		return nil
	})
	b, err := os.ReadFile(filepath.Join(dir, "sessions", "s7.jsonl"))
	if err != nil || bytes.Count(b, []byte{'\n'}) != 3 {
		t.Errorf("the session's file is %q, %v", b, err)
	}
}

// TestLinks refuses a segment that is a link: what it leads to is not ours.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	j, err := journal.Open(ctx, journal.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	name := filepath.Join(dir, "sessions", "a.jsonl")
	victim := filepath.Join(dir, "victim")
	if err := errors.Join(os.WriteFile(victim, []byte("keep me"), 0o600), os.Symlink(victim, name)); err != nil {
		t.Fatal(err)
	}
	if j, err = journal.Open(ctx, journal.Config{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	j.Commit(ctx, store.Commit{Session: "a", Records: []ledger.Record{message("x")}})
	if b, _ := os.ReadFile(victim); string(b) != "keep me" {
		t.Errorf("the file behind the link is %q", b)
	}
}
