package doctest

import (
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// Options narrow what [Random] makes. The zero value is all of the vocabulary.
type Options struct {
	Kinds  []doc.Kind // block kinds to use; nil: all
	Depth  int        // of blocks within blocks; 0: 3
	Bytes  bool       // strings may hold bytes that are not UTF-8
	Source bool       // the document has a source
}

// Document draws a document that uses all of the vocabulary, bytes that are not
// UTF-8 included.
func Document(t *rapid.T) *doc.Document {
	return Random(t, Options{Bytes: true, Source: true})
}

// Random draws a document. It keeps every promise of package doc, so that Parse
// takes it, and its empty slices are nil.
func Random(t *rapid.T, o Options) *doc.Document {
	if o.Kinds == nil {
		o.Kinds = doc.Kinds()
	}
	if o.Depth == 0 {
		o.Depth = 3
	}
	g := generator{t, o}
	d := &doc.Document{Version: doc.SchemaVersion}
	if o.Source {
		d.Source = g.text("source")
	}
	d.Blocks = g.blocks("", o.Depth, 5)
	if g.one(4) {
		d.Diagnostics = []doc.Diagnostic{
			{Code: "unclosed_fence", Severity: doc.Warning, Message: g.text("message")},
			{Code: "comment", Block: "1"},
		}
	}
	return d
}

type generator struct {
	t *rapid.T
	o Options
}

// one is true once in n times, and false when shrunk.
func (g generator) one(n int) bool { return rapid.IntRange(0, n-1).Draw(g.t, "one") == n-1 }

func (g generator) upTo(n int) int { return rapid.IntRange(0, n).Draw(g.t, "n") }

// words are what texts are made of: several scripts, characters that dialects
// treat with care, and such as look alike in a diff.
var words = []string{
	"the", "answer", "is", "a", "snake_case_name", "2*3", "x<y", "&amp;", "<b>", "`tick`", "**", "|", "||", "~~", "#", ">", "-",
	"1.", "@name", "#channel", "http://example.com/a_b?c=d&e=(f)", "日本語", "中文，", "한국어", "émoji", "👩‍👩‍👧‍👦", "🇩🇪",
	"e\u0301", "ﬁ", "ß", "\u200b", "\u2060", "\u00a0", "\u202e", "\\", "\\n", "\"", "'", "[1]", "(", ")", "]", "☐", "•", "ï¿½", "\ufffd",
	"and", "some", "more", "ordinary", "words", "follow", "here", "42", "3.14", "C++",
}

func (g generator) text(label string) string {
	var b strings.Builder
	for i := range g.upTo(6) {
		if i > 0 && !g.one(5) {
			b.WriteByte(' ')
		}
		b.WriteString(rapid.SampledFrom(words).Draw(g.t, label))
	}
	if g.o.Bytes && g.one(12) {
		b.WriteString(rapid.SampledFrom([]string{"\xff", "\xc3", "a\xed\xa0\x80b", "\xf0\x9f"}).Draw(g.t, label))
	}
	if g.o.Bytes && g.one(12) {
		b.WriteString(rapid.SampledFrom([]string{"\x00", "\x1b[0m", "\t", "\u2028", "\x7f"}).Draw(g.t, label))
	}
	return b.String()
}

func (g generator) lines(label string) string {
	var lines []string
	for range g.upTo(4) {
		lines = append(lines, g.text(label))
	}
	return strings.Join(lines, "\n")
}

func (g generator) url() string { return rapid.SampledFrom(urls).Draw(g.t, "url") }

// picture is an address that may hold the picture itself.
func (g generator) picture() string {
	if g.one(8) {
		return "data:image/png;base64,AAAA"
	}
	return g.url()
}

var urls = []string{

	"https://example.com/", "http://example.com/ab?c=d&e=(f)#g", "mailto:a@b.c", "vance:/a/b.md?kind=list", "javascript:alert(1)",
	"/relative", "", "tel:+491234", "https://例え.jp/パス", "ftp://h/x y",
}

func (g generator) blocks(parent string, depth, most int) []doc.Block {
	var out []doc.Block
	for i := range g.upTo(most) {
		id := strconv.Itoa(i + 1)
		if parent != "" {
			id = parent + "." + id
		}
		out = append(out, g.block(doc.ID(id), depth))
	}
	return out
}

func (g generator) block(id doc.ID, depth int) doc.Block {
	below := func(n int) []doc.Block {
		if depth <= 1 {
			return []doc.Block{&doc.Paragraph{ID: id + doc.ID(parentless(n)) + ".1", Inlines: g.inlines(2, false)}}
		}
		return g.blocks(string(id)+parentless(n), depth-1, 3)
	}
	switch k := rapid.SampledFrom(g.o.Kinds).Draw(g.t, "kind"); k {
	case doc.KindHeading:
		return &doc.Heading{ID: id, Level: 1 + g.upTo(5), Inlines: g.inlines(2, false)}
	case doc.KindList:
		b := &doc.List{ID: id, Ordered: g.one(2)}
		if b.Ordered {
			b.Start = g.upTo(12)
		}
		for i := range g.upTo(4) {
			it := doc.Item{Blocks: below(i + 1)}
			if g.one(3) {
				it.Task = rapid.SampledFrom([]doc.Task{doc.TaskOpen, doc.TaskDone}).Draw(g.t, "task")
			}
			b.Items = append(b.Items, it)
		}
		return b
	case doc.KindTable:
		return g.table(id)
	case doc.KindQuote:
		return &doc.Quote{ID: id, Blocks: below(0)}
	case doc.KindCode:
		b := &doc.Code{ID: id, Text: g.lines("code")}
		if g.one(2) {
			b.Language, b.Meta = "go", "title=x"
			b.Filename = g.text("filename")
		}
		return b
	case doc.KindDiff:
		return &doc.Diff{ID: id, Text: "@@ -1 +1 @@\n-a\n+" + g.text("diff"), Files: []doc.DiffFile{{Old: "a", New: "b", Additions: 1, Deletions: 1}}}
	case doc.KindDiagram:
		return g.diagram(id)
	case doc.KindCallout:
		return &doc.Callout{ID: id, Tone: doc.ToneWarning, Title: g.inlines(1, false), Blocks: below(0)}
	case doc.KindCitations:
		b := &doc.Citations{ID: id}
		for i := range g.upTo(3) {
			b.Items = append(b.Items, doc.Citation{Label: strconv.Itoa(i + 1), URL: g.url(), Title: g.text("title"), Blocks: below(i + 1)})
		}
		return b
	case doc.KindMedia:
		return &doc.Media{ID: id, Source: g.picture(), Alt: g.text("alt"), MediaType: "image/png", Caption: g.text("caption")}
	case doc.KindArtifactRef:
		return &doc.ArtifactRef{
			ID: id, Path: "a b/c.md", Project: rapid.SampledFrom([]string{"", "p"}).Draw(g.t, "project"), ArtifactKind: "list",
			Mode: "preview", Caption: g.text("caption"), Text: g.text("text"), Raw: "vance:/a%20b/c.md?kind=list",
		}
	case doc.KindStructured:
		return &doc.Structured{ID: id, Output: `{"semantic_type":"metric","payload":{"label":` + strconv.QuoteToASCII("a") + `,"value":1}}`, FallbackMarkdown: g.lines("fallback")}
	case doc.KindRule:
		return &doc.Rule{ID: id}
	case doc.KindRawMarkdown:
		return &doc.RawMarkdown{ID: id, Markdown: g.lines("markdown"), Reason: "too_deep"}
	default:
		return &doc.Paragraph{ID: id, Inlines: g.inlines(2, false)}
	}
}

// parentless is the step of item n below its list, none for 0.
func parentless(n int) string {
	if n == 0 {
		return ""
	}
	return "." + strconv.Itoa(n)
}

func (g generator) table(id doc.ID) *doc.Table {
	b := &doc.Table{ID: id, Align: []doc.Align{}}
	row := func(n int) (out []doc.Cell) {
		for range n {
			out = append(out, g.inlines(1, false))
		}
		return out
	}
	b.Header = row(1 + g.upTo(3))
	for range b.Header {
		b.Align = append(b.Align, rapid.SampledFrom([]doc.Align{doc.AlignNone, doc.AlignLeft, doc.AlignCenter, doc.AlignRight}).Draw(g.t, "align"))
	}
	for range g.upTo(3) {
		b.Rows = append(b.Rows, row(g.upTo(4)))
	}
	return b
}

func (g generator) diagram(id doc.ID) *doc.Diagram {
	forms := map[string][]string{
		"mindmap": {"- a\n  - b\n    - c\n  - d", "root\n  one\n  two\n"},
		"tree":    {"- x", "a\n\tb\n\tc"},
		"list":    {"- one\n- two", "1. one\n2. two"},
		"items":   {"* one\n* two **bold**"},
		"records": {"name,age\nAda,36\nBob,7", "name: Ada\nage: 36\n\nname: Bob\nage: 7"},
		"table":   {"| a | b |\n| - | - |\n| 1 | 2 |", "a,b\n1,\"2,3\""},
		"youtube": {"dQw4w9WgXcQ", "https://youtu.be/dQw4w9WgXcQ", "not one"},
		"mermaid": {"graph TD\n  A-->B", ""},
	}
	kind := rapid.SampledFrom([]string{"mindmap", "tree", "list", "items", "records", "table", "youtube", "mermaid"}).Draw(g.t, "diagram")
	source := g.lines("source")
	if !g.one(3) {
		source = rapid.SampledFrom(forms[kind]).Draw(g.t, "source")
	}
	return &doc.Diagram{ID: id, DiagramKind: kind, Meta: "theme=dark", Source: source}
}

func (g generator) inlines(depth int, inLink bool) []doc.Inline {
	var out []doc.Inline
	for range g.upTo(4) {
		out = append(out, g.inline(depth, inLink))
	}
	return out
}

func (g generator) inline(depth int, inLink bool) doc.Inline {
	kinds := []string{"text", "text", "text", "text", "code", "image", "break"}
	if depth > 0 {
		kinds = append(kinds, "strong", "emphasis", "strikethrough", "spoiler")
		if !inLink {
			kinds = append(kinds, "link", "bare")
		}
	}
	switch rapid.SampledFrom(kinds).Draw(g.t, "inline") {
	case "code":
		return &doc.CodeSpan{Text: g.text("code"), Math: g.one(4)}
	case "image":
		u := g.picture()
		return &doc.Image{Src: u, Alt: g.text("alt"), Title: g.text("title"), Safe: doc.SafeURL(u)}
	case "break":
		return &doc.Break{Hard: g.one(2)}
	case "strong":
		return &doc.Strong{Children: g.inlines(depth-1, inLink)}
	case "emphasis":
		return &doc.Emphasis{Children: g.inlines(depth-1, inLink)}
	case "strikethrough":
		return &doc.Strikethrough{Children: g.inlines(depth-1, inLink)}
	case "spoiler":
		return &doc.Spoiler{Children: g.inlines(depth-1, inLink)}
	case "link":
		u := g.url()
		return &doc.Link{Href: u, Title: g.text("title"), Safe: doc.SafeURL(u), Children: g.inlines(depth-1, true)}
	case "bare":
		return &doc.Link{Href: "https://example.com/x", Safe: true, Children: []doc.Inline{&doc.Text{Text: "https://example.com/x"}}}
	default:
		return &doc.Text{Text: g.text("text")}
	}
}
