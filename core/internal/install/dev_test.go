package install

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/bundle"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

func open(t testing.TB, dir string) *Workbench {
	t.Helper()
	w, err := OpenWorkbench(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// draft stages a made plugin.
func (w *Workbench) draft(t testing.TB, m made, given lock.Grants) *Draft {
	t.Helper()
	src := m.folder(t)
	stage, err := w.Stage()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(stage, os.DirFS(src)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(src, hostapi.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDraft(stage, "acme", text, given)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (w *Workbench) use(t testing.TB, m made, given lock.Grants) {
	t.Helper()
	if err := w.Use(w.draft(t, m, given)); err != nil {
		t.Fatal(err)
	}
}

// devs are the ids and versions of what Dev lists.
func devs(t testing.TB, dir string) (all []string) {
	t.Helper()
	folders, _, err := Dev(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		b := bundle.Read(f)
		if b.Err != nil {
			t.Fatal(b.Err)
		}
		all = append(all, b.Info.ID+" "+b.Info.Version)
	}
	return all
}

func wants(t testing.TB, dir string, want ...string) {
	t.Helper()
	if got := devs(t, dir); !slices.Equal(got, want) {
		t.Errorf("used are %q, want %q", got, want)
	}
}

func TestDev(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	wants(t, dir)
	w := open(t, dir)
	wants(t, dir)
	w.use(t, made{id: "acme", version: "1.0.0"}, lock.Grants{Env: []string{"B", "A", "B"}, Read: []string{"/etc/hosts"}, Interpreter: "/bin/sh"})
	wants(t, dir, "acme 1.0.0")
	folder := filepath.Join(DevDir(dir), "acme")
	_, grants, err := Dev(dir)
	want := lock.Grants{Network: true, Env: []string{"A", "B"}, Read: []string{"/etc/hosts"}, Interpreter: "/bin/sh"}
	if g := grants(folder + "/"); err != nil || !reflect.DeepEqual(g, want) {
		t.Errorf("given is %+v, %v", g, err)
	}
	if g := grants(filepath.Join(DevDir(dir), "other")); !reflect.DeepEqual(g, lock.Grants{}) {
		t.Errorf("another one is given %+v", g)
	}
	w.use(t, made{id: "acme", version: "1.1.0"}, lock.Grants{})
	wants(t, dir, "acme 1.1.0")
	if _, grants, err := Dev(dir); err != nil || grants(folder).Interpreter != "" {
		t.Errorf("what was given before is left: %v", err)
	}

	// Another command may write another plugin, and not the same one.
	other := open(t, dir)
	refused(t, other.Use(other.draft(t, made{id: "acme", version: "2.0.0"}, lock.Grants{})), ErrConflict, `another "vak plugin dev" has a plugin acme`)
	wants(t, dir, "acme 1.1.0")
	other.use(t, made{id: "beta", version: "2.0.0"}, lock.Grants{})
	wants(t, dir, "acme 1.1.0", "beta 2.0.0")

	// The author gives it another id: that of before goes, and is free.
	w.use(t, made{id: "gamma", version: "1.1.0"}, lock.Grants{})
	wants(t, dir, "beta 2.0.0", "gamma 1.1.0")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	other.use(t, made{id: "acme", version: "3.0.0"}, lock.Grants{})
	wants(t, dir, "acme 3.0.0", "gamma 1.1.0")

	for _, one := range []*Workbench{w, other, w} {
		if err := one.Close(); err != nil {
			t.Error(err)
		}
	}
	wants(t, dir)
	if found, err := filepath.Glob(filepath.Join(DevDir(dir), "*")); err != nil || slices.ContainsFunc(found, func(f string) bool { return filepath.Ext(f) == "" }) {
		t.Errorf("left are %q, %v", found, err)
	}
}

// TestDevLeftovers has commands killed: what they left is not used, and the next
// one removes it, but for what a living one uses.
func TestDevLeftovers(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	w.use(t, made{id: "lives", version: "1.0.0"}, lock.Grants{})
	dead := open(t, dir)
	dead.use(t, made{id: "dead", version: "1.0.0"}, lock.Grants{})
	recent, err := dead.Stage()
	if err != nil {
		t.Fatal(err)
	}
	old, err := dead.Stage()
	if err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-2 * leftover)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	dead.release() // as the kernel does for one that was killed
	wants(t, dir, "lives 1.0.0")
	if _, err := os.Stat(filepath.Join(DevDir(dir), "dead")); err != nil {
		t.Fatalf("it went by itself: %v", err)
	}
	open(t, dir)
	for path, stays := range map[string]bool{filepath.Join(DevDir(dir), "dead"): false, filepath.Join(DevDir(dir), "lives"): true, recent: true, old: false} {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v", path, err)
		}
	}
	wants(t, dir, "lives 1.0.0")
	dead.id = ""
}

// TestDevWhole reads a plugin while one build after the other takes its place: it is
// always there, and always one of them.
func TestDevWhole(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("folders are exchanged at once on Linux only")
	}
	dir := t.TempDir()
	w := open(t, dir)
	w.use(t, made{id: "acme", version: "1.0.0"}, lock.Grants{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 100 {
			if err := w.Use(w.draft(t, made{id: "acme", version: []string{"1.0.0", "2.0.0"}[i%2]}, lock.Grants{})); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for reads := 0; ; reads++ {
		folders, _, err := Dev(dir)
		if err != nil || len(folders) != 1 {
			t.Fatalf("read %d: %q, %v", reads, folders, err)
		}
		if b := bundle.Read(folders[0]); b.Err != nil {
			t.Fatalf("read %d: %v", reads, b.Err)
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

// TestDrafts are refused with what is to be mended.
func TestDrafts(t *testing.T) {
	src := made{id: "acme", version: "1.0.0"}.folder(t)
	own, err := os.ReadFile(filepath.Join(src, hostapi.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text  string
		given lock.Grants
		says  string
	}{
		{string(own), lock.Grants{}, ""},
		{"", lock.Grants{}, "what it prints of itself is no manifest"},
		{"Usage: acme", lock.Grants{}, "no manifest"},
		{"{}", lock.Grants{}, "HERE/plugin.json is not valid"},
		{strings.Replace(string(own), `"kind": "surface"`, `"kind": "oracle"`, 1), lock.Grants{}, "kind"},
		{strings.Replace(string(own), `"binary": "acme"`, `"binary": "../acme"`, 1), lock.Grants{}, "binary"},
		{strings.Replace(string(own), `"binary": "acme"`, `"binary": "none"`, 1), lock.Grants{}, "cannot find the binary"},
		{strings.Replace(string(own), `"id": "acme"`, `"id": "../acme"`, -1), lock.Grants{}, "plugin.json is not valid"},
		{strings.Replace(string(own), `"sha256": "`, `"sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "was": "`, 1), lock.Grants{}, "sha256 differs"},
		{string(own), lock.Grants{Env: []string{"A=B"}}, "env: want names of variables"},
		{string(own), lock.Grants{Read: []string{"etc"}}, "read: want absolute paths"},
		{string(own), lock.Grants{Interpreter: "sh"}, "interpreter: want an absolute path"},
	} {
		dir := t.TempDir()
		put(t, dir, "acme", "#!/bin/sh\n")
		d, err := NewDraft(dir, "HERE", []byte(c.text), c.given)
		if c.says != "" {
			refused(t, err, ErrBundle, c.says)
			if err != nil && strings.Contains(err.Error(), dir) {
				t.Errorf("it names a temporary folder: %v", err)
			}
			continue
		}
		if err != nil || d.ID != "acme" || d.Version != "1.0.0" || d.Kind != hostapi.KindSurface || !d.Grants.Network {
			t.Errorf("%+v, %v", d, err)
		}
	}
}

// TestDevGrants gives nothing of a file that is not what vak wrote.
func TestDevGrants(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	w.use(t, made{id: "acme", version: "1.0.0"}, lock.Grants{Interpreter: "/bin/sh"})
	folder := filepath.Join(DevDir(dir), "acme")
	path := filepath.Join(folder, GrantsName)
	given := func() lock.Grants {
		t.Helper()
		_, grants, err := Dev(dir)
		if err != nil {
			t.Fatal(err)
		}
		return grants(folder)
	}
	if g := given(); g.Interpreter != "/bin/sh" {
		t.Fatalf("given is %+v", g)
	}
	for _, text := range []string{"", "x", `{"env":["A=B"]}`, `{"read":["x"]}`, `{"interpreter":"x"}`, `{"interpreter":"/bin/sh"}` + strings.Repeat(" ", maxGrants)} {
		put(t, folder, GrantsName, text)
		if g := given(); !reflect.DeepEqual(g, lock.Grants{}) {
			t.Errorf("%.40s: given is %+v", text, g)
		}
	}
	put(t, folder, GrantsName, `{"interpreter":"/bin/sh"}`)
	if g := given(); g.Interpreter != "/bin/sh" {
		t.Fatalf("given is %+v", g)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o622); err != nil {
		t.Fatal(err)
	}
	if g := given(); !reflect.DeepEqual(g, lock.Grants{}) {
		t.Errorf("others may write to it: given is %+v", g)
	}
	elsewhere := t.TempDir()
	put(t, elsewhere, "g", `{"interpreter":"/bin/sh"}`)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(elsewhere, "g"), path); err != nil {
		t.Fatal(err)
	}
	if g := given(); !reflect.DeepEqual(g, lock.Grants{}) {
		t.Errorf("it is a link: given is %+v", g)
	}

	// A lock that is none hinders nobody else.
	for _, name := range []string{"odd", "odd" + lockSuffix} {
		if err := os.Mkdir(filepath.Join(DevDir(dir), name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	wants(t, dir, "acme 1.0.0")
	odd := w.draft(t, made{id: "odd", version: "1.0.0"}, lock.Grants{})
	refused(t, w.Use(odd), ErrStore, "odd.lock is not a file; remove it")
	wants(t, dir, "acme 1.0.0")
}
