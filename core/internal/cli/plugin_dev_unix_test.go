//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/core/internal/host/bundle"
	"github.com/seed-1ae66336/vak/core/internal/install"
)

// A deving is a "vak plugin dev" that runs.
type deving struct {
	s     *served
	cmd   *exec.Cmd
	lines chan string
	errs  *lockedBuffer
}

// dev starts one in the place of s. What go builds comes from this machine.
func (s *served) dev(args ...string) *deving {
	s.t.Helper()
	d := &deving{s, exec.Command(binaries.Build(s.t), append([]string{"plugin", "dev"}, args...)...), make(chan string, 100), &lockedBuffer{}}
	d.cmd.Env, d.cmd.Stderr = s.env, d.errs
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { d.cmd.Process.Kill(); d.cmd.Wait() })
	go func() {
		defer close(d.lines)
		for r := bufio.NewScanner(out); r.Scan(); {
			d.lines <- r.Text()
		}
	}()
	return d
}

// says waits for the next line, and holds it to what is wanted.
func (d *deving) says(re string) {
	d.s.t.Helper()
	select {
	case line, more := <-d.lines:
		if !more || !regexp.MustCompile(re).MatchString(line) {
			d.s.t.Fatalf("it says %q, want %s\n%s", line, re, d.errs)
		}
	case <-time.After(2 * time.Minute):
		d.s.t.Fatalf("it does not say %s\n%s", re, d.errs)
	}
}

// tells waits until standard error matches.
func (d *deving) tells(re string) {
	d.s.t.Helper()
	for until := time.Now().Add(time.Minute); !regexp.MustCompile("(?m)" + re).MatchString(d.errs.String()); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			d.s.t.Fatalf("it does not tell %s:\n%s", re, d.errs)
		}
	}
}

// end sends a signal and returns the exit code.
func (d *deving) end(sig os.Signal) int {
	d.cmd.Process.Signal(sig)
	for range d.lines { // all is read before Wait closes the pipe
	}
	d.cmd.Wait()
	return d.cmd.ProcessState.ExitCode()
}

// used are the plugins of the home that are being written.
func (s *served) used() (all []string) {
	s.t.Helper()
	folders, _, err := install.Dev(s.home)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range folders {
		b := bundle.Read(f)
		if b.Err != nil {
			s.t.Fatal(b.Err)
		}
		all = append(all, b.Info.ID+" "+b.Info.Version)
	}
	return all
}

func (s *served) wantUsed(want string) {
	s.t.Helper()
	if got := strings.Join(s.used(), ", "); got != want {
		s.t.Errorf("used are %q, want %q", got, want)
	}
}

