package cards_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

func input(s cards.Shape) skill.Input {
	return skill.Input{Type: s.Example.Type, Payload: s.Example.Payload}
}

// outlineOf is the primitives of a tree: those of children in brackets.
func outlineOf(n card.Node) string {
	out := string(n.Props.Primitive())
	if len(n.Children) == 0 {
		return out
	}
	var inner []string
	for _, c := range n.Children {
		inner = append(inner, outlineOf(c))
	}
	return out + "[" + strings.Join(inner, " ") + "]"
}

// TestFaces shows which primitives payloads come to.
func TestFaces(t *testing.T) {
	lower := map[string]cards.Shape{}
	for _, s := range cards.Shapes() {
		for _, typ := range s.Types {
			lower[typ] = s
		}
	}
	items := func(n int, one string) string {
		return `{"items":[` + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + `]}`
	}
	for _, c := range []struct{ typ, payload, want, why string }{
		{"timeline", items(2, `{"label":"a","status":"done"}`), "timeline", "a timeline is one"},
		{"checklist", items(2, `{"label":"a","status":"done"}`), "checklist", "things to do are ticked off"},
		{"shopping_list", items(1, `{"label":"a"}`), "checklist", "also without a status"},
		{"steps", items(2, `{"label":"a","detail":"b"}`), "steps", "steps are numbered"},
		{"steps", items(2, `{"label":"a","status":"done"}`), "timeline", "steps have no place for a status"},
		{"faq", items(2, `{"label":"a?","detail":"b"}`), "stack[section[text] section[text]]", "a question and its answer"},
		{"faq", items(101, `{"label":"a?","detail":"b"}`), "list", "many questions are a list"},
		{"notes", items(2, `{"label":"a","detail":"b"}`), "list", "notes are a list"},
		{"notes", items(2, `{"label":"a","time":"b"}`), "timeline", "unless they have a time"},
		{"agenda", `{"title":"T","summary":"S","items":[]}`, "stack[title text empty]", "nothing says so"},
		{"table", `{"columns":[{"key":"a"},{"key":"b"}],"rows":[]}`, "table", "a table is one"},
		{"pros_cons", `{"columns":[{"key":"a"},{"key":"b"}],"rows":[]}`, "comparison", "what is compared is a comparison"},
		{"pros_cons", `{"columns":[{"key":"a"}],"rows":[]}`, "table", "of one column nothing is compared"},
		{"metric", `{"label":"a","value":1}`, "metric", "one figure"},
		{"metric", `{"label":"a","value":1,"goal":2,"since":"May"}`, "stack[metric metric_grid]", "with others beside it"},
		{"metric", `{"p50":1,"p99":2,"as_of":"now"}`, "stack[metric_grid text]", "several figures"},
		{"metric", `{"label":"Sales","q1":1,"q2":2}`, "stack[title metric_grid]", "a label of several is their title"},
		{"weather", `{"city":"Bergen","wind":3,"sky":"x"}`, "stack[title metric_grid]", "the place is the title"},
		{"coding.diff", `{"files":[]}`, "diff", "an empty diff says so itself"},
		{"test.report", `{"title":"T","summary":"S","tests":[]}`, "stack[title text test_matrix]", "a summary stands above the tests"},
		{"terminal.view", `{"title":"T","output":""}`, "stack[title terminal]", "a title stands above the terminal"},
		{"research_brief", `{"sources":[],"takeaways":[]}`, "empty", "no findings say so"},
		{"media.image", `{"source":"s","media_type":"image/png","alt":"a"}`, "image", "a picture"},
		{"media.video", `{"source":"s","media_type":"video/mp4","alt":"a"}`, "video", "a video"},
		{"media.audio", `{"source":"s","media_type":"audio/ogg","alt":"a"}`, "audio", "a sound"},
		{"link.preview", `{"url":"u","title":"t"}`, "link_preview", "a link"},
		{"alert", `{"title":"t","severity":"high"}`, "universal_card[key_value]", "anything else"},
	} {
		tree, err := lower[c.typ].Lower(t.Context(), skill.Input{Type: c.typ, Payload: []byte(c.payload)})
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
		} else if got := outlineOf(tree.Root); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.why, c.typ, got, c.want)
		}
	}
}

// TestWeather puts what one asks for first, each value with its unit.
func TestWeather(t *testing.T) {
	for _, s := range cards.Shapes() {
		if s.Tool != "emit_metric_card" {
			continue
		}
		tree, err := s.Lower(t.Context(), skill.Input{Type: "weather", Payload: []byte(`{"wind":3,"condition":"rain","temperature":7.50,"temperature_unit":"°C","humidity_unit":"%","wind_unit":"m/s"}`)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range tree.Root.Props.(card.MetricGrid).Metrics {
			got = append(got, fmt.Sprint(m.Label, "=", m.Value, m.Unit))
		}
		if want := "Temperature=7.50°C Condition=rain Wind=3m/s Humidity unit=%"; strings.Join(got, " ") != want {
			t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
		}
	}
}

// TestChecklist ticks off what is done, and keeps the word for it.
func TestChecklist(t *testing.T) {
	for _, s := range cards.Shapes() {
		if s.Tool != "emit_timeline_card" {
			continue
		}
		tree, err := s.Lower(t.Context(), skill.Input{Type: "checklist", Payload: []byte(`{"items":[{"label":"a","status":"Done"},{"label":"b","status":"in_progress","detail":"half","time":"Mo"},{"label":"c"}]}`)})
		if err != nil {
			t.Fatal(err)
		}
		want := []card.CheckItem{{Text: "a", Done: true, Detail: "Done"}, {Text: "b", Detail: "Mo · in progress · half"}, {Text: "c"}}
		if got := tree.Root.Props.(card.Checklist).Items; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
