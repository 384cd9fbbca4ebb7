package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/bundle"
	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// granted is what the operator gave to a plugin that a test starts.
type granted struct {
	env, read   []string
	interpreter string

	before func() // called when the file has been hashed and not yet started
}

// start starts the process of a folder in its sandbox, with what was granted. It
// ends with the test, and leaves nothing.
func (g granted) start(t testing.TB, folder, role string) (*process.Process, *Error) {
	t.Helper()
	sockets := process.NewSockets(shortDir(t))
	t.Cleanup(func() { sockets.Close() })
	b := bundle.Read(folder)
	if b.Err != nil {
		t.Fatal(b.Err)
	}
	p, e := process.Start(t.Context(), process.Config{
		Bundle: b, Role: role, Sockets: sockets, Log: newTestLog(), StartTimeout: 20 * time.Second, StopTimeout: 5 * time.Second,
		Env: g.env, Interpreter: g.interpreter,
		Confine: func(binary *os.File, dir string, attr *syscall.SysProcAttr) (string, error) {
			if g.before != nil {
				g.before()
			}
			return confine(role, Grants{Read: g.read, Interpreter: g.interpreter})(binary, dir, attr)
		},
	})
	if e != nil {
		return nil, e.Named(b.Info.ID, b.Info.Version)
	}
	t.Cleanup(p.Stop)
	return p, nil
}

// needSandbox skips t where a grant takes nothing away, since all is there.
func needSandbox(t *testing.T) {
	t.Helper()
	if !Sandbox().Whole {
		t.Skip("no sandbox on this system")
	}
}

