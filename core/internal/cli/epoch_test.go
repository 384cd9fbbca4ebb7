package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/epoch"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// look is a profile that differs by its limit.
func lookWith(max int) epoch.Look {
	return epoch.Look{Profile: surface.Profile{Surface: "x", Dialect: "plain", Limit: surface.Limit{Max: max, Unit: surface.Codepoint, Of: surface.Sent}}}
}

func pluginAt(id, version string) epoch.Plugin {
	return epoch.Plugin{ID: id, Kind: "skill", Version: version, SHA256: strings.Repeat("1", 64), Dir: "/p/" + id, File: strings.Repeat("2", 64), Manifest: []byte("{}")}
}

// TestChanges has each thing that an epoch holds come, go and change.
func TestChanges(t *testing.T) {
	plugins := func(all ...epoch.Plugin) *epoch.Epoch { return &epoch.Epoch{Plugins: all} }
	looks := func(id string, max int) *epoch.Epoch {
		return &epoch.Epoch{Surfaces: map[string]epoch.Look{id: lookWith(max)}}
	}
	targets := func(max int) *epoch.Epoch {
		return &epoch.Epoch{Targets: map[string]epoch.Look{"log:ops": lookWith(max)}}
	}
	templates := func(v epoch.Template) *epoch.Epoch {
		return &epoch.Epoch{Templates: map[string]epoch.Template{"report": v}}
	}
	one := pluginAt("acme", "1.0")
	rebuilt, broken, moved := one, one, one
	rebuilt.SHA256, broken.Problem, moved.Dir = strings.Repeat("3", 64), "bad_manifest", "/q/acme"
	with := plugins(one)
	with.Surfaces = map[string]epoch.Look{"acme": lookWith(1), "other": lookWith(1)}
	none := &epoch.Epoch{}
	for _, c := range []struct {
		why         string
		before, now *epoch.Epoch
		want        []string
	}{
		{"nothing", with, with, nil},
		{"a plugin comes", none, plugins(one), []string{"plugin acme 1.0 added"}},
		{"one goes", plugins(one), none, []string{"plugin acme 1.0 removed"}},
		{"an upgrade", plugins(one), plugins(pluginAt("acme", "2.0")), []string{"plugin acme 1.0 → 2.0"}},
		{"another binary", plugins(one), plugins(rebuilt), []string{"plugin acme 1.0 changed"}},
		{"another folder", plugins(one), plugins(moved), []string{"plugin acme 1.0 changed"}},
		{"it breaks", plugins(one), plugins(broken), []string{"plugin acme 1.0 → 1.0 (bad_manifest)"}},
		{"a plugin brings its profile, and another comes", none, with, []string{"plugin acme 1.0 added", "the profile of other added"}},
		{"a profile", looks("telegram", 1), looks("telegram", 2), []string{"the profile of telegram changed"}},
		{"that of what nobody knows", looks("", 1), looks("", 2), []string{"the profile of surfaces that nobody knows changed"}},
		{"a target", none, targets(1), []string{"the profile of log:ops added"}},
		{"its profile", targets(1), targets(2), []string{"the profile of log:ops changed"}},
		{"a template", templates(epoch.Template{Revision: 1}), templates(epoch.Template{Revision: 2}), []string{"template report revision 1 → revision 2"}},
		{"its words", templates(epoch.Template{Revision: 1}), templates(epoch.Template{Revision: 1, Format: "x"}), []string{"template report revision 1 changed"}},
		{"it cannot be used", templates(epoch.Template{Revision: 1}), templates(epoch.Template{Problem: "no"}), []string{"template report revision 1 → (no)"}},
		{"it goes", templates(epoch.Template{Revision: 1}), none, []string{"template report revision 1 removed"}},
		{"a name that is none", none, plugins(pluginAt("a\x1b[2J", "1")), []string{`plugin a\u001b[2J 1 added`}},
	} {
		var got []string
		for _, d := range changes(c.before, c.now) {
			got = append(got, d.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestEpochs has the epochs of a home listed and shown, also when one of them cannot
// be read.
func TestEpochs(t *testing.T) {
	dir := t.TempDir()
	s, err := epoch.Open(filepath.Join(dir, "catalog"))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, e := range []*epoch.Epoch{
		{Plugins: []epoch.Plugin{pluginAt("acme", "1.0")}},
		{Plugins: []epoch.Plugin{pluginAt("acme", "2.0")}},
		{Plugins: []epoch.Plugin{pluginAt("acme", "2.0"), pluginAt("b", "1"), pluginAt("c", "1"), pluginAt("d", "1"), pluginAt("e", "1")}},
	} {
		if _, err := s.Publish(e, at); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, int) {
		t.Helper()
		out, err := printed(t, func(a *app) error {
			cmd := a.epochCommand()
			a.home = dir
			cmd.SetArgs(args)
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			return cmd.ExecuteContext(t.Context())
		})
		return out, exitCode(t.Context(), err)
	}
	want := func(why, has string, code int, args ...string) {
		t.Helper()
		if out, got := run(args...); got != code || !strings.Contains(out, has) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s", why, got, code, has, out)
		}
	}
	entries := s.Entries()
	want("all", "1      2026-01-02 03:04:05Z  "+entries[0].Digest[:12]+"  plugin acme 1.0 added\n", exitOK, "list")
	want("what changed", "plugin acme 1.0 → 2.0\n", exitOK, "list")
	want("many changes", "plugin b 1 added, plugin c 1 added, plugin d 1 added, and 1 more\n", exitOK, "list")
	want("the latest", "The latest 1 of 3; --last shows more.", exitOK, "list", "--last", "1")
	want("as JSON", `"from": "1.0"`, exitOK, "list", "--json")
	want("none", "", exitUsage, "list", "--last", "0")
	want("the latest one", "epoch 3, since", exitOK, "show")
	want("one of before", "epoch 2, since 2026-01-02 03:04:05Z\n"+entries[1].Digest+"\n\nChanged:\n  plugin acme 1.0 → 2.0\n", exitOK, "show", "2")
	want("its plugins", "acme    2.0      skill  111111111111  -        /p/acme\n", exitOK, "show", "2")
	want("one that is not", "", exitSurface, "show", "9")
	want("no number", "", exitUsage, "show", "x")
	if err := os.Remove(filepath.Join(dir, "catalog", "blobs", entries[1].Digest)); err != nil {
		t.Fatal(err)
	}
	want("one that cannot be read", "  not known: ", exitOK, "list")
	want("the others", "plugin acme 1.0 added\n", exitOK, "list")
	want("it cannot be shown", "epoch 2", exitStore, "show", "2")
	dir = t.TempDir()
	want("a home without any", "", exitSurface, "list")
}
