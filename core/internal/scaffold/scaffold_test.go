package scaffold

import (
	"bytes"
	"errors"
	"flag"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

var update = flag.Bool("update", false, "write the golden files of the starters anew")

// checkout is the one that this test is in.
func checkout(t *testing.T) Vak {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	v, err := FindVak("", "", here)
	if err != nil || v.Version != "" {
		t.Fatalf("%+v, %v", v, err)
	}
	return v
}

// The files of the starters.
var trees = map[string][]string{
	hostapi.KindSkill:   {".gitignore", "README.md", "go.mod", "go.sum", "main.go", "main_test.go", "testdata/backwards.txtar", "testdata/days.txtar"},
	hostapi.KindSurface: {".gitignore", "README.md", "go.mod", "go.sum", "main.go", "main_test.go", "testdata/alarm.txtar", "testdata/transport/requests.txtar", "transport.go"},
}

// goIn runs the go command in a module, with nothing but what is on this machine.
func goIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestGoldenStarters begins a plugin of every kind in an empty folder: it passes go
// vet and its own tests as it is, without a network and without a change of go.mod.
func TestGoldenStarters(t *testing.T) {
	v := checkout(t)
	for _, kind := range Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := Starter{Kind: kind, ID: "acme-thing", Vak: v}
			dir := filepath.Join(t.TempDir(), "it's here") // a path that go.mod has to quote
			files, err := s.Write(dir)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(files, trees[kind]) || !slices.Equal(tree(t, dir), files) {
				t.Errorf("it wrote %q, and there are %q", files, tree(t, dir))
			}
			if *update {
				goIn(t, dir, "test", ".", "-update")
				s.takeBack(t, dir)
			}
			goIn(t, dir, "vet", "./...")
			goIn(t, dir, "test", "./...")

			want := []string{Module, "example.org/acme-thing"}
			want = append(want, needs...)
			if kind == hostapi.KindSurface {
				want = append(want, needsCompile...)
			}
			slices.Sort(want)
			have := strings.Fields(goIn(t, dir, "list", "-deps", "-test", "-f", "{{with .Module}}{{.Path}}{{end}}", "./..."))
			slices.Sort(have)
			if have = slices.Compact(have); !slices.Equal(have, want) {
				t.Errorf("it is built of\n%s\nand not of what module.go says:\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// takeBack makes the golden files in dir those of the starter.
func (s Starter) takeBack(t *testing.T, dir string) {
	for _, name := range trees[s.Kind] {
		if !strings.HasPrefix(name, "testdata/") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer(s.ID, "«.ID»", s.Prefix(), "«.Prefix»").Replace(string(b))
		if err := os.WriteFile(filepath.Join("starters", s.Kind, name+".tmpl"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// TestNames has the code formatted whatever the id, and refuses what is none.
func TestNames(t *testing.T) {
	v := checkout(t)
	for _, c := range []struct {
		kind, id, module string
		says             string // empty: it is fine
	}{
		{"skill", "a", "", ""},
		{"skill", "a--b", "git.example/b/c_d.e/v2", ""},
		{"surface", "9" + strings.Repeat("a", 31), "x", ""},
		{"skill", "9a", "", "a letter first"},
		{"surface", strings.Repeat("a", 33), "", "want up to 32"},
		{"surface", "", "", "want up to 32"},
		{"surface", "../a", "", "want up to 32"},
		{"skill", "a\nb", "", "want up to 32"},
		{"skill", "A", "", "want up to 32"},
		{"skill", "a-", "", "want up to 32"},
		{"surface", "log", "", "vak's own"},
		{"skill", "core", "", "vak's own"},
		{"oracle", "a", "", "one for skill and surface"},
		{"skill", "a", "x y", "path of a Go module"},
		{"skill", "a", "/x", "path of a Go module"},
		{"skill", "a", "x/../y", "path of a Go module"},
		{"skill", "a", "x\nreplace y => z", "path of a Go module"},
		{"skill", "a", Module, "of your own"},
		{"skill", "a", Module + "/plugins/a", "of your own"},
		{"skill", "a", Module + "s/a", ""},
		{"skill", "a", strings.Repeat("x/", 200) + "x", "path of a Go module"},
	} {
		s := Starter{Kind: c.kind, ID: c.id, Module: c.module, Vak: v}
		dir := filepath.Join(t.TempDir(), "x")
		_, err := s.Write(dir)
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q, %q: %v", c.id, c.module, err)
			}
			if _, err := os.Lstat(dir); err == nil {
				t.Errorf("%q, %q: something was written", c.id, c.module)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.id, err)
			continue
		}
		for _, name := range tree(t, dir) {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.ContainsAny(b, "«»") || bytes.Contains(b, []byte("<no value>")) {
				t.Errorf("%s of %q is not filled in", name, c.id)
			}
			if strings.HasSuffix(name, ".go") {
				if want, err := format.Source(b); err != nil || !bytes.Equal(b, want) {
					t.Errorf("%s of %q is not formatted: %v", name, c.id, err)
				}
			}
		}
	}
}

// TestFolders never writes over anything, and leaves nothing behind.
func TestFolders(t *testing.T) {
	s := Starter{Kind: hostapi.KindSkill, ID: "acme", Vak: checkout(t)}
	refused := func(dir, says string) {
		t.Helper()
		before := listing(t, filepath.Dir(dir))
		_, err := s.Write(dir)
		if e := (*Error)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
		if after := listing(t, filepath.Dir(dir)); after != before {
			t.Errorf("before\n%s\nafterwards\n%s", before, after)
		}
	}
	base := t.TempDir()
	if err := os.WriteFile(filepath.Join(base, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(filepath.Join(base, "file"), "file is no folder")
	refused(base, "there and not empty")
	refused(filepath.Join(base, "none", "acme"), "cannot make a folder in "+filepath.Join(base, "none"))
	if runtime.GOOS != "windows" {
		if err := os.Symlink(filepath.Join(base, "nowhere"), filepath.Join(base, "link")); err != nil {
			t.Fatal(err)
		}
		refused(filepath.Join(base, "link"), "link is no folder")
	}
	if runtime.GOOS != "windows" && os.Geteuid() != 0 {
		if err := os.Chmod(base, 0o500); err != nil {
			t.Fatal(err)
		}
		refused(filepath.Join(base, "acme"), "cannot make a folder in "+base)
		if err := os.Chmod(base, 0o700); err != nil {
			t.Fatal(err)
		}
	}

	// An empty folder stays the one that it is: somebody may be in it.
	empty := filepath.Join(base, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(empty)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(empty); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(empty); err != nil || !os.SameFile(before, after) {
		t.Errorf("the folder is another: %v", err)
	}
	if got := tree(t, empty); !slices.Equal(got, trees[s.Kind]) {
		t.Errorf("there are %q", got)
	}
	refused(empty, "there and not empty")
}

// TestLift takes back what it moved where a file is in its way.
func TestLift(t *testing.T) {
	dir := t.TempDir()
	stage := filepath.Join(dir, "stage")
	for _, name := range []string{"stage/a", "stage/b/c", "b/d"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := lift(stage, dir); err == nil {
		t.Fatal("it moved a folder over another one")
	}
	if got := tree(t, dir); !slices.Equal(got, []string{"b/d", "stage/b/c"}) {
		t.Errorf("there are %q", got)
	}
}

// listing is what lies below a folder, with the folders.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			b.WriteString(path + "\n")
		}
		return nil
	})
	return b.String()
}
