package host

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/bundle"
	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// leavesNothing is called first in a test. At its end, when every host is
// closed, there is no process, no zombie, no file and no goroutine more.
func leavesNothing(t *testing.T) {
	t.Helper()
	goroutines, files := runtime.NumGoroutine(), openFiles()
	t.Cleanup(func() {
		if n := settles(runtime.NumGoroutine, goroutines); n > goroutines {
			t.Errorf("%d goroutines before, %d after", goroutines, n)
		}
		if n := settles(openFiles, files); n > files {
			t.Errorf("%d open files before, %d after", files, n)
		}
		if n := settles(func() int { return len(children()) }, 0); n > 0 {
			t.Errorf("processes left: %v", children())
		}
	})
}

// unharmed checks that another plugin serves, in the process that it had.
func unharmed(t *testing.T, h *Host, pid string) {
	t.Helper()
	if got := say(t, h, "good", "pid"); got != pid {
		t.Errorf("the other plugin was process %s and is %s", pid, got)
	}
}

// named checks that an error says what, whose fault, and what to do.
func named(t *testing.T, err error, kind Kind, source Source, says string) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != kind || e.Source != source || !strings.Contains(e.Error(), says) {
		t.Fatalf("err = %v (%#v), want %s from %s with %q", err, e, kind, source, says)
	}
	if e.Hint == "" || e.Plugin == "" {
		t.Errorf("%v: hint %q, plugin %q", err, e.Hint, e.Plugin)
	}
	if strings.Contains(err.Error(), "secret") || strings.ContainsAny(err.Error(), "\x1b\n") || len(err.Error()) > 4096 {
		t.Errorf("err = %.200q", err)
	}
}

// TestMisbehaviourAtStart has plugins go wrong before they serve.
func TestMisbehaviourAtStart(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   Kind
		source Source
		says   string
	}{
		{"exits", StartFailed, FromPlugin, "exit status 3"},
		{"panics", StartFailed, FromPlugin, "exit status 2"},
		{"sleeps", StartFailed, FromPlugin, "not ready within"},
		{"chats", Contract, FromPlugin, "no handshake"},
		{"rambles", Contract, FromPlugin, "no handshake"},
		{"longline", Contract, FromPlugin, "no handshake"},
		{"drips", StartFailed, FromPlugin, "not ready within"},
		{"newer", Incompatible, FromPlugin, "protocol 99"},
		{"elsewhere", Contract, FromPlugin, "not given"},
		{"mute", StartFailed, FromPlugin, "not ready within"},
		{"trickles", StartFailed, FromPlugin, "not ready within"},
		{"babbles", StartFailed, FromPlugin, ""},
		{"liar", Incompatible, FromPlugin, "differently from its manifest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			leavesNothing(t)
			h := open(t, Config{StartTimeout: 700 * time.Millisecond, StopTimeout: 100 * time.Millisecond}, c.name, "good")
			pid := say(t, h, "good", "pid")
			_, err := try(h, c.name, "x")
			named(t, err, c.kind, c.source, c.says)
			if e, _ := errors.AsType[*Error](err); c.kind == StartFailed && strings.Contains(c.says, "exit") && !strings.Contains(e.Tail, "no luck today") {
				t.Errorf("tail = %q", e.Tail)
			}
			unharmed(t, h, pid)
			var s Status
			for _, s = range h.Status() {
				if s.ID == c.name {
					break
				}
			}
			if s.Failures == 0 || s.LastError == nil || s.LastError.Kind != c.kind || s.PID != 0 {
				t.Errorf("status %+v", s)
			}
		})
	}
}

