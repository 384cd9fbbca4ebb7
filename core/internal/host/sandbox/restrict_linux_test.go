package sandbox

import (
	"bufio"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestExec(t *testing.T) {
	need(t, whole)
	t.Run("another program", func(t *testing.T) {
		out, _, err := launch{policy: Policy{Socket: shortDir(t)}, with: Supported(), args: []string{"exec", "/bin/sh", "-c", "echo replaced"}}.run(t)
		if err != nil || out != "exec: permission denied\n" {
			t.Errorf("%q, %v", out, err)
		}
	})
	t.Run("a copy of its own", func(t *testing.T) {
		dir := shortDir(t)
		b, err := os.ReadFile(probe)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "copy")
		if err := os.WriteFile(path, b, 0o700); err != nil {
			t.Fatal(err)
		}
		out, _, err := launch{policy: Policy{Socket: dir}, with: Supported(), args: []string{"exec", path, "nothing"}}.run(t)
		if err != nil || out != "exec: permission denied\n" {
			t.Errorf("%q, %v", out, err)
		}
	})
	t.Run("itself", func(t *testing.T) { // is no more than it has
		out, _, err := launch{policy: Policy{Socket: shortDir(t)}, with: Supported(), args: []string{"exec", "/proc/self/exe", "exec", "/bin/sh"}}.run(t)
		if err != nil || out != "exec: permission denied\n" {
			t.Errorf("%q, %v", out, err)
		}
	})
	t.Run("another file as the binary", func(t *testing.T) {
		l := launch{policy: Policy{Socket: shortDir(t)}, with: Supported(), args: []string{"nothing"}}
		onThread(func() {
			cmd := &exec.Cmd{Path: "/bin/true", SysProcAttr: &syscall.SysProcAttr{}}
			if _, err := Restrict(l.policy, cmd.SysProcAttr); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Run(); !errors.Is(err, os.ErrPermission) {
				t.Errorf("%v", err)
			}
		})
	})
}

// TestGuess makes sure that a wrong token costs the process its life, and that
// no token costs the launching thread nothing.
func TestGuess(t *testing.T) {
	need(t, whole)
	out, state, _ := launch{policy: Policy{Socket: shortDir(t)}, with: Supported(), args: []string{"guess"}}.run(t)
	if w := state.Sys().(syscall.WaitStatus); !w.Signaled() || w.Signal() != unix.SIGSYS {
		t.Errorf("%v, %q; want SIGSYS", state, out)
	}
	onThread(func() {
		attr := &syscall.SysProcAttr{}
		if _, err := Restrict(Policy{Execute: []string{"/"}}, attr); err != nil {
			t.Fatal(err)
		}
		if attr.Cloneflags == 0 {
			t.Fatal("no token")
		}
		if err := (&exec.Cmd{Path: "/bin/true"}).Run(); !errors.Is(err, unix.EPERM) {
			t.Errorf("a start without the token: %v", err)
		}
		if err := (&exec.Cmd{Path: "/bin/true", SysProcAttr: attr}).Run(); err != nil {
			t.Errorf("a start with the token: %v", err)
		}
	})
}

// TestForeignArch makes a system call by the numbers of another architecture,
// which mean something else to the filter.
func TestForeignArch(t *testing.T) {
	need(t, whole)
	l := launch{policy: Policy{Socket: shortDir(t)}, with: Supported(), args: []string{"int80"}}
	free := l
	free.free = true
	if out, _, _ := free.run(t); out != "survived\n" {
		t.Skip("this machine has one architecture only")
	}
	out, state, _ := l.run(t)
	if w := state.Sys().(syscall.WaitStatus); !w.Signaled() || w.Signal() != unix.SIGSYS {
		t.Errorf("%v, %q; want SIGSYS", state, out)
	}
}

