package oracle

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func text(s string) doc.Inline { return &doc.Text{Text: s} }

func paragraph(ins ...doc.Inline) *doc.Document {
	return &doc.Document{Version: doc.SchemaVersion, Blocks: []doc.Block{&doc.Paragraph{ID: "1", Inlines: ins}}}
}

// An oracle that never complains is worth nothing: every kind of fault that it
// is here for is shown to it once, beside the form that is right.
func TestJudgeComplains(t *testing.T) {
	all := parsers(t)
	strong := paragraph(text("a "), &doc.Strong{Children: []doc.Inline{text("b c")}}, text(" d"))
	code := paragraph(text("a "), &doc.CodeSpan{Text: "x_y"}, text(" d"))
	link := paragraph(&doc.Link{Href: "https://example.com/p", Safe: true, Children: []doc.Inline{text("label")}}, text(" end"))
	fence := &doc.Document{Blocks: []doc.Block{&doc.Code{ID: "1", Language: "go", Text: "a := 1\nb"}}}
	quote := &doc.Document{Blocks: []doc.Block{&doc.Quote{ID: "1", Blocks: []doc.Block{&doc.Paragraph{ID: "1.1", Inlines: []doc.Inline{text("said")}}}}}}
	list := &doc.Document{Blocks: []doc.Block{&doc.List{ID: "1", Ordered: true, Start: 7, Items: []doc.Item{
		{Blocks: []doc.Block{&doc.Paragraph{ID: "1.1.1", Inlines: []doc.Inline{text("seven")}}}},
		{Blocks: []doc.Block{&doc.Paragraph{ID: "1.2.1", Inlines: []doc.Inline{text("eight")}}}},
	}}}}
	table := &doc.Document{Blocks: []doc.Block{&doc.Table{ID: "1",
		Header: []doc.Cell{{text("name")}, {text("size")}}, Rows: [][]doc.Cell{{{text("go")}, {text("12")}}}}}}
	plain := paragraph(text("one two three"))

	for _, c := range []struct {
		why     string
		on      string
		doc     *doc.Document
		chunks  []string
		fault   string // part of the complaint; empty: none
		renders string
	}{
		{"bold", "telegram", strong, []string{"a <b>b c</b> d"}, "", ""},
		{"bold written out as text", "telegram", strong, []string{"a **b c** d"}, "is not strong", ""},
		{"bold left out", "slack", strong, []string{"a b c d"}, "is not strong", ""},
		{"bold on a part only", "slack", strong, []string{"a *b* c d"}, "is not strong", ""},
		{"bold over two chunks", "telegram", strong, []string{"a <b>b</b>", "<b>c</b> d"}, "", ""},
		{"bold against a letter is text on Slack", "slack", strong, []string{"a*b c* d"}, "is not strong", ""},
		{"bold", "discord", strong, []string{"a **b c** d"}, "", ""},
		{"bold escaped", "discord", strong, []string{`a \*\*b c\*\* d`}, "is not strong", ""},
		{"tags that TDLib refuses", "telegram", strong, []string{"a <p>b c</p> d"}, "refused", ""},
		{"bold in code, which Telegram drops", "telegram", strong, []string{"a <code><b>b c</b></code> d"}, "would drop", ""},
		{"code", "telegram", code, []string{"a <code>x_y</code> d"}, "", ""},
		{"code as text", "discord", code, []string{`a x\_y d`}, "is not code", ""},
		{"link", "telegram", link, []string{`<a href="https://example.com/p">label</a> end`}, "", ""},
		{"link to elsewhere", "telegram", link, []string{`<a href="https://example.com/q">label</a> end`}, "lost: address", ""},
		{"link printed", "telegram", link, []string{"label (https://example.com/p) end"}, "is not behind its label", ""},
		{"link", "slack", link, []string{"<https://example.com/p|label> end"}, "", ""},
		{"link in angles", "discord", link, []string{"label (<https://example.com/p>) end"}, "", ""},
		{"link masked", "discord", link, []string{"[label](https://example.com/p) end"}, "", ""},
		{"link lost", "discord", link, []string{"label end"}, "lost: address", ""},
		{"fence", "telegram", fence, []string{"<pre><code class=\"language-go\">a := 1\nb</code></pre>"}, "", ""},
		{"fence without its language", "telegram", fence, []string{"<pre>a := 1\nb</pre>"}, "has language", ""},
		{"fence", "slack", fence, []string{"```a := 1\nb```"}, "", ""},
		{"fence as text", "slack", fence, []string{"a := 1\nb"}, "is not pre", ""},
		{"fence without its language", "discord", fence, []string{"```\na := 1\nb\n```"}, "has language", ""},
		{"quote", "slack", quote, []string{"> said"}, "", ""},
		{"quote", "discord", quote, []string{"> said"}, "", ""},
		{"quote as text", "discord", quote, []string{"\\> said"}, "is not quote", ""},
		{"list", "discord", list, []string{"7. seven\n8. eight"}, "", ""},
		{"list numbered anew", "slack", list, []string{"7. seven\n1. eight"}, "lost: number", ""},
		{"grid", "slack", table, []string{"```name size\ngo   12```"}, "", ""},
		{"cell lost", "slack", table, []string{"```name size\ngo```"}, `word "12"`, ""},
		{"words in order", "slack", plain, []string{"one two three"}, "", ""},
		{"word lost", "slack", plain, []string{"one three"}, "lost: text", ""},
		{"words moved", "slack", plain, []string{"one three two"}, "lost: text", ""},
		{"word twice", "slack", plain, []string{"one two three", "three"}, "without being in the document", ""},
		{"name that pings", "slack", plain, []string{"one two three <!here>"}, "live token", ""},
		{"name that pings", "discord", plain, []string{"one two three @everyone"}, "live token", ""},
		{"link that nobody wrote", "slack", plain, []string{"one two <https://example.com/evil|three>"}, "not in the document", ""},
		{"ampersand not escaped", "slack", paragraph(text("a & b")), []string{"a & b"}, "unescaped ampersand", ""},
		{"nothing to see", "telegram", paragraph(), []string{"\u200b"}, "blank message", ""},
		{"too long", "telegram", paragraph(text(strings.Repeat("a", 4097))), []string{strings.Repeat("a", 4097)}, "4097 UTF-16 units", ""},
		{"too long", "slack", paragraph(text(strings.Repeat("a", 3901))), []string{strings.Repeat("a", 3901)}, "3901 code points", ""},
		{"plain instead of rendered", "log", plain, []string{"one two three"}, "core/plain", "core/plain"},
	} {
		t.Run(c.on+"/"+c.why, func(t *testing.T) {
			p := &packet.Packet{Surface: c.on, Renderer: packet.Renderer{ID: c.renders}}
			for _, s := range c.chunks {
				p.Chunks = append(p.Chunks, packet.Chunk{Text: s})
			}
			parser := all[c.on]
			if parser == nil {
				parser = all["slack"]
			}
			v := Judge("x", c.doc, p, parser)
			if c.fault == "" {
				if !v.OK() {
					t.Errorf("complains: %q", v.Faults)
				}
				return
			}
			if !slices.ContainsFunc(v.Faults, func(f string) bool { return strings.Contains(f, c.fault) }) {
				t.Errorf("faults %q, want one with %q", v.Faults, c.fault)
			}
		})
	}
}

// A note excuses what is inside its block and is counted.
func TestNotesExcuse(t *testing.T) {
	all := parsers(t)
	d := paragraph(text("a"), &doc.Strong{Children: []doc.Inline{text("b")}})
	p := &packet.Packet{Surface: "slack", Chunks: []packet.Chunk{{Text: "ab"}}}
	p.Coverage.Blocks = []packet.Block{{ID: "1", Disposition: surface.AsFallback, Reason: "word_boundary"}}
	v := Judge("x", d, p, all["slack"])
	if !v.OK() || v.Excused["word_boundary"] != 1 {
		t.Errorf("faults %q, excused %v", v.Faults, v.Excused)
	}
}