// TestHostileReplies has a plugin without the SDK answer what that never would.
func TestHostileReplies(t *testing.T) {
	for _, c := range []struct {
		text string
		kind Kind
		says string
	}{
		{"over", TooLarge, "16 MiB"},
		{"nesting", Contract, "not valid JSON"},
		{"chunks", Contract, "250000 chunks"},
		{"escapes", Contract, "not valid JSON"},
		{"latin1", Contract, "UTF-8"},
		{"types", Contract, "wrong type"},
		{"ids", Contract, "not a block id"},
		{"terminal", Contract, "control character"},
		{"novel", Contract, ""}, // longer than what the headers may be
		{"claims", Failed, ""},
		{"headers", Contract, ""},
		{"garbage", Contract, ""},
		{"twice", Contract, ""},
		{"never", Contract, ""},
		{"stray", "", ""}, // ignored: the answer is where it should be
		{"astray", Deadline, "no answer in time"},
		{"nowhere", Unavailable, ""},
		{"stays", Deadline, "no answer in time"},
		{"lingers", Deadline, "no answer in time"},
		{"drip", Deadline, "no answer in time"},
	} {
		t.Run(c.text, func(t *testing.T) {
			leavesNothing(t)
			config := Config{StopTimeout: 100 * time.Millisecond}
			if c.kind == Deadline {
				config.RenderTimeout = 500 * time.Millisecond
			}
			h := open(t, config, "hostile", "good")
			pid := say(t, h, "good", "pid")
			if got := say(t, h, "hostile", "x"); got != "ok" {
				t.Fatalf("got %q", got)
			}
			got, err := try(h, "hostile", c.text)
			if c.kind == "" {
				if err != nil || got != "ok" {
					t.Fatalf("got %q, %v", got, err)
				}
				unharmed(t, h, pid)
				return
			}
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Kind != c.kind || e.Source != FromPlugin || !strings.Contains(e.Message, c.says) {
				t.Fatalf("err = %.300v (%#v), want %s with %q", err, e, c.kind, c.says)
			}
			if e.Message == "" || e.Fresh() && e.Hint == "" {
				t.Errorf("err = %v, hint %q: it names no cause or no mend", err, e.Hint)
			}
			if strings.ContainsAny(err.Error(), "\x1b\n") || len(err.Error()) > 4096 || strings.Contains(err.Error(), "secret") {
				t.Errorf("err = %.200q", err)
			}
			unharmed(t, h, pid)
			if got := say(t, h, "hostile", "x"); got != "ok" {
				t.Errorf("afterwards got %q", got)
			}
		})
	}
}

// TestSwappedBinary puts another file in the place of the binary after it was
// checked and before it is executed.
func TestSwappedBinary(t *testing.T) {
	leavesNothing(t)
	for _, c := range []struct {
		why  string
		swap func(t *testing.T, path string)
		kind Kind // empty: what was checked runs
	}{
		{"another file under its name", func(t *testing.T, path string) {
			copyFile(t, path+".new", "/bin/true")
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}, ""},
		{"other bytes in the same file", func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString("x"); err != nil { // it still runs
				t.Fatal(err)
			}
		}, Untrusted},
		{"no file", func(t *testing.T, path string) { os.Remove(path) }, ""},
		{"another link to the same file", func(t *testing.T, path string) { os.Link(path, path+".bak") }, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			dir := t.TempDir()
			folder := install(t, dir, built.fixture, "good")
			path := filepath.Join(folder, "good")
			os.Remove(path) // a link to what other tests run
			copyFile(t, path, built.fixture)
			sockets := process.NewSockets(shortDir(t))
			defer sockets.Close()
			p, e := process.Start(t.Context(), process.Config{
				Bundle: bundle.Read(folder), Role: hostapi.RoleRender, Sockets: sockets, Log: newTestLog(),
				StartTimeout: 5 * time.Second, StopTimeout: time.Second,
				Confine: func(binary *os.File, dir string, attr *syscall.SysProcAttr) (string, error) {
					c.swap(t, path)
					return confine(hostapi.RoleRender, Grants{})(binary, dir, attr)
				},
			})
			if c.kind != "" {
				if e == nil || e.Kind != c.kind || e.Hint == "" {
					t.Errorf("err = %v, want %s", e, c.kind)
				}
			} else if e != nil {
				t.Fatal(e)
			}
			if e == nil {
				p.Stop()
			}
		})
	}
}

// TestForkBomb sets off a bounded one, in the sandbox and without it.
func TestForkBomb(t *testing.T) {
	leavesNothing(t)
	h := open(t, Config{}, "good")
	if got := say(t, h, "good", "bomb"); got != "0" {
		t.Errorf("%s processes were started from within the sandbox", got)
	}
	h = open(t, Config{noSandbox: true, StopTimeout: 200 * time.Millisecond}, "good")
	if got := say(t, h, "good", "bomb"); got != "24" {
		t.Errorf("%s processes were started, want 24: this tests nothing", got)
	}
	began := time.Now()
	h.Close()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("Close took %v", took)
	}
}

