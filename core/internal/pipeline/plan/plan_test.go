package plan_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

var update = flag.Bool("update", false, "write the plan in testdata anew")

// telegram is where most of the plans here lead.
func telegram(d *doc.Document, s plan.SignalContext) plan.Input {
	return plan.Input{
		Document: d, Signals: s, Surface: "telegram", Epoch: 7,
		Profile:  surface.Profile{Surface: "telegram", Dialect: "html", Can: surface.Capabilities{Code: true, Links: true}},
		Renderer: plan.Renderer{ID: "telegram", Blocks: layout.Blocks()},
	}
}

func text(signals ...string) plan.SignalContext { return plan.SignalContext{Text: signals} }

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		recipes []skill.Recipe
		want    string
		why     string
	}{
		{[]skill.Recipe{{ID: "a", Version: "1", Signals: []string{"x"}, Priority: 9, Types: []string{"t"}}, {ID: "b", Version: "1", Signals: []string{"x", "y"}}}, "b 1", "most signals"},
		{[]skill.Recipe{{ID: "a", Version: "1", Signals: []string{"x", "x", "x"}, Priority: -1}, {ID: "b", Version: "1", Signals: []string{"y"}}}, "b 1", "a signal that is named three times is one"},
		{[]skill.Recipe{{ID: "a", Version: "1", Signals: []string{"x"}, Priority: 9}, {ID: "b", Version: "1", Signals: []string{"y"}, Types: []string{"t"}}}, "b 1", "then most types"},
		{[]skill.Recipe{{ID: "a", Version: "1", Signals: []string{"x"}}, {ID: "b", Version: "1", Signals: []string{"y"}, Priority: 1}}, "b 1", "then the priority"},
		{[]skill.Recipe{{ID: "b", Version: "1", Signals: []string{"x"}}, {ID: "a", Version: "2", Signals: []string{"y"}}}, "a 2", "then the id"},
		{[]skill.Recipe{{ID: "a", Version: "2", Signals: []string{"x"}}, {ID: "a", Version: "1", Signals: []string{"y"}}}, "a 1", "then the version"},
		{[]skill.Recipe{{ID: "a", Version: "1", Signals: []string{"x", "z"}}}, "answer.basic 0", "a signal is not there"},
		{[]skill.Recipe{{ID: "a", Version: "1", Signals: []string{"x"}, Types: []string{"u"}}}, "answer.basic 0", "a type is not there"},
		{[]skill.Recipe{{ID: "a", Version: "1", Signals: []string{"x"}, Surfaces: []string{"slack"}}}, "answer.basic 0", "another surface"},
		{[]skill.Recipe{{ID: "a", Version: "1", Signals: []string{"x"}, Surfaces: []string{"slack", "telegram"}}}, "a 1", "one of its surfaces"},
		{[]skill.Recipe{{ID: plan.Basic, Version: "3", Priority: 99}, {ID: "a", Version: "1", Signals: []string{"x"}, Priority: -99}}, "a 1", "the last resort comes last"},
		{[]skill.Recipe{{ID: plan.Basic, Version: "3", Priority: 99, Surfaces: []string{"slack"}}}, "answer.basic 0", "a last resort for another surface"},
		{[]skill.Recipe{{ID: plan.Basic, Version: "3"}}, "answer.basic 3", "one that is given"},
	} {
		in := telegram(nil, text("x", "y"))
		in.Cards = []string{"t"}
		for range 2 {
			got := planner(t, plan.Config{Recipes: c.recipes}).Plan(in)
			if r := got.Recipe.ID + " " + got.Recipe.Version; r != c.want {
				t.Errorf("%s: %s, want %s", c.why, r, c.want)
			}
			slices.Reverse(c.recipes)
		}
	}
}

