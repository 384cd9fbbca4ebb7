package cli

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/install"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
)

func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString("x")
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestScan tells what a plugin is built of from what else lies there.
func TestScan(t *testing.T) {
	dir := t.TempDir()
	sources := []string{"go.mod", "go.sum", "main.go", "inner/deep.go"}
	others := []string{"main_test.go", "README.md", "testdata/x.go", ".git/y.go", "build/acme", "inner/testdata/z.go"}
	write(t, dir, sources...)
	write(t, dir, others...)
	b, err := newBuilder(dir, "plugin.py", lock.Grants{})
	if err != nil {
		t.Fatal(err)
	}
	first := b.scan()
	if len(first) != len(sources) {
		t.Errorf("it looks at %v", first)
	}
	write(t, dir, others...)
	if !maps.Equal(b.scan(), first) {
		t.Error("what it is not built of counts")
	}
	for _, name := range sources {
		before := b.scan()
		write(t, dir, name)
		if maps.Equal(b.scan(), before) {
			t.Errorf("a change of %s is not seen", name)
		}
	}
	before := b.scan()
	if err := os.Remove(filepath.Join(dir, "inner", "deep.go")); err != nil {
		t.Fatal(err)
	}
	if maps.Equal(b.scan(), before) {
		t.Error("a file that went is not seen")
	}
	if got := b.change(t.Context(), first); !maps.Equal(got, b.scan()) {
		t.Errorf("it changed to %v", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := b.change(ended, b.scan()); got != nil {
		t.Errorf("it changed to %v", got)
	}

	script, err := newBuilder(dir, "plugin.py", lock.Grants{Interpreter: "/usr/bin/python3"})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "plugin.py", "other.py")
	if first = script.scan(); len(first) != 1 {
		t.Errorf("of a script it looks at %v", first)
	}
	write(t, dir, "other.py", "main.go")
	if !maps.Equal(script.scan(), first) {
		t.Error("another file than that of the plugin counts")
	}
	write(t, dir, "plugin.py")
	if maps.Equal(script.scan(), first) {
		t.Error("a change of the file is not seen")
	}
}

// TestUsesDev tells the build of a plugin that is being written from what else a
// process knows by its id.
func TestUsesDev(t *testing.T) {
	dir := install.DevDir(filepath.Join(t.TempDir(), "home"))
	plugin := func(path string, current bool, state control.State) control.Plugin {
		p := control.Plugin{ID: "acme", Path: path, Current: current, State: state}
		if state == control.Broken {
			p.Error = &control.Fault{Message: "it is\nrevoked", Hint: "restore it"}
		}
		return p
	}
	dev, other := filepath.Join(dir, "acme", "acme"), filepath.Join(filepath.Dir(dir), "store", "x", "acme")
	for _, c := range []struct {
		plugins []control.Plugin
		uses    bool
		why     string
	}{
		{[]control.Plugin{plugin(dev, true, control.Stopped)}, true, ""},
		{[]control.Plugin{plugin(other, true, control.Ready), plugin(dev, true, control.Ready)}, true, ""},
		{[]control.Plugin{plugin(other, true, control.Ready)}, false, ""},
		{[]control.Plugin{plugin(dev, false, control.Draining)}, false, ""},
		{[]control.Plugin{plugin(dev, true, control.Broken)}, false, ": it is revoked; restore it"},
		{[]control.Plugin{plugin("", true, control.Broken)}, false, ": it is revoked; restore it"},
		{nil, false, ""},
	} {
		if got, why := usesDev(c.plugins, "acme"), whyNot(c.plugins, "acme"); got != c.uses || !got && why != c.why {
			t.Errorf("%+v: %v, %q", c.plugins, got, why)
		}
	}
	shadowed := plugin(other, false, control.Broken)
	shadowed.Kind, shadowed.Error.Kind = "surface", string(host.Duplicate)
	if got := insteadOf([]control.Plugin{plugin(dev, true, control.Ready), shadowed}, "acme"); got != "the surface "+other {
		t.Errorf("it is used instead of %q", got)
	}
	if got := insteadOf([]control.Plugin{plugin(dev, true, control.Ready), plugin(other, false, control.Broken)}, "acme"); got != "" {
		t.Errorf("it is used instead of %q, which is broken by itself", got)
	}
	if usesDev([]control.Plugin{plugin(dev, true, control.Ready)}, "other") {
		t.Error("it is another plugin")
	}
	for state, p := range map[string]control.Plugin{
		"ready, dev": plugin(dev, true, control.Ready), "ready": plugin(other, true, control.Ready), "held, dev": plugin(dev, false, control.Ready),
	} {
		if got := standing(p); got != state {
			t.Errorf("it is %q, want %q", got, state)
		}
		if got := (inventory{}).list([]control.Plugin{p}); got[0].Dev != (p.Path == dev) {
			t.Errorf("listed is %+v", got)
		}
	}
}
