package host

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/host/process"
)

// TestWithoutASandbox is a host whose kernel has none.
func TestWithoutASandbox(t *testing.T) {
	ours, theirs := t.TempDir(), t.TempDir()
	install(t, ours, built.fixture, "good")
	install(t, theirs, built.fixture, "other")
	both := []string{ours, theirs}
	for _, c := range []struct {
		why         string
		config      Config
		good, other bool // may run
	}{
		{"nobody is trusted", Config{Places: Places{Dirs: both}}, false, false},
		{"what lies beside the binary is", Config{Places: Places{Dirs: both}, FirstParty: []string{ours}}, true, false},
		{"a directory that only starts like it", Config{Places: Places{Dirs: both}, FirstParty: []string{ours[:len(ours)-1]}}, false, false},
		{"everybody is", Config{Places: Places{Dirs: both}, AllowUnsandboxed: true}, true, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			c.config.noSandbox, c.config.lacksSandbox = true, true
			h := open(t, c.config)
			for i, may := range []bool{c.good, c.other} {
				s := h.Status()[i]
				_, err := try(h, s.ID, "x")
				if may {
					if after := h.Status()[i]; err != nil || after.Sandbox != process.NotConfined || after.FirstParty != (len(c.config.FirstParty) > 0) {
						t.Errorf("%s: %v, %+v", s.ID, err, after)
					}
					continue
				}
				e, ok := errors.AsType[*Error](err)
				if !ok || e.Kind != Unsandboxed || !strings.Contains(e.Hint, "--allow-unsandboxed") || e.Plugin != s.ID {
					t.Errorf("%s: err = %v", s.ID, err)
				}
				if s.State != StateBroken || s.LastError == nil || s.LastError.Kind != Unsandboxed {
					t.Errorf("%s: %+v", s.ID, s)
				}
				if err := h.Restart(t.Context(), s.ID); !errors.Is(err, Unsandboxed) {
					t.Errorf("Restart: %v", err)
				}
			}
		})
	}
}

func TestNoPlaceForSockets(t *testing.T) {
	h, err := Open(Config{Places: Places{Dirs: []string{filepath.Dir(install(t, t.TempDir(), built.fixture, "good"))}}, RuntimeDir: filepath.Join(t.TempDir(), strings.Repeat("x", 100))})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	_, err = try(h, "good", "x")
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != RuntimeDir || e.Source != FromHost || !strings.Contains(e.Message, "too long") || e.Hint == "" {
		t.Errorf("err = %#v", err)
	}
	if s := h.Status()[0]; s.Failures != 0 {
		t.Errorf("status %+v: it is not the plugin's fault", s)
	}
}
