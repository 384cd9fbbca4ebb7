package recipes_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/builtin/recipes"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

var update = flag.Bool("update", false, "write the plans in testdata anew")

func planner(t testing.TB) *plan.Planner {
	t.Helper()
	p, err := plan.New(plan.Config{Recipes: recipes.Recipes(), Signals: recipes.Signals()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// document compiles markdown, with cards of the skill "core".
func document(t testing.TB, markdown string) *doc.Document {
	t.Helper()
	c := compile.Compiler{Open: func(b []byte) (card.Output, error) {
		o, err := card.ParseOutput(b)
		o.SkillID, o.SkillVersion = "core", "1.0.0"
		return o, err
	}}
	d, err := c.Markdown(markdown)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGolden plans one realistic answer for every recipe, in a file that has its
// name, and compares the plan with what the file says.
func TestGolden(t *testing.T) {
	p := planner(t)
	for _, r := range recipes.Recipes() {
		t.Run(r.ID, func(t *testing.T) {
			file := filepath.Join("testdata", r.ID+".txtar")
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var facts plan.Facts
			want := ""
			for _, f := range a.Files {
				switch f.Name {
				case "answer.md":
					facts.Document = document(t, string(f.Data))
				case "facts.json":
					d := json.NewDecoder(bytes.NewReader(f.Data))
					d.DisallowUnknownFields()
					if err := d.Decode(&facts); err != nil {
						t.Fatalf("%s: %v", file, err)
					}
				case "plan":
					want = string(f.Data)
				}
			}
			got := p.Plan(plan.Input{
				Document: facts.Document, Signals: p.Signals(facts), Surface: "telegram",
				Profile:  surface.Profile{Surface: "telegram", Dialect: "html", Can: surface.Capabilities{Code: true, Links: true}},
				Renderer: plan.Renderer{ID: "telegram", Blocks: layout.Blocks()},
			})
			if got.Recipe.ID != r.ID {
				t.Errorf("%s fires for the answer of %s", got.Recipe.ID, r.ID)
			}
			text := describe(got)
			if *update {
				a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "plan" })
				a.Files = append(a.Files, txtar.File{Name: "plan", Data: []byte(text)})
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if text != want {
				t.Errorf("%s differs (-update writes it)\nwant:\n%s\ngot:\n%s", file, want, text)
			}
		})
	}
}

func describe(p plan.Plan) string {
	var b strings.Builder
	line := func(name string, words ...string) { fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(words, " ")) }
	line("recipe", p.Recipe.ID, p.Recipe.Version)
	line("matched", p.Matched...)
	line("text", p.Signals.Text...)
	line("tools", p.Signals.Tools...)
	line("provenance", p.Signals.Provenance...)
	for _, c := range p.Rejected {
		line("rejected", c.Recipe.ID+",", c.Reason)
	}
	for _, d := range p.Renderers {
		line("block", string(d.Block), string(d.Kind), d.Renderer+",", d.Why)
	}
	line("summary", p.Summary)
	return b.String()
}

// TestSignalsCanBeEmitted gives every keyword, tool and type of the table by itself
// and sees its signal come. A recipe whose signal nothing gives could never match.
func TestSignalsCanBeEmitted(t *testing.T) {
	p := planner(t)
	emitted := map[string]bool{}
	for _, s := range recipes.Signals() {
		gives := func(how, what string, got []string) {
			if !slices.Contains(got, s.Name) {
				t.Errorf("signal %s: the %s %q does not give it", s.Name, how, what)
			}
			emitted[s.Name] = true
		}
		for _, k := range s.Keywords {
			gives("keyword", k, p.Signals(plan.Facts{Document: document(t, "Now: "+k+".")}).Text)
		}
		for _, tool := range s.Tools {
			name := strings.ReplaceAll(tool, "*", "x")
			gives("tool", name, p.Signals(plan.Facts{Tools: []plan.ToolCall{{Name: name}}}).Tools)
		}
		for _, name := range s.Types {
			gives("type", name, p.Signals(plan.Facts{Cards: []string{name}}).Text)
		}
	}
	for _, r := range recipes.Recipes() {
		for _, s := range r.Signals {
			if !emitted[s] && !slices.Contains(p.Signals(plan.Facts{Kind: surface.Approval, Actions: 1}).Text, s) {
				t.Errorf("recipe %s: nothing gives the signal %s", r.ID, s)
			}
		}
	}
	if idle := p.Idle(); len(idle) > 0 {
		t.Errorf("recipes that can never match: %v", idle)
	}
}

// TestCardsSuffice holds that a card alone gives the signals of the recipe whose
// primary type it is, so that a card of a kind is never shown by another recipe.
func TestCardsSuffice(t *testing.T) {
	p := planner(t)
	for _, r := range recipes.Recipes() {
		for _, name := range r.Types {
			if r.ID == "data.multi_chart" {
				continue // a chart is not telemetry by itself
			}
			got := p.Plan(plan.Input{Cards: []string{name}, Signals: p.Signals(plan.Facts{Cards: []string{name}})})
			if got.Recipe.ID != r.ID {
				t.Errorf("a card of the type %s: %s, want %s", name, got.Recipe.ID, r.ID)
			}
		}
	}
}

func TestTables(t *testing.T) {
	if n := len(recipes.Recipes()); n != 12 {
		t.Errorf("%d recipes, want 12", n)
	}
	seen := map[string]bool{}
	for _, s := range recipes.Signals() {
		if seen[s.Name] {
			t.Errorf("signal %s stands twice in the table", s.Name)
		}
		seen[s.Name] = true
	}
	var used []string
	for _, r := range recipes.Recipes() {
		used = append(used, r.Signals...)
	}
	for name := range seen {
		if !slices.Contains(used, name) {
			t.Errorf("signal %s is of no use: no recipe names it", name)
		}
	}
	if a, b := recipes.Recipes(), recipes.Recipes(); &a[0].Signals[0] == &b[0].Signals[0] {
		t.Error("the caller does not own the recipes")
	}
}

// TestIntended holds what the check of a final text asks a model for.
func TestIntended(t *testing.T) {
	p := planner(t)
	for _, c := range []struct{ text, recipe, types string }{
		{"The forecast: temperatures of up to 30 °C.", "weather.forecast", "weather.forecast"},
		{"Mix the ingredients of the recipe.", "lifestyle.culinary_recipe", "recipe.card"},
		{"Two tests failed.", "coding.test_report", "test.report"},
		{"Good morning.", "", ""},
	} {
		ref, types, ok := p.Intended(p.Signals(plan.Facts{Document: document(t, c.text)}))
		if ref.ID != c.recipe || strings.Join(types, " ") != c.types || ok != (c.recipe != "") {
			t.Errorf("%s: %v, %v, %v", c.text, ref, types, ok)
		}
	}
}
