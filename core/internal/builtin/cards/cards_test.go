package cards_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
)

// TestTable holds the table to its numbers: twelve shapes, 98 types, one shape for
// each, and everything there is to say of a shape.
func TestTable(t *testing.T) {
	tool := regexp.MustCompile(`^emit_[a-z_]+_card$`)
	seen := map[string]bool{}
	shapes := cards.Shapes()
	for _, s := range shapes {
		for _, typ := range s.Types {
			if seen[typ] {
				t.Errorf("%s is there twice", typ)
			}
			seen[typ] = true
			if !json.Valid(s.SchemaOf(typ)) {
				t.Errorf("the schema of %s is not JSON", typ)
			}
		}
		switch {
		case !tool.MatchString(s.Tool), s.Title == "", !strings.HasSuffix(s.Purpose, "."):
			t.Errorf("%s says too little of itself", s.Tool)
		case !slices.Contains(s.Types, s.Example.Type), !json.Valid(s.Example.Payload):
			t.Errorf("%s has no example", s.Tool)
		}
	}
	if len(shapes) != 12 || len(seen) != 98 {
		t.Errorf("there are %d shapes and %d types", len(shapes), len(seen))
	}
	if n := len(cards.Skill().Types); n != 98 {
		t.Errorf("the skill owns %d types", n)
	}
}

// TestNarrow holds the schemas of types that ask for more than their shape to the
// shape's: no member of theirs is unknown to it.
func TestNarrow(t *testing.T) {
	for _, s := range cards.Shapes() {
		of := parsed(t, s.Schema)["properties"].(map[string]any)
		for _, typ := range s.Types {
			for name := range parsed(t, s.SchemaOf(typ))["properties"].(map[string]any) {
				if of[name] == nil {
					t.Errorf("%s: %s has the member %s, which the shape has not", s.Tool, typ, name)
				}
			}
		}
	}
}

// TestStrict shows that an object of a schema takes no member that it does not
// name, unless the contract leaves them free.
func TestStrict(t *testing.T) {
	for _, s := range cards.Shapes() {
		for _, typ := range s.Types {
			eachSchema("", parsed(t, s.SchemaOf(typ)), func(at string, sub map[string]any) {
				free := at == "" && (s.Tool == "emit_universal_card" || s.Tool == "emit_metric_card")
				switch {
				case sub["type"] == "object" && !free && sub["additionalProperties"] == nil:
					t.Errorf("%s%s takes any member", typ, at)
				case sub["type"] == "array" && sub["maxItems"] == nil:
					t.Errorf("%s%s has no bound", typ, at)
				case sub["type"] == "string" && sub["maxLength"] == nil:
					t.Errorf("%s%s has no bound", typ, at)
				}
			})
		}
	}
}

