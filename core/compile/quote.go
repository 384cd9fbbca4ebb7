package compile

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// callouts are the kinds of GitHub's callouts.
var callouts = map[string]struct {
	tone  doc.Tone
	title string
}{
	"note":      {doc.ToneInfo, "Note"},
	"tip":       {doc.ToneSuccess, "Tip"},
	"important": {doc.ToneAccent, "Important"},
	"warning":   {doc.ToneWarning, "Warning"},
	"caution":   {doc.ToneDanger, "Caution"},
}

// quote builds a quote, or the callout that its first line makes of it.
func (b *builder) quote(sc *scope, n *ast.Blockquote) {
	id := sc.next()
	in := sc.inner(id)
	mark, notes := len(b.stack), len(b.diags)
	first := n.FirstChild()
	if first != nil && isText(first) {
		if c, rest, ok := b.callout(sc, b.st.leaf(first.Lines())); ok {
			b.paragraph(&in, rest)
			b.blocks(&in, first.NextSibling())
			b.closeScope(&in)
			c.Blocks = b.take(mark)
			b.put(sc, c)
			return
		}
	}
	b.blocks(&in, first)
	b.closeScope(&in)
	if blocks := b.take(mark); blocks != nil {
		b.put(sc, &doc.Quote{ID: id, Blocks: blocks})
	} else {
		b.disown(notes, id, sc)
	}
}

// callout reads "[!NOTE]" and a title on the first line of a quote, and returns
// the text of its other lines.
func (b *builder) callout(sc *scope, text string) (*doc.Callout, string, bool) {
	if !strings.HasPrefix(text, "[!") {
		return nil, "", false
	}
	line, rest, _ := strings.Cut(text, "\n")
	name, title, ok := strings.Cut(line[2:], "]")
	if !ok || len(name) > len("important") {
		return nil, "", false
	}
	kind, ok := callouts[strings.ToLower(name)]
	if !ok || title != "" && title[0] != ' ' && title[0] != '\t' {
		return nil, "", false
	}
	c := &doc.Callout{ID: sc.next(), Tone: kind.tone}
	if title = strings.TrimSpace(title); title != "" {
		c.Title = b.inlinesIn(sc, title)
	}
	if c.Title == nil {
		t := b.mem.texts.new()
		t.Text = kind.title
		c.Title = []doc.Inline{t}
		b.count(1)
	}
	return c, rest, true
}