// lowers has a pack lower a card and returns the text that its tree is.
func lowers(t *testing.T, p *process.Process, in skill.Input) string {
	t.Helper()
	tree, err := p.API().Lower(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	text, ok := tree.Root.Props.(card.Text)
	if !ok {
		t.Fatalf("the tree is a %T", tree.Root.Props)
	}
	return text.Text
}

func TestGrantedPaths(t *testing.T) {
	needSandbox(t)
	leavesNothing(t)
	folder := install(t, t.TempDir(), built.pack, "good")
	outside := t.TempDir()
	for _, name := range []string{"file", "beside", "dir/inside", "other/inside"} {
		path := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("contents of "+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(outside, "dir", "link")
	if err := os.Symlink(filepath.Join(outside, "other"), link); err != nil {
		t.Fatal(err)
	}
	p, e := granted{read: []string{filepath.Join(outside, "file"), filepath.Join(outside, "dir"), filepath.Join(outside, "none")}}.start(t, folder, hostapi.RoleSkill)
	if e != nil {
		t.Fatal(e)
	}
	for name, want := range map[string]bool{
		"file": true, "dir/inside": true, "beside": false, "other/inside": false, "dir/link/inside": false, "dir/../beside": false,
	} {
		got := lowers(t, p, wish("good", "read", filepath.Join(outside)+"/"+name))
		if want && got != "contents of "+name || !want && !strings.HasPrefix(got, "refused") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := lowers(t, p, wish("good", "read", "/etc/passwd")); !strings.HasPrefix(got, "refused") {
		t.Errorf("/etc/passwd: %q", got)
	}
}

func TestGrantedVariables(t *testing.T) {
	needSandbox(t)
	leavesNothing(t)
	t.Setenv("VAK_TEST_SECRET", "secret")
	folder := install(t, t.TempDir(), built.pack, "good")
	p, e := granted{env: []string{"VAK_TEST_GRANTED=value", "TMPDIR=/etc", "PLUGIN_UNIX_SOCKET_DIR=/etc", "PLUGIN_CLIENT_CERT=x", "VAK_PLUGIN=x"}}.start(t, folder, hostapi.RoleSkill)
	if e != nil {
		t.Fatal(e) // it listens where it was told, and without TLS
	}
	env := "\n" + lowers(t, p, wish("good", "env", "")) + "\n"
	for line, want := range map[string]bool{
		"\nVAK_TEST_GRANTED=value\n": true, "VAK_TEST_SECRET": false, "\nTMPDIR=/etc\n": false, "PLUGIN_CLIENT_CERT": false, "\nHOME=": false,
	} {
		if strings.Contains(env, line) != want {
			t.Errorf("%q: want %v in %s", line, want, env)
		}
	}
}

// TestGrantedToTransport gives what sends a file and a variable, on top of what each of
// its kind has.
func TestGrantedToTransport(t *testing.T) {
	needSandbox(t)
	leavesNothing(t)
	o := openOffice(t)
	t.Setenv("VAK_TEST_GRANTED", "value")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("value"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, g := range []Grants{{Read: []string{file}, Env: []string{"VAK_TEST_GRANTED", "VAK_TEST_UNSET"}}, {Read: []string{file}}, {Env: []string{"VAK_TEST_GRANTED"}}} {
		h := open(t, Config{Places: Places{Folders: []string{install(t, t.TempDir(), built.courier, "courier")}, Grants: func(string) Grants { return g }}})
		_, err := h.Send(t.Context(), "courier", o.account("", "given "+file), part("x"))
		if both := len(g.Read) > 0 && len(g.Env) > 0; both != (err == nil) {
			t.Errorf("with %+v: %v", g, err)
		}
	}
}

// scripted makes the folder of a plugin that is a script, and the program for it.
func scripted(t *testing.T, words string) (folder, program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "interpreter")
	if err := build(program, "./testdata/interpreter"); err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(t.TempDir(), "script")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "main.script")
	for name, text := range map[string]string{path: words, filepath.Join(folder, "beside"): "a file"} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	manifest, err := exec.Command(program, path, "manifest", "--file", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, hostapi.ManifestName), manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	return folder, program
}

func TestGrantedInterpreter(t *testing.T) {
	needSandbox(t)
	leavesNothing(t)
	folder, program := scripted(t, "#!/bin/sh as it was hashed")
	path := filepath.Join(folder, "main.script")

	_, e := granted{}.start(t, folder, hostapi.RoleSkill)
	named(t, e, StartFailed, FromPlugin, "is a script, and no program to run it was granted")
	_, e = granted{interpreter: filepath.Join(folder, "none")}.start(t, folder, hostapi.RoleSkill)
	named(t, e, StartFailed, FromHost, "cannot read the interpreter")
	_, e = granted{interpreter: filepath.Join(folder, hostapi.ManifestName)}.start(t, folder, hostapi.RoleSkill)
	named(t, e, StartFailed, FromHost, "permission denied")
	named(t, e, StartFailed, FromHost, "which was granted to run "+path)

	// What was hashed is what runs, whatever has its name by then.
	p, e := granted{interpreter: program, before: func() {
		other := path + ".other"
		err := os.WriteFile(other, []byte("#!/bin/sh put in its place"), 0o755)
		if err = errors.Join(err, os.Rename(path, path+".was"), os.Rename(other, path)); err != nil {
			t.Error(err)
		}
	}}.start(t, folder, hostapi.RoleSkill)
	if e != nil {
		t.Fatalf("%v\n%s", e, e.Tail)
	}
	for _, c := range []struct{ do, with, want string }{
		{"words", "", "#!/bin/sh as it was hashed"},
		{"read", filepath.Join(folder, "beside"), "refused"},
		{"read", "/etc/passwd", "refused"},
		{"read", fmt.Sprintf("/proc/%d/environ", os.Getpid()), "refused"},
		{"write", path, "refused"},
		{"start", "/bin/true", "refused"},
		{"become", "/bin/true", "refused"},
		{"become the script", "", "refused"},
	} {
		if got := lowers(t, p, wish("script", c.do, c.with)); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.do, c.with, got, c.want)
		}
	}

	// Other words in the file itself are found out.
	if err := os.Rename(path+".was", path); err != nil {
		t.Fatal(err)
	}
	_, e = granted{interpreter: program, before: func() {
		if err := os.WriteFile(path, []byte("#!/bin/sh written over it"), 0o755); err != nil {
			t.Error(err)
		}
	}}.start(t, folder, hostapi.RoleSkill)
	if e == nil || e.Kind != Untrusted {
		t.Errorf("err = %v, want %s", e, Untrusted)
	}
}
