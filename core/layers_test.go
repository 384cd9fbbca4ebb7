package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/config"
	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// configuredCore is a core that only looks, with a vak.toml and an output.toml.
func configuredCore(t *testing.T, main, output string, c Config) *Core {
	t.Helper()
	c.Home, c.ReadOnly = t.TempDir(), true
	for name, text := range map[string]string{config.Name: main, config.Output: output} {
		if err := os.WriteFile(filepath.Join(c.Home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	return out
}

func setTo(t *testing.T, key, value string) (s Settings) {
	t.Helper()
	if err := s.Set(key, value); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestProfileLayers has what is closer to a message win: the surface over its
// plugin, the target over that, and the program over both.
func TestProfileLayers(t *testing.T) {
	file := "[surfaces.log]\nmax = 500\nlinks = 'bare'\n[targets.ops]\nto = 'log:ops'\nmax = 300\n"
	ops := surface.Target{Surface: "log", Address: "ops"}
	for _, k := range []struct {
		config      Config
		max         int
		from, links string
		why         string
	}{
		{Config{}, 300, "vak.toml:6", "bare", "the target over its surface, for what it says"},
		{Config{Set: []string{"surfaces.log.max=400"}}, 300, "vak.toml:6", "bare", "a flag for the surface, which the target overrides"},
		{Config{Set: []string{"targets.ops.max=200"}}, 200, "--set", "bare", "a flag for the target"},
		{Config{Settings: setTo(t, "max", "900")}, 900, "--set", "bare", "the program for all"},
		{Config{Settings: setTo(t, "max", "900"), Surfaces: map[string]Settings{"log": setTo(t, "max", "800")}}, 800, "--set", "bare", "the program for the surface"},
	} {
		c := configuredCore(t, file, "", k.config)
		if p := c.current.Load().lookOf(ops); p.Limit.Max != k.max || p.Links != k.links {
			t.Errorf("%s: %+v", k.why, p)
		}
		if p := c.current.Load().lookOf(surface.Target{Surface: "log", Address: "other"}); p.Links != "bare" || k.config.Set == nil && k.config.Surfaces == nil && k.max < 900 && p.Limit.Max != 500 {
			t.Errorf("%s: another target has %+v", k.why, p)
		}
		found := false
		for _, v := range c.Configuration(t.Context()).Targets[0].Values {
			if v.Key == "max" {
				found = true
				if v.Value != fmt.Sprint(k.max) || filepath.Base(v.From) != k.from {
					t.Errorf("%s: shown as %+v", k.why, v)
				}
			}
		}
		if !found {
			t.Errorf("%s: it is not shown", k.why)
		}
	}
}

// TestMentions has a target's wish win over its surface's, and that over the
// policy's; and no plugin has a say.
func TestMentions(t *testing.T) {
	loud := surface.Plugin{Info: surface.Info{
		ID: "chat", Version: "1.0.0", DocVersion: 1, Blocks: nil,
		Profiles: []surface.Profile{{Surface: "chat", Dialect: "plain", Mentions: "live", Can: surface.Capabilities{AccessiblePlain: true}}},
	}, Renderer: nil}
	for _, k := range []struct {
		surface, target, policy string
		live                    bool
		from, why               string
	}{
		{"", "", "", false, "default", "nobody but the plugin says so"},
		{"", "", "live", true, "vak.toml", "the policy"},
		{"off", "", "live", false, "vak.toml", "the surface over the policy"},
		{"live", "", "off", true, "vak.toml", "so the other way"},
		{"off", "live", "off", true, "vak.toml", "the target over both"},
		{"live", "off", "live", false, "vak.toml", "so the other way"},
	} {
		text := "[targets.ops]\nto = 'log:ops'\n"
		for _, one := range []struct{ table, word string }{{"", k.target}, {"[surfaces.log]\n", k.surface}, {"[policy]\n", k.policy}} {
			if text += one.table; one.word != "" {
				text += "mentions = '" + one.word + "'\n"
			}
		}
		c := configuredCore(t, text, "", Config{})
		ops := surface.Target{Surface: "log", Address: "ops"}
		if got := c.policy(ops).LiveMentions; got != k.live {
			t.Errorf("%s: live is %v", k.why, got)
		}
		if got := c.current.Load().lookOf(ops).Mentions == "live"; got != k.live {
			t.Errorf("%s: the renderer is told %v", k.why, got)
		}
		for _, v := range c.Configuration(t.Context()).Targets[0].Values {
			if from, _, _ := strings.Cut(filepath.Base(v.From), ":"); v.Key == "mentions" && from != k.from {
				t.Errorf("%s: it is from %s", k.why, v.From)
			}
		}
		if got := c.lookAt(c.configured.Load(), "chat", loud.Info, surface.Target{Surface: "chat", Address: "x"}).Mentions; got != "" && k.policy != "live" {
			t.Errorf("%s: a plugin has the last word: %q", k.why, got)
		}
	}
}

// TestPolicyDefaults has the outbox do without a policy what the defaults say.
func TestPolicyDefaults(t *testing.T) {
	c := configuredCore(t, "", "", Config{})
	got, zero := c.policy(surface.Target{Surface: "log", Address: "x"}), outbox.Policy{}
	if got.ParkUnknown != zero.ParkUnknown || got.LiveMentions != zero.LiveMentions || got.Quiet != zero.Quiet {
		t.Errorf("defaults %+v are not those of the outbox", got)
	}
	_, wants, err := c.resolve("log:x")
	if err != nil || wants.Cadence != "" || wants.Urgency != "" { // a job does not say what nobody asked for
		t.Errorf("%+v, %v", wants, err)
	}
}

// TestTargetOfTwoNames has each name of one place want what it says.
func TestTargetOfTwoNames(t *testing.T) {
	c := configuredCore(t, "[targets.a]\nto='log:x'\nurgency='ambient'\n[targets.b]\nto='log:x'\nurgency='interrupt'\n", "", Config{})
	for name, want := range map[string]string{"a": "ambient", "b": "interrupt"} {
		if _, wants, err := c.resolve(name); err != nil || wants.Urgency != want {
			t.Errorf("%s wants %q, %v", name, wants.Urgency, err)
		}
	}
}

// TestSetErrors has a bad flag be the flag's fault, and a bad file the file's.
func TestSetErrors(t *testing.T) {
	for _, k := range []struct {
		file, set string
		kind      ErrorKind
		want, why string
	}{
		{"", "policy.unknown=perhaps", ErrSetting, "--set: /policy/unknown: there is no such unknown", "a value that there is not"},
		{"", "surfaces.log.maks=3", ErrSetting, "--set: /surfaces/log/maks: there is no such key", "a key that there is not"},
		{"", "targets.ops.urgency=ambient", ErrSetting, "--set: /targets/ops: it does not say where it is", "a target that there is not"},
		{"[policy]\nx = 1\n", "policy.unknown=perhaps", ErrConfig, "vak.toml:2: /policy/x", "a file that is wrong, too"},
	} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, config.Name), []byte(k.file), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), Config{Home: home, ReadOnly: true, Set: []string{k.set}})
		if !errors.Is(err, k.kind) || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v", k.why, err)
		}
	}
}

