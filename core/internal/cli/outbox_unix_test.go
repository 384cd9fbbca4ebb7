//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
)

// answer makes a file with an answer.
func answerFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "answer.md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestServeSends has commands ask a vak that serves for all that it keeps.
func TestServeSends(t *testing.T) {
	t.Parallel()
	s := place(t)
	s.start()
	file := answerFile(t, "hello *you*\n")
	s.want(0, `\Adelivered  log:a  notices/1:1:log:a  1 message\n\z`, "send", file, "--to", "log:a")
	s.want(0, `\Adelivered  log:a  demo/1:1:log:a  1 message\n\z`, "send", file, "--to", "log:a", "--session", "demo", "--turn-key", "k")
	s.want(0, `^  "repeated": true$`, "send", file, "--to", "log:a", "--session", "demo", "--turn-key", "k", "--json")
	if out := s.want(0, `\A(pending|sending|delivered)  log:a  later`, "send", file, "--to", "log:a", "--id", "later", "--no-wait"); strings.Contains(out, "No process") {
		t.Errorf("it says %s", out)
	}
	s.want(0, `accepted before, 1 message$`, "send", file, "--to", "log:a", "--id", "later")
	s.want(3, `\Avak: job later was accepted with other content; use another id\n\z`, "send", answerFile(t, "other"), "--to", "log:a", "--id", "later")
	s.want(2, `\Avak: there is no target with the name "log"; write surface:address`, "send", file, "--to", "log")
	s.want(4, `\Avak: there is no surface "nowhere"`, "send", file, "--to", "nowhere:a")
	s.want(3, `larger than 4 MiB`, "send", answerFile(t, strings.Repeat("x", 5_000_000)), "--to", "log:a")
	s.want(0, `^held \(digest\)`, "send", answerFile(t, strings.Repeat("\x01<&>", 1<<20)), "--to", "log:big", "--id", "big", "--cadence", "digest", "--no-wait") // four MiB of what JSON escapes
	s.want(0, `^big is discarded$`, "outbox", "discard", "big")
	s.want(2, `leave --plugins away`, "send", file, "--to", "log:a", "--plugins", t.TempDir())

	if err := os.MkdirAll(filepath.Join(s.home, "log", "stuck.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	out := s.want(8, `^dead_letter \(refused\)  log:stuck  dead  permanent not_a_file: `, "send", file, "--to", "log:stuck", "--to", "log:a", "--id", "dead", "--id", "fine")
	for _, want := range []string{"\ndelivered              log:a      fine  1 message\n", "\nvak: 1 of 2 jobs will not arrive; \"vak outbox show JOB\" says why and what to do\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	s.want(0, `^  to do     mend what the last failure says`, "outbox", "show", "dead")
	s.want(0, `^warn  dead letters +1 refused`, "doctor")
	s.want(0, `^discard: 1 job\.$`, "outbox", "discard", "--state", "dead_letter", "--reason", "refused", "--yes")

	s.want(7, `^held \(digest\)`, "send", file, "--to", "log:a", "--id", "digested", "--cadence", "digest")
	s.want(0, `^digested +log:a +assistant +held \(digest\) +- +0 +\d+s +in \d`, "outbox", "list")
	s.want(0, `^digested is released$`, "outbox", "release", "digested")
	s.want(0, `accepted before, 1 message$`, "send", file, "--to", "log:a", "--id", "digested", "--cadence", "digest")
	s.want(0, `^0 jobs would be chosen for retry\.$`, "outbox", "retry", "--state", "dead_letter", "--dry-run")
	s.want(0, `^Nothing waits for any target`, "outbox", "targets")
	s.want(0, `^demo +[34] +\d{4}-`, "ledger", "list")
	s.want(0, `^ok  demo     [34] records$`, "ledger", "verify")
	s.want(0, `^ok    outbox +0 pending, 0 sending$`, "doctor")
	s.want(0, `^ok    ledger +2 sessions with \d+ records, all in order$`, "doctor", "--full")

	// A record that somebody changes shows.
	path := filepath.Join(s.home, "sessions", "demo.jsonl")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(b, []byte("hello"), []byte("jello"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	s.want(1, `^fail  demo     .*; \d records? before it (is|are) right\n(.*\n)*vak: 1 of 2 sessions do not verify`, "ledger", "verify")
	s.want(1, `^fail  session demo `, "doctor", "--full")
	if strings.Contains(s.log.String(), "hello") {
		t.Errorf("the log holds the text of an answer:\n%s", s.log)
	}

	// Completion knows what there is.
	s.want(0, `^later\t`, "__complete", "outbox", "show", "")
	s.want(0, `^demo$`, "__complete", "ledger", "show", "")
	s.want(0, `^dead_letter$`, "__complete", "outbox", "list", "--state", "")
}

// TestSendGoesOn has the process that holds the home end while a command waits:
// the command takes over, and sends what it waits for.
func TestSendGoesOn(t *testing.T) {
	t.Parallel()
	s := place(t)
	s.start()
	logs := filepath.Join(s.home, "log")
	if err := os.WriteFile(logs, nil, 0o600); err != nil { // so that no log can be written
		t.Fatal(err)
	}
	cmd := exec.Command(binaries.Build(t), "send", answerFile(t, "hello"), "--to", "log:a", "--id", "one")
	cmd.Env = s.env
	var out lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for until := time.Now().Add(30 * time.Second); !strings.Contains(s.want(0, ``, "outbox", "list"), " 1     "); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("nothing was tried: ", s.want(0, ``, "outbox", "list"))
		}
	}
	if err := os.Remove(logs); err != nil {
		t.Fatal(err)
	}
	if code := s.stop(syscall.SIGKILL); code == 0 {
		t.Fatal("it was not killed")
	}
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	if cmd.Wait(); cmd.ProcessState.ExitCode() != 0 || !strings.Contains(out.String(), "delivered  log:a  one  1 message") {
		t.Errorf("%v: %s", cmd.ProcessState, out.String())
	}
	if b, err := os.ReadFile(filepath.Join(logs, "a.log")); err != nil || string(b) != "hello\n" {
		t.Errorf("the log holds %q, %v", b, err)
	}
}

// TestSendTogether has many commands send at once, in a home that nobody holds.
func TestSendTogether(t *testing.T) {
	t.Parallel()
	s := place(t)
	file := answerFile(t, "hello")
	const n = 8
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if out, code := s.vak("send", file, "--to", "log:a", "--id", fmt.Sprint("id-", i)); code != 0 {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
	wg.Wait()
	if b, err := os.ReadFile(filepath.Join(s.home, "log", "a.log")); err != nil || string(b) != strings.Repeat("hello\n", n) {
		t.Errorf("the log holds %q, %v", b, err)
	}
	s.want(0, fmt.Sprintf(`^%d jobs: %d delivered$`, n, n), "outbox", "list", "--state", "all")
}