func TestRejected(t *testing.T) {
	p := planner(t, plan.Config{Recipes: []skill.Recipe{
		{ID: "won", Version: "1", Signals: []string{"x", "y"}, Priority: 5},
		{ID: "less.specific", Version: "1", Signals: []string{"x"}},
		{ID: "less.important", Version: "1", Signals: []string{"x", "y"}},
		{ID: "won", Version: "2", Signals: []string{"x", "y"}, Priority: 5},
		{ID: "elsewhere", Version: "1", Signals: []string{"x"}, Surfaces: []string{"slack"}},
		{ID: "no.card", Version: "1", Signals: []string{"x"}, Types: []string{"t", "u", "s"}},
		{ID: "one.missing", Version: "1", Signals: []string{"x", "y", "z"}},
		{ID: "many.missing", Version: "1", Signals: []string{"x", "a", "b", "c", "d", "e", "f"}},
		{ID: "nothing.in.common", Version: "1", Signals: []string{"q"}},
	}})
	in := telegram(nil, text("x", "y"))
	in.Cards = []string{"t"}
	var got strings.Builder
	for _, c := range p.Plan(in).Rejected {
		fmt.Fprintf(&got, "%s %s: %s %v\n", c.Recipe.ID, c.Recipe.Version, c.Reason, c.Missing)
	}
	const want = `won 2: a recipe that matched as well comes first by its name []
less.important 1: a recipe of higher priority matched []
less.specific 1: a more specific recipe matched []
elsewhere 1: not for this surface []
no.card 1: needs the card types s and u, which are not there [s u]
one.missing 1: needs the signal z, which is not there [z]
many.missing 1: needs the signals a, b, c, d, e and others, which are not there [a b c d e f]
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// TestPlanProperty holds the index to a look at every recipe.
func TestPlanProperty(t *testing.T) {
	names := func(prefix string, n int) *rapid.Generator[[]string] {
		return rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 7), func(i int) string { return fmt.Sprint(prefix, i) }), 0, n)
	}
	rapid.Check(t, func(t *rapid.T) {
		var recipes []skill.Recipe
		for i := range rapid.IntRange(0, 60).Draw(t, "recipes") {
			recipes = append(recipes, skill.Recipe{
				ID: fmt.Sprint("r", rapid.IntRange(0, 20).Draw(t, "id")), Version: fmt.Sprint(i),
				Signals: append(names("s", 4).Draw(t, "signals"), "s0"), Types: names("t", 2).Draw(t, "types"),
				Surfaces: rapid.SampledFrom([][]string{nil, nil, {"telegram"}, {"slack"}}).Draw(t, "surfaces"),
				Priority: rapid.IntRange(-1, 1).Draw(t, "priority"),
			})
		}
		in := plan.Input{Signals: text(names("s", 8).Draw(t, "present")...), Cards: names("t", 6).Draw(t, "cards"), Surface: "telegram"}
		p, err := plan.New(plan.Config{Recipes: recipes})
		if err != nil {
			t.Fatal(err)
		}
		matching := matching(recipes, in)
		got := p.Plan(in)
		want := "answer.basic 0"
		if len(matching) > 0 {
			want = matching[0].ID + " " + matching[0].Version
		}
		if r := got.Recipe.ID + " " + got.Recipe.Version; r != want {
			t.Fatalf("%s, want %s", r, want)
		}
		for i, c := range got.Rejected {
			if i+1 < len(matching) && (c.Recipe != plan.Ref{ID: matching[i+1].ID, Version: matching[i+1].Version}) {
				t.Fatalf("rejected %d is %v, want %s", i, c.Recipe, matching[i+1].ID)
			}
			if i+1 >= len(matching) != (c.Missing != nil || c.Reason == "not for this surface") {
				t.Fatalf("rejected %d of %d: %v", i, len(matching), c)
			}
		}
		// All of these recipes have a signal in common with the answer if it has that one.
		if slices.Contains(in.Signals.Text, "s0") && len(got.Rejected) != min(10, len(recipes)-min(1, len(matching))) {
			t.Fatalf("%d rejected of %d", len(got.Rejected), len(recipes))
		}
	})
}

// TestNearMisses has more recipes that share a signal with the answer than are
// counted. Those that have a rare one in common with it are found all the same, and
// what they lack is right.
func TestNearMisses(t *testing.T) {
	var recipes []skill.Recipe
	for i := range 5000 {
		recipes = append(recipes, skill.Recipe{ID: fmt.Sprint("common", i), Version: "1", Signals: []string{"x", "q1", fmt.Sprint("q", i%7)}})
	}
	for i := range 12 {
		recipes = append(recipes, skill.Recipe{ID: fmt.Sprint("rare", i), Version: "1", Signals: []string{"x", "y", "z"}, Priority: -i})
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		r.Shuffle(len(recipes), func(i, j int) { recipes[i], recipes[j] = recipes[j], recipes[i] })
		got := planner(t, plan.Config{Recipes: recipes}).Plan(telegram(nil, text("x", "y"))).Rejected
		if len(got) != plan.MaxRejected {
			t.Fatalf("%d rejected", len(got))
		}
		for i, c := range got {
			if c.Recipe.ID != fmt.Sprint("rare", i) || !slices.Equal(c.Missing, []string{"z"}) {
				t.Errorf("rejected %d: %v", i, c)
			}
		}
	}
}

// matching are those of recipes that match, in order, by the words of the contract.
func matching(recipes []skill.Recipe, in plan.Input) []skill.Recipe {
	all := func(of, in []string) bool {
		return !slices.ContainsFunc(of, func(s string) bool { return !slices.Contains(in, s) })
	}
	distinct := func(s []string) int { return len(slices.Compact(slices.Sorted(slices.Values(s)))) }
	var out []skill.Recipe
	for _, r := range recipes {
		if all(r.Signals, in.Signals.Text) && all(r.Types, in.Cards) && (len(r.Surfaces) == 0 || slices.Contains(r.Surfaces, in.Surface)) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b skill.Recipe) int {
		switch {
		case distinct(a.Signals) != distinct(b.Signals):
			return distinct(b.Signals) - distinct(a.Signals)
		case distinct(a.Types) != distinct(b.Types):
			return distinct(b.Types) - distinct(a.Types)
		case a.Priority != b.Priority:
			return b.Priority - a.Priority
		case a.ID != b.ID:
			return strings.Compare(a.ID, b.ID)
		}
		return strings.Compare(a.Version, b.Version)
	})
	return out
}

// mixture is an answer with one of everything that a plan says something about.
const mixture = "# Weather\n\nLight rain, then sun.\n\n| day | mm |\n| --- | --: |\n| Mo | 3 |\n\n" +
	"- [x] umbrella\n- a card within a list:\n\n  ```vak\n  {\"semantic_type\":\"checklist\",\"payload\":{\"items\":[]}}\n  ```\n\n" +
	"```vak\n{\"semantic_type\":\"weather\",\"payload\":{\"rain\":\"3 mm\"}}\n```\n\n" +
	"```vak\n{\"semantic_type\":\"nobody.knows\",\"payload\":{\"a\":1}}\n```\n\n" +
	"```mermaid\ngraph TD\n```\n\n```go\nx := 1\n```\n\n![a picture](https://x.example/a.png)\n\n![report](vance:/a.md)\n\n<script>x</script>\n\n---\n"

func mixturePlan(t testing.TB, shuffle func(n int, swap func(i, j int))) plan.Plan {
	recipes := []skill.Recipe{
		{ID: "acme.weather", Version: "1.2.0", Signals: []string{"weather", "wet"}, Types: []string{"weather.forecast"}},
		{ID: "acme.sun", Version: "1.0.0", Signals: []string{"weather"}},
		{ID: "acme.storm", Version: "1.0.0", Signals: []string{"weather", "wind"}},
		{ID: "acme.slack", Version: "1.0.0", Signals: []string{"weather"}, Surfaces: []string{"slack"}},
		{ID: "acme.plot", Version: "1.0.0", Signals: []string{"tabular"}, Types: []string{"chart"}},
		{ID: plan.Basic, Version: "1.0.0"},
	}
	signals := slices.Clone(someSignals)
	cards := []string{"table", "weather", "nothing"}
	calls := []plan.ToolCall{{Name: "get_weather"}, {Command: "ls"}, {Name: "rain_map"}}
	shuffle(len(recipes), func(i, j int) { recipes[i], recipes[j] = recipes[j], recipes[i] })
	shuffle(len(signals), func(i, j int) { signals[i], signals[j] = signals[j], signals[i] })
	shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	p := planner(t, plan.Config{Recipes: recipes, Signals: signals})
	d := document(t, mixture)
	s := p.Signals(plan.Facts{Document: d, Cards: cards, Tools: calls, Session: true, Surface: "telegram"})
	for _, set := range [][]string{s.Text, s.Tools, s.Provenance} {
		shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
	}
	in := telegram(d, s)
	in.Cards = cards
	return p.Plan(in)
}

func encode(t testing.TB, p plan.Plan) []byte {
	t.Helper()
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

func TestGolden(t *testing.T) {
	const file = "testdata/plan.json"
	got := encode(t, mixturePlan(t, func(int, func(i, j int)) {}))
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update writes it); got\n%s", file, got)
	}
	var again plan.Plan
	if err := json.Unmarshal(got, &again); err != nil || !bytes.Equal(encode(t, again), got) {
		t.Errorf("the wire form does not read back the same: %v", err)
	}
}

// TestDeterminism plans a hundred times, with all that has no order shuffled.
func TestDeterminism(t *testing.T) {
	want := encode(t, mixturePlan(t, func(int, func(i, j int)) {}))
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		if got := encode(t, mixturePlan(t, r.Shuffle)); !bytes.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// TestConcurrent shares a planner, for the race detector.
func TestConcurrent(t *testing.T) {
	p := planner(t, plan.Config{Signals: someSignals, Recipes: []skill.Recipe{{ID: "a", Version: "1", Signals: []string{"weather", "wet"}}}})
	d := document(t, mixture)
	want := p.Plan(telegram(d, p.Signals(plan.Facts{Document: d})))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got := p.Plan(telegram(d, p.Signals(plan.Facts{Document: d}))); !reflect.DeepEqual(got, want) {
					t.Error("another plan")
				}
			}
		})
	}
	wg.Wait()
}

