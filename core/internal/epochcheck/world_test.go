package epochcheck

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/install"
)

// versions are those that each plugin is built in.
const versions = 3

// fixtures are the plugins, a folder for each version.
var fixtures struct {
	once sync.Once
	dir  string
	err  error
}

func build(t *testing.T) string {
	t.Helper()
	fixtures.once.Do(func() {
		if fixtures.dir, fixtures.err = os.MkdirTemp("", "vak-test-"); fixtures.err != nil {
			return
		}
		for _, name := range []string{"pack", "board"} {
			for v := 1; v <= versions; v++ {
				if fixtures.err == nil {
					fixtures.err = buildOne(name, v)
				}
			}
		}
	})
	if fixtures.err != nil {
		t.Fatal(fixtures.err)
	}
	return fixtures.dir
}

func folder(name string, v int) string { return filepath.Join(fixtures.dir, name+strconv.Itoa(v)) }

func buildOne(name string, v int) error {
	binary := filepath.Join(folder(name, v), name)
	cmd := exec.Command("go", "build", "-ldflags", fmt.Sprintf("-s -w -X main.version=%d.0.0", v), "-o", binary, "./testdata/"+name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(string(out)))
	}
	manifest, err := exec.Command(binary, "manifest").Output()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder(name, v), "plugin.json"), manifest, 0o644)
}

// A world is a home, the child that holds it, and the platform.
type world struct {
	t     *testing.T
	home  string
	store *install.Store
	wall  *wall

	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	log *strings.Builder
}

func newWorld(t *testing.T) *world {
	build(t)
	home := t.TempDir()
	w := &world{t: t, home: home, store: install.New(home), wall: newWall(t)}
	t.Cleanup(func() { w.crash() })
	return w
}

// start starts a child and waits until it holds the home.
func (w *world) start() report {
	w.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	w.cmd = exec.Command(exe)
	w.cmd.Env = append(os.Environ(), homeVariable+"="+w.home)
	w.log = &strings.Builder{}
	w.cmd.Stderr = w.log
	w.in, _ = w.cmd.StdinPipe()
	out, _ := w.cmd.StdoutPipe()
	w.out = bufio.NewScanner(out)
	w.out.Buffer(nil, 16<<20)
	if err := w.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	return w.hear()
}

// tell has the child do something, and does not wait.
func (w *world) tell(o order) {
	b, err := json.Marshal(o)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.in.Write(append(b, '\n')); err != nil {
		w.t.Fatalf("the child does not listen: %v\n%s", err, w.log)
	}
}

func (w *world) hear() (r report) {
	w.t.Helper()
	if !w.out.Scan() {
		w.t.Fatalf("the child says nothing: %v\n%s", w.out.Err(), w.log)
	}
	if err := json.Unmarshal(w.out.Bytes(), &r); err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) ask(o order) report {
	w.t.Helper()
	w.tell(o)
	return w.hear()
}

// crash kills the child, and sees that no process of its plugins lives on.
func (w *world) crash() {
	w.t.Helper()
	if w.cmd == nil {
		return
	}
	of := children(w.cmd.Process.Pid)
	w.cmd.Process.Kill()
	w.cmd.Wait()
	w.cmd = nil
	for _, pid := range of {
		w.gone(pid, "its host was killed")
	}
}

// gone waits until a process is.
func (w *world) gone(pid int, why string) {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("process %d of a plugin lives, though %s", pid, why)
		}
	}
}

// alive reports whether a process is there and no zombie.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(rest, "Z") && syscall.Kill(pid, 0) == nil
}

// children are the processes that a process has started.
func children(pid int) (out []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range tasks {
		b, _ := os.ReadFile(path)
		for _, f := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(f); err == nil && alive(n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// A wall is what boards post to.
type wall struct {
	url string
	mu  sync.Mutex
	got map[string][]string // texts, by job
}

func newWall(t *testing.T) *wall {
	w := &wall{got: map[string][]string{}}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			return // the process that sent it was killed
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		job := r.URL.Query().Get("job")
		w.got[job] = append(w.got[job], string(b))
	}))
	t.Cleanup(s.Close)
	w.url = s.URL
	return w
}

func (w *wall) of(job string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.got[job]...)
}
