package host

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestPluginGetsNothingOfTheHost(t *testing.T) {
	t.Setenv("VAK_TEST_SECRET", "token")
	secret, err := os.Open("/dev/null") // a file that a careless fork would hand over
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	h := open(t, Config{noSandbox: true}, "good") // the sandbox would hide the answers
	var names []string
	for line := range strings.Lines(say(t, h, "good", "env")) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "=")
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{"GOMEMLIMIT", "LANG", "PLUGIN_MAX_PORT", "PLUGIN_MIN_PORT", "PLUGIN_PROTOCOL_VERSIONS", "PLUGIN_UNIX_SOCKET_DIR", "TMPDIR", "TZ", "VAK_PLUGIN"}
	if !slices.Equal(names, want) {
		t.Errorf("environment %v, want %v", names, want)
	}
	for line := range strings.Lines(say(t, h, "good", "fds")) {
		fd, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch n, _ := strconv.Atoi(fd); {
		case n <= 2:
			if !strings.HasPrefix(to, "pipe:") {
				t.Errorf("descriptor %s is %s, want a pipe", fd, to)
			}
		case strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/proc/") && !strings.HasPrefix(to, "/sys/"):
			t.Errorf("descriptor %s is %s", fd, to)
		}
	}
}

func TestGrandchildrenEnd(t *testing.T) {
	leavesNothing(t)
	h := open(t, Config{noSandbox: true}, "parent", "good")
	other := say(t, h, "good", "pid")
	pid := say(t, h, "parent", "pid")
	kids := func() (out []string) {
		for _, c := range children() {
			if !strings.HasPrefix(c, pid+" ") && !strings.HasPrefix(c, other+" ") {
				out = append(out, c)
			}
		}
		return out
	}
	if n := len(kids()); n != 1 {
		t.Fatalf("%d grandchildren, want 1", n)
	}
	died, _ := strconv.Atoi(pid)
	syscall.Kill(died, syscall.SIGKILL) // the grandchild goes with it, and so does its hold on the pipes
	if n := settles(func() int { return len(kids()) }, 0); n != 0 {
		t.Errorf("left: %v", kids())
	}
	unharmed(t, h, other)
	say(t, h, "parent", "pid")
	began := time.Now()
	h.Close()
	if took := time.Since(began); took > time.Second {
		t.Errorf("Close took %v: a grandchild holds the log open", took)
	}
	if n := settles(func() int { return len(kids()) }, 0); n != 0 {
		t.Errorf("left: %v", kids())
	}
}

func TestStopsWithinBounds(t *testing.T) {
	h := open(t, Config{StopTimeout: 200 * time.Millisecond}, "good")
	pid, _ := strconv.Atoi(say(t, h, "good", "pid"))
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	running := func() (n int) { // a thread on another processor goes on for a moment
		threads, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
		for _, f := range threads {
			b, _ := os.ReadFile(f)
			if _, state, _ := strings.Cut(string(b), ") "); !strings.HasPrefix(state, "T") {
				n++
			}
		}
		return n
	}
	if settles(running, 0) != 0 {
		t.Fatal("it does not stop")
	}
	began := time.Now()
	h.Close()
	if took := time.Since(began); took < 200*time.Millisecond || took > 1500*time.Millisecond {
		t.Errorf("stopping a stopped process took %v, want about 400 ms", took)
	}
	if alive(pid) {
		t.Error("it lives")
	}
	h = open(t, Config{}, "good")
	say(t, h, "good", "pid")
	began = time.Now()
	h.Close()
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("stopping a healthy process took %v", took)
	}
}

func TestDeadProcessIsReplaced(t *testing.T) {
	h := open(t, Config{}, "good")
	first, _ := strconv.Atoi(say(t, h, "good", "pid"))
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); h.Status()[0].Failures == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if s := h.Status()[0]; s.Failures != 1 || s.LastError.Kind != Unavailable || s.LastError.Hint == "" {
		t.Errorf("status = %+v, want a failure", s)
	}
	if second := say(t, h, "good", "pid"); second == strconv.Itoa(first) {
		t.Error("the dead answers")
	}
}

// TestHostDies runs a host in a process of its own, kills it, and looks whether
// its plugin follows: by the kernel's signal, and where that is missing by the
// end of its standard input.
func TestHostDies(t *testing.T) {
	if dir := os.Getenv("VAK_TEST_HOST"); dir != "" {
		h, err := Open(Config{Places: Places{Dirs: []string{dir}}, RuntimeDir: os.Getenv("VAK_TEST_RUNTIME")})
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("pid " + say(t, h, "good", "pid") + "\n")
		time.Sleep(time.Minute)
		return
	}
	dir, runtime := t.TempDir(), shortDir(t)
	install(t, dir, built.fixture, "good")
	cmd := exec.Command(os.Args[0], "-test.run=^TestHostDies$")
	cmd.Env = append(os.Environ(), "VAK_TEST_HOST="+dir, "VAK_TEST_RUNTIME="+runtime)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	n, _ := out.Read(buf)
	pid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(buf[:n]), "pid ")))
	if err != nil {
		t.Fatalf("the host said %q", buf[:n])
	}
	cmd.Process.Kill()
	cmd.Wait()
	if n := settles(func() int {
		if alive(pid) {
			return 1
		}
		return 0
	}, 0); n > 0 {
		syscall.Kill(pid, syscall.SIGKILL)
		t.Error("the plugin outlives its host")
	}

	// What it left is gone with the next Open, before anything is started.
	left, err := os.ReadDir(runtime)
	if err != nil || len(left) != 1 {
		t.Fatalf("left: %v, %v", left, err)
	}
	open(t, Config{Places: Places{Dirs: []string{dir}}, RuntimeDir: runtime})
	if now, err := os.ReadDir(runtime); err != nil || len(now) != 0 {
		t.Errorf("the runtime directory holds %v, %v", now, err)
	}
}

func TestPluginWatchesItsInput(t *testing.T) {
	cmd := exec.Command(built.fixture, "render")
	cmd.Env = []string{"VAK_PLUGIN=0d6fb3a1c7e84f52b9a26e1f5d3c8047", "PLUGIN_PROTOCOL_VERSIONS=1", "PLUGIN_UNIX_SOCKET_DIR=" + shortDir(t)}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 100)); err != nil { // the handshake
		t.Fatal(err)
	}
	in.Close()
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		cmd.Process.Kill()
		<-ended
		t.Error("it lives on without a host")
	}
}

// TestStrangersAreRefused dials a plugin's socket from a process that did not
// start it.
func TestStrangersAreRefused(t *testing.T) {
	if path := os.Getenv("VAK_TEST_DIAL"); path != "" {
		c, err := net.Dial("unix", path)
		if err == nil {
			c.SetDeadline(time.Now().Add(5 * time.Second))
			c.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"))
			n, _ := c.Read(make([]byte, 100))
			if n == 0 {
				os.Stdout.WriteString("refused\n")
			} else {
				os.Stdout.WriteString("answered\n")
			}
		}
		return
	}
	h := open(t, Config{}, "good")
	say(t, h, "good", "pid")
	found, err := filepath.Glob(filepath.Join(h.config.RuntimeDir, "h*", "plugin*", "plugin*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("sockets: %v, %v", found, err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestStrangersAreRefused$")
	cmd.Env = append(os.Environ(), "VAK_TEST_DIAL="+found[0])
	out, err := cmd.Output()
	if err != nil || !strings.HasPrefix(string(out), "refused") {
		t.Errorf("a stranger was %q, %v", out, err)
	}
}
