package install

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// TestScriptManifest makes a manifest that a host takes of what a script says of
// itself.
func TestScriptManifest(t *testing.T) {
	const (
		pack    = `{"id": "poll", "version": "1.0.0", "signals": [{"name": "poll.mentioned", "keywords": ["poll"]}]}`
		surface = `{"id": "page", "version": "1.0.0", "doc_version": 1, "blocks": ["paragraph"], "profiles": [{"surface": "page", "dialect": "plain", "limit": {"max": 2000}}]}`
	)
	for _, c := range []struct{ info, kind, says string }{
		{pack, hostapi.KindSkill, ""},
		{surface, hostapi.KindSurface, ""},
		{"Usage: poll", "", "line 1: it is not valid JSON"},
		{`{"id": 1}`, "", "id or its version"},
		{`{"id": "a", "id": "b"}`, "", "twice"},
		{`[]`, "", "no JSON object"},
	} {
		dir := t.TempDir()
		put(t, dir, "plugin.py", "print()\n")
		text, err := ScriptManifest(filepath.Join(dir, "plugin.py"), []byte(c.info))
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", c.info, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDraft(dir, "HERE", text, lock.Grants{Interpreter: "/usr/bin/python3"})
		if err != nil || d.Kind != c.kind || d.Version != "1.0.0" || d.Grants.Interpreter != "/usr/bin/python3" {
			t.Errorf("%s: %+v, %v", c.info, d, err)
		}
	}
	// What it says when it runs is the same, to the order of members.
	const typed = `{"id": "poll", "version": "1.0.0", "types": [{"name": "poll.x", "schema": {"type": "object", "maxProperties": 1.0e1, "description": "a<b"}}]}`
	dir := t.TempDir()
	put(t, dir, "plugin.py", "")
	text, err := ScriptManifest(filepath.Join(dir, "plugin.py"), []byte(typed))
	if err != nil {
		t.Fatal(err)
	}
	m, err := hostapi.ParseManifest(text)
	if err != nil {
		t.Fatal(err)
	}
	if says, err := hostapi.ParsePack([]byte(typed)); err != nil || !hostapi.SameInfo(m.Pack, says) {
		t.Errorf("it is another pack: %v\n%s", err, text)
	}
	if _, err := ScriptManifest(filepath.Join(t.TempDir(), "none"), []byte(pack)); err == nil {
		t.Error("a manifest of nothing")
	}
}
