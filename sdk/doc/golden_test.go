package doc_test

import (
	"flag"
	"os"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

var update = flag.Bool("update", false, "write the golden files anew")

// everything is a document for each part of the vocabulary.
func everything() (names []string, docs []*doc.Document) {
	text := func(s string) []doc.Inline { return []doc.Inline{&doc.Text{Text: s}} }
	add := func(name string, bs ...doc.Block) {
		names = append(names, name)
		docs = append(docs, &doc.Document{Version: doc.SchemaVersion, Blocks: bs})
	}
	para := func(id doc.ID, ins ...doc.Inline) doc.Block { return &doc.Paragraph{ID: id, Inlines: ins} }
	add("heading", &doc.Heading{ID: "1", Level: 2, Inlines: text("Title")})
	add("paragraph", para("1", text("one")...), para("2"))
	add("list", &doc.List{ID: "1", Items: []doc.Item{{Blocks: []doc.Block{para("1.1.1", text("one")...)}}, {}}})
	add("list_ordered", &doc.List{ID: "1", Ordered: true, Start: 3, Items: []doc.Item{{Task: doc.TaskDone, Blocks: []doc.Block{para("1.1.1", text("three")...)}}}})
	add("table", &doc.Table{ID: "1", Align: []doc.Align{doc.AlignNone, doc.AlignRight}, Header: []doc.Cell{text("a"), nil}, Rows: [][]doc.Cell{{text("1"), text("2"), text("3")}, nil}})
	add("quote", &doc.Quote{ID: "1", Blocks: []doc.Block{&doc.Rule{ID: "1.1"}}})
	add("code", &doc.Code{ID: "1", Language: "go", Filename: "a.go", Meta: "title=a.go", Text: "\tif a < b && c {\n\t}"})
	add("diff", &doc.Diff{ID: "1", Text: "-a\n+b", Files: []doc.DiffFile{{Old: "x", New: "y", Additions: 1, Deletions: 1}}})
	add("diagram", &doc.Diagram{ID: "1", DiagramKind: "mindmap", Meta: "theme=dark", Source: "- a"})
	add("callout", &doc.Callout{ID: "1", Tone: doc.ToneWarning, Title: text("Mind"), Blocks: []doc.Block{para("1.1")}})
	add("citations", &doc.Citations{ID: "1", Items: []doc.Citation{{Label: "1", URL: "https://example.com", Title: "T", Blocks: []doc.Block{para("1.1.1")}}, {}}})
	add("media", &doc.Media{ID: "1", Source: "https://example.com/x.png", Alt: "x", MediaType: "image/png", Caption: "a picture"})
	add("artifact_ref", &doc.ArtifactRef{ID: "1", Path: "a/b.md", Project: "p", ArtifactKind: "list", Mode: "reference", Caption: "c", Text: "t", Raw: "vance://p/a/b.md"})
	add("structured", &doc.Structured{ID: "1", Output: `{"semantic_type":"metric"}`, FallbackMarkdown: "*m*"})
	add("rule", &doc.Rule{ID: "1"})
	add("raw_markdown", &doc.RawMarkdown{ID: "1", Markdown: "> > >", Reason: "too_deep"})
	add("inlines", para("1",
		&doc.Strong{Children: text("a")}, &doc.Emphasis{Children: text("b")}, &doc.Strikethrough{Children: text("c")}, &doc.Spoiler{Children: text("d")},
		&doc.CodeSpan{Text: "e"}, &doc.CodeSpan{Text: "f", Math: true},
		&doc.Link{Href: "https://example.com/?a=1&b=2", Title: "t", Safe: true, Children: text("g")}, &doc.Link{Href: "javascript:h"},
		&doc.Image{Src: "https://example.com/i", Alt: "i", Title: "t", Safe: true}, &doc.Break{}, &doc.Break{Hard: true}))
	add("escapes", para("1", text("quote \" backslash \\ tab \t null \x00 escape \x1b less < and & del \x7f line separator \u2028 emoji 👍")...))
	add("not_utf8", &doc.Code{ID: "1", Filename: "\xff", Text: "a\xc3\nb"})
	add("document")
	docs[len(docs)-1].Source = "# not \xff\n"
	docs[len(docs)-1].Diagnostics = []doc.Diagnostic{{Code: "comment", Severity: doc.Info, Block: "2", Message: "A comment was left out."}, {Code: "x"}}
	return names, docs
}

// The wire form, byte by byte: it changes only with a version.
func TestWireForm(t *testing.T) {
	const file = "testdata/wire.txtar"
	names, docs := everything()
	if *update {
		a := &txtar.Archive{Comment: []byte("The wire form of documents, one part of the vocabulary after the other.\nMade by go test -update; see TestWireForm.\n\n")}
		for i, d := range docs {
			a.Files = append(a.Files, txtar.File{Name: names[i], Data: append(doc.Append(nil, d, doc.WithSource), '\n')})
		}
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Files) != len(docs) {
		t.Fatalf("%d golden documents for %d", len(a.Files), len(docs))
	}
	for i, f := range a.Files {
		want := string(f.Data[:len(f.Data)-1])
		if got := string(doc.Append(nil, docs[i], doc.WithSource)); f.Name != names[i] || got != want {
			t.Errorf("%s\n got %s\nwant %s", f.Name, got, want)
		}
		d, err := doc.Parse([]byte(want), doc.Limits{})
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		} else if got := string(doc.Append(nil, d, doc.WithSource)); got != want {
			t.Errorf("%s read and written again\n got %s\nwant %s", f.Name, got, want)
		}
	}
}
