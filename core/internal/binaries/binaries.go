// Package binaries builds vak and its plugins for tests that need real
// processes: once for each test binary, laid out as "make build" does it.
package binaries

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Surfaces are the plugins that ship.
var Surfaces = []string{"discord", "slack", "telegram", "webhook"}

var built struct {
	once sync.Once
	dir  string
	err  error
}

// Build returns the path of a vak with the shipped plugins in plugins/ beside
// it. The plugin "faulty", which does everything wrong, is in faulty/ beside it.
func Build(t testing.TB) (vak string) {
	t.Helper()
	built.once.Do(func() { built.dir, built.err = build() })
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "vak"+exe())
}

var courier struct {
	once sync.Once
	dir  string
	err  error
}

// Courier returns a directory of plugins that holds the surface "courier", whose
// transport posts every part to the address in its account's settings. See
// core/internal/host/testdata/courier.
func Courier(t testing.TB) (dir string) {
	t.Helper()
	courier.once.Do(func() {
		var module string
		if module, courier.err = moduleDir(); courier.err != nil {
			return
		}
		if courier.dir, courier.err = os.MkdirTemp("", "vak-test-"); courier.err == nil {
			courier.err = plugin(module, "./core/internal/host/testdata/courier", filepath.Join(courier.dir, "courier"), "courier")
		}
	})
	if courier.err != nil {
		t.Fatal(courier.err)
	}
	return courier.dir
}

// Remove deletes what Build and Courier made. TestMain of a package that uses them
// calls it.
func Remove() {
	for _, dir := range []string{built.dir, courier.dir} {
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
}

func moduleDir() (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m: %w", err)
	}
	return strings.TrimSuffix(string(root), "\n"), nil
}

func build() (dir string, err error) {
	module, err := moduleDir()
	if err != nil {
		return "", err
	}
	dir, err = os.MkdirTemp("", "vak-test-")
	if err != nil {
		return "", err
	}
	if err := compile(module, "./core/cmd/vak", filepath.Join(dir, "vak"+exe())); err != nil {
		return dir, err
	}
	for _, id := range Surfaces {
		if err := plugin(module, "./plugins/"+id, filepath.Join(dir, "plugins", id), id); err != nil {
			return dir, err
		}
	}
	return dir, plugin(module, "./core/internal/binaries/testdata/faulty", filepath.Join(dir, "faulty", "faulty"), "faulty")
}

// plugin builds a plugin and has it write its manifest.
func plugin(module, pkg, dir, id string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	bin := filepath.Join(dir, id+exe())
	if err := compile(module, pkg, bin); err != nil {
		return err
	}
	manifest, err := exec.Command(bin, "manifest").Output()
	if err != nil {
		return fmt.Errorf("%s manifest: %w", id, err)
	}
	return os.WriteFile(filepath.Join(dir, "plugin.json"), manifest, 0o644)
}

func compile(module, pkg, bin string) error {
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, pkg)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("go build %s: %w", pkg, err), errors.New(string(out)))
	}
	return nil
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
