package home

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestDir(t *testing.T) {
	t.Setenv(Env, "")
	for _, c := range []struct {
		goos, env, value, want, why string
	}{
		{"linux", "", "", "/u/.local/share", "the specification's default"},
		{"linux", "XDG_DATA_HOME", "/data", "/data", "the variable wins"},
		{"linux", "XDG_DATA_HOME", "data", "/u/.local/share", "a relative one counts for nothing"},
		{"darwin", "XDG_DATA_HOME", "/data", "/u/Library/Application Support", "the platform has its own place"},
		{"windows", "LocalAppData", "/local", "/local", "the platform has its own place"},
	} {
		env := func(k string) string {
			if k == c.env {
				return c.value
			}
			return ""
		}
		got, err := dataDir(c.goos, env, func() (string, error) { return "/u", nil })
		if err != nil || filepath.ToSlash(got) != c.want {
			t.Errorf("%s: %s: got %q, %v, want %q", c.why, c.goos, got, err, c.want)
		}
	}
	if _, err := dataDir("windows", func(string) string { return "" }, nil); err == nil {
		t.Error("windows without %LocalAppData% has a data directory")
	}
	dir := t.TempDir()
	t.Setenv(Env, dir)
	if got, err := Dir(""); err != nil || got != dir {
		t.Errorf("with %s: %q, %v", Env, got, err)
	}
	if got, err := Dir("rel"); err != nil || !filepath.IsAbs(got) || filepath.Base(got) != "rel" {
		t.Errorf("configured: %q, %v", got, err)
	}
}

func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "home")
	if _, held, err := Find(dir); held || err != nil {
		t.Fatalf("a home that is not there: %v, %v", held, err)
	}
	l, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
		t.Errorf("the home is %v, %v", st.Mode(), err)
	}
	if st, err := os.Stat(filepath.Join(dir, LockName)); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("the lock is %v, %v", st.Mode(), err)
	}
	me := Holder{PID: os.Getpid(), Started: time.Now().Round(0).UTC(), Version: "1.2.3", Control: "/run/c"}
	if err := l.Say(Holder{PID: os.Getpid(), Version: strings.Repeat("long", 100)}); err != nil {
		t.Fatal(err)
	}
	if err := l.Say(me); err != nil {
		t.Fatal(err)
	}
	if h, held, err := Find(dir); h != me || !held || err != nil {
		t.Errorf("found %+v, %v, %v", h, held, err)
	}
	_, err = Take(dir)
	e, ok := errors.AsType[*Error](err)
	if !ok || !errors.Is(err, ErrHeld) || e.Holder != me || !strings.Contains(err.Error(), "vak 1.2.3") || !strings.Contains(err.Error(), "--home") {
		t.Errorf("a second holder gets %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if h, held, err := Find(dir); h != (Holder{}) || held || err != nil {
		t.Errorf("after the end: %+v, %v, %v", h, held, err)
	}
	again, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again.Left() != (Holder{}) {
		t.Errorf("left is %+v", again.Left())
	}
	again.Release()
}

// TestKilled has a holder killed: the next one takes over at once and is told
// what was left.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("VAK_TEST_HOLD"); dir != "" {
		l, err := Take(dir)
		if err != nil {
			t.Fatal(err)
		}
		l.Say(Holder{PID: os.Getpid(), Version: "old", Control: "/run/old"})
		os.Stdout.WriteString("held\n")
		time.Sleep(time.Minute)
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), "VAK_TEST_HOLD="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	if _, err := Take(dir); !errors.Is(err, ErrHeld) {
		t.Errorf("while it lives: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	l, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if l.Left().Version != "old" || l.Left().Control != "/run/old" {
		t.Errorf("left is %+v", l.Left())
	}
}

// TestLookers has many look while one takes: looking keeps nobody out.
func TestLookers(t *testing.T) {
	dir := t.TempDir()
	stop := make(chan struct{})
	var looking sync.WaitGroup
	for range 4 {
		looking.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
					if _, _, err := Find(dir); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for range 50 {
		l, err := Take(dir)
		if err != nil {
			t.Error(err)
			break
		}
		l.Say(Holder{PID: os.Getpid()})
		l.Release()
	}
	close(stop)
	looking.Wait()
}

func TestUnusable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := Take(dir); !errors.Is(err, ErrUnusable) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	odd := t.TempDir()
	if err := os.Mkdir(filepath.Join(odd, LockName), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Take(odd); !errors.Is(err, ErrUnusable) {
		t.Errorf("a directory for a lock: %v", err)
	}
	if _, _, err := Find(odd); !errors.Is(err, ErrUnusable) {
		t.Errorf("finding a directory for a lock: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	open := t.TempDir()
	os.Chmod(open, 0o777)
	if _, err := Take(open); !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), "chmod") {
		t.Errorf("a home for everybody: %v", err)
	}
}

func TestRuntimeDir(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sockets there")
	}
	short, err := os.MkdirTemp("/tmp", "vakh")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	t.Setenv("XDG_RUNTIME_DIR", short)
	dir, err := RuntimeDir("c12345678.sock")
	if err != nil || dir != filepath.Join(short, "vak") {
		t.Fatalf("%q, %v", dir, err)
	}
	if err := Private(dir); err != nil {
		t.Error(err)
	}
	os.Chmod(dir, 0o755)
	if err := Private(dir); err == nil {
		t.Error("a directory that is open to others is private")
	}
	if got, err := RuntimeDir("c"); err != nil || !strings.HasPrefix(got, "/tmp/vak-") {
		t.Errorf("instead of one that is open to others: %q, %v", got, err)
	}
	if got := RuntimePath("c"); !strings.HasPrefix(got, "/tmp/vak-") {
		t.Errorf("the path instead of one that is open to others: %q", got)
	}
	os.Chmod(dir, 0o700)
	if got := RuntimePath("c"); got != dir {
		t.Errorf("the path of a private one: %q, want %q", got, dir)
	}
	if got := RuntimePath(strings.Repeat("x", MaxSocketPath())); !strings.HasPrefix(got, "/tmp/vak-") {
		t.Errorf("the path where none will do: %q", got)
	}
	os.Remove(dir)
	if got := RuntimePath("c"); got != dir {
		t.Errorf("the path of one that can be made: %q, want %q", got, dir)
	} else if _, err := os.Lstat(dir); err == nil {
		t.Error("looking for the path makes the directory")
	}
	if _, err := RuntimeDir(strings.Repeat("x", MaxSocketPath())); !errors.Is(err, ErrPathTooLong) {
		t.Errorf("a long name: %v", err)
	}
}