func parsed(t testing.TB, schema []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(schema, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// eachSchema visits a schema and all within it.
func eachSchema(at string, s map[string]any, visit func(string, map[string]any)) {
	visit(at, s)
	if of, ok := s["properties"].(map[string]any); ok {
		for name, sub := range of {
			eachSchema(at+"/"+name, sub.(map[string]any), visit)
		}
	}
	if sub, ok := s["items"].(map[string]any); ok {
		eachSchema(at+"/0", sub, visit)
	}
	if of, ok := s["anyOf"].([]any); ok {
		for i, sub := range of {
			eachSchema(fmt.Sprintf("%s/anyOf%d", at, i), sub.(map[string]any), visit)
		}
	}
}

// draw draws a value that a schema takes.
func draw(t *rapid.T, s map[string]any, at string) any {
	if of, ok := s["enum"].([]any); ok {
		return rapid.SampledFrom(of).Draw(t, at)
	}
	kind := s["type"]
	if of, ok := s["anyOf"].([]any); ok && kind == nil {
		i := rapid.IntRange(0, len(of)-1).Draw(t, at+" branch")
		return draw(t, of[i].(map[string]any), at)
	}
	if many, ok := kind.([]any); ok {
		kind = rapid.SampledFrom(many).Draw(t, at+" kind")
	}
	number := func(name string, otherwise int) int {
		if n, ok := s[name].(float64); ok {
			return int(n)
		}
		return otherwise
	}
	switch kind {
	case "string":
		if p, ok := s["pattern"].(string); ok {
			return strings.TrimSuffix(strings.TrimPrefix(p, "^"), ".") + "x"
		}
		least := number("minLength", 0)
		text := rapid.OneOf(
			rapid.StringN(least, 20, min(number("maxLength", 80), 80)),
			rapid.SampledFrom(slices.Concat(hostile[:5], []string{"done", "open", "a\nb", "https://a.example/"})),
		).Draw(t, at)
		return text[:min(len(text), max(least, min(len(text), number("maxLength", len(text)))))]
	case "integer":
		return rapid.IntRange(number("minimum", -1000), min(number("maximum", 1000), 100_000)).Draw(t, at)
	case "number":
		return json.Number(fmt.Sprintf("%d.%d", rapid.IntRange(number("minimum", -1000), 1000).Draw(t, at), rapid.IntRange(0, 99).Draw(t, at+" fraction")))
	case "boolean":
		return rapid.Bool().Draw(t, at)
	case "null":
		return nil
	case "array":
		out := []any{}
		for i := range rapid.IntRange(number("minItems", 0), 6).Draw(t, at+" elements") {
			out = append(out, draw(t, s["items"].(map[string]any), fmt.Sprintf("%s/%d", at, i)))
		}
		return out
	}
	out := map[string]any{}
	of, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	if either, ok := s["anyOf"].([]any); ok {
		i := rapid.IntRange(0, len(either)-1).Draw(t, at+" either")
		required = append(slices.Clone(required), either[i].(map[string]any)["required"].([]any)...)
	}
	for _, name := range slices.Sorted(keys(of)) {
		if slices.Contains(required, any(name)) || rapid.Bool().Draw(t, at+" has "+name) {
			out[name] = draw(t, of[name].(map[string]any), at+"/"+name)
		}
	}
	return out
}

func keys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// mend makes of what a schema takes what the check of its shape takes, too.
func mend(t *rapid.T, tool string, p map[string]any) {
	switch tool {
	case "emit_research_card":
		sources := len(p["sources"].([]any))
		for _, one := range p["takeaways"].([]any) {
			refs := []any{}
			for range rapid.IntRange(0, min(sources, 3)).Draw(t, "citations") {
				refs = append(refs, rapid.IntRange(1, sources).Draw(t, "citation"))
			}
			one.(map[string]any)["citation_indices"] = refs
		}
	case "emit_test_report_card":
		counts := map[any]int{}
		tests := p["tests"].([]any)
		for _, one := range tests {
			counts[one.(map[string]any)["status"]]++
		}
		for _, name := range []string{"passed", "failed", "skipped"} {
			if p[name] != nil {
				p[name] = counts[name]
			}
		}
		if p["total"] != nil {
			p["total"] = len(tests)
		}
	case "emit_table_card":
		columns := p["columns"].([]any)
		for i, one := range columns {
			one.(map[string]any)["key"] = fmt.Sprintf("k%d", i)
		}
		for _, row := range p["rows"].([]any) {
			for i := range columns {
				if rapid.Bool().Draw(t, "cell") {
					row.(map[string]any)[fmt.Sprintf("k%d", i)] = rapid.SampledFrom([]any{"text", 7, 1.5, true, false, nil, "", "a|b\nc"}).Draw(t, "value")
				}
			}
		}
	case "emit_metric_card":
		if p["label"] == nil || p["label"] == "" || p["value"] == nil || p["value"] == "" {
			p["first"], p["second"] = 1, "b"
		}
		fallthrough
	case "emit_universal_card":
		for i := range rapid.IntRange(1, 8).Draw(t, "free") {
			p[fmt.Sprintf("free_%d", i)] = rapid.SampledFrom([]any{
				1, true, "x", nil, []any{}, []any{"a", 1}, map[string]any{"k": map[string]any{"l": 1}}, []any{map[string]any{"a": 1}, map[string]any{"a": "b"}},
				[]any{[]any{1, 2}, []any{map[string]any{"a": []any{false}}}}, strings.Repeat("long ", 100),
			}).Draw(t, "value")
		}
	}
}

// TestAnyPayload draws payloads by the schema of every type: each is taken, and
// lowered without losing a scalar.
func TestAnyPayload(t *testing.T) {
	c := newCatalog(t)
	for _, s := range cards.Shapes() {
		t.Run(s.Tool, func(t *testing.T) {
			schemas := map[string]map[string]any{}
			for _, typ := range s.Types {
				schemas[typ] = parsed(t, s.SchemaOf(typ))
			}
			rapid.Check(t, func(t *rapid.T) {
				typ := rapid.SampledFrom(s.Types).Draw(t, "type")
				p := draw(t, schemas[typ], "").(map[string]any)
				mend(t, s.Tool, p)
				if len(p) == 0 {
					p["title"] = "x"
				}
				payload, err := json.Marshal(p)
				if err != nil {
					t.Fatal(err)
				}
				if err := sound(c, typ, payload); err != nil {
					t.Fatalf("%s: %v\n%s", typ, err, payload)
				}
			})
		})
	}
}

// TestLarge lowers payloads as large as they may be.
func TestLarge(t *testing.T) {
	c := newCatalog(t)
	repeat := func(open, one, close string, n int) []byte {
		return []byte(open + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + close)
	}
	lines := `{"header":"@@ -1 +1 @@","lines":["-old line of code","+new line of code"]}`
	for _, l := range []struct {
		typ     string
		payload []byte
	}{
		{"table", repeat(`{"columns":[{"key":"a"},{"key":"b"}],"rows":[`, `{"a":123456,"b":"text of a cell"}`, `]}`, 10_000)},
		{"test.report", repeat(`{"tests":[`, `{"name":"TestOfSomething","status":"passed","duration_ms":3}`, `]}`, 10_000)},
		{"checklist", repeat(`{"items":[`, `{"label":"x","detail":"what it is about","status":"done","time":"Monday"}`, `]}`, 10_000)},
		{"faq", repeat(`{"items":[`, `{"label":"Is it so?","detail":"It is."}`, `]}`, 10_000)},
		{"steps", repeat(`{"items":[`, `{"label":"Do it","detail":"Now."}`, `]}`, 10_000)},
		{"timeline", repeat(`{"items":[`, `{"label":"Do it","time":"now","status":"a word of its own"}`, `]}`, 10_000)},
		{"chart", repeat(`{"chart_type":"line","accessible_summary":"x","series":[{"points":[`, `{"x":1,"y":2.25}`, `]}]}`, 10_000)},
		{"coding.diff", repeat(`{"files":[{"filename":"a","hunks":[`, lines, `]}]}`, 9_000)},
		{"news", repeat(`{"takeaways":[],"sources":[`, `{"title":"A page","url":"https://a.example/1234","snippet":"Words of it"}`, `]}`, 10_000)},
		{"recipe", repeat(`{"title":"x","ingredients":[`, `{"name":"flour","amount":1.5,"unit":"g"}`, `],"steps":[]}`, 10_000)},
		{"entity", repeat(`{"rows":[`, `{"a":123456,"b":"text of a cell","c":{"d":1}}`, `]}`, 10_000)},
		{"metric", repeat(`{"a":1,"b":2,"rows":[`, `{"a":123456,"b":["x"]}`, `]}`, 10_000)},
		{"terminal.view", []byte(`{"output":"` + strings.Repeat("line of output\\n", 60_000) + `"}`)},
	} {
		if err := sound(c, l.typ, l.payload); err != nil {
			t.Errorf("%s: %v", l.typ, err)
		}
	}
	sparse := repeat(`{"columns":[`, `{"key":"KEY"}`, `],"rows":[]}`, 200)
	for i := range 200 {
		sparse = []byte(strings.Replace(string(sparse), "KEY", fmt.Sprintf("k%d", i), 1))
	}
	sparse = []byte(strings.Replace(string(sparse), `"rows":[]`, `"rows":[{}`+strings.Repeat(`,{}`, 1000)+`]`, 1))
	if p := refused(c, "table", sparse); p == nil || p.Path != "/payload/rows" {
		t.Errorf("a table of 200,200 cells: %v", p)
	}
	if p := refused(c, "table", []byte(`{"title":"`+strings.Repeat("é", 1001)+`","columns":[{"key":"a"}],"rows":[]}`)); p == nil || p.Want != "expected 1000 characters at most" {
		t.Errorf("a title of 1001 characters: %v", p)
	}
}

// TestDeterministic lowers the same payload twice.
func TestDeterministic(t *testing.T) {
	for _, s := range cards.Shapes() {
		in := input(s)
		a, err1 := s.Lower(t.Context(), in)
		b, err2 := s.Lower(t.Context(), in)
		if err1 != nil || err2 != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %v %v", s.Tool, err1, err2)
		}
	}
}
