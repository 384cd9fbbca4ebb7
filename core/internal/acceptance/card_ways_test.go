package acceptance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// arguments are those of a tool that hands over a card: the members of the payload
// beside the type.
func arguments(t testing.TB, typ string, payload []byte) json.RawMessage {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(payload, &members); err != nil {
		t.Fatal(err)
	}
	if _, taken := members["semantic_type"]; taken {
		t.Fatal("the payload names a type of its own")
	}
	b, err := json.Marshal(typ)
	if err != nil {
		t.Fatal(err)
	}
	members["semantic_type"] = b
	if b, err = json.Marshal(members); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCardsByEveryWay has the same card of every type come in by every way. It
// gives the same messages and the same blocks.
func TestCardsByEveryWay(t *testing.T) {
	everyType(t, func(t *testing.T, sh cards.Shape, typ string) {
		payload := validOf(t, sh, typ)[0]
		if sh.Tool == "emit_universal_card" || sh.Tool == "emit_metric_card" {
			// Their payloads are free, and arguments that went through a map have
			// another order.
			payload = sorted(t, payload)
		}
		e := envelope(typ, payload)
		ways := []struct {
			name  string
			draft core.Draft
		}{
			{"bare JSON", core.Draft{Markdown: e}},
			{"bare JSON in lines", core.Draft{Markdown: "\n" + indent(t, e) + "\n"}},
			{"a fence", core.Draft{Markdown: fence(e)}},
			{"a fence of tildes", core.Draft{Markdown: "~~~~ vak\n" + indent(t, e) + "\n~~~~"}},
			{"its tool", core.Draft{Tools: []core.ToolUse{{Name: sh.Tool, Arguments: arguments(t, typ, payload), Result: "shown"}}}},
			{"its tool, with a payload", core.Draft{Tools: []core.ToolUse{{Name: sh.Tool, Arguments: json.RawMessage(e)}}}},
			{"the result of another tool", core.Draft{Tools: []core.ToolUse{{Name: "look_up", Arguments: json.RawMessage(`{"q":1}`), Result: e}}}},
			{"the call of another tool", core.Draft{Tools: []core.ToolUse{{Name: "present", Arguments: json.RawMessage(e)}}}},
		}
		var first []*shown
		for i, w := range ways {
			all := renderDraft(t, vak(t), w.draft, surfaces...)
			if i == 0 {
				first = all
			}
			for j, s := range all {
				if len(s.said) > 0 {
					t.Errorf("%s on %s: %v", w.name, s.on, s.said)
				}
				if !slices.EqualFunc(s.chunks, first[j].chunks, sameChunk) {
					t.Errorf("%s shows on %s\n%s\nby %s\n%s", w.name, s.on, s.sent(), ways[0].name, first[j].sent())
				}
				if !slices.Equal(s.blocks, first[j].blocks) {
					t.Errorf("%s has on %s the blocks %v, by %s %v", w.name, s.on, s.blocks, ways[0].name, first[j].blocks)
				}
			}
		}
	})
}

func sameChunk(a, b packet.Chunk) bool {
	return a.Text == b.Text && a.Plain == b.Plain && a.Units == b.Units && slices.Equal(a.Blocks, b.Blocks)
}

func indent(t testing.TB, s string) string {
	t.Helper()
	b, err := json.MarshalIndent(json.RawMessage(s), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sorted is an object with its members in the order of their names.
func sorted(t testing.TB, payload []byte) json.RawMessage {
	t.Helper()
	var v map[string]json.RawMessage
	if err := json.Unmarshal(payload, &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCardsOnce has the same card come by several ways in one answer.
func TestCardsOnce(t *testing.T) {
	e := envelope("metric", []byte(`{"label":"Build time","value":41.5,"unit":"s"}`))
	again := "```vak\n{ \"payload\": {\"unit\":\"s\", \"value\":41.5, \"label\":\"Build time\"}, \"semantic_type\":\"metric\" }\n```\n"
	other := fence(envelope("metric", []byte(`{"label":"Build time","value":41.6,"unit":"s"}`)))
	as := fence(envelope("telemetry.metric", []byte(`{"label":"Build time","value":41.5,"unit":"s"}`)))
	tool := core.ToolUse{Name: "emit_metric_card", Arguments: arguments(t, "metric", []byte(`{"label":"Build time","value":41.5,"unit":"s"}`))}
	for _, c := range []struct {
		why         string
		in          core.Draft
		shown, left int
	}{
		{"twice in fences", core.Draft{Markdown: fence(e) + "\nand\n\n" + again}, 1, 1},
		{"three times", core.Draft{Markdown: fence(e) + again + fence(e)}, 1, 2},
		{"by a tool, again by its result, and in a note", core.Draft{Tools: []core.ToolUse{tool, {Name: "measure", Result: e}}, Markdown: "Note: again\n\n" + again}, 1, 2},
		{"another value is another card", core.Draft{Markdown: fence(e) + other}, 2, 0},
		{"another type is another card", core.Draft{Markdown: fence(e) + as}, 2, 0},
		{"a call that failed hands over nothing", core.Draft{Tools: []core.ToolUse{{Name: tool.Name, Arguments: tool.Arguments, Failed: true}}, Markdown: fence(e)}, 1, 0},
	} {
		packets := surfaces
		if c.in.Tools != nil && c.in.Tools[0].Failed {
			packets = surfaces[:0]
			for _, on := range surfaces { // no document to compare with: it has no card of a tool
				p, err := vak(t).Render(t.Context(), c.in, surface.Target{Surface: on})
				if err != nil || strings.Count(p[0].Chunks[0].Plain, "41.5 s") != 1 {
					t.Errorf("%s: %v, %v", c.why, p, err)
				}
			}
		}
		for _, s := range renderDraft(t, vak(t), c.in, packets...) {
			text := s.joined.text()
			if n := strings.Count(text, "Build time"); n != c.shown {
				t.Errorf("%s: %s shows it %d times: %q", c.why, s.on, n, text)
			}
			checks["says"](t, s, []string{"card_repeated", fmt.Sprint(c.left)})
		}
	}
}

// TestCardFences has fences that are cards, and fences that are not and must stay
// as they are. Each stands between two words.
func TestCardFences(t *testing.T) {
	e := `{"semantic_type":"metric","payload":{"label":"p95","value":"180 ms"}}`
	const card = "p95: 180 ms"
	for _, c := range []struct {
		why, md string
		shows   []string // in order
		hides   []string
		says    string // a code, or empty
		about   string // what its message holds
	}{
		{"a fence", "```vak\n" + e + "\n```", []string{card}, []string{"semantic_type"}, "", ""},
		{"more words in the info string", "``` vak title=\"a b\"\n" + e + "\n```", []string{card}, []string{"semantic_type", "title="}, "", ""},
		{"tildes", "~~~vak\n" + e + "\n~~~", []string{card}, []string{"semantic_type", "~"}, "", ""},
		{"three spaces", "   ```vak\n   " + e + "\n   ```", []string{card}, []string{"semantic_type"}, "", ""},
		{"in a quote", "> ```vak\n> " + e + "\n> ```", []string{card}, []string{"semantic_type"}, "", ""},
		{"in a list", "- one\n\n  ```vak\n  " + e + "\n  ```\n\n- two", []string{"one", card, "two"}, []string{"semantic_type"}, "", ""},
		{"four spaces are code", "text\n\n    ```vak\n    " + e + "\n    ```", []string{"text", "```vak", e, "```"}, []string{card}, "", ""},
		{"quoted in a longer fence", "````\n```vak\n" + e + "\n```\n````", []string{"```vak", e, "```"}, []string{card}, "", ""},
		{"quoted in a longer fence of markdown", "`````markdown\n```vak\n" + e + "\n```\n`````", []string{"```vak", e, "```"}, []string{card}, "", ""},
		{"tildes around backticks", "~~~\n```vak\n" + e + "\n```\n~~~", []string{"```vak", e, "```"}, []string{card}, "", ""},
		{"vakx is another language", "```vakx\n" + e + "\n```", []string{e}, []string{card}, "", ""},
		{"so is xvak", "```xvak\n" + e + "\n```", []string{e}, []string{card}, "", ""},
		{"the first word counts", "```json vak\n" + e + "\n```", []string{e}, []string{card}, "", ""},
		{"as it is written", "```VAK\n" + e + "\n```", []string{e}, []string{card}, "", ""},
		{"JSON that nobody declared", "```json\n" + e + "\n```", []string{e}, []string{card}, "", ""},
		{"JSON within a text", e, []string{e}, []string{card}, "", ""},
		{"single quotes", "```vak\n{'semantic_type':'metric'}\n```", []string{"{'semantic_type':'metric'}"}, nil, "vak_malformed", ""},
		{"a comma too many", "```vak\n{\"semantic_type\":\"metric\",\"payload\":{\"label\":\"a\",\"value\":1,}}\n```", []string{`"value":1,}}`}, nil, "vak_malformed", ""},
		{"cut off", "```vak\n" + e[:len(e)-9] + "\n```", []string{e[:len(e)-9]}, []string{card}, "vak_malformed", ""},
		{"nothing in it is nothing", "```vak\n```", nil, nil, "empty_code", ""},
		{"words in it", "```vak\nmetric: p95\n```", []string{"metric: p95"}, nil, "vak_invalid", "expected an object"},
		{"two in one fence", "```vak\n" + e + "\n" + e + "\n```", []string{e, e}, []string{card}, "vak_malformed", ""},
		{"an unknown type", "```vak\n{\"semantic_type\":\"metrc\",\"payload\":{\"label\":\"p95\",\"value\":1}}\n```", []string{`"metrc"`}, []string{"p95: 1"}, "vak_unknown_type", `"metric"`},
		{"a payload that the type does not take", "```vak\n{\"semantic_type\":\"metric\",\"payload\":{\"label\":\"p95\",\"value\":[1]}}\n```", []string{`"value":[1]`}, nil, "vak_invalid", "/payload/value"},
		{"a member twice", "```vak\n{\"semantic_type\":\"metric\",\"payload\":{\"label\":\"p95\",\"label\":\"p99\",\"value\":1}}\n```", []string{`"p95"`, `"p99"`}, nil, "vak_", "/payload/label"},
		{"a member that there is not", "```vak\n{\"semantic_type\":\"metric\",\"extra\":1,\"payload\":{\"label\":\"p95\",\"value\":1}}\n```", []string{`"extra":1`}, nil, "vak_", "extra"},
	} {
		md := "before\n\n" + c.md + "\n\nafter"
		for _, s := range render(t, vak(t), md, surfaces...) {
			rules(t, s)
			order := slices.Concat([]string{"before"}, c.shows, []string{"after"})
			checks["order"](t, s, order)
			checks["hides"](t, s, c.hides)
			var said []string
			for _, d := range s.said {
				said = append(said, d.Code+": "+d.Message)
			}
			switch {
			case c.says == "" && len(said) > 0, c.says != "" && (len(said) != 1 || !strings.HasPrefix(said[0], c.says) || !strings.Contains(said[0], c.about)):
				t.Errorf("%s: %s says %q, want %q of %q", c.why, s.on, said, c.says, c.about)
			}
			if t.Failed() {
				t.Fatalf("%s on %s: %s", c.why, s.on, s.sent())
			}
		}
	}
}

// TestCardFenceCutOff shows every prefix of an answer with a card in it: what an
// agent was cut off in is there as it was written.
func TestCardFenceCutOff(t *testing.T) {
	md := "before\n\n```vak\n{\"semantic_type\":\"metric\",\n\"payload\":{\"label\":\"p95\",\"value\":\"180 ms\"}}\n```\n\nafter"
	for i := len("before\n"); i <= len(md); i++ {
		for _, s := range render(t, vak(t), md[:i], surfaces...) {
			rules(t, s)
			text := s.joined.text()
			isCard := strings.Contains(text, "p95: 180 ms")
			_, rest, closed := strings.Cut(md[:i], "}}")
			// One or two backticks are a line of the block yet.
			closed = closed && (strings.Trim(rest, "\n") == "" || strings.HasPrefix(rest, "\n```"))
			if isCard != closed || isCard && strings.Contains(text, "semantic_type") {
				t.Fatalf("%s: the first %d bytes, %q, are %q", s.on, i, md[max(0, i-20):i], text)
			}
			if !isCard && !strings.Contains(seen(text), seen(strings.TrimPrefix(md[:i], "before\n\n```vak\n"))) && i > len("before\n\n```vak\n") {
				t.Fatalf("%s: of the first %d bytes not all is shown: %q", s.on, i, text)
			}
		}
	}
}
