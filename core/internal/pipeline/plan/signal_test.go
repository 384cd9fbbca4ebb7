package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func planner(t testing.TB, c plan.Config) *plan.Planner {
	t.Helper()
	p, err := plan.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// document compiles markdown, with cards of the skill "core", or of nobody where
// their type begins so.
func document(t testing.TB, markdown string) *doc.Document {
	t.Helper()
	c := compile.Compiler{Open: func(b []byte) (card.Output, error) {
		o, err := card.ParseOutput(b)
		if !strings.HasPrefix(o.SemanticType, "nobody") {
			o.SkillID, o.SkillVersion = "core", "1.0.0"
		}
		return o, err
	}}
	d, err := c.Markdown(markdown)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var someSignals = []skill.Signal{
	{Name: "weather", Keywords: []string{"sun", "light rain"}, Types: []string{"weather"}, Tools: []string{"get_weather"}},
	{Name: "wet", Keywords: []string{"light rain"}, Tools: []string{"*rain*"}},
}

func TestTextSignals(t *testing.T) {
	p := planner(t, plan.Config{Signals: someSignals})
	for _, c := range []struct{ markdown, want, why string }{
		{"Sun.", "weather", "a word of a paragraph"},
		{"light **rain**", "weather wet", "a phrase across markup gives both signals"},
		{"light\nrain", "weather wet", "a phrase across a soft break"},
		{"[light](https://x.example/) rain", "weather wet", "a phrase across a link"},
		{"[there](https://sun.example/sun)", "", "the address of a link is no text"},
		{"https://sun.example/sun", "", "an address that stands for itself is none either"},
		{"![sun](https://x.example/y.png)", "weather", "an alternative text"},
		{"light\n\nrain", "", "no phrase goes over two blocks"},
		{"| light | rain |\n| --- | --- |\n| a | b |", "table_data tabular", "nor over two cells"},
		{"| sun |\n| --- |\n| a |", "table_data tabular weather", "a word of a cell"},
		{"# Sun", "weather", "a heading"},
		{"> - sun", "weather", "a list in a quote"},
		{"> [!NOTE]\n> sun", "weather", "a callout"},
		{"a[^1]\n\n[^1]: sun", "weather", "a footnote"},
		{"`sun`", "weather", "code within a line belongs to its sentence"},
		{"$sun$", "", "mathematics does not"},
		{"```\nsun\n```", "", "code is looked at for its structure only"},
		{"```mermaid\nsun --> rain\n```", "", "a diagram, too"},
		{"```table\nsun,rain\n1,2\n```", "table_data tabular", "a diagram that is a table"},
		{"```diff\n-sun\n+rain\n```", "diff", "a diff"},
		{"```\n@@ -1,3 +1,4 @@ func\n-a\n+b\n```", "diff", "the header of a hunk in code"},
		{"```\n@@ -1 +1 @@\n-\ta\tx\n+\tb\tx\n```", "diff", "whose tabs are no table"},
		{"```\n x @@ -1,3 +1,4 @@\n```", "", "not at the beginning of a line"},
		{"```\n@@ -a,3 +1,4 @@\n@@ -1,3 +1\n@@ -1,3 @@\n```", "", "no numbers, no end, no second range"},
		{"@@ -1,3 +1,4 @@", "", "a paragraph is no code"},
		{"```\na\tb\n1\t2\n```", "tabular", "two lines with tabs"},
		{"```\na\tb\nx\n1\t2\n```", "", "not one after the other"},
		{"```go\n\tif x {\n\t\treturn\n\t}\n```", "", "tabs that indent"},
		{"a\tb\n1\t2", "tabular", "tabs in a paragraph, which the compiler makes spaces of"},
		{"a\tb\nc", "", "one line"},
		{"a b\n1 2\n\n```\na\tb\n```", "", "spaces, and a tab elsewhere"},
		{"![x](vance:/a.md)", "artifact", "a reference to a document"},
		{"```vak\n{\"semantic_type\":\"weather\",\"payload\":{\"x\":\"light rain\"}}\n```", "weather", "a card gives the signals of its type and none of its words"},
		{"- ```vak\n  {\"semantic_type\":\"weather\",\"payload\":{}}\n  ```", "weather", "also within a list"},
	} {
		got := p.Signals(plan.Facts{Document: document(t, c.markdown)})
		if strings.Join(got.Text, " ") != c.want || len(got.Tools)+len(got.Provenance) > 0 {
			t.Errorf("%s: %q gives %v, want %q", c.why, c.markdown, got, c.want)
		}
	}
}

func TestToolSignals(t *testing.T) {
	p := planner(t, plan.Config{Signals: someSignals})
	exit := func(n int) *int { return &n }
	for _, c := range []struct {
		call plan.ToolCall
		want string
		why  string
	}{
		{plan.ToolCall{Name: "get_weather"}, "weather", "by its name"},
		{plan.ToolCall{Name: "Get_Weather"}, "weather", "in whatever case"},
		{plan.ToolCall{Name: "mcp__sky__get_weather"}, "weather", "of a server"},
		{plan.ToolCall{Name: "sky.get_weather"}, "weather", "of a server, with a full stop"},
		{plan.ToolCall{Name: "get_weather_now"}, "", "another name"},
		{plan.ToolCall{Name: "is_rain_near"}, "wet", "by a pattern"},
		{plan.ToolCall{Name: "rain"}, "wet", "for no letters"},
		{plan.ToolCall{Command: "ls"}, "command_exec terminal", "a command is run by a shell"},
		{plan.ToolCall{Command: "go test ./...", ExitCode: exit(1)}, "command_exec pass_fail terminal tests", "a test runner that failed"},
		{plan.ToolCall{Command: "go test ./..."}, "command_exec terminal tests", "one that is not done"},
		{plan.ToolCall{Command: "pytest", ExitCode: exit(127)}, "command_exec terminal", "one that is not there"},
		{plan.ToolCall{Command: "pytest", ExitCode: exit(137)}, "command_exec terminal", "one that was killed"},
		{plan.ToolCall{Declares: []string{"presents_cards", "No Name", ""}}, "presents_cards", "what it declares, if it is a name"},
		{plan.ToolCall{}, "", "nothing"},
	} {
		got := p.Signals(plan.Facts{Tools: []plan.ToolCall{c.call}})
		if strings.Join(got.Tools, " ") != c.want || len(got.Text)+len(got.Provenance) > 0 {
			t.Errorf("%s: %v, want %q", c.why, got, c.want)
		}
	}
}

func TestProvenance(t *testing.T) {
	p := planner(t, plan.Config{})
	got := p.Signals(plan.Facts{Workspace: true, Session: true, Surface: "telegram", Kind: surface.Approval, Actions: 2})
	if strings.Join(got.Provenance, " ") != "session surface surface.telegram workspace" || strings.Join(got.Text, " ") != "action approval" {
		t.Errorf("%v", got)
	}
	if all := got.All(); !slices.IsSorted(all) || len(all) != 6 {
		t.Errorf("all: %v", all)
	}
	if got := p.Signals(plan.Facts{}); len(got.All()) != 0 || got.Text == nil || got.Tools == nil || got.Provenance == nil {
		t.Errorf("of nothing: %#v", got)
	}
}

func longKeywords(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%0128d", i)
	}
	return out
}

func TestNewRefuses(t *testing.T) {
	recipe := func(id, version string, signals ...string) skill.Recipe {
		return skill.Recipe{ID: id, Version: version, Signals: signals}
	}
	for _, c := range []struct {
		recipes []skill.Recipe
		signals []skill.Signal
		want    error
		names   string
		why     string
	}{
		{recipes: []skill.Recipe{recipe("a.b", "1.0.0", "x"), recipe("c", "1.0.0", "x"), recipe("a.b", "1.0.0", "y")}, want: plan.ErrTwice, names: "a.b 1.0.0", why: "the same id and version"},
		{recipes: []skill.Recipe{recipe("a.b", "1.0.0", "x"), recipe("a.b", "1.0.1", "x")}, why: "another version"},
		{recipes: []skill.Recipe{recipe("a.b", "1.0.0")}, want: plan.ErrMatchesAll, names: "a.b", why: "no signal"},
		{recipes: []skill.Recipe{recipe(plan.Basic, "1.0.0", "x")}, want: plan.ErrName, names: plan.Basic, why: "a last resort that does not suit all"},
		{recipes: []skill.Recipe{recipe("A", "1.0.0", "x")}, want: plan.ErrName, why: "a capital"},
		{recipes: []skill.Recipe{recipe("a", "", "x")}, want: plan.ErrName, names: "recipe a", why: "no version"},
		{recipes: []skill.Recipe{recipe("a", "1.0.0", "x y")}, want: plan.ErrName, names: "recipe a", why: "a signal that is no name"},
		{signals: []skill.Signal{{Name: ""}}, want: plan.ErrName, why: "a signal without a name"},
		{signals: []skill.Signal{{Name: "x", Keywords: []string{" "}}}, want: plan.ErrKeyword, names: "signal x", why: "an empty keyword"},
		{signals: []skill.Signal{{Name: "x", Keywords: []string{"\u200b"}}}, want: plan.ErrKeyword, names: "signal x", why: "one that cannot be seen"},
		{signals: []skill.Signal{{Name: "x", Keywords: []string{strings.Repeat("a", 129)}}}, want: plan.ErrKeyword, names: "signal x", why: "one that is too long"},
		{signals: []skill.Signal{{Name: "x", Keywords: longKeywords(40_000)}}, want: plan.ErrTooMany, names: "signal x", why: "more than 4 MB of them"},
		{recipes: make([]skill.Recipe, plan.MaxRecipes+1), want: plan.ErrTooMany, why: "too many recipes"},
		{signals: []skill.Signal{{Name: "x", Keywords: []string{"a"}}, {Name: "x", Keywords: []string{"A"}}}, why: "one signal of two skills"},
	} {
		_, err := plan.New(plan.Config{Recipes: c.recipes, Signals: c.signals})
		if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %v, want %v and %q", c.why, err, c.want, c.names)
		}
	}
}
