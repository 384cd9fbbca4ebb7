package doc_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/doc/doctest"
)

func TestLower(t *testing.T) {
	diagram := func(kind, source string) doc.Block {
		return &doc.Diagram{ID: "5", DiagramKind: kind, Meta: "theme=dark", Source: source}
	}
	code := func(kind, text string) string { // a diagram that stays code
		return string(doc.AppendBlock(nil, &doc.Code{ID: "5", Language: kind, Meta: "theme=dark", Text: text}))
	}
	for _, c := range []struct {
		in   doc.Block
		want string // wire form of the blocks, with ' for " and without "type" to stay readable
		why  string
	}{
		{&doc.Structured{ID: "5", Output: `{"a":1}`, FallbackMarkdown: "x"}, `{'code','id':'5','language':'json','text':'{\'a\':1}'}`, "output as json"},
		{&doc.Structured{ID: "5", FallbackMarkdown: "*x*"}, `{'code','id':'5','language':'markdown','text':'*x*'}`, "no output: fallback"},
		{&doc.RawMarkdown{ID: "5", Markdown: "a\r\nb\n", Reason: "too_deep"}, `{'code','id':'5','language':'markdown','text':'a\nb'}`, "no CR in code"},
		{&doc.Diff{ID: "5", Text: "-a\n+b"}, `{'code','id':'5','language':'diff','text':'-a\n+b'}`, "diff"},
		{&doc.ArtifactRef{ID: "5", Path: "a/b.md", Text: "Plan", Raw: "vance:/a/b.md?kind=list"},
			`{'paragraph','id':'5','inlines':[{'text','text':'📎 '},{'link','href':'vance:/a/b.md?kind=list','safe':true,'children':[{'text','text':'Plan'}]}]}`, "path is in the address"},
		{&doc.ArtifactRef{ID: "5", Path: "a b.md", Project: "p", Text: "Plan", Caption: "Now"},
			`{'paragraph','id':'5','inlines':[{'text','text':'📎 '},{'link','href':'vance://p/a%20b.md','safe':true,'children':[{'text','text':'Plan'}]},{'text','text':' — '},{'text','text':'Now'},{'text','text':' ('},{'text','text':'a b.md'},{'text','text':')'}]}`, "path is encoded in the address"},
		{&doc.ArtifactRef{ID: "5", Path: "a/b.md"},
			`{'paragraph','id':'5','inlines':[{'text','text':'📎 '},{'link','href':'vance:/a/b.md','safe':true,'children':[{'text','text':'a/b.md'}]}]}`, "nothing but a path"},
		{&doc.Media{ID: "5", Source: "https://e.org/x.png", Alt: "X", Caption: "one\ntwo"},
			`{'paragraph','id':'5','inlines':[{'image','src':'https://e.org/x.png','alt':'X','safe':true},{'break','hard':true},{'text','text':'one'},{'break','hard':true},{'text','text':'two'}]}`, "media"},
		{&doc.Callout{ID: "5", Tone: doc.ToneInfo, Title: []doc.Inline{&doc.Text{Text: "Note"}}, Blocks: []doc.Block{&doc.Diff{ID: "5.1", Text: "+x"}}},
			`{'quote','id':'5','blocks':[{'paragraph','id':'5.0','inlines':[{'strong','children':[{'text','text':'Note'}]}]},{'code','id':'5.1','language':'diff','text':'+x'}]}`, "title before the first child, children lowered"},
		{&doc.Callout{ID: "5", Blocks: []doc.Block{&doc.Rule{ID: "5.1"}}}, `{'quote','id':'5','blocks':[{'rule','id':'5.1'}]}`, "no title"},
		{&doc.Citations{ID: "5", Items: []doc.Citation{
			{Label: "1", Blocks: []doc.Block{&doc.Paragraph{ID: "5.1.1", Inlines: []doc.Inline{&doc.Text{Text: "why"}}}}},
			{Label: "2", Title: "T", URL: "https://e.org", Blocks: []doc.Block{&doc.Code{ID: "5.2.1", Text: "x"}}},
			{Blocks: []doc.Block{&doc.Rule{ID: "5.3.1"}}},
		}}, `{'paragraph','id':'5.1.1','inlines':[{'text','text':'[1]'},{'text','text':' '},{'text','text':'why'}]},` +
			`{'paragraph','id':'5.2.0','inlines':[{'text','text':'[2]'},{'text','text':' '},{'link','href':'https://e.org','safe':true,'children':[{'text','text':'T'}]}]},` +
			`{'code','id':'5.2.1','text':'x'},{'rule','id':'5.3.1'}`, "citations"},
		{&doc.Quote{ID: "5", Blocks: []doc.Block{&doc.Diff{ID: "5.1", Text: "+x"}}}, `{'quote','id':'5','blocks':[{'code','id':'5.1','language':'diff','text':'+x'}]}`, "inside a quote"},

		{diagram("mindmap", "- a\n  - b\n- c\n"), list5(`{'blocks':[` + para("5.1.1", "a") + `,{'list','id':'5.1.2','items':[{'blocks':[` + para("5.1.2.1.1", "b") + `]}]}]},{'blocks':[` + para("5.2.1", "c") + `]}`), "bullets"},
		{diagram("Tree", "a\n\tb"), list5(`{'blocks':[` + para("5.1.1", "a") + `,{'list','id':'5.1.2','items':[{'blocks':[` + para("5.1.2.1.1", "b") + `]}]}]}`), "plain lines, a tab"},
		{diagram("items", "* [x] a\n\n+ [ ] b"), list5(`{'task':'done','blocks':[` + para("5.1.1", "a") + `]},{'task':'open','blocks':[` + para("5.2.1", "b") + `]}`), "tasks"},
		{diagram("list", "3. a\n4. b"), `{'list','id':'5','ordered':true,'start':3,'items':[{'blocks':[` + para("5.1.1", "a") + `]},{'blocks':[` + para("5.2.1", "b") + `]}]}`, "numbers that count"},
		{diagram("list", "3. a\n3) b"), list5(`{'blocks':[` + para("5.1.1", "3. a") + `]},{'blocks':[` + para("5.2.1", "3) b") + `]}`), "numbers that do not"},
		{diagram("list", "- a\n  more\n- b"), list5(`{'blocks':[{'paragraph','id':'5.1.1','inlines':[{'text','text':'a'},{'break','hard':true},{'text','text':'more'}]}]},{'blocks':[` + para("5.2.1", "b") + `]}`), "a line that goes on"},
		{diagram("list", "  - a\n- b"), list5(`{'blocks':[` + para("5.1.1", "a") + `]},{'blocks':[` + para("5.2.1", "b") + `]}`), "first line deeper"},
		{diagram("tree", "src\n├── a\n└── b"), code("tree", "src\n├── a\n└── b"), "a drawn tree stays as drawn"},
		{diagram("mindmap", " \n"), code("mindmap", " "), "nothing in it"},
		{diagram("mermaid", "graph TD"), code("mermaid", "graph TD"), "no text form"},
		{diagram("table", "| a | b \\| c |\n|:--|--:|\n| 1 | 2 | 3 |\n| 4 |"),
			`{'table','id':'5','align':['left','right'],'header':[` + cells("a", "b | c") + `],'rows':[[` + cells("1", "2", "3") + `],[` + cells("4") + `]]}`, "markdown"},
		{diagram("table", "a,b\n1,\"2, 3\""), `{'table','id':'5','header':[` + cells("a", "b") + `],'rows':[[` + cells("1", "2, 3") + `]]}`, "commas"},
		{diagram("table", "a;b\n1,5;2"), `{'table','id':'5','header':[` + cells("a", "b") + `],'rows':[[` + cells("1,5", "2") + `]]}`, "semicolons"},
		{diagram("table", "a,b\n1"), code("table", "a,b\n1"), "lines of unlike length"},
		{diagram("table", "one line"), code("table", "one line"), "no table"},
		{diagram("records", "name: Ada\nage: 36\n\nage: 7\ncity: X"),
			`{'table','id':'5','header':[` + cells("name", "age", "city") + `],'rows':[[` + cells("Ada", "36") + `],[[],` + cells("7", "X") + `]]}`, "blocks of fields"},
		{diagram("records", "- name: Ada\n  url: https://e.org\n- name: Bob"),
			`{'table','id':'5','header':[` + cells("name", "url") + `],'rows':[[` + cells("Ada", "https://e.org") + `],[` + cells("Bob") + `]]}`, "fields behind bullets"},
		{diagram("records", "schema: [name, age]\n- Ada, 36\n- Bob, 7"),
			`{'table','id':'5','header':[` + cells("name", "age") + `],'rows':[[` + cells("Ada", "36") + `],[` + cells("Bob", "7") + `]]}`, "schema line"},
		{diagram("records", "a,b\n1,2"), `{'table','id':'5','header':[` + cells("a", "b") + `],'rows':[[` + cells("1", "2") + `]]}`, "commas"},
		{diagram("records", "a: 1\na: 2"), code("records", "a: 1\na: 2"), "a field twice"},
		{diagram("records", `{"a":1}`), code("records", `{"a":1}`), "JSON"},
		{diagram("youtube", "dQw4w9WgXcQ\n"), youtube("https://www.youtube.com/watch?v=dQw4w9WgXcQ"), "a number"},
		{diagram("youtube", "https://youtu.be/dQw4w9WgXcQ"), youtube("https://youtu.be/dQw4w9WgXcQ"), "an address"},
		{diagram("youtube", "see this"), code("youtube", "see this"), "neither"},
	} {
		d := &doc.Document{Version: 1, Blocks: []doc.Block{c.in}}
		before := string(doc.Append(nil, d, doc.WithSource))
		low := doc.Lower(d, doc.Support{})
		var got []string
		for _, b := range low.Blocks {
			got = append(got, string(doc.AppendBlock(nil, b)))
		}
		want := strings.ReplaceAll(c.want, `\'`, `\"`)
		for _, k := range []string{"code", "paragraph", "list", "table", "quote", "rule", "text", "link", "image", "break", "strong"} {
			want = strings.ReplaceAll(want, `{'`+k+`'`, `{'type':'`+k+`'`)
		}
		want = strings.ReplaceAll(want, "{'type':'text':", "{'text':")
		want = strings.ReplaceAll(want, "'", `"`)
		if g := strings.Join(got, ","); g != want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, g, want)
		}
		if after := string(doc.Append(nil, d, doc.WithSource)); after != before {
			t.Errorf("%s: the document was changed", c.why)
		}
	}
}

