package core

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/install"
)

// runtimeDir gives the test a runtime directory of its own, with a short path.
func runtimeDir(t *testing.T) {
	t.Helper()
	if !control.Available {
		return
	}
	dir, err := os.MkdirTemp("/tmp", "vako")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
}

// TestHold opens a home, is refused a second time, asks over the socket, and
// leaves nothing but an empty lock.
func TestHold(t *testing.T) {
	runtimeDir(t)
	dir := filepath.Join(t.TempDir(), "home")
	c, err := Open(t.Context(), Config{Home: dir, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Home() != dir {
		t.Errorf("the home is %q", c.Home())
	}
	if _, err := Open(t.Context(), Config{Home: dir}); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), "vak 1.2.3") {
		t.Errorf("a second time: %v", err)
	}
	if _, err := Open(t.Context(), Config{Home: dir, ReadOnly: true}); err != nil {
		t.Errorf("read only beside it: %v", err)
	}
	if control.Available {
		client, holder, held, err := control.Find(dir)
		if err != nil || !held || holder.PID != os.Getpid() || holder.Control != c.ControlSocket() {
			t.Fatalf("%+v, %v, %v", holder, held, err)
		}
		if s, err := client.Status(t.Context()); err != nil || !s.Held || s.Home != dir || s.Version != "1.2.3" || s.Plugins != 1 {
			t.Errorf("status %+v, %v", s, err)
		}
		if r, err := client.Doctor(t.Context(), false); err != nil || !r.OK || len(r.Checks) < 5 {
			t.Errorf("doctor %+v, %v", r, err)
		}
		if _, err := client.Restart(t.Context(), "log"); !errors.Is(err, control.Refused) {
			t.Errorf("restart of what is built in: %v", err)
		}
		defer func() {
			if _, err := os.Lstat(holder.Control); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the socket is left: %v", err)
			}
		}()
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if h, held, err := home.Find(dir); held || h.PID != 0 || err != nil {
		t.Errorf("after Close: %+v, %v, %v", h, held, err)
	}
}

// TestReadOnly shows that nothing is written, however often it is opened.
func TestReadOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	c, err := Open(t.Context(), Config{Home: dir, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	client := control.Local(c.Handler())
	if s, err := client.Status(t.Context()); err != nil || s.Held || s.Home != dir {
		t.Errorf("status %+v, %v", s, err)
	}
	if _, err := client.Restart(t.Context(), "log"); !errors.Is(err, control.NotRunning) || !strings.Contains(err.Error(), "vak serve") {
		t.Errorf("restart where nothing runs: %v", err)
	}
	if _, err := client.Doctor(t.Context(), false); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the home was made: %v", err)
	}
}

// TestStore has a plugin installed in the home: it is found where nothing was named,
// behind what was, and by those that only read. What was put there by hand is not.
func TestStore(t *testing.T) {
	runtimeDir(t)
	dir := t.TempDir()
	shipped := filepath.Join(filepath.Dir(binaries.Build(t)), "plugins")
	byHand := filepath.Join(dir, "plugins", "store", strings.Repeat("0a", 32))
	if err := os.MkdirAll(filepath.Dir(byHand), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(byHand, os.DirFS(filepath.Join(shipped, "discord"))); err != nil {
		t.Fatal(err)
	}
	store := install.New(dir)
	candidate, err := store.Prepare(filepath.Join(shipped, "slack"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Install(candidate, install.Consent{AllowUnverified: true}); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "plugins", "store", candidate.Digest)
	for _, c := range []struct {
		why    string
		config Config
		path   string // below which the plugin that is used lies
		count  int    // of plugins with its id
	}{
		{"the home is held", Config{Home: dir, NoControl: true}, folder, 1},
		{"the home is read", Config{Home: dir, ReadOnly: true}, folder, 1},
		{"a named directory comes first", Config{Home: dir, ReadOnly: true, Plugins: []string{shipped}}, shipped, 2},
		{"a home without a store", Config{Home: filepath.Join(dir, "plugins"), ReadOnly: true, Plugins: []string{shipped}}, shipped, 1},
	} {
		c.config.FirstParty = []string{dir, shipped} // runs where the kernel has no sandbox, too
		core, err := Open(t.Context(), c.config)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, s := range core.Surfaces() {
			if s.ID == "slack" {
				count++
			}
		}
		if s, err := core.Surface("discord"); err == nil && s.Path == filepath.Join(byHand, "discord") {
			t.Errorf("%s: a folder is used that nobody installed", c.why)
		}
		s, err := core.Surface("slack")
		if err != nil || count != c.count || !strings.HasPrefix(s.Path, c.path+string(filepath.Separator)) {
			t.Errorf("%s: %d of them, the first %s, %v", c.why, count, s.Path, err)
		} else if p, err := core.Render(t.Context(), Draft{Markdown: "hello"}, targets("slack")...); err != nil || len(p[0].Diagnostics) > 0 || p[0].Renderer.ID != "slack" {
			t.Errorf("%s: %+v, %v", c.why, p, err)
		}
		if err := core.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestHoldFails shows that an Open that fails holds nothing.
func TestHoldFails(t *testing.T) {
	runtimeDir(t)
	dir := t.TempDir()
	if _, err := Open(t.Context(), Config{Home: dir, Plugins: []string{filepath.Join(dir, "nowhere")}}); !errors.Is(err, ErrPlugins) {
		t.Errorf("a directory that is not there: %v", err)
	}
	c, err := Open(t.Context(), Config{Home: dir, NoControl: true})
	if err != nil {
		t.Fatal(err)
	}
	if c.ControlSocket() != "" {
		t.Error("there is a socket that nobody wanted")
	}
	if _, _, held, err := control.Find(dir); !held || !errors.Is(err, control.Unreachable) {
		t.Errorf("without a socket: %v, %v", held, err)
	}
	c.Close()
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o600)
	if _, err := Open(t.Context(), Config{Home: file}); !errors.Is(err, ErrHome) {
		t.Errorf("a file for a home: %v", err)
	}
}

// TestProfilesAsOverridden shows a plugin's profile with the operator's
// settings.
func TestProfilesAsOverridden(t *testing.T) {
	var s Settings
	if err := s.Set("max", "777"); err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{Settings: s})
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/plugins/telegram", nil))
	var p control.Plugin
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Profiles[0].Limit.Max != 777 || p.State != control.Stopped || len(p.Blocks) == 0 || len(p.SHA256) != 64 {
		t.Errorf("%v, %s", err, w.Body)
	}
}
