//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPluginDevServe has a process that holds the home use a plugin while it is
// written, in place of an installed one, and that one again afterwards.
func TestPluginDevServe(t *testing.T) {
	t.Parallel()
	s := place(t)
	dir := t.TempDir()
	write := func(version string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "poll.sh"), []byte(strings.ReplaceAll(pollScript, "1.0.0", version)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.start()
	write("1.0.0")
	d := s.dev(dir, "--interpreter", "/bin/sh", "--main", "poll.sh")
	d.says(`^poll 1\.0\.0 built in .* s; the next turn uses it \(epoch \d+\)$`)
	s.want(0, `^poll +1\.0\.0 +skill .*/plugins/dev/poll/poll\.sh`, "plugin", "list")
	write("1.1.0")
	d.says(`^poll 1\.1\.0 built in .* s; the next turn uses it \(epoch \d+\)$`)
	s.want(0, `^poll +1\.1\.0 +skill `, "plugin", "list")
	if code := d.end(os.Interrupt); code != 0 {
		t.Errorf("SIGINT: exit %d\n%s", code, d.errs)
	}
	if out := s.want(0, `^telegram`, "plugin", "list"); strings.Contains(out, "poll") {
		t.Errorf("it is still there:\n%s", out)
	}

	// One that was killed is gone with the next look.
	d = s.dev(dir, "--interpreter", "/bin/sh", "--main", "poll.sh")
	d.says(`^poll 1\.1\.0 built in `)
	s.want(0, `^poll +1\.1\.0 +skill `, "plugin", "list")
	d.end(os.Kill)
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if out, _ := s.vak("plugin", "list"); !strings.Contains(out, "poll") {
			break
		} else if time.Now().After(until) {
			t.Fatalf("the plugin of a command that was killed is used:\n%s", out)
		}
	}
}

// TestPluginDevPreview has a command that looks itself use the pack in Python.
func TestPluginDevPreview(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	if out, err := exec.Command(python, "-I", "-c", "import grpc").CombinedOutput(); err != nil {
		t.Skipf("%s with grpcio is not here (%v): %s", python, err, out)
	}
	s := place(t)
	card := filepath.Join(t.TempDir(), "answer.md")
	if err := os.WriteFile(card, []byte("```vak\n"+`{"semantic_type": "poll.results", "payload": {"question": "Where?", "options": [{"label": "Noodles", "votes": 3}]}}`+"\n```\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := s.dev(filepath.Join(checkout(t), "sdk/examples/python"), "--main", "pack.py", "--interpreter", python)
	d.says(`^poll 1\.0\.0 built in `)
	if out := s.want(0, `Noodles +│ +3 │ 100 %`, "preview", card, "--surface", "log", "--allow-unsandboxed"); strings.Contains(out, "warning") {
		t.Errorf("it shows\n%s", out)
	}
	s.want(0, `^poll +1\.0\.0 +skill .*, dev `, "plugin", "list")
	if code := d.end(os.Interrupt); code != 0 {
		t.Errorf("SIGINT: exit %d\n%s", code, d.errs)
	}
}
