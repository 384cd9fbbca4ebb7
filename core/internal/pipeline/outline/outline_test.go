package outline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/sdk/card"
)

func TestLabel(t *testing.T) {
	for _, c := range []struct{ key, want, why string }{
		{"as_of", "As of", "underscores part words"},
		{"owner", "Owner", "one word"},
		{"exitCode", "Exit code", "humps part words"},
		{"userID", "User ID", "an acronym stays"},
		{"repo_url", "Repo URL", "what is read letter by letter is in capitals"},
		{"id", "ID", "also alone"},
		{"idea", "Idea", "a word that begins like one is none"},
		{"HTTPServer", "HTTP server", "an acronym before a word"},
		{"last-modified", "Last modified", "hyphens part words"},
		{"New York", "New York", "what a person wrote stays"},
		{"p95_ms", "P95 ms", "digits are no border"},
		{"höheÜberNN", "Höhe über NN", "letters beyond ASCII"},
		{"名称", "名称", "letters without case"},
		{"", "–", "nothing is a dash"},
		{"__", "__", "nothing but borders stays"},
		{"\xff", "\uFFFD", "bytes that are no text do no harm"},
	} {
		if got := Label(c.key); got != c.want {
			t.Errorf("%s: Label(%q) = %q, want %q", c.why, c.key, got, c.want)
		}
	}
	if got := Label(strings.Repeat("é", 5000)); len(got) > maxKey+len("…") {
		t.Errorf("a long key comes to %d bytes", len(got))
	}
}

// tree writes a tree in a line a node.
func tree(n card.Node, depth int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", depth), n.Props.Primitive())
	switch p := n.Props.(type) {
	case card.UniversalCard:
		fmt.Fprintf(&b, " %q %q", p.Title, p.Summary)
	case card.Section:
		fmt.Fprintf(&b, " %q", p.Title)
	case card.Text:
		fmt.Fprintf(&b, " %q", p.Text)
	case card.Empty:
		fmt.Fprintf(&b, " %q", p.Text)
	case card.List:
		for _, i := range p.Items {
			fmt.Fprintf(&b, " %s", i.Text)
			if i.URL != "" {
				b.WriteString("→")
			}
		}
	case card.KeyValue:
		for _, i := range p.Items {
			fmt.Fprintf(&b, " [%s=%s%s", i.Key, i.Value, i.Unit)
			if i.URL != "" {
				b.WriteString("→")
			}
			b.WriteString("]")
		}
	case card.Table:
		fmt.Fprintf(&b, " %q", p.Caption)
		for _, c := range p.Columns {
			fmt.Fprintf(&b, " %s", c.Label)
			if c.Numeric {
				b.WriteString("#")
			}
		}
		for _, r := range p.Rows {
			fmt.Fprintf(&b, " %v", r)
		}
	}
	b.WriteByte('\n')
	for _, c := range n.Children {
		b.WriteString(tree(c, depth+1))
	}
	return b.String()
}

