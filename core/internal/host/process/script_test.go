package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

func TestRunnable(t *testing.T) {
	dir := t.TempDir()
	wrapper := filepath.Join(dir, "python3")
	if err := os.WriteFile(wrapper, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, file, interpreter string
		says                   string // empty: it may be started
		source                 fault.Source
	}{
		{"a program", "\x7fELF", "", "", ""},
		{"nothing", "", "", "", ""},
		{"a script without a grant", "#!/usr/bin/python3\n", "", "is a script", fault.FromPlugin},
		{"a script", "#!/usr/bin/python3\n", self, "", ""},
		{"a script without the line", "import sys\n", self, "", ""},
		{"a program that is run by another", "\x7fELF", self, "", ""},
		{"a name", "#!/usr/bin/python3\n", "python3", "not an absolute path", fault.FromHost},
		{"an interpreter that is not there", "#!/usr/bin/python3\n", filepath.Join(dir, "none"), "no such file", fault.FromHost},
		{"an interpreter that is a script", "#!/usr/bin/python3\n", wrapper, "is a script itself", fault.FromHost},
	} {
		e := runnable(strings.NewReader(c.file), "/p/pack.py", c.interpreter)
		switch {
		case c.says == "" && e != nil:
			t.Errorf("%s: %v", c.why, e)
		case c.says != "" && (e == nil || !strings.Contains(e.Message, c.says) || e.Source != c.source || e.Kind != fault.StartFailed || e.Hint == ""):
			t.Errorf("%s: %+v, want %q", c.why, e, c.says)
		}
	}
}
