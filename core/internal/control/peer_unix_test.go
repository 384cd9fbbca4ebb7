//go:build linux || darwin

package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/home"
)

// TestMain lets a child of the test ask a socket, itself or by a child of its
// own in another process group.
func TestMain(m *testing.M) {
	path := os.Getenv("VAK_TEST_ASK")
	if path == "" {
		os.Exit(m.Run())
	}
	if depth := os.Getenv("VAK_TEST_DEPTH"); depth == "1" {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "VAK_TEST_DEPTH=0")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Stdout = os.Stdout
		cmd.Run()
		os.Exit(0)
	}
	_, err := Dial(path).Status(context.Background())
	fmt.Println(err)
	os.Exit(0)
}

// TestPluginsRefused has processes of several groups ask.
func TestPluginsRefused(t *testing.T) {
	var guest atomic.Int64
	s := serve(t, Handler(&fake{}, hclog.NewNullLogger()), func() []int {
		if g := guest.Load(); g != 0 {
			return []int{int(g)}
		}
		return nil
	})
	for _, c := range []struct {
		why     string
		depth   string
		guest   bool
		refused bool
	}{
		{"a command in a group of its own", "0", false, false},
		{"a plugin", "0", true, true},
		{"a child of a plugin that left its group", "1", true, true},
		{"a command that a command starts", "1", false, false},
	} {
		guest.Store(0)
		hold, release, err := os.Pipe() // the child starts when it may be known as a guest
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/sh", "-c", `read x; exec "$0"`, os.Args[0])
		cmd.Env = append(os.Environ(), "VAK_TEST_ASK="+s.Path(), "VAK_TEST_DEPTH="+c.depth)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Stdin = hold
		var out strings.Builder
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		hold.Close()
		if c.guest {
			guest.Store(int64(cmd.Process.Pid))
		} else {
			guest.Store(1 << 30)
		}
		release.WriteString("go\n")
		release.Close()
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if refused := !strings.HasPrefix(out.String(), "<nil>"); refused != c.refused {
			t.Errorf("%s: %s", c.why, &out)
		}
	}
}