func TestTree(t *testing.T) {
	for _, c := range []struct{ payload, want, why string }{
		{`{"title":"T","summary":"S","a_b":1,"ok":true,"none":null}`,
			"universal_card \"T\" \"S\"\n  key_value [A b=1] [Ok=yes] [None=–]\n", "scalars stand together"},
		{`{"title":7,"x":"y"}`,
			"universal_card \"given\" \"\"\n  key_value [Title=7] [X=y]\n", "a title that is no text is a value"},
		{`{"weight":3,"weight_unit":"kg"}`,
			"universal_card \"given\" \"\"\n  key_value [Weight=3kg]\n", "a unit belongs to its value"},
		{`{"weight_unit":"kg"}`,
			"universal_card \"given\" \"\"\n  key_value [Weight unit=kg]\n", "a unit of nothing is a value"},
		{`{"a":1,"a_unit":"m","a_unit_unit":"x"}`,
			"universal_card \"given\" \"\"\n  key_value [A=1m] [A unit unit=x]\n", "a unit has none"},
		{`{"site":"https://a.example/x"}`,
			"universal_card \"given\" \"\"\n  key_value [Site=https://a.example/x→]\n", "an address is a link"},
		{`{"a":1,"owner":{"name":"N","age":3},"b":2}`,
			"universal_card \"given\" \"\"\n  key_value [A=1] [B=2]\n  section \"Owner\"\n    key_value [Name=N] [Age=3]\n", "what is one value comes first, lest it looks like a part of a section"},
		{`{"b":{"x":1},"a":{"y":2}}`,
			"universal_card \"given\" \"\"\n  section \"B\"\n    key_value [X=1]\n  section \"A\"\n    key_value [Y=2]\n", "else the order is kept"},
		{`{"tags":["a",2,"https://b.example"]}`,
			"universal_card \"given\" \"\"\n  section \"Tags\"\n    list a 2 https://b.example→\n", "texts and numbers are a list"},
		{`{"flags":[true,"x"]}`,
			"universal_card \"given\" \"\"\n  section \"Flags\"\n    key_value [Flags 1=yes] [Flags 2=x]\n", "others are numbered"},
		{`{"days":[{"d":"Mo","t":1},{"d":"Tu"}]}`,
			"universal_card \"given\" \"\"\n  section \"Days\"\n    table \"\" D T# [Mo 1] [Tu ]\n", "like objects are a table"},
		{`{"docs":[{"name":"A","tags":["x"]},{"n":2}]}`,
			"universal_card \"given\" \"\"\n  section \"Docs\"\n    section \"A\"\n      section \"Tags\"\n        list x\n    section \"Docs 2\"\n      key_value [N=2]\n", "unlike ones are sections by their names"},
		{`{"rows":[{"a":1},{"b":2},{"c":3}]}`,
			"universal_card \"given\" \"\"\n  section \"Rows\"\n    section \"Rows 1\"\n      key_value [A=1]\n    section \"Rows 2\"\n      key_value [B=2]\n    section \"Rows 3\"\n      key_value [C=3]\n",
			"objects that share little are no table"},
		{`{"note":"one\ntwo"}`,
			"universal_card \"given\" \"\"\n  section \"Note\"\n    text \"one\\ntwo\"\n", "lines get room"},
		{`{"list":[],"map":{}}`,
			"universal_card \"given\" \"\"\n  key_value [List=–] [Map=–]\n", "what is empty is there"},
		{`{"a":1,"a":2}`,
			"universal_card \"given\" \"\"\n  key_value [A=1] [A=2]\n", "a name twice loses neither value"},
		{`{}`, "universal_card \"given\" \"\"\n  empty \"Nothing is in it.\"\n", "nothing says so"},
		{`[1,2]`, "universal_card \"given\" \"\"\n  text \"[1,2]\"\n", "no object is a text"},
		{`{"a":`, "universal_card \"given\" \"\"\n  text \"{\\\"a\\\":\"\n", "nor is what is cut off"},
		{`"just text"`, "universal_card \"given\" \"\"\n  text \"just text\"\n", "a text is itself"},
	} {
		if got := tree(Tree([]byte(c.payload), "given").Root, 0); got != c.want {
			t.Errorf("%s: %s\ngot:\n%swant:\n%s", c.why, c.payload, got, c.want)
		}
	}
}

// values draws JSON: most of it small, some of it far beyond what a tree may hold.
func values(depth int) *rapid.Generator[string] {
	quoted := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	}
	key := rapid.SampledFrom([]string{"title", "name", "label", "summary", "a", "a_unit", "b_c", "value", "x", "", "long " + strings.Repeat("k", 300)})
	scalar := rapid.OneOf(
		rapid.Map(rapid.StringN(0, 12, -1), quoted),
		rapid.Map(rapid.IntRange(-1000, 1000), func(n int) string { return fmt.Sprint(n) }),
		rapid.SampledFrom([]string{"true", "false", "null", "1.50", "1e3", `"https://x.example/"`, `"` + strings.Repeat("long ", 60) + `"`, `"a\nb"`}),
	)
	if depth == 0 {
		return scalar
	}
	inner := values(depth - 1)
	return rapid.OneOf(
		scalar,
		rapid.Map(rapid.SliceOfN(inner, 0, 12), func(e []string) string { return "[" + strings.Join(e, ",") + "]" }),
		rapid.Custom(func(t *rapid.T) string {
			var out []string
			for range rapid.IntRange(0, 12).Draw(t, "members") {
				out = append(out, quoted(key.Draw(t, "key"))+":"+inner.Draw(t, "value"))
			}
			return "{" + strings.Join(out, ",") + "}"
		}),
	)
}

