package card

import (
	"errors"
	"strings"
	"testing"
)

func TestTree(t *testing.T) {
	tree := Of(Section{Title: "Build <1>"},
		New(Metric{Label: "time", Value: Float(1.5), Unit: "s"}),
		New(Table{Columns: []Column{{Key: "a", Label: "A", Numeric: true}}, Rows: [][]Scalar{{Int(1)}, {Null()}, {Bool(true)}}}),
		New(Divider{}),
	)
	b, err := tree.Append(nil)
	const want = `{"primitive":"section","props":{"title":"Build <1>"},"children":[{"primitive":"metric","props":{"label":"time","value":1.5,"unit":"s"}},` +
		`{"primitive":"table","props":{"columns":[{"key":"a","label":"A","numeric":true}],"rows":[[1],[null],[true]]}},{"primitive":"divider"}]}`
	if err != nil || string(b) != want {
		t.Fatalf("%s, %v\nwant %s", b, err, want)
	}
	again, err := ParseTree(b)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := again.Append(nil); err != nil || string(c) != want {
		t.Errorf("read and written again: %s, %v", c, err)
	}
}

func TestParseTreeRefuses(t *testing.T) {
	for _, c := range []struct {
		in, path string
		kind     ErrorKind
		why      string
	}{
		{`{"primitive":"chart3d"}`, "/primitive", ErrInvalid, "the vocabulary is closed"},
		{`{"primitive":"title","props":{"text":"x","onclick":"y"}}`, "/props/onclick", ErrInvalid, "no property is passed over"},
		{`{"primitive":"title","props":{"text":1}}`, "/props/text", ErrInvalid, "a number is no text"},
		{`{"primitive":"title","props":{"text":"x","level":9}}`, "/props/level", ErrInvalid, "there are six levels"},
		{`{"primitive":"text","props":{"text":"x"},"children":[{"primitive":"divider"}]}`, "/children", ErrInvalid, "a text has no children"},
		{`{"primitive":"stack","children":[{"primitive":"badge","props":{"text":"x","tone":"#ff0000"}}]}`, "/children/0/props/tone", ErrInvalid, "colours are tokens"},
		{`{"primitive":"stack"} x`, "", ErrSyntax, "one value"},
		{`{"primitive":"sta`, "", ErrSyntax, "cut off"},
		{`{"primitive":"stack","children":[` + strings.TrimSuffix(strings.Repeat(`{"primitive":"divider"},`, 256), ",") + `]}`, "/children/255", ErrTooLarge, "too many nodes"},
		{strings.Repeat(`{"primitive":"stack","children":[`, 17) + strings.Repeat(`]}`, 17), strings.Repeat("/children/0", 16), ErrTooLarge, "too deep"},
		{strings.Repeat(`[`, 100_000), strings.Repeat("/0", 40), ErrTooLarge, "deep beyond all measure"},
	} {
		_, err := ParseTree([]byte(c.in))
		p, ok := errors.AsType[*ProblemError](err)
		if !ok || p.Path != c.path || p.Kind != c.kind {
			t.Errorf("%s: %v\nwant %s, %s", c.why, err, c.path, c.kind)
		}
	}
}

func TestParseOutput(t *testing.T) {
	o, err := ParseOutput([]byte("{ \"semantic_type\":\"metric\", \"payload\": {\"label\":\"a<b\", \"value\": 1.50 },\r\n\"context\":{\"as_of\":\"today\"}}"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := AppendOutput(nil, o)
	if want := `{"semantic_type":"metric","schema_version":1,"context":{"as_of":"today"},"payload":{"label":"a<b","value":1.50}}`; err != nil || string(b) != want {
		t.Errorf("%s, %v\nwant %s", b, err, want)
	}
	for _, c := range []struct {
		in, path string
		kind     ErrorKind
		why      string
	}{
		{`{"semantic_type":"metric"}`, "/payload", ErrInvalid, "no payload"},
		{`{"semantic_type":"metric","label":"x","payload":{}}`, "/label", ErrInvalid, "what stands beside the payload is not lost"},
		{`{"payload":{}}`, "/semantic_type", ErrInvalid, "no type"},
		{`{"semantic_type":"metric","payload":[1]}`, "/payload", ErrInvalid, "a payload is an object"},
		{`{'semantic_type':'metric',}// no`, "", ErrSyntax, "almost JSON is none"},
		{`[]`, "", ErrInvalid, "an array"},
		{strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), strings.Repeat("/0", 33), ErrTooLarge, "deep"},
		{`{"semantic_type":"t","payload":{"a":[` + strings.Repeat("1,", 10_000) + `1]}}`, "/payload/a", ErrTooLarge, "a long array"},
	} {
		_, err := ParseOutput([]byte(c.in))
		p, ok := errors.AsType[*ProblemError](err)
		if !ok || p.Path != c.path || p.Kind != c.kind {
			t.Errorf("%s: %v\nwant %s, %s", c.why, err, c.path, c.kind)
		}
	}
}

func TestLooks(t *testing.T) {
	for text, want := range map[string]bool{
		`{"semantic_type":"x"}`:                  true,
		" \n\t{\"payload\":1,\"semantic_type\"}": true,
		`{"type":"x"}`:                           false,
		`x {"semantic_type":"x"}`:                false,
		`["semantic_type"]`:                      false,
		``:                                       false,
	} {
		if got := Looks(text); got != want {
			t.Errorf("Looks(%q) = %v", text, got)
		}
	}
}
