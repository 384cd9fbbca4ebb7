package sdktest

import (
	"fmt"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A Case is a document that renderers find hard, and its name.
type Case struct {
	Name string
	Doc  *doc.Document
}

// Documents returns the documents that [Conformance] renders. The first shows
// every kind of block and inline once. The caller owns the slice.
func Documents() []Case {
	return []Case{
		{"everything", everything()},
		{"empty", document()},
		{"nothing visible", document(&doc.Paragraph{ID: "1"}, &doc.Rule{ID: "2"}, para("3", text(" \u00a0 ")), &doc.Quote{ID: "4"})},
		{"unicode", unicodeText()},
		{"hostile markup", hostileMarkup()},
		{"hostile links", hostileLinks()},
		{"long word", document(para("1", text(strings.Repeat("Donaudampfschifffahrt", 500))))},
		{"long text", document(para("1", text(strings.Repeat("All work and no play. ", 1000))))},
		{"long code", document(&doc.Code{ID: "1", Language: "go", Filename: "a.go", Text: strings.Repeat("\tif x < y && y > z { return \"`\" }\n", 400) + "```\nend"})},
		{"long line of code", document(&doc.Code{ID: "1", Text: strings.Repeat("0123456789", 1000)})},
		{"wide table", table(3, 30)},
		{"long table", table(150, 3)},
		{"ragged table", raggedTable()},
		{"deep quotes", deep(40, func(id doc.ID, in doc.Block) doc.Block { return &doc.Quote{ID: id, Blocks: []doc.Block{in}} }, "")},
		{"deep lists", deep(15, func(id doc.ID, in doc.Block) doc.Block {
			return &doc.List{ID: id, Ordered: true, Start: 9, Items: []doc.Item{{Blocks: []doc.Block{in}}}}
		}, ".1")},
		{"many blocks", many(300)},
		{"many styles", manyStyles(300)},
	}
}

// Large returns a document of about 2 MB that takes a while to render.
func Large() *doc.Document {
	var blocks []doc.Block
	for i := range 20_000 {
		blocks = append(blocks, para(doc.ID(fmt.Sprint(i+1)), text("A line with *markup* & <entities> to escape, "),
			&doc.Strong{Children: []doc.Inline{text("something bold")}}, text(" and more of the same after it.")))
	}
	return document(blocks...)
}

func document(blocks ...doc.Block) *doc.Document {
	return &doc.Document{Version: doc.SchemaVersion, Blocks: blocks}
}

func text(s string) *doc.Text { return &doc.Text{Text: s} }

func para(id doc.ID, in ...doc.Inline) *doc.Paragraph { return &doc.Paragraph{ID: id, Inlines: in} }

func everything() *doc.Document {
	return document(
		&doc.Heading{ID: "1", Level: 1, Inlines: []doc.Inline{text("Heading "), &doc.CodeSpan{Text: "one"}}},
		para("2", text("Plain, "), &doc.Strong{Children: []doc.Inline{text("strong "), &doc.Emphasis{Children: []doc.Inline{text("both")}}}},
			text(", "), &doc.Strikethrough{Children: []doc.Inline{text("gone")}}, text(", "), &doc.Spoiler{Children: []doc.Inline{text("hidden")}},
			&doc.Break{Hard: true}, &doc.CodeSpan{Text: "a`b"}, &doc.Break{}, &doc.CodeSpan{Text: `\frac{a}{b}`, Math: true}, text(" "),
			&doc.Link{Href: "https://example.com/a_b", Title: "title", Safe: true, Children: []doc.Inline{text("a link")}}, text(" "),
			&doc.Link{Href: "https://example.com/", Safe: true, Children: []doc.Inline{text("https://example.com/")}}, text(" "),
			&doc.Image{Src: "https://example.com/i.png", Alt: "picture", Safe: true}, text(" "),
			&doc.Image{Src: "data:image/png;base64,AAAA", Alt: "inline picture"}),
		&doc.Heading{ID: "3", Level: 2, Inlines: []doc.Inline{text("Heading two")}},
		&doc.List{ID: "4", Items: []doc.Item{
			{Blocks: []doc.Block{para("4.1.1", text("one"))}},
			{Task: doc.TaskOpen, Blocks: []doc.Block{para("4.2.1", text("to do"))}},
			{Task: doc.TaskDone, Blocks: []doc.Block{para("4.3.1", text("done")), &doc.List{ID: "4.3.2", Ordered: true, Start: 7, Items: []doc.Item{
				{Blocks: []doc.Block{para("4.3.2.1.1", text("seven"))}}, {Blocks: []doc.Block{&doc.Code{ID: "4.3.2.2.1", Text: "code in a list"}}},
			}}}},
		}},
		&doc.Table{ID: "5", Align: []doc.Align{doc.AlignLeft, doc.AlignRight}, Header: []doc.Cell{{text("name")}, {text("count")}},
			Rows: [][]doc.Cell{{{text("apples")}, {text("12")}}, {{&doc.Link{Href: "https://example.com/p", Safe: true, Children: []doc.Inline{text("pears")}}}, {text("3")}}}},
		&doc.Quote{ID: "6", Blocks: []doc.Block{para("6.1", text("quoted")), &doc.Quote{ID: "6.2", Blocks: []doc.Block{para("6.2.1", text("inner"))}}}},
		&doc.Code{ID: "7", Language: "go", Filename: "main.go", Meta: "title=main.go", Text: "func main() {\n\tprintln(\"```\")\n}"},
		&doc.Diff{ID: "8", Text: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new", Files: []doc.DiffFile{{Old: "a", New: "b", Additions: 1, Deletions: 1}}},
		&doc.Diagram{ID: "9", DiagramKind: "mermaid", Source: "graph TD; a-->b"},
		&doc.Callout{ID: "10", Tone: doc.ToneWarning, Title: []doc.Inline{text("Mind the gap")}, Blocks: []doc.Block{para("10.1", text("It is wide."))}},
		&doc.Citations{ID: "11", Items: []doc.Citation{{Label: "1", URL: "https://example.com/s", Title: "Source", Blocks: []doc.Block{para("11.1.1", text("It says so."))}}}},
		&doc.Media{ID: "12", Source: "https://example.com/v.mp4", Alt: "a film", MediaType: "video/mp4", Caption: "The film"},
		&doc.ArtifactRef{ID: "13", Path: "reports/q3.md", Text: "the report", Raw: "[the report](vance:/reports/q3.md)"},
		&doc.Structured{ID: "14", Output: `{"semantic_type":"metric","payload":{"label":"load","value":3}}`, FallbackMarkdown: "load: 3"},
		&doc.Rule{ID: "15"},
		&doc.RawMarkdown{ID: "16", Markdown: "*left* as it is", Reason: "limit"},
	)
}

func unicodeText() *doc.Document {
	return document(
		para("1", text("👩‍👩‍👧‍👦🏳️‍🌈🇩🇪 e\u0301\u0302 "), &doc.Strong{Children: []doc.Inline{text("标签：")}}, text("正文 العربية עברית ไทย हिन्दी")),
		para("2", text("zero\u200bwidth non\u00adhyphen\u2060joined no\u00a0break line\u2028separator"), &doc.Emphasis{Children: []doc.Inline{text("“quoted”")}}),
		para("3", text(strings.Repeat("👩‍👩‍👧‍👦", 400))),
		para("4", text(strings.Repeat("e\u0301\u0302\u0303", 600))),
		para("5", text("𝔘𝔫𝔦𝔠𝔬𝔡𝔢 "+strings.Repeat("漢字", 900))),
		&doc.Code{ID: "6", Text: strings.Repeat("日本語のコード👍\n", 80) + "end"},
	)
}

func hostileMarkup() *doc.Document {
	const every = "*a* _b_ ~c~ ||d|| `e` ```f``` <b>g</b> </pre> &lt; &amp;amp; [h](i) <@U1> @everyone @here #j > k - l 1. m \\ \\* <!channel> -# n >>> o"
	return document(
		&doc.Heading{ID: "1", Level: 3, Inlines: []doc.Inline{text(every)}},
		para("2", text("> not a quote"), &doc.Break{}, text("- not a list"), &doc.Break{}, text("1. neither"), &doc.Break{}, text("# nor a heading"), &doc.Break{}, text("```")),
		para("3", &doc.CodeSpan{Text: every}, text(" "), &doc.CodeSpan{Text: "`"}, text(" "), &doc.CodeSpan{Text: "``` ```"}),
		&doc.Code{ID: "4", Language: "\"><script>", Text: every + "\n```\n````\n</code></pre>\n~~~"},
		&doc.Quote{ID: "5", Blocks: []doc.Block{para("5.1", text(every)), &doc.Code{ID: "5.2", Text: "```\n> x"}}},
		&doc.Table{ID: "6", Header: []doc.Cell{{text("a|b")}, {&doc.CodeSpan{Text: "c|d"}}}, Rows: [][]doc.Cell{{{text(every)}, {text("```")}}}},
		para("7", &doc.Strong{Children: []doc.Inline{text("*")}}, &doc.Emphasis{Children: []doc.Inline{text("_")}}, text("x"),
			&doc.Strong{Children: []doc.Inline{&doc.Strong{Children: []doc.Inline{text("twice")}}}}, text("y")),
	)
}

func hostileLinks() *doc.Document {
	long := "https://example.com/" + strings.Repeat("path/", 200)
	return document(
		para("1", &doc.Link{Href: "javascript:alert(1)", Children: []doc.Inline{text("press me")}}),
		para("2", &doc.Link{Href: "https://evil.example/", Safe: true, Children: []doc.Inline{text("https://good.example/")}}),
		para("3", &doc.Link{Href: "https://example.com/a|b>c\"d<e)f(g h", Safe: true, Children: []doc.Inline{text("x|y]z)[w"), &doc.CodeSpan{Text: "code"}}}),
		para("4", &doc.Link{Href: "https://example.com/", Safe: true}),
		para("5", &doc.Link{Href: long, Safe: true, Children: []doc.Inline{text(strings.Repeat("long label ", 60))}}),
		para("6", text(long)),
		para("7", &doc.Link{Href: "https://example.com/i", Safe: true, Children: []doc.Inline{&doc.Image{Src: "https://example.com/i.png", Alt: "", Safe: true}}}),
		para("8", &doc.Image{Src: "data:image/svg+xml,<svg onload=alert(1)>", Alt: "drawing"}),
		para("9", &doc.Link{Href: "", Children: []doc.Inline{text("to nowhere")}}),
	)
}

func table(rows, columns int) *doc.Document {
	t := &doc.Table{ID: "1"}
	for c := range columns {
		t.Align = append(t.Align, doc.AlignNone)
		t.Header = append(t.Header, doc.Cell{text(fmt.Sprintf("column %d", c+1))})
	}
	for r := range rows {
		var row []doc.Cell
		for c := range columns {
			row = append(row, doc.Cell{text(fmt.Sprintf("r%dc%d", r+1, c+1)), text(" ü"), &doc.Strong{Children: []doc.Inline{text("b")}}})
		}
		t.Rows = append(t.Rows, row)
	}
	return document(t)
}

func raggedTable() *doc.Document {
	return document(&doc.Table{ID: "1", Align: []doc.Align{doc.AlignCenter}, Header: []doc.Cell{{text("only")}},
		Rows: [][]doc.Cell{{{text("a")}, {text("extra")}, {text("more")}}, {}, {{}, {text("second")}}, {{text(strings.Repeat("long cell ", 50))}}}})
}

// deep nests n blocks around a paragraph. step stands between the ids of a block
// and its child.
func deep(n int, wrap func(doc.ID, doc.Block) doc.Block, step string) *doc.Document {
	ids := []doc.ID{"1"}
	for range n {
		ids = append(ids, ids[len(ids)-1]+doc.ID(step)+".1")
	}
	var b doc.Block = para(ids[n], text("the bottom, "), &doc.Strong{Children: []doc.Inline{text("at last")}})
	for i := n - 1; i >= 0; i-- {
		b = wrap(ids[i], b)
	}
	return document(b)
}

func many(n int) *doc.Document {
	var blocks []doc.Block
	for i := range n {
		blocks = append(blocks, para(doc.ID(fmt.Sprint(i+1)), text(fmt.Sprintf("Paragraph %d.", i+1))))
	}
	return document(blocks...)
}

func manyStyles(n int) *doc.Document {
	var in []doc.Inline
	for i := range n {
		in = append(in, &doc.Strong{Children: []doc.Inline{text(fmt.Sprintf("bold%d", i))}}, text(" "), &doc.CodeSpan{Text: fmt.Sprintf("code%d", i)}, text(" "))
	}
	return document(para("1", in...))
}