func TestAdmissible(t *testing.T) {
	me := os.Getuid()
	for _, c := range []struct {
		peer peer
		ok   bool
		why  string
	}{
		{peer{pid: os.Getpid(), uid: me}, true, "this user"},
		{peer{pid: os.Getpid(), uid: 0}, true, "root"},
		{peer{pid: os.Getpid(), uid: me + 1}, false, "another user"},
		{peer{pid: 0, uid: me}, false, "a process that cannot be seen"},
		{peer{pid: 1 << 30, uid: me}, false, "a process that is gone"},
	} {
		if err := c.peer.admissible([]int{1 << 30}); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

func TestSockets(t *testing.T) {
	dir := runtimeDir(t)
	s, err := Listen(hclog.NewNullLogger())
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(s.Path()); err != nil || st.Mode() != os.ModeSocket|0o600 || filepath.Dir(s.Path()) != dir {
		t.Errorf("the socket %s is %v, %v", s.Path(), st.Mode(), err)
	}
	if len(Stale()) != 0 {
		t.Errorf("stale: %v", Stale())
	}
	// A dead socket, a young dead socket, and files that are none of ours.
	dead, young := filepath.Join(dir, "c00000000.sock"), filepath.Join(dir, "c11111111.sock")
	for _, path := range []string{dead, young} {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
	}
	old := time.Now().Add(-2 * leftBehind)
	os.Chtimes(dead, old, old)
	file := filepath.Join(dir, "c22222222.sock")
	os.WriteFile(file, nil, 0o600)
	os.Chtimes(file, old, old)
	if got := Stale(); len(got) != 2 {
		t.Errorf("stale: %v", got)
	}
	again, err := Listen(hclog.NewNullLogger())
	if err != nil {
		t.Fatal(err)
	}
	for path, stays := range map[string]bool{dead: false, young: true, file: true, s.Path(): true} {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s: %v", path, err)
		}
	}
	Discard(file)
	Discard(s.Path())
	Discard(young)
	for path, stays := range map[string]bool{young: false, file: true, s.Path(): true} {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("after Discard: %s: %v", path, err)
		}
	}
	for _, s := range []*Server{s, again} { // neither was served
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(s.Path()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// TestDoctor examines homes in several states.
func TestDoctor(t *testing.T) {
	runtimeDir(t)
	find := func(r Report, name string) Check {
		for _, c := range r.Checks {
			if c.Name == name {
				return c
			}
		}
		return Check{}
	}
	dir := t.TempDir()
	os.Chmod(dir, 0o700)
	binary := filepath.Join(t.TempDir(), "bin")
	os.WriteFile(binary, []byte("x"), 0o700)
	const sum = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
	p := Patient{
		Status:  Status{Version: "1", Home: dir},
		Sandbox: Check{Name: "sandbox", Result: Fine, What: "full"},
		Plugins: []Plugin{
			{ID: "right", State: Stopped, Path: binary, SHA256: sum},
			{ID: "wrong", State: Stopped, Path: binary, SHA256: strings.Repeat("0", 64)},
			{ID: "gone", State: Ready, Path: binary + "x", SHA256: sum},
			{ID: "twice", State: Broken, Error: &Fault{Kind: "duplicate", Message: "twice", Hint: "remove one"}},
			{ID: "bad", State: Broken, Error: &Fault{Kind: "bad_manifest", Message: "no JSON"}},
			{ID: "quiet", State: Quarantined},
			{ID: "right", Role: "transport", State: Ready, Path: binary + "x"}, // its renderer's entry looked at the binary
			{ID: "right", Role: "transport", Account: "ops", State: Quarantined, Error: &Fault{Message: "401", Hint: "make a new token"}},
		},
	}
	r := Examine(t.Context(), p)
	for name, want := range map[string]Verdict{
		"home": Fine, "lock": Fine, "runtime": Fine, "sockets": Fine, "sandbox": Fine, "plugin right": Fine,
		"plugin wrong": Fail, "plugin gone": Fail, "plugin twice": Warn, "plugin bad": Fail, "plugin quiet": Fail,
		"plugin right transport": Fine, "plugin right transport/ops": Fail,
	} {
		if c := find(r, name); c.Result != want || c.Result != Fine && c.Mend == "" {
			t.Errorf("%s: %+v, want %s", name, c, want)
		}
	}
	if r.OK {
		t.Error("what fails is ok")
	}
	p.Plugins = nil
	if r := Examine(t.Context(), p); !r.OK || find(r, "plugins").Result != Warn {
		t.Errorf("without plugins: %+v", r)
	}
	for mode, want := range map[os.FileMode]Verdict{0o755: Warn, 0o777: Fail, 0o700: Fine} {
		os.Chmod(dir, mode)
		if c := find(Examine(t.Context(), p), "home"); c.Result != want {
			t.Errorf("a home of mode %o: %+v", mode, c)
		}
	}
	os.Chmod(dir, 0o700) // the modes come in any order
	l, err := home.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	l.Say(home.Holder{PID: os.Getpid(), Version: "9"})
	if c := find(Examine(t.Context(), p), "lock"); c.Result != Fine || !strings.Contains(c.What, "vak 9") {
		t.Errorf("a home that is held: %+v", c)
	}
	p.Status.Home = filepath.Join(dir, "none")
	if c := find(Examine(t.Context(), p), "home"); c.Result != Fine || !strings.Contains(c.What, "not there yet") {
		t.Errorf("a home that is not there: %+v", c)
	}
	t.Setenv("XDG_RUNTIME_DIR", "/tmp/"+strings.Repeat("long/", 30))
	if c := find(Examine(t.Context(), p), "runtime"); c.Result == Fine || !strings.Contains(c.What, "bytes") {
		t.Errorf("a long runtime directory: %+v", c)
	}
}