// TestMisbehaviourWhileItRenders has plugins go wrong in the course of a call.
func TestMisbehaviourWhileItRenders(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kind       Kind // empty: the call succeeds
		says       string
	}{
		{"bad", "crash", Unavailable, "exit status 2"},
		{"bad", "hang", Deadline, "no answer in time"},
		{"bad", "freeze", Deadline, "no answer in time"},
		{"bad", "panic x", Panic, ""},
		{"bad", "shout", "", ""},
		{"bad", "print", "", ""},
		{"confused", "x", "", ""}, // writes {"@message": 5} and other things to its log
	} {
		t.Run(c.name+" "+c.text, func(t *testing.T) {
			leavesNothing(t)
			config := Config{StopTimeout: 100 * time.Millisecond}
			if c.kind == Deadline {
				config.RenderTimeout = 700 * time.Millisecond
			}
			h := open(t, config, c.name, "good")
			pid := say(t, h, "good", "pid")
			before := say(t, h, c.name, "pid")
			got, err := try(h, c.name, c.text)
			if c.kind != "" {
				if e, ok := errors.AsType[*Error](err); !ok || e.Kind != c.kind || e.Source != FromPlugin || !strings.Contains(e.Message, c.says) || e.Fresh() && c.kind != Panic && e.Hint == "" {
					t.Errorf("err = %v (%#v), want %s with %q", err, e, c.kind, c.says)
				}
			} else if err != nil || got != "ok" {
				t.Errorf("got %q, %v", got, err)
			}
			unharmed(t, h, pid)
			if after := say(t, h, c.name, "pid"); (after == before) != (c.kind == "") {
				t.Errorf("process %s before, %s after", before, after)
			}
		})
	}
}

// TestStubbornFamily ignores SIGTERM, hangs, and has two descendants.
func TestStubbornFamily(t *testing.T) {
	leavesNothing(t)
	h := open(t, Config{noSandbox: true, StopTimeout: 200 * time.Millisecond}, "good")
	say(t, h, "good", "pid")
	done := make(chan error, 1)
	go func() {
		_, err := try(h, "good", "stubborn")
		done <- err
	}()
	if n := settles(func() int { return -len(children()) }, -3); n != -3 {
		t.Fatalf("%d processes, want three", -n)
	}
	began := time.Now()
	h.Close()
	if took := time.Since(began); took > 1500*time.Millisecond {
		t.Errorf("Close took %v, want about 400 ms", took)
	}
	if err := <-done; err == nil {
		t.Error("the call succeeded")
	}
}

func TestCrashOnStop(t *testing.T) {
	leavesNothing(t)
	log := newTestLog()
	h := open(t, Config{Log: log}, "hostile", "good")
	pid := say(t, h, "good", "pid")
	say(t, h, "hostile", "crash_on_stop")
	if err := h.Restart(t.Context(), "hostile"); err != nil {
		t.Error(err)
	}
	unharmed(t, h, pid)
	say(t, h, "hostile", "crash_on_stop")
	began := time.Now()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 900*time.Millisecond {
		t.Errorf("Close took %v", took)
	}
	for _, want := range []string{"crashed on stop", "exit status 7"} {
		if all := log.lines.String(); !strings.Contains(all, want) {
			t.Errorf("the log does not hold %q:\n%s", want, all)
		}
	}
}

// TestSpill is five megabytes of log in the course of one call.
func TestSpill(t *testing.T) {
	leavesNothing(t)
	log := newTestLog()
	h := open(t, Config{Log: log}, "good")
	if got := say(t, h, "good", "spill"); got != "ok" {
		t.Errorf("got %q", got)
	}
	h.Close()
	all := log.lines.String()
	if n := len(all); n > 3<<20 || !strings.Contains(all, "plugin log lines dropped") || !strings.Contains(all, `"@module":"good"`) {
		t.Errorf("the log holds %d bytes", n)
	}
}

