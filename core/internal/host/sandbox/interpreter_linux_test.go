package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// script tries what it should not be able to, by means of the shell alone: no other
// program is there.
const script = `
echo ran $1
read first < "$2" && echo granted
read first < "$3" && echo other
read first < /etc/passwd && echo passwd
read first < "$0" && echo itself
echo >> "$0" && echo changed
echo > "$TMPDIR/file" && echo own
(exit 0) && echo forked
exec /bin/true
`

// TestInterpreter has a shell, which is linked dynamically on most systems, run a
// script that may not be executed itself.
func TestInterpreter(t *testing.T) {
	need(t, whole)
	dir, outside := shortDir(t), shortDir(t)
	for _, name := range []string{"granted", "other"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(outside, "script")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	granted := filepath.Join(outside, "granted")
	l := launch{
		policy: Policy{Socket: dir, Interpreter: "/bin/sh", Read: []string{granted}}, with: Supported(),
		binary: path, args: []string{"role", granted, filepath.Join(outside, "other")},
	}
	out, _, err := l.run(t)
	if err == nil {
		t.Error("it could execute another program")
	}
	for line, want := range map[string]bool{
		"ran role": true, "granted": true, "other": false, "passwd": false, "itself": true, "changed": false, "own": true, "forked": false,
	} {
		if got := strings.Contains("\n"+out, "\n"+line+"\n"); got != want {
			t.Errorf("%q: %v, want %v\n%s", line, got, want, out)
		}
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != script {
		t.Errorf("the script is %q, %v", b, err)
	}

	// What is given to be read cannot be executed: neither another program, which
	// needs no loader that could be out of reach, nor the script.
	if err := os.WriteFile(path, []byte("exec \"$1\" nothing\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	reads := l
	reads.policy.Read, reads.args = []string{probe}, []string{probe}
	if out, _, err := reads.run(t); err == nil {
		t.Errorf("it executed a program that it may read: %q", out)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n[ \"$1\" = again ] && echo executed && exit\nexec \"$0\" again\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, _, err := l.run(t); err == nil || strings.Contains(out, "executed") {
		t.Errorf("%q, %v", out, err)
	}
}

func TestInterpreterReadSet(t *testing.T) {
	home := filepath.Join(t.TempDir(), "python")
	for _, dir := range []string{"bin", "lib", "elsewhere"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	real, link, lib := filepath.Join(home, "bin", "python3.12"), filepath.Join(home, "elsewhere", "python3"), filepath.Join(home, "lib")
	if err := os.WriteFile(real, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		program string
		lib     bool
	}{{real, true}, {link, true}, {filepath.Join(home, "bin", "none"), false}, {filepath.Join(lib, "python3"), false}} {
		set := InterpreterReadSet(c.program)
		if slices.Contains(set, lib) != c.lib {
			t.Errorf("%s: %s in the set: want %v", c.program, lib, c.lib)
		}
		for _, path := range set {
			for _, never := range []string{"/etc/passwd", "/etc/shadow", "/etc/ssl/private/key", "/home/somebody/.ssh", "/root/.ssh", "/var/lib/x", "/proc/self", "/run/x", "/tmp/x"} {
				if rel, err := filepath.Rel(path, never); err == nil && filepath.IsLocal(rel) {
					t.Errorf("%s: %s lets it read %s", c.program, path, never)
				}
			}
		}
	}
}
