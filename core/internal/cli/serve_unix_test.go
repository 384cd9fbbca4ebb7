//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/core/internal/control"
)

// A served is a "vak serve" with a home and a runtime directory of its own.
type served struct {
	t      *testing.T
	env    []string
	home   string
	socket string
	line   string
	cmd    *exec.Cmd
	log    *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// place makes a home and a runtime directory, and serves nothing yet.
func place(t *testing.T) *served {
	t.Helper()
	if !control.Available {
		t.Skip(control.ErrUnavailable)
	}
	run, err := os.MkdirTemp("/tmp", "vaks") // t.TempDir may be too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	s := &served{t: t, home: filepath.Join(t.TempDir(), "home")}
	s.env = append(os.Environ(), "VAK_HOME="+s.home, "XDG_RUNTIME_DIR="+run, "NO_COLOR=1")
	return s
}

var announced = regexp.MustCompile(`^vak \S+ holds (\S+), control socket (\S+)\n$`)

// start starts a serve and waits until it says that it serves.
func (s *served) start(args ...string) {
	s.t.Helper()
	s.cmd = exec.Command(binaries.Build(s.t), append([]string{"serve"}, args...)...)
	s.cmd.Env = s.env
	s.log = &lockedBuffer{}
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	cmd := s.cmd
	s.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	s.line, err = bufio.NewReader(out).ReadString('\n')
	found := announced.FindStringSubmatch(s.line)
	if found == nil || found[1] != s.home {
		s.t.Fatalf("it says %q, %v\n%s", s.line, err, s.log)
	}
	s.socket = found[2]
}

// stop sends a signal and returns the exit code.
func (s *served) stop(sig os.Signal) int {
	s.t.Helper()
	s.cmd.Process.Signal(sig)
	s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// vak runs a command in a process group of its own, and returns what it writes
// to either stream.
func (s *served) vak(args ...string) (out string, code int) {
	s.t.Helper()
	cmd := exec.Command(binaries.Build(s.t), args...)
	cmd.Env = s.env
	b, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
}

// want runs a command and holds its code and output to what is wanted.
func (s *served) want(code int, re string, args ...string) string {
	s.t.Helper()
	out, got := s.vak(args...)
	if got != code || !regexp.MustCompile("(?m)"+re).MatchString(out) {
		s.t.Errorf("vak %s: exit %d, want %d and %s:\n%s", strings.Join(args, " "), got, code, re, out)
	}
	return out
}

// TestServe has commands ask a vak that serves, and a second one refused.
func TestServe(t *testing.T) {
	t.Parallel()
	s := place(t)
	s.start()
	pid := regexp.QuoteMeta(strconv.Itoa(s.cmd.Process.Pid))
	if st, err := os.Lstat(s.socket); err != nil || st.Mode() != os.ModeSocket|0o600 || strings.HasPrefix(s.socket, s.home) {
		t.Errorf("the socket %s: %v, %v", s.socket, st, err)
	}
	if st, err := os.Stat(s.home); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("the home: %v, %v", st, err)
	}
	var lock struct {
		PID     int
		Control string
		Version string
		Started time.Time `json:"started_at"`
	}
	b, err := os.ReadFile(filepath.Join(s.home, "lock"))
	if err != nil || json.Unmarshal(b, &lock) != nil || lock.PID != s.cmd.Process.Pid || lock.Control != s.socket || lock.Version == "" || lock.Started.IsZero() {
		t.Errorf("the lock holds %s, %v", b, err)
	}

	s.want(0, `^telegram +\d\S* +surface +render +stopped +-`, "plugin", "list")
	s.want(0, `^As process `+pid+` \(vak .*which holds the home(, in epoch \d+)?\.$`, "plugin", "list")
	s.want(0, `"state": "stopped"`, "plugin", "list", "--json")
	s.want(0, `^  state +stopped:`, "plugin", "inspect", "slack")
	s.want(4, `no plugin "nope"; known are discord`, "plugin", "inspect", "nope")
	s.want(4, `no plugin "nope"`, "plugin", "restart", "nope")
	s.want(1, `log: it is a part of vak and has no process`, "plugin", "restart", "log")

	s.want(2, `^vak: --plugins changes nothing .* is held by process `+pid+` \(vak .*leave --plugins away$`, "plugin", "restart", "telegram", "--plugins", t.TempDir())

	// Each process is replaced by another one.
	ready := regexp.MustCompile(`\Atelegram \d\S*: ready, process (\d+)\n\z`)
	first := ready.FindStringSubmatch(s.want(0, ready.String(), "plugin", "restart", "telegram"))
	second := ready.FindStringSubmatch(s.want(0, ready.String(), "plugin", "restart", "telegram"))
	if first == nil || second == nil || first[1] == second[1] {
		t.Fatalf("restarted as %v, then as %v", first, second)
	}
	s.want(0, `^telegram +\d\S* +surface +render +ready +`+second[1]+` +\S`, "plugin", "list")
	s.want(0, `^  process +`+second[1]+`, up \d`, "plugin", "inspect", "telegram")
	s.want(0, `^  sandbox +\S`, "plugin", "inspect", "telegram")
	s.want(0, `^  from +vak itself`, "plugin", "inspect", "telegram")
	out := s.want(0, `^ok    lock +held by process `+pid+`, which answers$`, "doctor")
	for _, re := range []string{`^ok    control +process ` + pid + ` .* answered in`, `^ok    plugin slack .*sha256 are right$`, `^ok    home +`, `^ok    sockets `} {
		if !regexp.MustCompile("(?m)" + re).MatchString(out) {
			t.Errorf("doctor does not say %s:\n%s", re, out)
		}
	}
	s.want(6, `\Avak: the home `+regexp.QuoteMeta(s.home)+` is held by process `+pid+` \(vak .*stop that process, or use another home with --home or VAK_HOME\n\z`, "serve")

	// Whoever is in the process group of a plugin is hung up on.
	group, _ := strconv.Atoi(second[1])
	guest := exec.Command(binaries.Build(t), "plugin", "list")
	guest.Env, guest.SysProcAttr = s.env, &syscall.SysProcAttr{Setpgid: true, Pgid: group}
	if out, err := guest.CombinedOutput(); guest.ProcessState.ExitCode() != exitHome || !bytes.Contains(out, []byte("does not answer")) {
		t.Errorf("a process of a plugin's group: %v, %s", err, out)
	}
	if !strings.Contains(s.log.String(), "refused a connection to the control socket") {
		t.Errorf("the log does not tell of the refusal:\n%s", s.log)
	}

	// Those that only render take no notice of it.
	cmd := exec.Command(binaries.Build(t), "preview", "--surface", "log")
	cmd.Env, cmd.Stdin = s.env, strings.NewReader("hello")
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("hello")) {
		t.Errorf("preview beside it: %v, %s", err, out)
	}

	s.cmd.Process.Signal(syscall.SIGHUP)
	s.want(0, `telegram`, "plugin", "list")
	if code := s.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("SIGTERM: exit %d\n%s", code, s.log)
	}
	said := []string{`\[INFO\] +vak: serving: `, `vak: stopped$`}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup, which serve inherits
		said = append(said, `there is nothing to read again`)
	}
	for _, re := range said {
		if !regexp.MustCompile("(?m)" + re).MatchString(s.log.String()) {
			t.Errorf("the log does not say %s:\n%s", re, s.log)
		}
	}
	s.nothingLeft()
	s.want(0, `^ok    lock +free$`, "doctor")
}