func TestResolve(t *testing.T) {
	p := planner(t, plan.Config{})
	native := surface.Capabilities{StructuredBlocks: true, Tables: true, Code: true, Links: true, Media: true, FileReferences: true}
	const fence = "```vak\n{\"semantic_type\":\"weather\",\"payload\":{}}\n```\n"
	for _, c := range []struct {
		markdown string
		can      surface.Capabilities
		blocks   []doc.Kind
		generic  []doc.ID
		want     string // of the last block
		summary  string
		why      string
	}{
		{markdown: "a", blocks: layout.Blocks(), want: "x:native " + plan.WhyForm, summary: plan.Native, why: "words"},
		{markdown: "", blocks: layout.Blocks(), summary: plan.Native, why: "nothing"},
		{markdown: "|a|\n|-|\n", blocks: layout.Blocks(), want: "x:lowered " + plan.WhyTables, summary: plan.Native, why: "a table without tables"},
		{markdown: "|a|\n|-|\n", can: native, blocks: layout.Blocks(), want: "x:native " + plan.WhyForm, summary: plan.Native, why: "a table with tables"},
		{markdown: "```tree\na\n```", can: native, blocks: layout.Blocks(), want: "x:lowered " + plan.WhyUnknown, summary: plan.Native, why: "a kind that the renderer does not know"},
		{markdown: "```tree\na\n```", can: native, blocks: doc.Kinds(), want: "x:native " + plan.WhyForm, summary: plan.Native, why: "one that it knows"},
		{markdown: fence, blocks: layout.Blocks(), want: "core " + plan.WhyText, summary: "core", why: "a card as text"},
		{markdown: fence + fence, can: native, blocks: doc.Kinds(), want: "core " + plan.WhyTree, summary: "core", why: "cards as trees"},
		{markdown: "a\n\n" + fence, blocks: layout.Blocks(), want: "core " + plan.WhyText, summary: plan.Mixed, why: "words and a card"},
		{markdown: fence, can: native, generic: []doc.ID{"1"}, want: plan.Generic + " " + plan.WhyNoTree, summary: plan.Generic, why: "a card that its skill could not lower"},
		{markdown: strings.Replace(fence, "weather", "nobody", 1), want: plan.Generic + " " + plan.WhyNoOwner, summary: plan.Generic, why: "a card of nobody"},
	} {
		got := p.Plan(plan.Input{
			Document: document(t, c.markdown), Surface: "x", Profile: surface.Profile{Can: c.can},
			Renderer: plan.Renderer{ID: "x", Blocks: c.blocks}, Generic: c.generic,
		})
		last := ""
		if n := len(got.Renderers); n > 0 {
			last = got.Renderers[n-1].Renderer + " " + got.Renderers[n-1].Why
		}
		if last != c.want || got.Summary != c.summary {
			t.Errorf("%s: %q, %s; want %q, %s", c.why, last, got.Summary, c.want, c.summary)
		}
	}
}

