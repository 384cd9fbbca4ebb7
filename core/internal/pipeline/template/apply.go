package template

import (
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// Apply returns the document that shows d within t. It shares with d what it does
// not change, and changes nothing of it. An answer that shows nothing stays one:
// then d itself is returned.
func (t *Template) Apply(d *doc.Document, v Values) *doc.Document {
	if !shows(d.Blocks) {
		return d
	}
	f := t.filler(d, v)
	out := *d
	out.Blocks = f.blocks(t.blocks, "")
	out.Diagnostics = f.diagnostics(d.Diagnostics)
	return &out
}

func shows(blocks []doc.Block) bool {
	for _, b := range blocks {
		if doc.Shows(b) {
			return true
		}
	}
	return false
}

// A filler fills one answer into a template.
type filler struct {
	marks  []mark
	values map[string]string // by key of metadata
	title  []doc.Inline
	body   []doc.Block
	source string
	count  int

	left   doc.ID // of the heading that is the title and not part of the body
	within doc.ID // the place of the body, where it is within one
	full   []bool // by mark: whether its slot has something to show
}

func (t *Template) filler(d *doc.Document, v Values) *filler {
	f := &filler{marks: t.marks, values: map[string]string{}, body: d.Blocks, count: len(d.Blocks)}
	for i := range t.marks {
		if s := t.marks[i].slot; s.name == metadata && f.values[s.key] == "" {
			f.values[s.key] = strings.TrimSpace(compile.Clean(v.Metadata[s.key]))
		}
	}
	f.source = strings.TrimRight(compile.Clean(d.Source), "\n")
	if strings.TrimSpace(f.source) == "" {
		f.source = ""
	}
	if text := strings.Join(strings.Fields(compile.Clean(v.Title)), " "); text != "" {
		f.title = []doc.Inline{&doc.Text{Text: text}}
	} else if h, at := heading(d.Blocks); h != nil {
		f.title = h.Inlines
		// Whoever reads the heading as the title need not read it again. Whether
		// the title is shown may depend on whether there is a body.
		if at == 0 {
			f.body = d.Blocks[1:]
			f.weigh()
			if f.titled() {
				f.left = h.ID
				return f
			}
			f.body = d.Blocks
		}
	}
	f.weigh()
	return f
}

// heading is the first one at the top of an answer that shows something.
func heading(blocks []doc.Block) (*doc.Heading, int) {
	for i, b := range blocks {
		if h, ok := b.(*doc.Heading); ok && doc.Shows(h) {
			return h, i
		}
	}
	return nil, -1
}

// weigh finds out which slots have something to show.
func (f *filler) weigh() {
	f.full = make([]bool, len(f.marks))
	for i := range f.marks {
		switch s := f.marks[i].slot; s.name {
		case title:
			f.full[i] = len(f.title) > 0
		case body:
			f.full[i] = shows(f.body)
		case source:
			f.full[i] = f.source != ""
		case count:
			f.full[i] = f.count > 0
		case metadata:
			f.full[i] = f.values[s.key] != ""
		}
	}
}

// titled reports whether {title} is shown anywhere.
func (f *filler) titled() bool {
	for i := range f.marks {
		m := &f.marks[i]
		if m.code || m.kind != fill || m.slot.name != title {
			continue
		}
		shown := true
		for _, of := range m.in {
			shown = shown && f.full[of]
		}
		if shown {
			return true
		}
	}
	return false
}

// blocks fills the blocks at one place. within is empty at the top.
func (f *filler) blocks(bs []doc.Block, within doc.ID) []doc.Block {
	var out []doc.Block
	hidden := 0 // conditionals around that are not shown
	for _, b := range bs {
		p, isParagraph := b.(*doc.Paragraph)
		if isParagraph {
			if ends := endsOf(p, f.marks); ends != nil {
				for _, i := range ends {
					hidden += f.end(i)
				}
				continue
			}
		}
		if hidden > 0 {
			continue
		}
		if isParagraph {
			if i, ok := only(p); ok && f.marks[i].slot.whole() {
				out = append(out, f.whole(f.marks[i].slot, p.ID, within)...)
				continue
			}
		}
		if b := f.block(b); b != nil {
			out = append(out, b)
		}
	}
	return out
}

// end is what an end of a conditional adds to those around that are not shown.
func (f *filler) end(i int) int {
	switch {
	case f.full[i]:
		return 0
	case f.marks[i].kind == open:
		return 1
	}
	return -1
}

// whole is what a slot for blocks shows. id is that of its place.
func (f *filler) whole(s slot, id, within doc.ID) []doc.Block {
	switch {
	case s.name == source && f.source != "":
		return []doc.Block{&doc.Code{ID: id, Language: "markdown", Text: f.source}}
	case s.name == source:
		return nil
	case within == "":
		return f.body
	}
	f.within = id
	return below(id, f.body)
}

// block fills a block, or returns nil where nothing is left of it.
func (f *filler) block(b doc.Block) doc.Block {
	if !marked(b) {
		return b
	}
	switch b := b.(type) {
	case *doc.Heading:
		if in := f.line(b.Inlines); len(in) > 0 {
			return &doc.Heading{ID: b.ID, Level: b.Level, Inlines: in}
		}
		return nil
	case *doc.Paragraph:
		if in := f.lines(b.Inlines); len(in) > 0 {
			return &doc.Paragraph{ID: b.ID, Inlines: in}
		}
		return nil
	case *doc.List:
		c := *b
		c.Items = nil
		for _, item := range b.Items {
			blocks := f.blocks(item.Blocks, b.ID)
			if len(blocks) > 0 || len(item.Blocks) == 0 {
				c.Items = append(c.Items, doc.Item{Task: item.Task, Blocks: blocks})
			}
		}
		if len(c.Items) == 0 {
			return nil
		}
		return &c
	case *doc.Table:
		return f.table(b)
	case *doc.Quote:
		if blocks := f.blocks(b.Blocks, b.ID); len(blocks) > 0 {
			return &doc.Quote{ID: b.ID, Blocks: blocks}
		}
		return nil
	case *doc.Callout:
		c := *b
		c.Title = f.line(b.Title)
		c.Blocks = f.blocks(b.Blocks, b.ID)
		if len(c.Title) == 0 && len(c.Blocks) == 0 {
			return nil
		}
		return &c
	}
	return b
}

// table fills the cells and leaves out the rows of which nothing is left.
func (f *filler) table(b *doc.Table) doc.Block {
	c := *b
	c.Rows = nil
	something := false
	row := func(cells []doc.Cell) (out []doc.Cell, any bool) {
		for _, cell := range cells {
			in := f.line(cell)
			any = any || len(in) > 0
			out = append(out, in)
		}
		return out, any
	}
	c.Header, something = row(b.Header)
	for _, cells := range b.Rows {
		if out, any := row(cells); any {
			c.Rows, something = append(c.Rows, out), true
		}
	}
	if !something {
		return nil
	}
	return &c
}

// marked reports whether there is a mark in a block or below it.
func marked(b doc.Block) bool {
	for _, ins := range inlinesOf(b) {
		if markedIn(ins) {
			return true
		}
	}
	for _, bs := range blocksOf(b) {
		for _, b := range bs {
			if marked(b) {
				return true
			}
		}
	}
	return false
}

func markedIn(ins []doc.Inline) bool {
	for _, in := range ins {
		if t, ok := in.(*doc.Text); ok && hasMark(t.Text) || markedIn(childrenOf(in)) {
			return true
		}
	}
	return false
}

// diagnostics are those of the answer, about the ids that its blocks have now.
func (f *filler) diagnostics(of []doc.Diagnostic) []doc.Diagnostic {
	if len(of) == 0 || f.left == "" && f.within == "" {
		return of
	}
	out := make([]doc.Diagnostic, len(of))
	for i, g := range of {
		switch {
		case g.Block == "":
		case g.Block == f.left:
			g.Block = ""
		case f.within != "":
			g.Block = f.within + "." + g.Block
		}
		out[i] = g
	}
	return out
}

// number is n as text.
func number(n int) string { return strconv.Itoa(n) }
