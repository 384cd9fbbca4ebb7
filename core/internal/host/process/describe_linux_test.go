package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDescribe has a shell run a file: it is asked what it is, with nothing of this
// environment, and whoever only reads is not the one that is run.
func TestDescribe(t *testing.T) {
	t.Setenv("VAK_TEST_SECRET", "secret")
	path := filepath.Join(t.TempDir(), "plugin.sh")
	if err := os.WriteFile(path, []byte("echo said >&2; echo \"$1,$VAK_TEST_SECRET,${0##*/}\"\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	text, said, err := Describe(t.Context(), "/bin/sh", path, nil)
	if err != nil || string(text) != "describe,,3\n" || string(said) != "said\n" {
		t.Errorf("%q, %q, %v", text, said, err)
	}
	for _, c := range []struct{ interpreter, says string }{
		{"sh", "not an absolute path"},
		{"/nowhere/sh", "cannot read the interpreter"},
	} {
		if _, _, err := Describe(t.Context(), c.interpreter, path, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.interpreter, err)
		}
	}
	if err := os.WriteFile(path+"2", []byte("echo wrong >&2; exit 3\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	_, said, err = Describe(t.Context(), "/bin/sh", path+"2", nil)
	if err == nil || !strings.Contains(err.Error(), "no description: exit status 3") || string(said) != "wrong\n" {
		t.Errorf("%q, err = %v", said, err)
	}
	if err := os.WriteFile(path+"3", []byte("while :; do echo flood >&2; done\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, said, err := Describe(ctx, "/bin/sh", path+"3", nil); err == nil || errors.Is(err, context.DeadlineExceeded) || len(said) != maxSaid {
		t.Errorf("what floods its standard error is not stopped: %d bytes, err = %v", len(said), err)
	}
}
