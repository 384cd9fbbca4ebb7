package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain has the test's own binary stand for plugins that are asked for their
// manifest: what it does says the name that it is called by.
func TestMain(m *testing.M) {
	if len(os.Args) != 2 || os.Args[1] != "manifest" {
		os.Exit(m.Run())
	}
	switch filepath.Base(os.Args[0]) {
	case "good":
		fmt.Print("manifest ", os.Getenv("VAK_TEST_SECRET"))
		fmt.Fprint(os.Stderr, "noise")
	case "fails":
		fmt.Fprintf(os.Stderr, "wrong\x1b\nagain")
		os.Exit(3)
	case "floods":
		for {
			if _, err := fmt.Println(strings.Repeat("x", 4096)); err != nil {
				os.Exit(1)
			}
		}
	case "hangs":
		time.Sleep(time.Hour)
	}
	os.Exit(0)
}

func TestManifest(t *testing.T) {
	t.Setenv("VAK_TEST_SECRET", "secret")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	plugin := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.Symlink(self, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text, err := Manifest(t.Context(), plugin("good"), nil)
	if err != nil || string(text) != "manifest " {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Manifest(t.Context(), plugin("fails"), nil); err == nil || !strings.Contains(err.Error(), `exit status 3: "wrong\x1b"`) {
		t.Errorf("err = %v", err)
	}
	if text, err := Manifest(t.Context(), plugin("floods"), nil); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Manifest(ctx, plugin("hangs"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v", err)
	}
	no := errors.New("no sandbox")
	text, err = Manifest(t.Context(), filepath.Join(dir, "good"), func(*os.File, string, *syscall.SysProcAttr) (string, error) { return "", no })
	if !errors.Is(err, no) || text != nil {
		t.Errorf("what cannot be confined was started: %q, %v", text, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte("#!/bin/sh\necho manifest\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if text, err := Manifest(t.Context(), filepath.Join(dir, "script"), nil); err == nil || !strings.Contains(err.Error(), "no program to run it was granted") {
		t.Errorf("a script chose who runs it: %q, %v", text, err)
	}
	if _, err := Manifest(t.Context(), filepath.Join(dir, "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}
