package effort

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

func compile(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("vak:schema", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("vak:schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decode(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// doubled refers n times to what refers twice, by a keyword.
func doubled(n int, twice string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"a%d":`+twice+`,`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{}}}`, n)
	return b.String()
}

// nested is an object in an object, and so on.
func nested(n int) string {
	return strings.Repeat(`{"x":`, n) + "1" + strings.Repeat("}", n)
}

func TestBounded(t *testing.T) {
	const tree = `{"type":"object","properties":{"x":{"$ref":"#"},"children":{"type":"array","items":{"$ref":"#"}}}}`
	var union []string
	for i := range 60 {
		union = append(union, fmt.Sprintf(`{"type":"object","properties":{"kind":{"const":"%d"},"a":{"type":"string"},"b":{"type":"number"}}}`, i))
	}
	list := func(element string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
	}
	for _, c := range []struct {
		schema, value string
		want          bool
		why           string
	}{
		{`{"type":"string"}`, `"a"`, true, "next to nothing"},
		{`true`, nested(30), true, "a schema that takes everything"},
		{tree, nested(30), true, "a tree that refers to itself"},
		{tree, list(`{"children":[{"children":[]}]}`, 10_000), true, "a large one"},
		{`{"type":"array","items":{"anyOf":[` + strings.Join(union, ",") + `]}}`, list(`{"kind":"59","a":"x","b":1}`, 5_000), true, "a union of many types, of many elements"},
		{`{"type":"array","uniqueItems":true}`, list("1", 1_000), true, "elements that are unique"},
		{`{"type":"array","uniqueItems":true}`, list("1", 100_000), false, "so many that each is compared with ten thousands"},
		{doubled(8, `{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`), `{}`, true, "what can be borne"},
		{doubled(40, `{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`), `{}`, false, "by all of several"},
		{doubled(40, `{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`), `{}`, false, "by one of several"},
		{doubled(40, `{"oneOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`), `{}`, false, "by just one of several"},
		{doubled(40, `{"if":{"$ref":"#/$defs/a%d"},"else":{"$ref":"#/$defs/a%d"}}`), `{}`, false, "by a condition"},
		{doubled(40, `{"not":{"$ref":"#/$defs/a%d"},"$ref":"#/$defs/a%d"}`), `{}`, false, "by what must not be"},
		{doubled(40, `{"dependentSchemas":{"x":{"$ref":"#/$defs/a%d"},"y":{"$ref":"#/$defs/a%d"}}}`), `{}`, false, "by what depends"},
		{`{"anyOf":[{"properties":{"x":{"$ref":"#"}}},{"properties":{"x":{"$ref":"#"}}}]}`, nested(8), true, "a recursive one, of a value that is not deep"},
		{`{"anyOf":[{"properties":{"x":{"$ref":"#"}}},{"properties":{"x":{"$ref":"#"}}}]}`, nested(32), false, "the same, of one that is"},
		{`{"properties":{"x":{"$ref":"#"}},"patternProperties":{"x":{"$ref":"#"}}}`, nested(32), false, "by names and patterns"},
		{`{"additionalProperties":{"$ref":"#"},"unevaluatedProperties":{"$ref":"#"}}`, nested(32), false, "by the other members"},
		{`{"items":{"$ref":"#"},"contains":{"$ref":"#"}}`, strings.Repeat("[", 32) + strings.Repeat("]", 32), false, "by elements"},
		{`{"prefixItems":[{"$ref":"#"}],"contains":{"$ref":"#"}}`, strings.Repeat("[", 32) + strings.Repeat("]", 32), false, "by the first elements"},
		{`{"$dynamicAnchor":"a","properties":{"x":{"$dynamicRef":"#a"}}}`, nested(3), false, "what only the way tells"},
	} {
		v := decode(t, c.value)
		s := compile(t, c.schema)
		began := time.Now()
		if got := Bounded(s, v); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: it took %v to find out", c.why, took)
		}
	}
}

// TestCircle has a schema that the library would refuse to compile.
func TestCircle(t *testing.T) {
	a, b := &jsonschema.Schema{}, &jsonschema.Schema{}
	a.Ref, b.AllOf = b, []*jsonschema.Schema{a}
	if Bounded(a, "x") {
		t.Error("parts that refer to each other for one value take an end")
	}
}

func TestCompiles(t *testing.T) {
	for depth, want := range map[int]bool{1: true, 150: true, 300: false, 5000: false} {
		for _, s := range []string{strings.Repeat(`{"not":`, depth) + `true` + strings.Repeat("}", depth), strings.Repeat("[", depth) + strings.Repeat("]", depth)} {
			if got := Compiles(decode(t, s)); got != want {
				t.Errorf("%d levels: %v", depth, got)
			}
		}
	}
	for number, want := range map[json.Number]bool{
		"0": true, "-1.5e+3": true, "1e400": true, "1E-400": true, "1e401": false, "1e-999999": false, "1e99999999999999999999": false,
		json.Number(strings.Repeat("9", 100)): true, json.Number(strings.Repeat("9", 101)): false,
	} {
		if got := Compiles(map[string]any{"enum": []any{"1e999", number}}); got != want {
			t.Errorf("%.20s: %v", number, got)
		}
	}
}
