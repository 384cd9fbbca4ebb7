//go:build linux || darwin

package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// short is a private directory whose path is short enough for sockets.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "v")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestSocketDirectory(t *testing.T) {
	base := short(t)
	for _, c := range []struct {
		why, says string
		make      func() string
	}{
		{"made if it is not there", "", func() string { return filepath.Join(base, "new") }},
		{"too long for a socket", "too long", func() string { return filepath.Join(base, strings.Repeat("x", 60)) }},
		{"open to others", "open to others", func() string {
			d := filepath.Join(base, "open")
			os.Mkdir(d, 0o700)
			os.Chmod(d, 0o755)
			return d
		}},
		{"not a directory", "not a directory", func() string {
			f := filepath.Join(base, "file")
			os.WriteFile(f, nil, 0o600)
			return f
		}},
		{"a link somewhere else", "not a directory", func() string {
			l := filepath.Join(base, "link")
			os.Symlink(base, l)
			return l
		}},
		{"not configured", "not an absolute path", func() string { return "" }},
		{"without a parent", "no such file", func() string { return filepath.Join(base, "a", "b") }},
	} {
		s := NewSockets(c.make())
		_, err := s.Dir()
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: err = %v, want %q", c.why, err, c.says)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSweep tells what a dead host left from what is somebody's.
func TestSweep(t *testing.T) {
	base := short(t)
	live := NewSockets(base)
	held, err := live.Dir()
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	make := func(name string, old bool, files ...string) {
		dir := filepath.Join(base, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if old {
			at := time.Now().Add(-2 * settled)
			if err := os.Chtimes(dir, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	make("h1", false, lockName, "plugin2")
	make("h2", false, "plugin3")
	make("h3", false, "letters")
	make("n4", true, lockName)
	make("n5", false)
	make("home", false, lockName)
	make("h", false, lockName)
	NewSockets(base)
	for _, c := range []struct {
		name string
		left bool
		why  string
	}{
		{filepath.Base(held), true, "its host lives"},
		{"h1", false, "nobody holds its lock"},
		{"h2", false, "its host was killed while it removed it"},
		{"h3", true, "it has something else in it"},
		{"n4", false, "its host was killed while it made it"},
		{"n5", true, "its host may be making it now"},
		{"home", true, "not a name of ours"},
		{"h", true, "neither"},
	} {
		if _, err := os.Stat(filepath.Join(base, c.name)); (err == nil) != c.left {
			t.Errorf("%s: %v, want it left: %v (%s)", c.name, err, c.left, c.why)
		}
	}
}