func list5(items string) string { return `{'list','id':'5','items':[` + items + `]}` }

func para(id, text string) string {
	return `{'paragraph','id':'` + id + `','inlines':[{'text','text':'` + text + `'}]}`
}

func cells(texts ...string) string {
	var out []string
	for _, s := range texts {
		out = append(out, `[{'text','text':'`+s+`'}]`)
	}
	return strings.Join(out, ",")
}

func youtube(href string) string {
	return `{'paragraph','id':'5','inlines':[{'text','text':'▶ '},{'link','href':'` + href + `','safe':true,'children':[{'text','text':'` + href + `'}]}]}`
}

func TestLowerShares(t *testing.T) {
	same := &doc.Quote{ID: "1", Blocks: []doc.Block{&doc.Paragraph{ID: "1.1"}}}
	d := &doc.Document{Version: 1, Source: "s", Blocks: []doc.Block{same, &doc.Diff{ID: "2"}}}
	if got := doc.Lower(d, doc.Support{Blocks: []doc.Kind{doc.KindDiff}}); got != d {
		t.Error("a document that needs no lowering was copied")
	}
	got := doc.Lower(d, doc.Support{})
	if got == d || got.Blocks[0] != doc.Block(same) || got.Source != "s" {
		t.Error("a block that needs no lowering was copied, or the source lost")
	}
}

