package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

const binary = "#!/bin/sh\n"

// manifest is a valid one for binary, of a plugin called good.
func manifest(t testing.TB) map[string]any {
	t.Helper()
	sum := sha256.Sum256([]byte(binary))
	var m map[string]any
	if err := json.Unmarshal([]byte(`{
		"schema_version": 1, "id": "good", "kind": "surface", "version": "1.0.0", "protocol": [1],
		"binary": "good", "sha256": "`+hex.EncodeToString(sum[:])+`", "later": {"any": "thing"},
		"info": {"id": "good", "version": "1.0.0", "doc_version": 1, "blocks": ["paragraph"],
			"profiles": [{"surface": "good", "dialect": "plain", "limit": {"max": 2000}, "can": {"code": true}}],
			"account": {"type": "object"}}
	}`), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func folder(t testing.TB, m any) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "good")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	text, ok := m.(string)
	if !ok {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		text = string(b)
	}
	for name, content := range map[string]string{hostapi.ManifestName: text, "good": binary} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSchema(t *testing.T) {
	if b := Read(folder(t, manifest(t))); b.Err != nil || b.Info.ID != "good" {
		t.Fatalf("a valid manifest: %v", b.Err)
	}
	for _, c := range []struct {
		path  string // to a member, by dots
		value any    // nil: it is left out
		says  string
	}{
		{"id", nil, "/: missing properties: 'id'"},
		{"id", 5, "/id: expected string, but got number"},
		{"kind", "skills", "/kind: value must be one of \"surface\", \"skill\""},
		{"schema_version", 2, "/schema_version: 2 is newer than this vak"},
		{"schema_version", "1", "/schema_version: value must be \"1\""},
		{"protocol", []any{}, "/protocol: minimum 1 items"},
		{"protocol", []any{1, "2"}, "/protocol/1: expected integer, but got string"},
		{"protocol", []any{2}, "protocol [2]"},
		{"sha256", "ABC", "/sha256: does not match pattern"},
		{"binary", "../good", "beside the manifest"},
		{"info.profiles", []any{}, "/info/profiles: minimum 1 items"},
		{"info.profiles", []any{map[string]any{"surface": "good"}}, "/info/profiles/0: missing properties: 'dialect'"},
		{"info.profiles", []any{map[string]any{"surface": "good", "dialect": "plain", "can": map[string]any{"code": "yes"}}}, "/info/profiles/0/can/code: expected boolean"},
		{"info.profiles", []any{map[string]any{"surface": "good", "dialect": "plain", "limit": map[string]any{"max": -1}}}, "/info/profiles/0/limit/max: must be >= 0"},
		{"info.blocks", []any{"a", 1}, "/info/blocks/1: expected string"},
		{"info.account", []any{}, "/info/account: expected object"},
		{"info.doc_version", 1.5, "/info/doc_version: expected integer"},
		{"info", map[string]any{"id": 1, "version": 2, "doc_version": 0, "profiles": 3}, "(and 1 more)"},
	} {
		m := manifest(t)
		at := m
		name := c.path
		if outer, inner, ok := strings.Cut(c.path, "."); ok {
			at, name = m[outer].(map[string]any), inner
		}
		if at[name] = c.value; c.value == nil {
			delete(at, name)
		}
		b := Read(folder(t, m))
		if b.Err == nil || b.Err.Kind != fault.BadManifest || b.Err.Hint == "" || !strings.Contains(b.Err.Message, c.says) {
			t.Errorf("%s = %v: err = %v, want %q", c.path, c.value, b.Err, c.says)
		}
	}
	for _, c := range []struct{ text, says string }{
		{"", "not valid JSON at byte 0, in line 1"},
		{"{\n\n  \"id\": x}", "in line 3"},
		{"{} {}", "more follows"},
		{"\"\xff\"", "not valid UTF-8"},
		{"[]", "/: expected object, but got array"},
		{strings.Repeat("[", 20_000), "not valid JSON"},
	} {
		if b := Read(folder(t, c.text)); b.Err == nil || !strings.Contains(b.Err.Message, c.says) {
			t.Errorf("%.20q: err = %v, want %q", c.text, b.Err, c.says)
		}
	}
}

func TestPack(t *testing.T) {
	pack := func() map[string]any {
		m := manifest(t)
		m["kind"] = "skill"
		m["info"] = map[string]any{
			"id": "good", "version": "1.0.0",
			"types":   []any{map[string]any{"name": "a.b", "schema": map[string]any{"type": "object"}, "checks": true}},
			"recipes": []any{map[string]any{"id": "r", "version": "1.0.0", "signals": []any{"s"}}},
			"signals": []any{map[string]any{"name": "s", "keywords": []any{"w"}}},
		}
		return m
	}
	b := Read(folder(t, pack()))
	if b.Err != nil || b.Kind != hostapi.KindSkill || b.Info.ID != "good" || b.Info.Version != "1.0.0" || len(b.Pack.Types) != 1 || !b.Pack.Types[0].Checks {
		t.Fatalf("a valid manifest: %+v", b)
	}
	for _, c := range []struct {
		name  string // of a member of info
		value any
		says  string
	}{
		{"types", nil, "/info/types: expected array"},
		{"types", []any{map[string]any{"name": "a.b"}}, "/info/types/0: missing properties: 'schema'"},
		{"types", []any{map[string]any{"name": "A", "schema": map[string]any{}}}, "info.types[0].name \"A\": want small letters"},
		{"recipes", []any{map[string]any{"id": "r", "version": "1.0.0", "signals": "s"}}, "/info/recipes/0/signals: expected array"},
		{"signals", []any{map[string]any{"name": "s", "keywords": []any{""}}}, "info.signals[0].keywords[0]"},
		{"version", "2.0.0", "id and version differ"},
	} {
		m := pack()
		m["info"].(map[string]any)[c.name] = c.value
		b := Read(folder(t, m))
		if b.Err == nil || b.Kind != hostapi.KindSkill || !strings.Contains(b.Err.Message, hostapi.ManifestName+" is not valid") || !strings.Contains(b.Err.Message, c.says) {
			t.Errorf("%s = %v: kind %q, err = %v, want %q", c.name, c.value, b.Kind, b.Err, c.says)
		}
	}
}

func TestTouched(t *testing.T) {
	dir := folder(t, manifest(t))
	if b := Read(dir); !b.Touched() {
		t.Error("a manifest that was written just now is not looked at again: what is written in the same tick of the clock is missed")
	}
	before := time.Now().Add(-time.Minute)
	if err := os.Chtimes(filepath.Join(dir, hostapi.ManifestName), before, before); err != nil {
		t.Fatal(err)
	}
	b := Read(dir)
	if b.Touched() || b.Replaced() {
		t.Error("touched without a touch")
	}
	other := manifest(t)
	other["version"] = "1.0.1"
	text, _ := json.Marshal(other)
	path := filepath.Join(dir, hostapi.ManifestName)
	same, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(b.Manifest) != string(same) {
		t.Errorf("the manifest's bytes are %q", b.Manifest)
	}
	for _, c := range []struct {
		why               string
		do                func() error
		touched, replaced bool
	}{
		{"another manifest", func() error { return os.WriteFile(path, text, 0o644) }, true, true},
		{"the same again, written later", func() error { return os.WriteFile(path, same, 0o644) }, true, false},
		{"another binary", func() error { return os.WriteFile(b.Path, []byte("other"), 0o755) }, true, false},
		{"no manifest", func() error { return os.Remove(path) }, true, true},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Minute) // some file systems count seconds
		os.Chtimes(path, later, later)
		if b.Touched() != c.touched || b.Replaced() != c.replaced {
			t.Errorf("%s: touched %v, replaced %v", c.why, b.Touched(), b.Replaced())
		}
	}
	missing := Read(dir) // broken, and so it stays until somebody acts
	if missing.Err == nil || missing.Touched() {
		t.Errorf("err = %v, touched %v", missing.Err, missing.Touched())
	}
}

