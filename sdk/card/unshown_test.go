package card

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestUnshown(t *testing.T) {
	for _, c := range []struct {
		payload string
		tree    Tree
		want    []string
		why     string
	}{
		{`{"label":"CPU","value":1.50}`, Of(Metric{Label: "CPU", Value: Scalar{isNumber, "1.50"}}), nil, "all said"},
		{`{"label":"CPU","value":1.50}`, Of(Metric{Label: "CPU", Value: Float(1.5)}), []string{"/value"}, "a number is what was written"},
		{`{"a":"x","b":"x"}`, Of(Text{Text: "x"}), []string{"/b"}, "each property says one thing"},
		{`{"a":"x","b":["x",{"c/d~":"y"}]}`, Of(Stack{}, New(Text{Text: "x"}), New(Text{Text: "x"})), []string{"/b/1/c~1d~0"}, "a pointer"},
		{`{"n":5,"s":"5"}`, Of(Metric{Label: "5", Value: Int(5)}), nil, "numbers and texts"},
		{`{"n":5}`, Of(Text{Text: "5"}), nil, "a text that is the number"},
		{`{"s":"5"}`, Of(Metric{Value: Int(5)}), []string{"/s"}, "a number is no text"},
		{`{"a":null,"b":"","c":{},"d":[]}`, Of(Stack{}), nil, "what says nothing"},
		{`{"ok":true,"no":false}`, Of(KeyValue{Items: []Pair{{Key: "k", Value: Bool(true)}}}), []string{"/no"}, "truth values"},
		{`{"items":[{"text":"a","done":true}]}`, Of(Checklist{Items: []CheckItem{{Text: "a", Done: true}}}), nil, "a state that is a mark"},
		{`{"paid":false}`, Of(List{Items: []ListItem{}}), []string{"/paid"}, "style is no answer"},
		{`{"level":3}`, Of(Title{Text: "x", Level: 3}), []string{"/level"}, "nor is a level"},
		{`{"columns":[{"key":"a","label":"A","isNumeric":true}],"rows":[{"a":1}]}`, Of(Table{Columns: []Column{{Key: "a", Label: "A", Numeric: true}}, Rows: [][]Scalar{{Int(1)}}}), nil, "structure counts"},
		{`{"from":"Bonn","to":"Ulm","km":400}`, Of(Text{Text: "Bonn → Ulm (400 km)"}), nil, "one text of several values"},
		{`{"a":"Ulm","b":"Ulm"}`, Of(Text{Text: "in Ulm"}), []string{"/b"}, "found once, said once"},
		{`{"a":"1"}`, Of(Text{Text: "11 or 1.5 or 2,1 or -1 or x1"}), []string{"/a"}, "a part of a number or of a word is another"},
		{`{"a":"5","b":"5 apples"}`, Of(Text{Text: "We have 5 apples"}), []string{"/a"}, "long ones first"},
		{`{"a":"東京"}`, Of(Text{Text: "今日は東京です"}), nil, "scripts without spaces"},
		{`{"a":true}`, Of(Text{Text: "it is true"}), []string{"/a"}, "a truth value is not found in words"},
		{`{"a":"x"}`, Tree{Node{Props: Stack{}, Fallback: "x"}}, []string{"/a"}, "a fallback is not shown"},
		{`{"a":`, Of(Text{Text: "a"}), []string{""}, "no JSON"},
		{``, Of(Text{Text: "a"}), []string{""}, "nothing"},
		{`{"a":"x"}`, Tree{}, []string{"/a"}, "no tree"},
	} {
		if got := Unshown(json.RawMessage(c.payload), c.tree); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// Payloads that are made to cost much end soon, and what was not looked for counts
// as not said.
func TestUnshownIsBounded(t *testing.T) {
	many := strings.Repeat(`"aa",`, 200_000)
	key := strings.Repeat("k", 300_000)
	for why, c := range map[string]struct {
		payload string
		text    string
	}{
		"many that are nowhere":         {`{"a":[` + many + `"b"]}`, strings.Repeat("x ", 500_000)},
		"one that is almost everywhere": {`{"a":"` + strings.Repeat("a", 200_000) + `"}`, strings.Repeat("a", 1_000_000)},
		"long names":                    {`{"` + key + `":[` + many + `"b"]}`, "x"},
	} {
		start := time.Now()
		got := Unshown(json.RawMessage(c.payload), Of(Text{Text: c.text}))
		size := 0
		for _, p := range got {
			size += len(p)
		}
		if len(got) == 0 || size > 4<<20 {
			t.Errorf("%s: %d pointers of %d bytes", why, len(got), size)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: %v", why, took)
		}
	}
}

func TestUnique(t *testing.T) {
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprintf(`"m%d":1`, i)
	}
	for _, c := range []struct{ in, path, why string }{
		{`{"semantic_type":"t","payload":{"a":{"b":1},"c":[{"b":1},{"b":1}]}}`, "", "the same name in other objects"},
		{`{"semantic_type":"t","payload":{"a":1,"a":2}}`, "/payload/a", "twice"},
		{`{"semantic_type":"t","payload":{"x":[0,{"a" : 1, "b":"\"a\":", "\u0061":2}]}}`, "/payload/x/1/a", "twice, once escaped"},
		{`{"semantic_type":"t","payload":{"a":1,"A":2}}`, "", "another name in a payload"},
		{`{"semantic_type":"t","Payload":{"b":1},"payload":{"a":1}}`, "/payload", "the same member to the decoder"},
		{`{"semantic_type":"t","payload":{},"context":{"as_of":"a","As_Of":"b"}}`, "/context/As_Of", "in the context"},
		{`{"semantic_type":"t","payload":{` + strings.Join(many, ",") + `}}`, "", "many"},
		{`{"semantic_type":"t","payload":{` + strings.Join(many, ",") + `,"m7":2}}`, "/payload/m7", "one of many twice"},
	} {
		_, err := ParseOutput([]byte(c.in))
		if c.path == "" {
			if err != nil {
				t.Errorf("%s: %v", c.why, err)
			}
			continue
		}
		if p, ok := err.(*ProblemError); !ok || p.Path != c.path || p.Kind != ErrInvalid {
			t.Errorf("%s: %v, want %s", c.why, err, c.path)
		}
	}
	_, err := ParseTree([]byte(`{"primitive":"stack","children":[{"primitive":"text","props":{"text":"a","Text":"b"}}]}`))
	if p, ok := err.(*ProblemError); !ok || p.Path != "/children/0/props/Text" {
		t.Errorf("a tree: %v", err)
	}
}

func TestContextNode(t *testing.T) {
	for _, c := range []struct {
		in        *Context
		want, why string
	}{
		{nil, "", "none"},
		{&Context{Domain: "finance"}, "", "a domain is for programs"},
		{&Context{AsOf: "noon", ComparisonBasis: "last year", Period: &Period{Start: "May", End: "June", Timezone: "UTC"},
			Evidence: []Evidence{{ID: "r1", Kind: "report"}, {ID: "r2"}}},
			"As of noon · compared with last year · period May – June (UTC) · evidence r1 (report), r2", "all"},
		{&Context{ComparisonBasis: "plan"}, "Compared with plan", "one"},
		{&Context{Period: &Period{End: "June"}}, "Period – June", "an end alone"},
	} {
		n, ok := ContextNode(c.in)
		if ok != (c.want != "") {
			t.Errorf("%s: %t", c.why, ok)
			continue
		}
		if ok && n.Props != (Text{Text: c.want, Emphasis: Subtle}) {
			t.Errorf("%s: %+v, want %s", c.why, n.Props, c.want)
		}
	}
}