// TestTorrent has one plugin write to its log as fast as it can.
func TestTorrent(t *testing.T) {
	leavesNothing(t)
	log := newTestLog()
	h := open(t, Config{Log: log, StopTimeout: 300 * time.Millisecond}, "good", "loud")
	pid := say(t, h, "good", "pid")
	say(t, h, "loud", "torrent")
	began := time.Now()
	var slowest time.Duration
	calls := 0
	for ; time.Since(began) < time.Second; calls++ {
		at := time.Now()
		unharmed(t, h, pid)
		slowest = max(slowest, time.Since(at))
	}
	if got := say(t, h, "loud", "x"); got != "ok" {
		t.Errorf("the loud one itself says %q", got)
	}
	h.Close()
	if n := strings.Count(log.lines.String(), "\n"); n > 1000+400*int(time.Since(began).Seconds()+1) {
		t.Errorf("%d lines were logged", n)
	}
	t.Logf("%d calls of another plugin meanwhile, the slowest took %v", calls, slowest)
}

// TestFrozenWhileIdle stops a process that nobody calls: only its health check
// can tell.
func TestFrozenWhileIdle(t *testing.T) {
	leavesNothing(t)
	c := Config{StopTimeout: 100 * time.Millisecond}
	c.Policy.CheckEvery, c.Policy.CheckTimeout = 50*time.Millisecond, 200*time.Millisecond
	h := open(t, c, "good")
	first := say(t, h, "good", "pid")
	pid, _ := strconv.Atoi(first)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); h.Status()[0].PID == pid || h.Status()[0].PID == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("status %+v", h.Status()[0])
		}
	}
	if s := h.Status()[0]; s.Restarts != 1 || s.LastError == nil || s.LastError.Op != "check" || s.LastError.Kind != Deadline {
		t.Errorf("status %+v, last error %+v", s, s.LastError)
	}
}

// TestCrashLoop is a plugin that dies at every start until it is quarantined,
// and comes back when somebody has mended it.
func TestCrashLoop(t *testing.T) {
	leavesNothing(t)
	dir := t.TempDir()
	c := Config{Places: Places{Dirs: []string{dir}}}
	c.Policy.FirstBackoff, c.Policy.Patience = 20*time.Millisecond, 10*time.Millisecond
	install(t, dir, built.fixture, "good")
	folder := install(t, dir, built.fixture, "exits")
	h := open(t, c)
	pid := say(t, h, "good", "pid")
	saw := map[Kind]bool{}
	for deadline := time.Now().Add(20 * time.Second); !saw[Quarantined]; time.Sleep(time.Millisecond) {
		_, err := try(h, "exits", "x")
		e, ok := errors.AsType[*Error](err)
		if !ok || time.Now().After(deadline) {
			t.Fatalf("err = %v", err)
		}
		saw[e.Kind] = true
		named(t, err, e.Kind, FromPlugin, "exit status 3")
		unharmed(t, h, pid)
	}
	if !saw[BackingOff] || !saw[StartFailed] {
		t.Errorf("saw %v", saw)
	}
	s := h.Status()[0]
	if s.ID != "exits" || s.State != StateQuarantined || s.Failures != 5 || s.Restarts != 4 || s.LastError == nil || !strings.Contains(s.LastError.Tail, "no luck") {
		t.Errorf("status %+v", s)
	}
	if err := h.Restart(t.Context(), "exits"); !errors.Is(err, StartFailed) {
		t.Errorf("Restart of what is not mended: %v", err)
	}
	for h.Status()[0].State != StateQuarantined {
		try(h, "exits", "x")
		time.Sleep(time.Millisecond)
	}

	// Somebody installs one that works: same id, another binary.
	os.Remove(filepath.Join(folder, "exits"))
	os.Remove(filepath.Join(folder, "plugin.json"))
	mended := filepath.Join(folder, "works")
	copyFile(t, mended, built.fixture)
	text, err := exec.Command(mended, "manifest").Output()
	if err != nil {
		t.Fatal(err)
	}
	// It describes itself by its name, so it is given the old one in a link.
	manifest := strings.ReplaceAll(string(text), `"works"`, `"exits"`)
	manifest = strings.Replace(manifest, `"binary": "exits"`, `"binary": "works"`, 1)
	if err := os.WriteFile(filepath.Join(folder, "plugin.json"), []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	look(t, h)
	_, err = try(h, "exits", "x")
	named(t, err, Incompatible, FromPlugin, "differently from its manifest") // the new one ran
}

// TestReinstalled replaces a plugin under a host and restarts it.
func TestReinstalled(t *testing.T) {
	leavesNothing(t)
	dir := t.TempDir()
	folder := install(t, dir, built.fixture, "good")
	h := open(t, Config{Places: Places{Dirs: []string{dir}}})
	pid := say(t, h, "good", "pid")
	path := filepath.Join(folder, "good")
	os.Remove(path)
	copyFile(t, path, built.fixture)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("a newer build")
	f.Close()
	if got := say(t, h, "good", "pid"); got != pid {
		t.Errorf("process %s, want %s: what runs, runs", got, pid)
	}
	if err := h.Restart(t.Context(), "good"); !errors.Is(err, Untrusted) {
		t.Errorf("Restart with the old manifest: %v", err)
	}
	manifest, err := exec.Command(path, "manifest").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "plugin.json"), manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	old := h.Status()[0].SHA256
	look(t, h)
	if err := h.Restart(t.Context(), "good"); err != nil {
		t.Fatal(err)
	}
	if s := h.Status()[0]; s.State != StateReady || s.SHA256 == old || strconv.Itoa(s.PID) == pid {
		t.Errorf("status %+v", s)
	}
	if err := h.Restart(t.Context(), "nope"); !errors.Is(err, NotFound) {
		t.Errorf("err = %v", err)
	}
}