// nothingLeft holds that nothing is left of a serve but its home.
func (s *served) nothingLeft() {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(s.socket))
	if err != nil || len(entries) > 0 {
		s.t.Errorf("left in the runtime directory: %v, %v", entries, err)
	}
}

// lives reports whether a process runs. One that is dead and that nobody has
// reaped, as happens in containers, does not.
func lives(pid int) bool {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return syscall.Kill(pid, 0) == nil && !bytes.Contains(stat, []byte(") Z "))
}

// TestServeKilled kills a serve: the next takes over at once, and nothing stale
// stays.
func TestServeKilled(t *testing.T) {
	t.Parallel()
	s := place(t)
	s.start("--log-format", "json", "--log-level", "debug")
	old := s.socket
	started := regexp.MustCompile(`ready, process (\d+)`).FindStringSubmatch(s.want(0, `ready, process`, "plugin", "restart", "telegram"))
	if started == nil {
		t.Fatal("there is no plugin process")
	}
	plugin, _ := strconv.Atoi(started[1])
	if code := s.stop(os.Kill); code == 0 {
		t.Fatal("it was not killed")
	}
	for until := time.Now().Add(5 * time.Second); lives(plugin); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("the plugin process %d outlives its host", plugin)
		}
	}
	if _, err := os.Lstat(old); err != nil {
		t.Fatalf("a killed process removed its socket: %v", err)
	}
	s.want(0, `^ok    lock +free; process \d+ was killed while it held it`, "doctor")
	s.want(0, `^warn  sockets +1 control socket.*`+regexp.QuoteMeta(old), "doctor")
	s.want(0, `^telegram .*stopped`, "plugin", "list")
	s.start("--log-format", "json")
	if _, err := os.Lstat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stale socket is still there: %v", err)
	}
	s.want(0, `^ok    sockets +no control socket is stale$`, "doctor")
	if code := s.stop(os.Interrupt); code != 0 {
		t.Errorf("SIGINT: exit %d", code)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(s.log.String()), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is no JSON: %s", line)
		}
	}
	s.nothingLeft()
}

// TestServeHangs stops a serve without ending it. A command says so in time.
func TestServeHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a process that does not answer")
	}
	t.Parallel()
	s := place(t)
	s.start()
	s.cmd.Process.Signal(syscall.SIGSTOP)
	s.want(1, `^fail  control +.*did not answer within.* → see its log`, "doctor")
	s.cmd.Process.Signal(syscall.SIGCONT)
	if code := s.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestServeNotifies plays the service manager.
func TestServeNotifies(t *testing.T) {
	t.Parallel()
	s := place(t)
	dir, err := os.MkdirTemp("/tmp", "vakn")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "n"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s.env = append(s.env, "NOTIFY_SOCKET="+filepath.Join(dir, "n"), "JOURNAL_STREAM=8:1")
	read := func() string {
		b := make([]byte, 100)
		l.SetReadDeadline(time.Now().Add(30 * time.Second))
		n, err := l.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	s.start()
	if got := read(); got != "READY=1" {
		t.Errorf("it says %q", got)
	}
	s.stop(syscall.SIGTERM)
	if got := read(); got != "STOPPING=1" {
		t.Errorf("it says %q", got)
	}
	if !strings.HasPrefix(s.log.String(), "[INFO]") {
		t.Errorf("the log has times: %s", s.log)
	}
}

// TestServeLongRuntime has a runtime directory that is too long for sockets.
func TestServeLongRuntime(t *testing.T) {
	t.Parallel()
	s := place(t)
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := os.MkdirAll(long, 0o700); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "XDG_RUNTIME_DIR="+long)
	s.start()
	if !strings.HasPrefix(s.socket, "/tmp/vak-") {
		t.Errorf("the socket is %s", s.socket)
	}
	s.want(0, `^warn  runtime +.*path is too long`, "doctor")
	if code := s.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("exit %d", code)
	}
	if _, err := os.Lstat(s.socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}