func TestServes(t *testing.T) {
	need(t, whole)
	dir := shortDir(t)
	file, err := os.Open(probe)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	path := filepath.Join(dir, "s")
	pr, pw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pr.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		onThread(func() {
			cmd := &exec.Cmd{
				Path: "/proc/self/fd/" + strconv.Itoa(int(file.Fd())), Args: []string{"probe", "serve", path}, Env: []string{}, Dir: dir,
				Stdout: pw, SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL},
			}
			_, err := Restrict(Policy{Socket: dir, Binary: file}, cmd.SysProcAttr)
			if err == nil {
				err = cmd.Run()
			}
			if err != nil {
				t.Error(err)
			}
			pw.Close()
		})
	}()
	if line, err := bufio.NewReader(pr).ReadString('\n'); err != nil || line != "listening\n" {
		t.Fatalf("%q, %v", line, err)
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	b := make([]byte, 4)
	if _, err := conn.Write([]byte("echo")); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(b); err != nil || string(b) != "echo" {
		t.Errorf("%q, %v", b, err)
	}
	<-done
}

// TestHostStaysFree makes sure that the other threads lose nothing, while a
// process runs in a sandbox and afterwards.
func TestHostStaysFree(t *testing.T) {
	need(t, whole)
	if filtered() {
		t.Fatal("the test itself runs in a sandbox of this package")
	}
	free := func(when string) {
		if _, err := os.ReadFile("/etc/passwd"); err != nil {
			t.Errorf("%s: %v", when, err)
		}
		cmd := exec.Command("/bin/sh", "-c", "exit 0")
		if err := cmd.Start(); err != nil {
			t.Errorf("%s: %v", when, err)
		} else {
			// The question of whether there are pidfds is asked once in a process;
			// that it was not asked on a restricted thread shows here.
			if err := cmd.Process.WithHandle(func(uintptr) {}); err != nil {
				t.Errorf("%s: %v", when, err)
			}
			cmd.Wait()
		}
		if l, err := net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Errorf("%s: %v", when, err)
		} else {
			l.Close()
		}
		if v, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || v != 0 {
			t.Errorf("%s: no_new_privs is %d, %v", when, v, err)
		}
	}
	_, state, err := launch{policy: Policy{Socket: shortDir(t)}, with: Supported(), args: []string{"wait"}, started: func(cmd *exec.Cmd) {
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			free("while it runs")
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}()
		<-killed
	}}.run(t)
	if state == nil || !state.Sys().(syscall.WaitStatus).Signaled() {
		t.Fatalf("%v, %v; want it killed", state, err)
	}
	free("afterwards")
	outer, err := os.ReadFile("/proc/self/status") // the main thread's
	if err != nil {
		t.Fatal(err)
	}
	// The thread that launched the process ends a moment after the process.
	var left []string
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		left = left[:0]
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			b, err := os.ReadFile("/proc/self/task/" + task.Name() + "/status")
			if err == nil && filters(string(b)) != filters(string(outer)) { // an error says that it has ended
				left = append(left, task.Name())
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("threads %v have other filters than the main thread", left)
		}
	}
}

