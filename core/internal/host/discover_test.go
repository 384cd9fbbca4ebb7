package host

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

func TestBrokenPluginsHinderNoOther(t *testing.T) {
	dir := t.TempDir()
	good := install(t, dir, built.fixture, "good")
	manifest, err := os.ReadFile(filepath.Join(good, "plugin.json"))
	if err != nil {
		t.Fatal(err)
	}
	broken := func(name string, change func(map[string]any), binary bool) {
		var m map[string]any
		if err := json.Unmarshal([]byte(strings.ReplaceAll(string(manifest), `"good"`, `"`+name+`"`)), &m); err != nil {
			t.Fatal(err)
		}
		change(m)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(dir, name)
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "plugin.json"), b, 0o644); err != nil {
			t.Fatal(err)
		}
		if binary {
			if err := os.WriteFile(filepath.Join(folder, name), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	same := func(map[string]any) {}
	broken("a-newer", func(m map[string]any) { m["schema_version"] = 2 }, true)
	broken("a-skills", func(m map[string]any) { m["kind"] = "skills" }, true)
	broken("a-protocol", func(m map[string]any) { m["protocol"] = []int{2, 3} }, true)
	broken("a-outside", func(m map[string]any) { m["binary"] = "../good/good" }, true)
	broken("a-hash", func(m map[string]any) { m["sha256"] = "ABC" }, true)
	broken("a-infoless", func(m map[string]any) { delete(m, "info") }, true)
	broken("a-version", func(m map[string]any) { m["version"] = "9.9.9" }, true)
	broken("a-profileless", func(m map[string]any) { m["info"].(map[string]any)["profiles"] = []any{} }, true)
	broken("a-missing", same, false)
	for name, content := range map[string]string{"a-empty": "", "a-garbage": "\x00\xff{", "a-huge": strings.Repeat(" ", 1<<20) + "{}"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "plugin.json"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "a-directory"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "a-directory", "plugin.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "no-plugin"), 0o755); err != nil {
		t.Fatal(err)
	}

	h := open(t, Config{Places: Places{Dirs: []string{dir}}})
	says := map[string]string{
		"a-newer": "/schema_version: 2 is newer than this vak", "a-skills": "/kind: value must be one of \"surface\", \"skill\"", "a-protocol": "protocol [2 3]", "a-outside": "beside the manifest",
		"a-hash": "/sha256: does not match", "a-infoless": "missing properties: 'info'", "a-version": "differ", "a-profileless": "/info/profiles: minimum 1 items", "a-missing": "cannot find the binary",
		"a-empty": "not valid JSON", "a-garbage": "not valid UTF-8", "a-huge": "larger than", "a-directory": "is not a file",
	}
	for _, s := range h.Surfaces() {
		if s.Info.ID == "good" {
			if s.Err != nil || s.State != StateStopped || s.Path == "" || len(s.SHA256) != 64 {
				t.Errorf("good = %+v", s)
			}
			continue
		}
		want, ok := says[s.Info.ID]
		if !ok {
			t.Errorf("unexpected %q", s.Info.ID)
		}
		delete(says, s.Info.ID)
		e, _ := errors.AsType[*Error](s.Err)
		if s.State != StateBroken || !errors.Is(s.Err, BadManifest) || !strings.Contains(s.Err.Error(), want) || e.Hint == "" {
			t.Errorf("%s: %s, %v; want %q and a hint", s.Info.ID, s.State, s.Err, want)
		}
		if _, err := try(h, s.Info.ID, "x"); !errors.Is(err, BadManifest) {
			t.Errorf("Render on %s: %v", s.Info.ID, err)
		}
	}
	if len(says) > 0 {
		t.Errorf("not reported: %v", says)
	}
	if got := say(t, h, "good", "x"); got != "ok" {
		t.Errorf("good says %q", got)
	}
}

func TestFirstOfTwoWins(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	first := install(t, one, built.fixture, "good")
	second := install(t, two, built.fixture, "good")
	info := surface.Info{ID: "good", Version: "7.0.0", DocVersion: 1, Profiles: []surface.Profile{{Surface: "good", Dialect: "plain"}}}

	h := open(t, Config{Places: Places{Dirs: []string{one, two}}})
	s := h.Surfaces()
	if len(s) != 2 || s[0].Dir != first || s[0].State != StateStopped || s[1].Dir != second || !errors.Is(s[1].Err, Duplicate) {
		t.Errorf("Surfaces = %+v", s)
	}
	if got := say(t, h, "good", "x"); got != "ok" {
		t.Errorf("good says %q", got)
	}

	third := install(t, t.TempDir(), built.fixture, "good")
	h = open(t, Config{Places: Places{First: []string{second}, Dirs: []string{one}, Folders: []string{third}}})
	if s := h.Surfaces(); len(s) != 3 || s[0].Dir != second || s[0].Err != nil || s[1].Dir != first || s[2].Dir != third {
		t.Errorf("Surfaces = %+v, want the second first", s)
	}

	nothing := surface.RendererFunc(nil)
	h = open(t, Config{Places: Places{Dirs: []string{one}}, Builtin: []surface.Plugin{{Info: info, Renderer: nothing}}})
	if s := h.Surfaces(); len(s) != 2 || s[0].State != StateBuiltin || !errors.Is(s[1].Err, Duplicate) {
		t.Errorf("Surfaces = %+v, want the built-in first", s)
	}

	// A broken one does not stand in the way of a good one.
	if err := os.WriteFile(filepath.Join(first, "plugin.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	h = open(t, Config{Places: Places{Dirs: []string{one, two}}})
	if s := h.Surfaces(); len(s) != 2 || s[0].Dir != second || s[0].State != StateStopped || !errors.Is(s[1].Err, BadManifest) {
		t.Errorf("Surfaces = %+v", s)
	}
	if got := say(t, h, "good", "x"); got != "ok" {
		t.Errorf("good says %q", got)
	}
}

func TestOpenNeedsItsDirectories(t *testing.T) {
	_, err := Open(Config{Places: Places{Dirs: []string{filepath.Join(t.TempDir(), "nope")}}})
	if !errors.Is(err, NotFound) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
	_, err = Open(Config{Builtin: []surface.Plugin{{}}})
	if !errors.Is(err, BadManifest) {
		t.Errorf("err = %v", err)
	}
}
