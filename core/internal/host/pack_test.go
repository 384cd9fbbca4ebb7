package host

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// packs opens a host over the misbehaving pack, under names.
func packs(t testing.TB, c Config, names ...string) *Host {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		install(t, dir, built.pack, n)
	}
	c.Places.Dirs = append(c.Places.Dirs, dir)
	return open(t, c)
}

// wish is a card that asks a pack to do something.
func wish(pack, do, with string) skill.Input {
	b, err := json.Marshal(map[string]string{"do": do, "with": with})
	if err != nil {
		panic(err)
	}
	return skill.Input{Type: pack + ".thing", Payload: b, Context: &card.Context{AsOf: "today"}, Locale: "de"}
}

// told has a pack lower a card and returns the text that its tree is.
func told(t testing.TB, h *Host, pack, do, with string) string {
	t.Helper()
	tree, err := h.Lower(context.Background(), h.named(pack), wish(pack, do, with))
	if err != nil {
		t.Fatalf("%s: %v", do, err)
	}
	text, ok := tree.Root.Props.(card.Text)
	if !ok {
		t.Fatalf("%s: the tree is a %T", do, tree.Root.Props)
	}
	return text.Text
}

func TestPackLowers(t *testing.T) {
	h := packs(t, Config{}, "good", "other")
	all := h.Packs()
	if len(all) != 2 || all[0].Info.ID != "good" || all[0].Err != nil || len(all[0].Info.Types) != 1 || len(h.Surfaces()) != 0 {
		t.Fatalf("found %+v, and surfaces %+v", all, h.Surfaces())
	}
	if s := h.Status()[0]; s.Kind != "skill" || s.Role != hostapi.RoleSkill || s.State != StateStopped {
		t.Errorf("before the first card: %+v", s)
	}
	if got := told(t, h, "good", "context", ""); got != "today de" {
		t.Errorf("the card arrives as %q", got)
	}
	first := told(t, h, "good", "pid", "")
	if again := told(t, h, "good", "pid", ""); again != first {
		t.Errorf("processes %s and %s: one serves a pack", first, again)
	}
	for _, v := range strings.Split(told(t, h, "good", "env", ""), "\n") {
		if name, _, _ := strings.Cut(v, "="); name == "PATH" || name == "HOME" {
			t.Errorf("the pack has %s in its environment", name)
		}
	}
	found, err := h.CheckCard(context.Background(), h.named("good"), wish("good", "wrong", ""))
	if err != nil || len(found) != 1 || found[0].Path != "/with" {
		t.Errorf("CheckCard = %v, %v", found, err)
	}
	if s := h.Status(); s[0].State != StateReady || s[1].State != StateStopped {
		t.Errorf("states %s and %s", s[0].State, s[1].State)
	}
	if err := h.Restart(context.Background(), "good"); err != nil {
		t.Fatal(err)
	}
	if again := told(t, h, "good", "pid", ""); again == first {
		t.Error("the process is the same after a restart")
	}
	if _, err := h.Lower(context.Background(), h.named("nobody"), wish("nobody", "", "")); !errors.Is(err, NotFound) {
		t.Errorf("a pack that is not there: %v", err)
	}
	if _, _, err := h.Render(context.Background(), h.named("good"), request("good", "a")); !errors.Is(err, NotFound) {
		t.Errorf("a pack was asked to render: %v", err)
	}
	if h.HasTransport("good") || h.CanSend("good", "") {
		t.Error("a pack is said to send")
	}
}

func TestMisbehavingPacks(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("a secret of the host"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pack, do string
		kind     Kind // empty: it answers
		says     string
	}{
		{"bad", "crash", Unavailable, "while it lowered a card: exit status 2"},
		{"bad", "hang", Deadline, "no answer in time"},
		{"bad", "panic", Panic, "panicked"},
		{"bad", "error", Failed, "cannot do that"},
		{"bad", "none", Failed, "the tree is none"},
		{"bad", "huge", TooLarge, "bytes"},
		{"bad", "flood", "", "ok"},
		{"liar", "other", Contract, "/primitive: expected one of the primitives"},
		{"liar", "html", Contract, "/props/html: there is no such member"},
		{"liar", "deep", Contract, "levels deep"},
		{"liar", "wide", Contract, "256 nodes"},
		{"liar", "fifteen", Contract, "4 MB"},
		{"liar", "sixteen", TooLarge, "16 MiB"},
		{"changed", "", Incompatible, "differently from its manifest"},
	} {
		t.Run(c.pack+"_"+c.do, func(t *testing.T) {
			t.Parallel()
			log := newTestLog()
			config := Config{Log: log}
			if c.kind == Deadline {
				config.RenderTimeout = 2 * time.Second
			}
			h := packs(t, config, c.pack, "good")
			tree, err := h.Lower(context.Background(), h.named(c.pack), wish(c.pack, c.do, "a word of the card"))
			if c.kind == "" {
				if text, ok := tree.Root.Props.(card.Text); err != nil || !ok || text.Text != c.says {
					t.Errorf("got %+v, %v", tree, err)
				}
			} else if e, ok := errors.AsType[*Error](err); !ok || e.Kind != c.kind || !strings.Contains(e.Message, c.says) || e.Plugin != c.pack {
				t.Errorf("err = %#v, want %s that says %q", err, c.kind, c.says)
			}
			if err != nil && strings.Contains(err.Error(), "a word") || strings.Contains(log.lines.String(), "a word") {
				t.Error("error or log quote the card")
			}
			if got := told(t, h, "good", "", ""); got != "ok" {
				t.Errorf("another pack says %q", got)
			}
		})
	}
	t.Run("read", func(t *testing.T) {
		if !Sandbox().Whole {
			t.Skip("the kernel offers no sandbox here")
		}
		h := packs(t, Config{}, "bad")
		if got := told(t, h, "bad", "read", secret); !strings.HasPrefix(got, "refused: ") || strings.Contains(got, "secret of the host") {
			t.Errorf("the pack read a file: %q", got)
		}
	})
	t.Run("check", func(t *testing.T) {
		h := packs(t, Config{}, "bad", "liar")
		if _, err := h.CheckCard(context.Background(), h.named("bad"), wish("bad", "crash", "")); !errors.Is(err, Unavailable) || !strings.Contains(err.Error(), "while it checked a card") {
			t.Errorf("a crash: %v", err)
		}
		if _, err := h.CheckCard(context.Background(), h.named("liar"), wish("liar", "", "")); !errors.Is(err, Contract) {
			t.Errorf("a lie: %v", err)
		}
	})
}

// TestPackAndSurface have one name for both of them.
func TestPackAndSurface(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	install(t, first, built.fixture, "same")
	install(t, second, built.pack, "same")
	h := open(t, Config{Places: Places{Dirs: []string{first, second}}})
	all := h.Packs()
	if len(all) != 1 || !errors.Is(all[0].Err, Duplicate) || !strings.Contains(all[0].Err.Error(), "a plugin of the same id") {
		t.Errorf("the pack: %+v", all)
	}
	if got := say(t, h, "same", "hello"); got != "ok" {
		t.Errorf("the surface says %q", got)
	}
	manifest, err := exec.Command(filepath.Join(second, "same", "same"+exe), "manifest").Output()
	if err != nil || !strings.Contains(string(manifest), `"kind": "skill"`) {
		t.Errorf("manifest: %s, %v", manifest, err)
	}
}
