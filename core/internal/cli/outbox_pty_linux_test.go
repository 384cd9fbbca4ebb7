package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/core/internal/control"
)

// A session at a terminal: what vak shows can be waited for, and keys pressed.
type atTerminal struct {
	t    *testing.T
	ptmx *os.File
	cmd  *exec.Cmd
	out  lockedBuffer
	done chan struct{}
}

// terminal starts vak at a terminal of 50 lines.
func (s *served) terminal(columns uint16, args ...string) *atTerminal {
	s.t.Helper()
	ptmx, tty := openTerminal(s.t, columns)
	cmd := exec.Command(binaries.Build(s.t), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = append(s.env, "NO_COLOR=", "TERM=xterm")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err := cmd.Start()
	tty.Close()
	if err != nil {
		s.t.Fatal(err)
	}
	a := &atTerminal{t: s.t, ptmx: ptmx, cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		if _, err := io.Copy(&a.out, ptmx); err != nil && !errors.Is(err, syscall.EIO) && !errors.Is(err, os.ErrClosed) {
			s.t.Error(err)
		}
	}()
	s.t.Cleanup(func() { cmd.Process.Kill(); ptmx.Close(); <-a.done })
	return a
}

// shows waits until the terminal shows what re matches.
func (a *atTerminal) shows(re string) {
	a.t.Helper()
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if regexp.MustCompile(re).MatchString(a.out.String()) {
			return
		}
		if time.Now().After(until) {
			a.t.Fatalf("it does not show %s but %q", re, a.out.String())
		}
	}
}

func (a *atTerminal) press(keys string) {
	a.t.Helper()
	if _, err := a.ptmx.WriteString(keys); err != nil {
		a.t.Fatal(err)
	}
}

// ends waits for the end and returns the exit code.
func (a *atTerminal) ends() int {
	a.t.Helper()
	timer := time.AfterFunc(30*time.Second, func() { a.cmd.Process.Kill() })
	defer timer.Stop()
	a.cmd.Wait()
	<-a.done
	return a.cmd.ProcessState.ExitCode()
}