// TestMany holds that a plan of very many blocks stays small, and says so.
func TestMany(t *testing.T) {
	p := planner(t, plan.Config{})
	in := telegram(document(t, strings.Repeat("a\n\n", 5000)+"```vak\n{\"semantic_type\":\"weather\",\"payload\":{}}\n```\n"), plan.SignalContext{})
	got := p.Plan(in)
	if len(got.Renderers) != plan.MaxDecisions || got.Unlisted != 5001-plan.MaxDecisions || got.Summary != plan.Mixed {
		t.Errorf("%d decisions, %d unlisted, %s", len(got.Renderers), got.Unlisted, got.Summary)
	}
}

// TestCarries holds what blocks of markdown stand for, and cards of another name.
func TestCarries(t *testing.T) {
	for _, c := range []struct {
		markdown, carries string
		not               string
	}{
		{"|a|\n|-|\n", "table", "data.grid"},
		{"```table\na\n```", "table", "chart"},
		{"```diff\n-a\n+b\n```", "coding.diff", "table"},
		{"```\n@@ -1 +1 @@\n-a\n+b\n```", "coding.diff", "terminal.view"},
		{"```console\n$ ls\n```", "terminal.view", "coding.diff"},
		{"- [ ] a", "checklist", "steps"},
		{"> - [ ] a", "checklist", "list"},
		{"![a](https://x.example/a.png)", "media.image", "media.video"},
		{"```vak\n{\"semantic_type\":\"dataframe\",\"payload\":{}}\n```", "table", "data.grid"},
		{"```vak\n{\"semantic_type\":\"dataframe\",\"payload\":{}}\n```", "dataframe", "data.grid"},
	} {
		for name, want := range map[string]bool{c.carries: true, c.not: false} {
			p := planner(t, plan.Config{Recipes: []skill.Recipe{{ID: "a", Version: "1", Signals: []string{"x"}, Types: []string{name}}}})
			got := p.Plan(telegram(document(t, c.markdown), text("x")))
			if (got.Recipe.ID == "a") != want {
				t.Errorf("%q stands for %s: %v", c.markdown, name, !want)
			}
		}
	}
}

func TestIdle(t *testing.T) {
	p := planner(t, plan.Config{Signals: someSignals, Recipes: []skill.Recipe{
		{ID: "b", Version: "1", Signals: []string{"weather", "tabular", "surface.slack"}},
		{ID: "a", Version: "1", Signals: []string{"weather", "wind", "hail"}},
	}})
	want := []plan.Candidate{{Recipe: plan.Ref{ID: "a", Version: "1"}, Reason: "nothing gives the signals hail and wind", Missing: []string{"hail", "wind"}}}
	if got := p.Idle(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}