func filters(status string) string {
	_, rest, _ := strings.Cut(status, "Seccomp_filters:")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

// TestLandlockAlone is what architectures without a filter get.
func TestLandlockAlone(t *testing.T) {
	need(t, Level{Landlock: 1})
	for abi := 1; abi <= Supported().Landlock; abi++ {
		s := setUp(t, os.Getpid())
		results := launch{policy: Policy{Socket: s.Dir}, with: Level{Landlock: abi}}.attempts(t, s)
		for name, from := range map[string]int{
			"read /etc/passwd": 1, "create in /tmp": 1, "rename in": 1, "link in": 1, "symlink": 1, "mkfifo": 1, "truncate by path": 3,
			"dial TCP": 4, "connect to an abstract unix socket": 6, "kill the host": 6, "connect to a unix socket": 9,
		} {
			if got := result(t, results, name); abi >= from && got == 0 {
				t.Errorf("version %d: %s succeeds", abi, name)
			}
		}
		for _, name := range []string{"clone", "threads", "create in its directory", "listen in its directory", "write /dev/null"} {
			if got := result(t, results, name); got != 0 {
				t.Errorf("version %d: %s: %v", abi, name, got)
			}
		}
	}
}

// TestDynamic runs a binary that needs a loader, as the grant "interpreter"
// does.
func TestDynamic(t *testing.T) {
	need(t, whole)
	const sh = "/bin/sh"
	l := launch{policy: Policy{Socket: shortDir(t)}, with: Supported(), binary: sh, args: []string{"-c", "echo ran; /bin/true; cat /etc/passwd"}}
	if _, _, err := l.run(t); err == nil {
		t.Skip(sh + " needs no loader here")
	}
	l.policy.Execute = []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64"}
	out, _, err := l.run(t)
	if !strings.HasPrefix(out, "ran\n") || strings.Contains(out, "root:") || err == nil {
		t.Errorf("%q, %v", out, err)
	}
}

func TestRestrictRefuses(t *testing.T) {
	for _, c := range []struct {
		why    string
		policy Policy
		attr   *syscall.SysProcAttr
	}{
		{"nowhere to put the token", Policy{}, nil},
		{"clone flags are the token's", Policy{}, &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET}},
		{"the filter refuses setresuid", Policy{}, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1}}},
		{"it starts by clone3", Policy{}, &syscall.SysProcAttr{UseCgroupFD: true}},
		{"the filter refuses setsid", Policy{}, &syscall.SysProcAttr{Setsid: true}},
		{"a group of others", Policy{}, &syscall.SysProcAttr{Setpgid: true, Pgid: 1}},
		{"the filter refuses another signal", Policy{}, &syscall.SysProcAttr{Pdeathsig: unix.SIGTERM}},
		{"what a relative path means changes", Policy{Socket: "s"}, &syscall.SysProcAttr{}},
		{"the same", Policy{Read: []string{"etc"}}, &syscall.SysProcAttr{}},
		{"the same", Policy{Execute: []string{""}}, &syscall.SysProcAttr{}},
	} {
		onThread(func() {
			_, err := Restrict(c.policy, c.attr)
			if e, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, ErrPolicy) || e.Op != "check" {
				t.Errorf("%s: %v", c.why, err)
			}
			if filtered() {
				t.Errorf("%s: restricted nevertheless", c.why)
			}
		})
	}
	onThread(func() {
		_, err := Restrict(Policy{Socket: "/nonexistent"}, &syscall.SysProcAttr{})
		if e, ok := errors.AsType[*Error](err); !ok || e.Path != "/nonexistent" || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("no socket directory: %v", err)
		}
	})
	onThread(func() {
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink("/", link); err != nil {
			t.Fatal(err)
		}
		if _, err := Restrict(Policy{Socket: link}, &syscall.SysProcAttr{}); err == nil {
			t.Error("a link for the socket directory leads anywhere")
		}
	})
}

func TestRestrictTwice(t *testing.T) {
	need(t, Level{Seccomp: true})
	onThread(func() {
		if _, err := Restrict(Policy{}, &syscall.SysProcAttr{}); err != nil {
			t.Fatal(err)
		}
		if _, err := Restrict(Policy{}, &syscall.SysProcAttr{}); !errors.Is(err, ErrRestricted) {
			t.Errorf("%v", err)
		}
	})
}

func TestMainThread(t *testing.T) {
	if !onMain.tried {
		t.Skip("the tests did not begin on the main thread")
	}
	if !errors.Is(onMain.err, ErrMainThread) {
		t.Errorf("%v", onMain.err)
	}
}

// BenchmarkStart is the whole life of a process that does nothing, and how much
// of it is the sandbox's.
func BenchmarkStart(b *testing.B) {
	need(b, whole)
	dir := shortDir(b)
	for name, l := range map[string]launch{
		"free":      {free: true, policy: Policy{Socket: dir}},
		"render":    {policy: Policy{Socket: dir}},
		"transport": {policy: Policy{Socket: dir, Network: true, Read: TransportReadSet()}},
	} {
		l.with, l.args = Supported(), []string{"nothing"}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := l.run(b); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRestrict is what the host pays, with a thread for each.
func BenchmarkRestrict(b *testing.B) {
	need(b, whole)
	p := Policy{Socket: shortDir(b), Network: true, Read: TransportReadSet()}
	for b.Loop() {
		onThread(func() {
			if _, err := Restrict(p, &syscall.SysProcAttr{}); err != nil {
				b.Error(err)
			}
		})
	}
}
