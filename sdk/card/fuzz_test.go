package card

import (
	"bytes"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
)

// trees are those of the goldens.
func trees(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = a.Files[0].Data
	}
	return out
}

// Whatever ParseTree takes has one form, and becomes blocks that a document may
// have, the same before and after it was written.
func FuzzParseTree(f *testing.F) {
	for _, b := range trees(f) {
		f.Add(b)
	}
	f.Add([]byte(`{"primitive":"metric","props":{"label":"a","value":null,"unit":"\ud800\u202e"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		tree, err := ParseTree(b)
		if err != nil {
			return
		}
		first, err := tree.Append(nil)
		if err != nil {
			t.Fatalf("parsed, and not written: %v", err)
		}
		again, err := ParseTree(first)
		if err != nil {
			t.Fatalf("written, and not parsed: %v\n%s", err, first)
		}
		if second, err := again.Append(nil); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("two forms:\n%s\n%s, %v", first, second, err)
		}
		low, back := tree.Blocks("1", Options{}), again.Blocks("1", Options{})
		valid(t, low.Blocks, "1")
		if wire(low.Blocks) != wire(back.Blocks) || low.Partial != back.Partial {
			t.Fatalf("two looks of %s", first)
		}
	})
}

// What a tree is made of directly is said by it.
func FuzzUnshown(f *testing.F) {
	f.Add(`{"a":"one two","b":[2,true,null]}`, "one", "two")
	f.Fuzz(func(t *testing.T, payload, a, b string) {
		Unshown([]byte(payload), Of(Text{Text: a}, New(Text{Text: b})))
		if !utf8.ValidString(a+b) || !utf8.ValidString(a) {
			return
		}
		p, err := marshal(map[string]string{"x": a, "y": b})
		if err != nil {
			t.Fatal(err)
		}
		if left := Unshown(p, Of(Stack{}, New(Text{Text: b}), New(Text{Text: a}))); len(left) > 0 {
			t.Fatalf("%q of %s", left, p)
		}
	})
}

func BenchmarkBlocks(b *testing.B) {
	all := trees(b)
	table := Table{Columns: []Column{{Label: "a"}, {Label: "b", Numeric: true}, {Label: "c"}, {Label: "d"}, {Label: "e"}}}
	for i := range 10_000 {
		table.Rows = append(table.Rows, []Scalar{String("some text"), Int(int64(i)), Bool(true), Null(), String("more of it")})
	}
	b.Run("cards", func(b *testing.B) {
		var parsed []Tree
		for _, src := range all {
			t, err := ParseTree(src)
			if err != nil {
				b.Fatal(err)
			}
			parsed = append(parsed, t)
		}
		b.ReportAllocs()
		for b.Loop() {
			for _, t := range parsed {
				t.Blocks("1", Options{})
			}
		}
	})
	b.Run("table_10000x5", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Of(table).Blocks("1", Options{})
		}
	})
	b.Run("unshown_10000x5", func(b *testing.B) {
		payload, err := marshal(table.Rows)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(payload)))
		b.ReportAllocs()
		for b.Loop() {
			if left := Unshown(payload, Of(table)); len(left) > 0 {
				b.Fatal(left[0])
			}
		}
	})
}
