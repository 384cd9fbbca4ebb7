package core

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// chartCard is a card of n points, of which no more than twenty are in its table.
func chartCard(n int) string {
	var points []string
	for i := range n {
		points = append(points, fmt.Sprintf(`{"x":%d,"y":%d}`, i, i*i%97))
	}
	return `{"semantic_type":"chart","payload":{"chart_type":"line","accessible_summary":"Up and down.","series":[{"name":"a","points":[` + strings.Join(points, ",") + `]}]}}`
}

// TestAppendixOfTargets has the JSON of a card follow it where that is wanted: the
// target's word goes before its surface's, that before the policy's, and what the
// program says before all.
func TestAppendixOfTargets(t *testing.T) {
	var always Settings
	if err := always.Set("json_appendix", "always"); err != nil {
		t.Fatal(err)
	}
	all, long := metricCard, chartCard(40) // all of the one is shown, and not of the other
	for _, k := range []struct {
		surface, target, policy string
		program                 Config
		short, whole            bool // JSON follows the card that shows all, the one that does not
		word, from, why         string
	}{
		{"", "", "", Config{}, false, true, "auto", "default", "nobody says anything"},
		{"", "", "never", Config{}, false, false, "never", "vak.toml", "the policy"},
		{"always", "", "never", Config{}, true, true, "always", "vak.toml", "the surface over the policy"},
		{"always", "never", "always", Config{}, false, false, "never", "vak.toml", "the target over both"},
		{"never", "auto", "never", Config{}, false, true, "auto", "vak.toml", "auto is a word like the others"},
		{"never", "never", "never", Config{Settings: always}, true, true, "always", "--set", "the program over all"},
		{"never", "never", "never", Config{Surfaces: map[string]Settings{"log": always}}, true, true, "always", "--set", "the program, of one surface"},
		{"", "", "always", Config{Set: []string{"policy.json_appendix=never"}}, false, false, "never", "--set", "a path of the configuration"},
	} {
		text := "[targets.ops]\nto = 'log:ops'\n"
		for _, one := range []struct{ table, word string }{{"", k.target}, {"[surfaces.log]\n", k.surface}, {"[policy]\n", k.policy}} {
			if text += one.table; one.word != "" {
				text += "json_appendix = '" + one.word + "'\n"
			}
		}
		c := configuredCore(t, text, "", k.program)
		ops := surface.Target{Surface: "log", Address: "ops"}
		for _, of := range []struct {
			card   string
			follow bool
		}{{all, k.short}, {long, k.whole}} {
			p, err := c.Render(t.Context(), Draft{Markdown: of.card}, ops)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, chunk := range p[0].Chunks {
				b.WriteString(chunk.Text)
			}
			last := p[0].Coverage.Blocks[len(p[0].Coverage.Blocks)-1]
			omitted := last.Disposition == surface.Omitted && last.Reason == "in_ledger"
			if got := strings.Contains(b.String(), "{"); got != of.follow {
				t.Errorf("%s: JSON follows: %v\n%.500s", k.why, got, b.String())
			}
			if want := of.card == long && !of.follow; omitted != want {
				t.Errorf("%s: it is said that something is in the ledger: %v", k.why, omitted)
			}
		}
		told := c.Configuration(t.Context()).Targets[0]
		if told.Appendix != k.word {
			t.Errorf("%s: the configuration tells %q", k.why, told.Appendix)
		}
		for _, v := range told.Values {
			if from, _, _ := strings.Cut(filepath.Base(v.From), ":"); v.Key == "json_appendix" && (from != k.from || v.Value != k.word) {
				t.Errorf("%s: it is %s from %s", k.why, v.Value, v.From)
			}
		}
	}
}
