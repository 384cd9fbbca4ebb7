package core

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestPolicy has what vak.toml says of a target reach the outbox, and the policy
// for all where it says nothing.
func TestPolicy(t *testing.T) {
	home := t.TempDir()
	text := "[targets.ops]\nto = \"log:ops\"\nunknown = \"park\"\nmax_parts = 3\ndigest = [\"08:15\"]\n" +
		"[policy]\nquiet = \"22:00-07:30\"\ntimezone = \"Asia/Tokyo\"\nmax_parts = 9\n"
	if err := os.WriteFile(filepath.Join(home, "vak.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Open(t.Context(), Config{Home: home, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, k := range []struct {
		address string
		park    bool
		parts   int
		digests []outbox.TimeOfDay
		why     string
	}{
		{"ops", true, 3, []outbox.TimeOfDay{8*60 + 15}, "a target's own wishes"},
		{"other", false, 9, []outbox.TimeOfDay{9 * 60}, "those for all, and the default"},
	} {
		p := c.policy(surface.Target{Surface: "log", Address: k.address})
		if p.ParkUnknown != k.park || p.MaxParts != k.parts || !slices.Equal(p.Digests, k.digests) ||
			p.Quiet != (outbox.Span{From: 22 * 60, To: 7*60 + 30}) || p.Zone.String() != "Asia/Tokyo" {
			t.Errorf("%s: %+v", k.why, p)
		}
	}
}

// TestTemplateFor has a target's own choice win over its surface's, and that over
// the policy's.
func TestTemplateFor(t *testing.T) {
	for _, k := range []struct{ surface, target, policy, want, why string }{
		{"", "", "", "", "nobody says"},
		{"", "", "c", "c", "the policy alone"},
		{"b", "", "c", "b", "the surface over the policy"},
		{"b", "a", "c", "a", "the target over both"},
		{"b", "none", "c", "", "a target that wants none"},
		{"none", "", "c", "", "a surface that wants none"},
		{"none", "a", "c", "a", "a target, whatever its surface wants"},
	} {
		text := "[targets.ops]\nto = \"log:ops\"\n"
		for _, one := range []struct{ table, id string }{{"", k.target}, {"[surfaces.log]\n", k.surface}, {"[policy]\n", k.policy}} {
			if text += one.table; one.id != "" {
				text += "template = \"" + one.id + "\"\n"
			}
		}
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, "vak.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Open(t.Context(), Config{Home: home, ReadOnly: true})
		if err != nil {
			t.Fatalf("%s: %v", k.why, err)
		}
		if got := c.current.Load().lookOf(surface.Target{Surface: "log", Address: "ops"}).template; got != k.want {
			t.Errorf("%s: %q, want %q", k.why, got, k.want)
		}
		c.Close()
	}
}