func TestOpen(t *testing.T) {
	dir := folder(t, manifest(t))
	b := Read(dir)
	f, e := b.Open()
	if e != nil {
		t.Fatal(e)
	}
	defer f.Close()
	if e := f.Unchanged(); e != nil {
		t.Error(e)
	}
	if err := os.Link(b.Path, b.Path+".bak"); err != nil {
		t.Fatal(err)
	}
	if e := f.Unchanged(); e != nil {
		t.Errorf("another link changes nothing in it: %v", e)
	}
	if err := os.WriteFile(b.Path, []byte("#!/bin/ox\n"), 0o755); err != nil { // as long as before
		t.Fatal(err)
	}
	if e := f.Unchanged(); e == nil || e.Kind != fault.Untrusted {
		t.Errorf("err = %v", e)
	}
	if _, e := b.Open(); e == nil || e.Kind != fault.Untrusted || e.Hint == "" {
		t.Errorf("err = %v", e)
	}
	os.Remove(b.Path)
	if _, e := b.Open(); e == nil || e.Kind != fault.StartFailed {
		t.Errorf("err = %v", e)
	}
}

// FuzzRead holds that what passes is a manifest of this version, and that
// nothing that does not pass panics.
func FuzzRead(f *testing.F) {
	b, err := json.Marshal(manifest(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"schema_version":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if conforms(b) != nil {
			return
		}
		if m, err := hostapi.ParseManifest(b); err == nil && (m.Info.ID+m.Pack.ID == "" || len(m.SHA256) != 64 || filepath.Base(m.Binary) != m.Binary) {
			t.Errorf("%q passes as %+v", b, m)
		}
	})
}