// TestPluginGroups tells a plugin's own processes from others.
func TestPluginGroups(t *testing.T) {
	leavesNothing(t)
	h := open(t, Config{}, "good", "other")
	var want []int
	for _, n := range []string{"good", "other"} {
		pid, _ := strconv.Atoi(say(t, h, n, "pid"))
		want = append(want, pid)
		if group, err := syscall.Getpgid(pid); err != nil || group != pid {
			t.Errorf("group of %d is %d, %v", pid, group, err)
		}
	}
	if got := h.PluginGroups(); len(got) != 2 || got[0] != min(want[0], want[1]) || got[1] != max(want[0], want[1]) {
		t.Errorf("groups %v, want %v", got, want)
	}
	h.Close()
	if got := h.PluginGroups(); len(got) != 0 {
		t.Errorf("groups %v after Close", got)
	}
}

// TestHostIsKilledAtRandomMoments kills and interrupts hosts, some of them while
// their plugins start.
func TestHostIsKilledAtRandomMoments(t *testing.T) {
	leavesNothing(t)
	dir, runtime := t.TempDir(), shortDir(t)
	install(t, dir, built.fixture, "good")
	random := rand.New(rand.NewPCG(3, 5))
	var wg sync.WaitGroup
	for range 12 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHostDies$")
		cmd.Env = append(os.Environ(), "VAK_TEST_HOST="+dir, "VAK_TEST_RUNTIME="+runtime)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		sig := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM}[random.IntN(3)]
		at := time.Duration(random.IntN(300)) * time.Millisecond
		wg.Go(func() {
			time.Sleep(at)
			cmd.Process.Signal(sig)
			cmd.Wait()
		})
		if random.IntN(3) == 0 {
			wg.Wait()
		}
	}
	wg.Wait()
	if n := settles(func() int { return len(children()) }, 0); n > 0 {
		t.Errorf("processes left: %v", children())
	}
	open(t, Config{Places: Places{Dirs: []string{dir}}, RuntimeDir: runtime})
	if left, err := os.ReadDir(runtime); err != nil || len(left) > 0 {
		for _, l := range left {
			if !strings.HasPrefix(l.Name(), "n") { // killed between two system calls; swept when it is old
				t.Errorf("left: %s", l.Name())
			}
			os.RemoveAll(filepath.Join(runtime, l.Name()))
		}
	}
}

// TestThreadOfTheFirstCallerEnds: the kernel kills a process when the thread ends
// that started it, so this must not be a thread of whoever came first.
func TestThreadOfTheFirstCallerEnds(t *testing.T) {
	leavesNothing(t)
	h := open(t, Config{}, "good")
	pids := make(chan string)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		got, _ := try(h, "good", "pid")
		pids <- got
	}()
	first := <-pids
	for range 20 {
		runtime.GC()
		if got := say(t, h, "good", "pid"); got != first {
			t.Fatalf("process %s is gone, %s serves", first, got)
		}
	}
}
