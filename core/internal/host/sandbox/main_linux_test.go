package sandbox

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// probe is the binary that tries things, built once.
var probe string

// onMain is how Restrict ended on the main thread, where only TestMain is sure to
// come, if it does.
var onMain struct {
	tried bool
	err   error
}

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	runtime.LockOSThread()
	if onMain.tried = unix.Gettid() == unix.Getpid(); onMain.tried {
		_, onMain.err = Restrict(Policy{}, &syscall.SysProcAttr{})
	}
	runtime.UnlockOSThread()
	if probe = os.Getenv("VAK_TEST_PROBE"); probe != "" { // a test runs itself as another user
		return m.Run()
	}
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() != "" { // its workers need no probe
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "vaksandbox")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.Chmod(dir, 0o755) // for the other user
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	probe = filepath.Join(dir, "probe")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", probe, "./testdata/probe")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if b, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, b)
		return 1
	}
	return m.Run()
}

// need skips t where the kernel has less than level, or fails it where
// VAK_REQUIRE says that there is a sandbox.
func need(t testing.TB, level Level) {
	t.Helper()
	have := Supported()
	if have.Covers(level) {
		return
	}
	why := fmt.Sprintf("the kernel offers %v, not %v", have, level)
	if slices.Contains(strings.FieldsFunc(os.Getenv("VAK_REQUIRE"), func(r rune) bool { return r == ',' || r == ' ' }), "sandbox") {
		t.Fatal(why)
	}
	t.Skip(why)
}

// whole is the level at which the roles' promises hold.
var whole = Level{Landlock: 1, Seccomp: true}

// onThread runs f on a thread that ends with f, and returns when f has.
func onThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			f()
			return
		}
		other := make(chan struct{})
		go func() { // cannot be on the main thread, which is held here
			defer close(other)
			runtime.LockOSThread()
			f()
		}()
		<-other
		runtime.UnlockOSThread()
	}()
	<-done
}

// A launch starts a binary as the host does: by the descriptor of its file, in
// its socket directory, without an environment.
type launch struct {
	policy  Policy
	with    Level
	free    bool // without a sandbox
	binary  string
	args    []string
	started func(*exec.Cmd) // called on the thread, once it runs
}

// run returns what the process printed and how it ended.
func (l launch) run(t testing.TB) (string, *os.ProcessState, error) {
	t.Helper()
	if l.binary == "" {
		l.binary = probe
	}
	file, err := os.Open(l.binary)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	l.policy.Binary = file
	var out bytes.Buffer
	cmd := &exec.Cmd{
		Path: fmt.Sprintf("/proc/self/fd/%d", file.Fd()), Args: append([]string{l.binary}, l.args...),
		Env: []string{"TMPDIR=" + l.policy.Socket}, Dir: l.policy.Socket, Stdout: &out, Stderr: &out,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL},
	}
	if i := l.policy.Interpreter; i != "" {
		cmd.Path, cmd.Args, cmd.ExtraFiles = i, append([]string{i, "/proc/self/fd/3"}, l.args...), []*os.File{file}
	}
	onThread(func() {
		if !l.free {
			var got Level
			if got, err = restrict(l.policy, cmd.SysProcAttr, l.with); err != nil {
				return
			}
			if got != l.with {
				t.Errorf("reached %v, want %v", got, l.with)
			}
		}
		if err = cmd.Start(); err != nil {
			return
		}
		if l.started != nil {
			l.started(cmd)
		}
		err = cmd.Wait()
	})
	return out.String(), cmd.ProcessState, err
}

// surroundings is what the probe is told.
type surroundings struct {
	Dir, Outside, File  string
	Host                int
	TCP, Unix, Abstract string
	Lib                 string
}

// setUp puts up what the probe will try to reach.
func setUp(t *testing.T, host int) surroundings {
	t.Helper()
	s := surroundings{Dir: shortDir(t), Outside: shortDir(t), Lib: t.TempDir(), Host: host}
	s.File = filepath.Join(s.Outside, "file")
	for _, f := range []string{s.File, filepath.Join(s.Outside, "victim"), filepath.Join(s.Lib, "file")} {
		if err := os.WriteFile(f, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listen := func(network, address string) string {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				c.Close()
			}
		}()
		return l.Addr().String()
	}
	s.TCP = listen("tcp", "127.0.0.1:0")
	s.Unix = listen("unix", filepath.Join(s.Outside, "s"))
	s.Abstract = listen("unix", "@vak-sandbox-"+filepath.Base(s.Outside))
	return s
}

// shortDir is a private directory whose path is short enough for sockets.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "vs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// attempts lets the probe try everything.
func (l launch) attempts(t *testing.T, s surroundings) map[string]int {
	t.Helper()
	in, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	l.args = []string{"try", string(in)}
	out, _, err := l.run(t)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var results map[string]int
	if err := json.Unmarshal([]byte(out), &results); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return results
}
