package compile

import (
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// refer gives f its number when something refers to it first.
func (b *builder) refer(f *footnote) {
	if f.number == 0 {
		b.numbered = append(b.numbered, f)
		f.number = len(b.numbered)
	}
}

// citations puts the footnotes in the order of their numbers, then those that
// nothing refers to, then the link definitions that nothing uses: an author
// wrote them, and mostly they are sources. What stands behind cut is in the
// source that is shown there.
func (b *builder) citations(sc *scope, cut int) {
	c := &doc.Citations{ID: sc.next()}
	done := 0
	add := func(f *footnote) {
		item := doc.Citation{Label: strconv.Itoa(f.number)}
		in := sc.inner(c.ID + doc.ID("."+strconv.Itoa(len(c.Items)+1)))
		mark := len(b.stack)
		b.blocks(&in, f.node.FirstChild())
		b.closeScope(&in)
		item.Blocks = b.take(mark)
		b.count(1)
		c.Items = append(c.Items, item)
	}
	referred := func() {
		for ; done < len(b.numbered) && !b.stopped(); done++ {
			add(b.numbered[done])
		}
	}
	referred()
	for _, f := range b.st.footnotes {
		if f.number == 0 && f.node.Pos() < cut && !b.stopped() {
			b.refer(f)
			referred()
		}
	}
	for _, d := range b.st.definitions {
		switch {
		case d.used || d.pos >= cut || b.stopped():
		case d.comment():
			b.comment("")
		case b.repeats(d):
		default:
			b.count(1)
			c.Items = append(c.Items, doc.Citation{Label: d.label, URL: d.href, Title: d.title})
		}
	}
	if b.stopped() {
		b.remainder(sc)
		return
	}
	if len(c.Items) > 0 {
		b.put(sc, c)
	}
}

// repeats reports whether d says no more than the definition that came first.
func (b *builder) repeats(d *definition) bool {
	first := b.st.definedKey[d.key]
	return first != nil && first != d && first.href == d.href && first.title == d.title
}

// remainder keeps the footnotes as their source if they are beyond the limits.
func (b *builder) remainder(sc *scope) {
	why := b.stop
	b.stop, b.nodes = "", 0
	b.stack = b.stack[:sc.n]
	var raw strings.Builder
	for _, f := range b.st.footnotes {
		from := b.st.lineStart(f.node)
		to := len(b.st.text)
		if next := f.node.NextSibling(); next != nil {
			to = max(from, b.st.lineStart(next))
		}
		raw.WriteString(b.st.text[from:to])
	}
	id := sc.next()
	b.note("limit", doc.Warning, id, "the footnotes are shown as their source: "+why)
	b.put(sc, &doc.RawMarkdown{ID: id, Markdown: strings.TrimSpace(raw.String()), Reason: why})
}