// noisy makes a home with a served outbox in which a job waits for its digest, and
// one has no transport.
func noisy(t *testing.T) *served {
	t.Helper()
	s := place(t)
	s.start()
	file := filepath.Join(t.TempDir(), "answer.md")
	if err := os.WriteFile(file, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.want(7, `held \(digest\)`, "send", file, "--to", "log:a", "--id", "digested", "--cadence", "digest")
	s.want(7, `held \(no_transport\)`, "send", file, "--to", "telegram:1", "--id", "parked")
	return s
}

// TestWatch watches an outbox, which changes, and ends it in each of the ways.
func TestWatch(t *testing.T) {
	t.Parallel()
	s := noisy(t)
	for why, end := range map[string]string{"q": "q", "Ctrl-C": "\x03"} {
		a := s.terminal(100, "outbox", "list", "--watch")
		a.shows(`digested +log:a +assistant +held \(digest\) `)
		a.shows(`2 jobs: 2 held`)
		if why == "q" {
			s.want(0, `^parked is discarded$`, "outbox", "discard", "parked")
			a.shows(`1 job: 1 held`)
			s.want(0, `^parked goes again$`, "outbox", "retry", "parked")
			a.shows(`1 job: 1 held(?s:.*)2 jobs: 2 held`)
		}
		a.press(end)
		if code := a.ends(); code != 0 {
			t.Errorf("%s: exit %d", why, code)
		}
		out := a.out.String()
		if !strings.HasPrefix(out, enterScreen) || !strings.HasSuffix(out, leaveScreen) {
			t.Errorf("%s: the screen is not given back: %q", why, out)
		}
	}
}

// TestWatchElsewhere has no terminal, or a dumb one: the list is written once.
func TestWatchElsewhere(t *testing.T) {
	t.Parallel()
	s := noisy(t)
	if out := s.want(0, `^2 jobs: 2 held$`, "outbox", "list", "--watch"); strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
	s.env = append(s.env, "TERM=dumb")
	out, code := onTerminal(t, 80, s.env, "outbox", "list", "--watch")
	if code != 0 || strings.Contains(out, "\x1b") || !strings.Contains(out, "2 jobs: 2 held") {
		t.Errorf("exit %d, %q", code, out)
	}
}

// TestScreen draws lists that are longer and wider than the screen.
func TestScreen(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	l := &list{n: 500, held: true, states: map[string]int{"pending": 500}, targets: map[string]int{"log:a": 500}}
	for i := range 500 {
		l.jobs = append(l.jobs, jobOf(i, now))
	}
	for _, height := range []int{1, 3, 10, 50, 400} {
		got := screen(l, nil, now, 60, height)
		lines := strings.Split(got, "\r\n")
		if len(lines) > height {
			t.Errorf("%d lines on a screen of %d", len(lines), height)
		}
		for _, line := range lines {
			if text := regexp.MustCompile(`\x1b\[\w*`).ReplaceAllString(line, ""); len([]rune(text)) > 60 {
				t.Errorf("a line of %d columns: %q", len([]rune(text)), text)
			}
		}
		if height >= 10 && (!strings.Contains(got, "500 jobs: 500 pending") || !strings.Contains(got, " more\x1b")) {
			t.Errorf("height %d: %q", height, got)
		}
		shown := bytes.Count([]byte(got), []byte("job-"))
		if want := map[int]int{10: 4, 50: 44, 400: 394}[height]; want > 0 && shown != want || want > 0 && !strings.Contains(got, "… and "+thousands(500-shown)+" more") {
			t.Errorf("height %d: %d jobs are shown: %.300q", height, shown, got)
		}
	}
	if got := screen(l, errors.New("gone\x1b[2J"), now, 60, 10); strings.Contains(got, "[2J") && !strings.Contains(got, `\x1b[2J`) && !strings.Contains(got, `\u001b[2J`) {
		t.Errorf("an error draws: %q", got)
	}
}

func jobOf(i int, now time.Time) control.Job {
	return control.Job{ID: fmt.Sprintf("job-%d", i), Target: "log:a", Kind: "assistant", State: control.Pending, Created: now}
}

// TestSendAtTerminal waits for a job that cannot go at once, and is interrupted.
func TestSendAtTerminal(t *testing.T) {
	t.Parallel()
	s := place(t)
	s.start()
	file := filepath.Join(t.TempDir(), "answer.md")
	if err := os.WriteFile(file, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The directory of the logs cannot be made, so that attempts fail.
	logs := filepath.Join(s.home, "log")
	if err := os.WriteFile(logs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := s.terminal(100, "send", file, "--to", "log:stuck", "--to", "log:other", "--id", "one", "--id", "two")
	a.shows(`0 of 2 settled · log:stuck pending, 1 failed attempt, next try in \ds`)
	a.press("\x03")
	if code := a.ends(); code != exitInterrupted {
		t.Errorf("exit %d", code)
	}
	a.shows(`vak: interrupted; 2 jobs stay in the outbox: "vak outbox list" shows what waits`)
	s.want(0, `^one +log:stuck +assistant +pending +0/1 +1 `, "outbox", "list")
	s.want(0, `message 1 failed: transient io: see whether`, "outbox", "show", "one")
	s.want(exitWaiting, `^vak: not delivered within 10ms; 1 job stays in the outbox`, "send", file, "--to", "log:stuck", "--id", "one", "--timeout", "10ms")
	if err := os.Remove(logs); err != nil {
		t.Fatal(err)
	}
	s.want(0, `^two goes again$`, "outbox", "retry", "two")
	s.want(0, `^delivered  log:other  two  accepted before, 1 message$`, "send", file, "--to", "log:other", "--id", "two")

	out, code := onTerminal(t, 100, s.env, "send", file, "--to", "log:fine", "--id", "three")
	if code != 0 || !strings.Contains(out, "delivered  log:fine  three  1 message") {
		t.Errorf("exit %d, %q", code, out)
	}
}

// TestConfirm is asked at a terminal.
func TestConfirm(t *testing.T) {
	t.Parallel()
	s := noisy(t)
	a := s.terminal(100, "outbox", "discard", "--state", "held")
	a.shows(`discard 2 jobs\? \[y/N\] `)
	a.press("n\n")
	if code := a.ends(); code != 0 || !strings.Contains(a.out.String(), "Nothing was done.") {
		t.Errorf("no: exit %d, %q", code, a.out.String())
	}
	a = s.terminal(100, "outbox", "discard", "--state", "held")
	a.shows(`discard 2 jobs\? \[y/N\] `)
	a.press("y\n")
	if code := a.ends(); code != 0 || !strings.Contains(a.out.String(), "discard: 2 jobs.") {
		t.Errorf("yes: exit %d, %q", code, a.out.String())
	}
	s.want(0, `^No jobs\.$`, "outbox", "list")
}