// sound says what is wrong with the tree of a payload.
func sound(payload []byte) error {
	out := Tree(payload, "")
	if err := out.Check(); err != nil {
		return err
	}
	if left := card.Unshown(payload, out); len(left) > 0 {
		return fmt.Errorf("%d scalars are not said, the first at %s", len(left), left[0])
	}
	return nil
}

// TestNothingLost draws objects: their trees are within the bounds, and say every
// scalar.
func TestNothingLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var out []string
		for i := range rapid.IntRange(1, 40).Draw(t, "members") {
			out = append(out, fmt.Sprintf(`"m%d":%s`, i, values(4).Draw(t, "value")))
		}
		payload := "{" + strings.Join(out, ",") + "}"
		if err := sound([]byte(payload)); err != nil {
			t.Fatalf("%v\n%s", err, payload)
		}
	})
}

// TestLarge shows objects that need more nodes, or deeper ones, than there are.
func TestLarge(t *testing.T) {
	var wide, sections strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&wide, `,"k%d":{"v%d":[%d,{"deep":{"er":"x%d"}}]}`, i, i, i, i)
	}
	for i := range 400 {
		fmt.Fprintf(&sections, `,"s%d":{"a":%d,"b":["t%d"]}`, i, i, i)
	}
	small := ""
	for i := range 127 {
		small += fmt.Sprintf(`"s%d":{"a":1},`, i)
	}
	ones := "[1" + strings.Repeat(",1", 9999) + "]"
	for why, payload := range map[string]string{
		"full":     `{` + small + `"m":[[` + ones + strings.Repeat(","+ones, 20) + `]]}`,
		"wide":     `{"a":1` + wide.String() + `}`,
		"wrapped":  `{"data":{"a":1` + wide.String() + `},"last":"z"}`,
		"sections": `{"a":1` + sections.String() + `}`,
		"deep":     strings.Repeat(`{"a":1,"n":`, 31) + `"end"` + strings.Repeat("}", 31),
		"rows":     `{"rows":[{"a":1,"b":"x"}` + strings.Repeat(`,{"a":1,"b":"x"}`, 9999) + `]}`,
		"sparse":   `{"rows":[{"a":1}` + strings.Repeat(`,{"a":1},{"b":2}`, 4000) + `]}`,
		"long key": `{"` + strings.Repeat("k", 100_000) + `":{"` + strings.Repeat("l", 100_000) + `":[[1,2],[3]]}}`,
	} {
		if err := sound([]byte(payload)); err != nil {
			t.Errorf("%s: %v", why, err)
		}
	}
	// What fits keeps its form although what follows does not.
	got := Tree([]byte(`{"first":{"x":1},"data":{"a":1`+wide.String()+`}}`), "")
	if s, ok := got.Root.Children[0].Props.(card.Section); !ok || s.Title != "First" {
		t.Errorf("the first section is %#v", got.Root.Children[0].Props)
	}
}

func FuzzTree(f *testing.F) {
	for _, s := range []string{`{"a":{"b":[1,{"c":null}]}}`, `[`, `{"a":"\ud800"}`, `{"a_unit":"x","a":1}`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		out := Tree(b, "title")
		if err := out.Check(); err != nil {
			t.Fatal(err)
		}
		if v, err := Parse(b); err == nil && v.Kind == Object && len(b) < 10_000 {
			if left := card.Unshown(b, out); len(left) > 0 {
				t.Fatalf("not said: %q", left)
			}
		}
	})
}

func BenchmarkTree(b *testing.B) {
	payload := []byte(`{"rows":[{"a":1,"b":"x"}` + strings.Repeat(`,{"a":1,"b":"x"}`, 9999) + `]}`)
	b.SetBytes(int64(len(payload)))
	for b.Loop() {
		Tree(payload, "")
	}
}
