package core

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// packsIn installs the misbehaving pack of the host's tests under names.
func packsIn(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	binary := filepath.Join(t.TempDir(), "pack"+exe)
	cmd := exec.Command("go", "build", "-o", binary, "./internal/host/testdata/pack")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		folder := filepath.Join(dir, name)
		path := filepath.Join(folder, name+exe)
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o755); err != nil {
			t.Fatal(err)
		}
		manifest, err := exec.Command(path, "manifest").Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "plugin.json"), manifest, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// spoil changes a member of the description in a manifest.
func spoil(t *testing.T, dir, name string, change func(info map[string]any)) {
	t.Helper()
	path := filepath.Join(dir, name, "plugin.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	change(m["info"].(map[string]any))
	if b, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPacks(t *testing.T) {
	dir := packsIn(t, "good", "liar", "thief", "vague", "changed", "exits")
	typeOf := func(info map[string]any) map[string]any { return info["types"].([]any)[0].(map[string]any) }
	spoil(t, dir, "thief", func(info map[string]any) { typeOf(info)["name"] = "metric" })
	spoil(t, dir, "vague", func(info map[string]any) {
		typeOf(info)["schema"] = map[string]any{"type": "object", "$ref": "https://example.com/x"}
	})
	c, err := Open(context.Background(), Config{ReadOnly: true, Home: t.TempDir(), Plugins: []string{dir}, AllowUnsandboxed: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	show := func(typ, do string) (text string, codes []string) {
		t.Helper()
		p, err := c.Render(context.Background(), Draft{Markdown: `{"semantic_type":"` + typ + `","payload":{"do":"` + do + `","with":"sugar"}}`}, surface.Target{Surface: "log"})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range p[0].Diagnostics {
			codes = append(codes, d.Code+": "+d.Message)
		}
		for _, ch := range p[0].Chunks {
			text += ch.Text
		}
		text, _, _ = strings.Cut(text, "\n\n{") // what the payload says besides follows it in a log
		return text, codes
	}
	if got, said := show("good.thing", ""); !strings.Contains(got, "ok") || strings.Contains(got, "sugar") || len(said) > 0 {
		t.Errorf("a card of a pack is shown as %q, with %q", got, said)
	}
	for _, x := range []struct{ typ, do, cause string }{
		{"good.thing", "error", "its code returned an error"},
		{"good.thing", "panic", "its code panicked"},
		{"liar.thing", "html", "its answer breaks the protocol"},
		{"liar.thing", "latin1", "its answer breaks the protocol"},
		{"liar.thing", "sixteen", "request or answer is over 16 MiB"},
		{"changed.thing", "x", "it is not what its manifest says, or speaks another protocol"},
		{"exits.thing", "x", "its process did not start"},
	} {
		got, said := show(x.typ, x.do)
		pack := strings.TrimSuffix(x.typ, ".thing")
		if !strings.Contains(got, "sugar") || !strings.Contains(got, x.do) {
			t.Errorf("%s %s: the card cannot be read: %q", x.typ, x.do, got)
		}
		if !slices.ContainsFunc(said, func(s string) bool {
			return strings.HasPrefix(s, "card_lower_failed: ") && strings.Contains(s, `"`+pack+`"`) && strings.Contains(s, x.cause) && !strings.Contains(s, "sugar")
		}) {
			t.Errorf("%s %s: said %q, want the cause %q", x.typ, x.do, said, x.cause)
		}
	}
	if got, said := show("vague.thing", ""); !strings.Contains(got, `"semantic_type":"vague.thing"`) || len(said) != 1 || !strings.HasPrefix(said[0], "vak_unknown_type: ") {
		t.Errorf("a card of a pack that is not used is shown as %q, with %q", got, said)
	}
	if _, problems := c.CheckCard("", []byte(`{"semantic_type":"good.thing","payload":{"do":"wrong"}}`)); len(problems) != 1 || problems[0].Path != "/payload/with" {
		t.Errorf("the pack's check is told as %v", problems)
	}
	if got, err := c.CardType("good.thing"); err != nil || got.Skill != "good" {
		t.Errorf("CardType = %+v, %v", got, err)
	}
	if got, err := c.CardType("metric"); err != nil || got.Skill != "core" {
		t.Errorf("the type of another is owned by %+v, %v", got.Skill, err)
	}
	for _, p := range (backend{c}).Plugins() {
		want := map[string]string{"thief": `the type belongs to the skill "core"`, "vague": "outside of itself"}[p.ID]
		switch {
		case p.ID == "good" && (p.Kind != "skill" || p.State != control.Ready || !slices.Equal(p.Types, []string{"good.thing"})):
			t.Errorf("%+v", p)
		case want != "" && p.Error != nil && !strings.HasPrefix(p.Error.Hint, "its cards stay as they were written"):
			t.Errorf("%s: %q", p.ID, p.Error.Hint)
		case want != "" && (p.State != control.Broken || p.Error == nil || !strings.Contains(p.Error.Message, want)):
			t.Errorf("%s is %s: %v, want %q", p.ID, p.State, p.Error, want)
		}
	}
}