// TestDefaultsDocumented holds the table of the runbook to the one in the code.
func TestDefaultsDocumented(t *testing.T) {
	b, err := os.ReadFile("../docs/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range config.Defaults() {
		value := "none"
		if d.Value != "" {
			value = "`" + d.Value + "`"
		}
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", d.Key, value, d.Does); !strings.Contains(string(b), row) {
			t.Errorf("docs/operators.md has no line\n%s", row)
		}
	}
}

// TestSecretWalk finds what a schema hides, wherever it stands, and nothing else.
func TestSecretWalk(t *testing.T) {
	for _, k := range []struct{ schema, value, want, why string }{
		{`{"properties":{"a":{"writeOnly":true}}}`, `{"a":"env:X","b":"y"}`, ``, "a reference"},
		{`{"properties":{"a":{"writeOnly":true}}}`, `{"a":"planted"}`, `/a`, "a text"},
		{`{"properties":{"a":{"writeOnly":true}}}`, `{"a":""}`, `/a`, "an empty one"},
		{`{"properties":{"a":{"writeOnly":true}}}`, `{"a":4711}`, `/a`, "a number"},
		{`{"properties":{"a":{"writeOnly":true}}}`, `{"a":["env:X","planted"]}`, `/a/1`, "one of a list"},
		{`{"properties":{"a":{"writeOnly":true}}}`, `{"a":{"b":{"c":"planted"}}}`, `/a/b/c`, "what a hidden table holds"},
		{`{"properties":{"a":{"properties":{"b":{"writeOnly":true}}}}}`, `{"a":{"b":"planted","c":"x"}}`, `/a/b`, "one in a table"},
		{`{"additionalProperties":{"writeOnly":true},"properties":{"k":{}}}`, `{"k":"x","a":"planted"}`, `/a`, "all but those that have a name"},
		{`{"patternProperties":{"^x":{"writeOnly":true}}}`, `{"xa":"planted"}`, `/xa`, "by a pattern"},
		{`{"properties":{"a":{"items":{"writeOnly":true}}}}`, `{"a":["planted"]}`, `/a/0`, "the elements of a list"},
		{`{"properties":{"a":{"anyOf":[{"type":"string","writeOnly":true}]}}}`, `{"a":"planted"}`, `/a`, "one of several forms"},
		{`{"$defs":{"s/t":{"writeOnly":true}},"properties":{"a":{"$ref":"#/$defs/s~1t"}}}`, `{"a":"planted"}`, `/a`, "by reference"},
		{`{"$defs":{"r":{"$ref":"#/$defs/r"}},"properties":{"a":{"$ref":"#/$defs/r"}}}`, `{"a":"x"}`, ``, "a reference to itself"},
		{`{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`, `{"a":"x"}`, ``, "many of them"},
		{`[1]`, `{"a":"x"}`, ``, "no schema"},
	} {
		var v any
		if err := json.Unmarshal([]byte(k.value), &v); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range openly([]byte(k.schema), v) {
			got += config.Pointer(f.path)
			if strings.Contains(f.what, "planted") {
				t.Errorf("%s: it quotes the value", k.why)
			}
		}
		if got != k.want {
			t.Errorf("%s: found %q, want %q", k.why, got, k.want)
		}
	}
}