// What is lowered is a valid document that knows none of the foreign kinds,
// needs no second lowering and says every word that the first one said.
func TestLowerProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := doctest.Random(t, doctest.Options{})
		var to doc.Support
		for _, k := range doc.Kinds() {
			if rapid.Bool().Draw(t, string(k)) {
				to.Blocks = append(to.Blocks, k)
			}
		}
		low := doc.Lower(d, to)
		b := doc.Append(nil, low, doc.WithSource)
		again, err := doc.Parse(b, doc.Limits{})
		if err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		if second := doc.Lower(again, to); second != again {
			t.Fatalf("lowered twice: %s", b)
		}
		all, have := words(d), map[string]bool{}
		for _, w := range words(low) {
			have[w] = true
		}
		for _, w := range all {
			if !have[w] {
				t.Fatalf("lost %q\n from %s\n in %s", w, doc.Append(nil, d, doc.WithSource), b)
			}
		}
		if !reflect.DeepEqual(low.Diagnostics, d.Diagnostics) {
			t.Fatal("diagnostics were lost")
		}
	})
}

// words are the runs of letters and digits in what a reader of d must see.
func words(d *doc.Document) []string {
	var out []string
	for _, b := range d.Blocks {
		for s := range doc.Visible(b) {
			out = append(out, strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
		}
	}
	return out
}