// checkout is the root of the module that this test is in.
func checkout(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestPluginDev begins a plugin, and changes it while it is used.
func TestPluginDev(t *testing.T) {
	t.Parallel()
	s := place(t)
	s.env = append(s.env, "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	dir := filepath.Join(t.TempDir(), "my mood")
	s.want(0, `^  vak plugin dev \.$`, "plugin", "new", "skill", "acme", "--dir", dir, "--replace", checkout(t))
	path := filepath.Join(dir, "main.go")
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) {
		t.Helper()
		now := bytes.ReplaceAll(source, []byte(from), []byte(to))
		if bytes.Equal(now, source) {
			t.Fatalf("there is no %s in main.go", from)
		}
		if err := os.WriteFile(path, now, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.want(0, `^acme 0\.1\.0 built in \d+\.\d s, and its manifest is right$`, "plugin", "dev", dir, "--once")
	s.wantUsed("")

	d := s.dev(dir)
	d.says(`^acme 0\.1\.0 built in \d+\.\d s; no process holds the home: start "vak serve" in another terminal$`)
	s.wantUsed("acme 0.1.0")
	s.want(3, `^vak: another "vak plugin dev" has a plugin acme in this home; `, "plugin", "dev", dir)

	change(`"0.1.0"`, `"0.2.0"`)
	d.says(`^acme 0\.2\.0 built in `)
	s.wantUsed("acme 0.2.0")

	// What does not build changes nothing, and is shown as the compiler says it.
	change(`func main()`, `func main(`)
	d.says(`^acme 0\.2\.0 is used as before$`)
	s.wantUsed("acme 0.2.0")
	d.tells(`^\./main\.go:\d+:\d+: syntax error: `)
	d.tells(`^vak: .*/my mood does not build$`)
	// Nor does what vak would refuse.
	change(`ID: "acme"`, `ID: "Acme"`)
	d.says(`^acme 0\.2\.0 is used as before$`)
	d.tells(`^vak: .*my mood builds does not say what it is: .*: id \\"Acme\\": want up to 32`)
	change(`"type": "object"`, `"type": "odd"`)
	d.says(`^acme 0\.2\.0 is used as before$`)
	d.tells(`^vak: .*my mood would not be used: skill "acme", "acme\.event": its schema cannot be used; `)
	// Nor does a folder that is gone.
	if err := os.Rename(dir, dir+" away"); err != nil {
		t.Fatal(err)
	}
	d.says(`^acme 0\.2\.0 is used as before$`)
	d.tells(`^vak: .*/my mood does not build: no such file or directory$`)
	s.wantUsed("acme 0.2.0")
	if err := os.Rename(dir+" away", dir); err != nil {
		t.Fatal(err)
	}
	d.says(`^acme 0\.2\.0 is used as before$`)                                                                // for its schema
	if err := os.WriteFile(filepath.Join(dir, "main_test.go"), []byte("package main\n"), 0o644); err != nil { // no reason to build
		t.Fatal(err)
	}
	change(`ID: "acme", Version: "0.1.0"`, `ID: "acme-mood", Version: "0.3.0"`)
	d.says(`^acme-mood 0\.3\.0 built in `)
	s.wantUsed("acme-mood 0.3.0")

	if code := d.end(os.Interrupt); code != 0 {
		t.Errorf("SIGINT: exit %d\n%s", code, d.errs)
	}
	s.wantUsed("")
	left, err := filepath.Glob(filepath.Join(install.DevDir(s.home), "acme*"))
	if err != nil || len(left) != 2 || filepath.Ext(left[0])+filepath.Ext(left[1]) != ".lock.lock" {
		t.Errorf("left are %q, %v", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(install.DevDir(s.home), ".builds", "*")); err != nil || len(left) != 0 {
		t.Errorf("left are %q, %v", left, err)
	}
}

// pollScript is a plugin that a shell runs.
const pollScript = `if [ "$1" != describe ]; then exit 1; fi
echo '{"id": "poll", "version": "1.0.0", "signals": [{"name": "poll.mentioned", "keywords": ["poll"]}]}'
`

// TestPluginDevInterpreter writes a plugin that is not built, and kills the command.
func TestPluginDevInterpreter(t *testing.T) {
	t.Parallel()
	s := place(t)
	dir := filepath.Join(t.TempDir(), `$(id) "odd" 'names'`)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "poll.sh"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(pollScript)
	args := []string{dir, "--interpreter", "/bin/sh", "--main", "poll.sh", "--read", "/etc/hosts", "--env", "POLL_TOKEN"}
	d := s.dev(args...)
	d.says(`^poll 1\.0\.0 built in `)
	s.wantUsed("poll 1.0.0")
	folders, grants, err := install.Dev(s.home)
	if err != nil || len(folders) != 1 {
		t.Fatalf("%q, %v", folders, err)
	}
	if g := grants(folders[0]); g.Interpreter != "/bin/sh" || len(g.Read) != 1 || g.Read[0] != "/etc/hosts" || len(g.Env) != 1 || g.Env[0] != "POLL_TOKEN" {
		t.Errorf("given is %+v", g)
	}
	if b := bundle.Read(folders[0]); filepath.Base(b.Path) != "poll.sh" || b.Pack.Signals[0].Name != "poll.mentioned" {
		t.Errorf("%+v", b)
	}
	write("echo \x1b[2J >&2; wrong\x07")
	d.says(`^poll 1\.0\.0 is used as before$`)
	d.tells(`\\u001b\[2J`)
	if said := d.errs.String(); strings.ContainsAny(said, "\x1b\x07") {
		t.Errorf("it says %q", said)
	}
	d.end(os.Kill)
	s.wantUsed("") // though the folder is there
	if _, err := os.Stat(folders[0]); err != nil {
		t.Error(err)
	}
	// What belongs to vak is refused before it is used.
	for _, c := range []struct{ from, to, says string }{
		{`"id": "poll"`, `"id": "core"`, `skill "core": it has an owner; another pack has this id; `},
		{`"signals"`, `"types": [{"name": "table", "schema": {}}], "signals"`, `skill "poll", "table": it has an owner; the type belongs to the skill "core"; `},
	} {
		write(strings.ReplaceAll(pollScript, c.from, c.to))
		s.want(3, `^vak: .* would not be used: `+c.says, append([]string{"plugin", "dev", "--once"}, args...)...)
	}
	// What a recipe names and nobody has is told: it never comes to be used.
	write(strings.ReplaceAll(pollScript, `"signals"`, `"recipes": [{"id": "poll.shown", "version": "1.0.0", "signals": ["poll.mentoined", "poll.mentioned", "tests"], "types": ["table", "poll.result"]}], "signals"`))
	said, _ := s.vak(append([]string{"plugin", "dev", "--once"}, args...)...)
	const notes = "note: the recipe poll.shown names the signal poll.mentoined, which neither this pack nor vak has\n" +
		"note: the recipe poll.shown names the type poll.result, which neither this pack nor vak has\n"
	if !strings.Contains(said, notes) || strings.Count(said, "note: ") != 2 {
		t.Errorf("it says %s", said)
	}
	write(strings.ReplaceAll(pollScript, "1.0.0", "1.1.0"))
	d = s.dev(args...)
	d.says(`^poll 1\.1\.0 built in `)
	s.wantUsed("poll 1.1.0")
	if code := d.end(syscall.SIGTERM); code != 0 {
		t.Errorf("SIGTERM: exit %d\n%s", code, d.errs)
	}
	s.wantUsed("")
	if runtime.GOOS == "linux" {
		// It is asked in the sandbox.
		write("if read x </etc/passwd; then exit 9; fi; read x </etc/hosts || exit 8; " + pollScript)
		s.want(0, `^poll 1\.0\.0 built`, append([]string{"plugin", "dev", "--once"}, args...)...)
	}
}

// TestPluginDevPython does what docs/skill-authors.md says of the example in Python.
func TestPluginDevPython(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		t.Skip(err)
	}
	s := place(t)
	s.want(0, `^poll 1\.0\.0 built in .* manifest is right$`, "plugin", "dev", filepath.Join(checkout(t), "sdk/examples/python"), "--main", "pack.py", "--interpreter", python, "--once")
}
