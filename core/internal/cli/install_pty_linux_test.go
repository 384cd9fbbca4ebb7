package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/core/internal/home"
)

// TestInstallAsks has somebody at a terminal see what is to be installed, and be
// asked. What is not agreed to leaves nothing behind.
func TestInstallAsks(t *testing.T) {
	t.Parallel()
	faulty := filepath.Join(filepath.Dir(binaries.Build(t)), "faulty")
	for _, c := range []struct {
		why, keys string
		installed bool
		code      int
	}{
		{"yes", "y\n", true, exitOK},
		{"yes, in full", "YES\n", true, exitOK},
		{"no", "n\n", false, exitOK},
		{"nothing is no", "\n", false, exitOK},
		{"what is neither is no", "yes please\n", false, exitOK},
		{"the end of input", "\x04", false, exitOK},
		{"Ctrl-C", "\x03", false, exitInterrupted},
	} {
		s := place(t)
		a := s.terminal(100, "plugin", "install", faulty, "--allow-unverified")
		a.shows(`signed by  nobody: it is not verified\r\n  asks for (?s:.*)Install it\? \[y/N\] $`)
		a.press(c.keys)
		if code := a.ends(); code != c.code {
			t.Errorf("%s: exit %d, %q", c.why, code, a.out.String())
		}
		_, err := os.Stat(filepath.Join(s.home, "plugins.lock"))
		left, readErr := os.ReadDir(home.PluginStore(s.home))
		if readErr != nil {
			t.Fatal(readErr)
		}
		out := a.out.String()
		switch {
		case c.installed && (err != nil || len(left) != 1 || !strings.Contains(out, "faulty 0.0.1  installed")):
			t.Errorf("%s: not installed: %v, %d in the store, %q", c.why, err, len(left), out)
		case !c.installed && (err == nil || len(left) != 0 || strings.Contains(out, "  installed")):
			t.Errorf("%s: something was installed: %d in the store, %q", c.why, len(left), out)
		case !c.installed && c.code == exitOK && !strings.Contains(out, "Nothing was done."):
			t.Errorf("%s: it does not say so: %q", c.why, out)
		}
	}
}
