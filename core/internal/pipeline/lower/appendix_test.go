package lower

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIndented(t *testing.T) {
	long := strings.Repeat("x", 70)
	for _, c := range []struct{ in, want string }{
		{`{"a":1,"b":[true,null,-1.50],"c":{}}`, `{"a": 1, "b": [true, null, -1.50], "c": {}}`},
		{`{"a\",:{":"` + long + `","b":[{"x":1,"y":2},{"x":3,"y":4}],"c":[]}`,
			"{\n  \"a\\\",:{\": \"" + long + "\",\n  \"b\": [{\"x\": 1, \"y\": 2}, {\"x\": 3, \"y\": 4}],\n  \"c\": []\n}"},
		{`{"a":["` + long + `",["` + long + `"]]}`, "{\n  \"a\": [\n    \"" + long + "\",\n    [\"" + long + "\"]\n  ]\n}"},
	} {
		if got := indented([]byte(c.in)); got != c.want {
			t.Errorf("%s is\n%s\nwant\n%s", c.in, got, c.want)
		}
	}
}

// Whatever the payload is, it stays the same JSON, in lines that are not long
// because something was put into them that has elements.
func TestIndentedIsTheSame(t *testing.T) {
	value := func(v any) *rapid.Generator[any] {
		return rapid.OneOf(rapid.Just(v), rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Int(), func(n int) any { return n }),
			rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Just[any](nil), rapid.Just[any]("a\\\"b{[,:]}"))
	}
	rapid.Check(t, func(t *rapid.T) {
		var v any = map[string]any{}
		for range rapid.IntRange(0, 8).Draw(t, "depth") {
			if rapid.Bool().Draw(t, "array") {
				v = rapid.SliceOfN(value(v), 0, 20).Draw(t, "elements")
			} else {
				v = rapid.MapOfN(rapid.String(), value(v), 0, 8).Draw(t, "members")
			}
		}
		b, err := json.Marshal(map[string]any{"v": v})
		if err != nil {
			t.Fatal(err)
		}
		got := indented(b)
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(got)); err != nil || compact.String() != string(b) {
			t.Fatalf("%v\n%s\nof\n%s", err, got, b)
		}
	})
}
