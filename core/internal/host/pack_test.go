package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
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
		{"liar", "nothing", Contract, "tree: "},
		{"liar", "null", Contract, "tree: "},
		{"liar", "prose", Contract, "tree: "},
		{"liar", "two", Contract, "tree: "},
		{"liar", "twice", Contract, "tree: "},
		{"liar", "latin1", Contract, "tree: "},
		{"liar", "types", Contract, "tree: /props/text: "},
		{"changed", "", Incompatible, "differently from its manifest"},
		{"impostor", "", Incompatible, "differently from its manifest"},
		{"renderer", "", Contract, "info: doc_version 0"},
		{"blank", "", Contract, `a plugin of kind ""`},
		{"exits", "", StartFailed, "exit status 3"},
		{"sleeps", "", StartFailed, "not ready within"},
		{"floods", "", StartFailed, "not ready within"},
		{"bad", "mute", "", "ok"},
		{"bad", "cut", Unavailable, ""},
	} {
		t.Run(c.pack+"_"+c.do, func(t *testing.T) {
			t.Parallel()
			log := newTestLog()
			config := Config{Log: log, StopTimeout: 200 * time.Millisecond}
			if c.kind == StartFailed {
				config.StartTimeout = 700 * time.Millisecond
			}
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
	t.Run("reach", func(t *testing.T) {
		if !Sandbox().Whole {
			t.Skip("the kernel offers no sandbox here")
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		folder := t.TempDir()
		reaches := []struct{ do, with string }{
			{"read", secret}, {"read", "/proc/self/environ"}, {"read", fmt.Sprintf("/proc/%d/environ", os.Getpid())},
			{"write", filepath.Join(folder, "x")}, {"exec", "/bin/true"},
			{"dial", "tcp " + l.Addr().String()}, {"dial", "udp " + l.Addr().String()}, {"listen", "tcp 127.0.0.1:0"},
		}
		h := packs(t, Config{}, "bad")
		own := filepath.Join(h.Packs()[0].Dir, "x")
		for _, r := range append(reaches, struct{ do, with string }{"write", own}) {
			if got := told(t, h, "bad", r.do, r.with); !strings.HasPrefix(got, "refused: ") {
				t.Errorf("%s %s: %.200q", r.do, r.with, got)
			}
		}
		h = packs(t, Config{noSandbox: true}, "bad")
		for _, r := range reaches {
			if got := told(t, h, "bad", r.do, r.with); strings.HasPrefix(got, "refused: ") {
				t.Errorf("without a sandbox %s %s: %.200q: this tests nothing", r.do, r.with, got)
			}
		}
	})
	t.Run("check", func(t *testing.T) {
		h := packs(t, Config{}, "bad", "liar")
		if _, err := h.CheckCard(context.Background(), h.named("bad"), wish("bad", "crash", "")); !errors.Is(err, Unavailable) || !strings.Contains(err.Error(), "while it checked a card") {
			t.Errorf("a crash: %v", err)
		}
		for _, c := range []struct {
			pack, do string
			kind     Kind // empty: it answers, and that may be logged
			says     string
		}{
			{"bad", "panic", Panic, "panicked"},
			{"bad", "hang", Deadline, "no answer in time"},
			{"bad", "quote", "", "expected what the check of its skill asks for"},
			{"bad", "many", "", "expected more "},
			{"liar", "", Contract, "not a JSON pointer"},
			{"liar", "silent", Contract, "empty"},
			{"liar", "latin1", Contract, "UTF-8"},
			{"liar", "escapes", "", "expected"},
			{"liar", "countless", Contract, "101 problems"},
			{"liar", "sixteen", TooLarge, "16 MiB"},
			{"liar", "garbage", Contract, ""},
		} {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			if c.kind == Deadline {
				ctx, cancel = context.WithTimeout(ctx, 700*time.Millisecond)
			}
			found, err := h.CheckCard(ctx, h.named(c.pack), wish(c.pack, c.do, "a word of the card"))
			cancel()
			if c.kind != "" {
				if e, ok := errors.AsType[*Error](err); !ok || e.Kind != c.kind || !strings.Contains(e.Message, c.says) || strings.Contains(e.Error(), "a word") {
					t.Errorf("%s %s: %.300v, want %s that says %q", c.pack, c.do, err, c.kind, c.says)
				}
				continue
			}
			if err != nil || len(found) == 0 || len(found) > skill.MaxProblems {
				t.Errorf("%s %s: %d problems, %.300v", c.pack, c.do, len(found), err)
			}
			for _, p := range found {
				if text := p.Error(); len(text) > 4096 || strings.ContainsAny(text, "\x1b\n") || strings.Contains(text, "a word") || !strings.Contains(text, c.says) {
					t.Errorf("%s %s: %.300q", c.pack, c.do, text)
				}
			}
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
