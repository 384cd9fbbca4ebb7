package host

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

const python = "/usr/bin/python3"

// needPython skips t where there is nothing to run the example with.
func needPython(t *testing.T) {
	t.Helper()
	needSandbox(t)
	if out, err := exec.Command(python, "-I", "-c", "import grpc").CombinedOutput(); err != nil {
		t.Skipf("%s with grpcio is not here (%v): %s", python, err, out)
	}
}

// pythonFolder makes a plugin's folder of a file that Python runs.
func pythonFolder(t *testing.T, name string, contents []byte) string {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, contents, 0o755); err != nil {
		t.Fatal(err)
	}
	manifest, err := exec.Command(python, "-I", path, "manifest").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, hostapi.ManifestName), manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

func pythonExample(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile("../../../sdk/examples/python/pack.py")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPython has the example in Python serve in the sandbox, with nothing granted
// but its interpreter.
func TestPython(t *testing.T) {
	needPython(t)
	leavesNothing(t)
	folder := pythonFolder(t, "pack.py", pythonExample(t))
	p, e := granted{interpreter: python}.start(t, folder, hostapi.RoleSkill)
	if e != nil {
		t.Fatalf("%v\n%s", e, e.Tail)
	}
	if e := p.Check(t.Context()); e != nil {
		t.Error(e)
	}
	d, err := p.API().Describe(t.Context())
	if err != nil || len(d.Pack.Types) != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	in := skill.Input{Type: "poll.results", Payload: d.Pack.Types[0].Example, Context: &card.Context{AsOf: "today"}, Locale: "de"}
	tree, err := p.API().Lower(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := tree.Root.Props.(card.Section); !ok || s.Title != "Where do we eat?" || len(tree.Root.Children) != 2 {
		t.Fatalf("%+v", tree)
	}
	table, ok := tree.Root.Children[1].Props.(card.Table)
	if !ok || len(table.Rows) != 3 || table.Rows[0][0].String() != "Noodles" || table.Rows[0][1].String() != "5" || table.Rows[0][2].String() != "62 %" {
		t.Errorf("%+v", tree.Root.Children[1])
	}

	found, err := p.API().CheckCard(t.Context(), skill.Input{Type: in.Type, Payload: json.RawMessage(`{"question":"?","options":[{"label":"a","votes":1},{"label":"a","votes":2}]}`)})
	if err != nil || len(found) != 1 || found[0].Path != "/options/1/label" {
		t.Errorf("CheckCard = %v, %v", found, err)
	}
	if found, err := p.API().CheckCard(t.Context(), in); err != nil || len(found) != 0 {
		t.Errorf("CheckCard of the example = %v, %v", found, err)
	}
	for _, c := range []struct {
		in   skill.Input
		kind hostapi.Kind
	}{
		{skill.Input{Type: "poll.other", Payload: in.Payload}, hostapi.Invalid},
		{skill.Input{Type: in.Type, Payload: json.RawMessage(`{"a word of the card":1}`)}, hostapi.Panic},
		{skill.Input{Type: in.Type, Payload: json.RawMessage(`{"question":"?","options":[{"label":"a word of the card"}]}`)}, hostapi.Panic},
	} {
		_, err := p.API().Lower(t.Context(), c.in)
		if !errors.Is(err, c.kind) || strings.Contains(err.Error(), "a word") {
			t.Errorf("%s: %v, want %s", c.in.Payload, err, c.kind)
		}
	}
	odd := skill.Input{Type: in.Type, Payload: json.RawMessage(`{"question":"\ud800 ☃ é","options":[{"label":"` + strings.Repeat("x", 200) + `","votes":1.0}]}`)}
	if tree, err := p.API().Lower(t.Context(), odd); err != nil {
		t.Error(err)
	} else if s := tree.Root.Props.(card.Section); !strings.Contains(s.Title, "☃ é") {
		t.Errorf("%q", s.Title)
	}

	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if again, err := p.API().Lower(t.Context(), in); err != nil || len(again.Root.Children) != 2 {
				t.Errorf("at the same time: %+v, %v", again, err)
			}
		})
	}
	wg.Wait()
	if tail := p.Tail(); strings.Contains(tail, "a word") || strings.Contains(tail, "Traceback") {
		t.Errorf("it says %q", tail)
	}
}

// TestPythonModules has a pack of several modules, in one archive that Python runs:
// what holds for its file holds for all of them.
func TestPythonModules(t *testing.T) {
	needPython(t)
	leavesNothing(t)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string][]byte{
		"__main__.py":       []byte("import sys\nfrom packs import poll\npoll.main(sys.argv)\n"),
		"packs/poll.py":     pythonExample(t),
		"packs/__init__.py": nil,
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	folder := pythonFolder(t, "pack.pyz", b.Bytes())
	p, e := granted{interpreter: python}.start(t, folder, hostapi.RoleSkill)
	if e != nil {
		t.Fatalf("%v\n%s", e, e.Tail)
	}
	d, err := p.API().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.API().Lower(t.Context(), skill.Input{Type: "poll.results", Payload: d.Pack.Types[0].Example}); err != nil {
		t.Error(err)
	}
}

// TestPythonEnvironment runs the example by the Python of a virtual environment,
// which has to be granted to be read.
func TestPythonEnvironment(t *testing.T) {
	needPython(t)
	leavesNothing(t)
	folder := pythonFolder(t, "pack.py", bytes.Replace(pythonExample(t), []byte("def serve(role):\n"), []byte("def serve(role):\n    import only_here\n"), 1))
	venv := t.TempDir()
	at, err := exec.Command(python, "-I", "-c", "import sys; print('lib/python%d.%d/site-packages' % sys.version_info[:2])").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(venv, strings.TrimSpace(string(at)))
	err = errors.Join(os.MkdirAll(modules, 0o755), os.Mkdir(filepath.Join(venv, "bin"), 0o755),
		os.WriteFile(filepath.Join(modules, "only_here.py"), nil, 0o644),
		os.WriteFile(filepath.Join(venv, "pyvenv.cfg"), []byte("home = /usr/bin\ninclude-system-site-packages = true\n"), 0o644),
		os.Symlink(python, filepath.Join(venv, "bin", "python3")))
	if err != nil {
		t.Fatal(err)
	}
	g := granted{interpreter: filepath.Join(venv, "bin", "python3")}
	if _, e := g.start(t, folder, hostapi.RoleSkill); e == nil {
		t.Error("it needs nothing of the environment: this tests nothing")
	}
	g.read = []string{venv}
	if _, e := g.start(t, folder, hostapi.RoleSkill); e != nil {
		t.Errorf("%v\n%s", e, e.Tail)
	}
}

// TestPythonBeside has a module lie beside the file, where Python looks first, in
// place of one of its own. No hash covers it, so it is out of reach.
func TestPythonBeside(t *testing.T) {
	needPython(t)
	leavesNothing(t)
	folder := pythonFolder(t, "pack.py", pythonExample(t))
	if err := os.WriteFile(filepath.Join(folder, "json.py"), []byte("raise SystemExit('beside')\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, e := (granted{interpreter: python}).start(t, folder, hostapi.RoleSkill); e != nil {
		t.Errorf("%v\n%s", e, e.Tail)
	}
	_, e := granted{interpreter: python, read: []string{folder}}.start(t, folder, hostapi.RoleSkill)
	if e == nil || !strings.Contains(e.Tail, "beside") {
		t.Errorf("err = %v: Python does not look there, and this tests nothing", e)
	}
}
