package template

import (
	"fmt"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// written notes the marks that stand in code, and reports whether there are any
// that were not known to.
func written(blocks []doc.Block, marks []mark) bool {
	more := false
	note := func(s string) {
		for _, r := range s {
			if i, ok := markAt(r); ok && !marks[i].code {
				marks[i].code, more = true, true
			}
		}
	}
	var inlines func([]doc.Inline)
	inlines = func(ins []doc.Inline) {
		for _, in := range ins {
			if c, ok := in.(*doc.CodeSpan); ok {
				note(c.Text)
			}
			inlines(childrenOf(in))
		}
	}
	var walk func([]doc.Block)
	walk = func(bs []doc.Block) {
		for _, b := range bs {
			switch b := b.(type) {
			case *doc.Code:
				note(b.Text)
			case *doc.Diff:
				note(b.Text)
			case *doc.Diagram:
				note(b.Source)
			}
			for _, ins := range inlinesOf(b) {
				inlines(ins)
			}
			for _, below := range blocksOf(b) {
				walk(below)
			}
		}
	}
	walk(blocks)
	return more
}

// A checker finds marks that stand where nothing can be filled in.
type checker struct {
	marks []mark
	seen  []int
	err   *Error
}

// check finds what is wrong with a compiled format.
func check(blocks []doc.Block, marks []mark) error {
	c := &checker{marks: marks, seen: make([]int, len(marks))}
	c.blocks(blocks, 1)
	for i := range marks {
		if !marks[i].code && c.seen[i] != 1 {
			c.wrong(i, "stands in HTML, or where a reader sees nothing", "put it into text")
		}
	}
	if c.err != nil {
		return c.err
	}
	return nil
}

// wrong keeps the first error.
func (c *checker) wrong(i int, what, mend string) {
	if m := &c.marks[i]; c.err == nil {
		c.err = &Error{m.line, m.column, m.raw + " " + what, mend}
	}
}

// whole is an error that is about no mark.
func (c *checker) whole(what, mend string) {
	if c.err == nil {
		c.err = &Error{1, 1, what, mend}
	}
}

// none checks that there is no mark in s, a part of a block that has no inlines.
func (c *checker) none(where string, all ...string) {
	for _, s := range all {
		for _, r := range s {
			if i, ok := markAt(r); ok && !c.marks[i].code {
				c.wrong(i, "stands in "+where, "a slot can stand in text, not there")
			}
		}
	}
}

func (c *checker) blocks(bs []doc.Block, depth int) {
	if depth > MaxDepth && len(bs) > 0 {
		c.whole(fmt.Sprintf("blocks stand more than %d deep within each other", MaxDepth), "make the template simpler")
		return
	}
	var stack []int
	for _, b := range bs {
		if p, ok := b.(*doc.Paragraph); ok {
			if ends := endsOf(p, c.marks); ends != nil {
				for _, i := range ends {
					stack = c.end(stack, i)
				}
				continue
			}
			if i, ok := only(p); ok && c.marks[i].slot.whole() && c.marks[i].kind == fill {
				c.seen[i]++
				continue
			}
		}
		c.block(b, depth)
	}
	c.open(stack)
}

// end takes in an end of a conditional.
func (c *checker) end(stack []int, i int) []int {
	c.seen[i]++
	if c.marks[i].kind == open {
		return append(stack, i)
	}
	if n := len(stack); n > 0 && stack[n-1] == c.marks[i].other {
		return stack[:n-1]
	}
	c.apart(i)
	return stack
}

func (c *checker) open(stack []int) {
	if len(stack) > 0 {
		c.apart(stack[0])
	}
}

func (c *checker) apart(i int) {
	c.wrong(i, "and its other end, "+c.marks[c.marks[i].other].raw+", do not stand in the same paragraph, cell or emphasis", "put both into one line of text, or each on a line of its own with blank lines around")
}

func (c *checker) block(b doc.Block, depth int) {
	switch b := b.(type) {
	case *doc.Code:
		c.none("the info string of code", b.Language, b.Filename, b.Meta)
	case *doc.Diff:
	case *doc.Diagram:
		c.none("the info string of a diagram", b.DiagramKind, b.Meta)
	case *doc.Media:
		c.none("an image", b.Source, b.Alt, b.MediaType, b.Caption)
	case *doc.ArtifactRef:
		c.none("the reference to a document", b.Path, b.Project, b.ArtifactKind, b.Mode, b.Caption, b.Text, b.Raw)
	case *doc.Citations:
		c.whole("a template can have no footnotes, nor addresses that nothing refers to: an answer has its own, with the same numbers", "write the text into the template itself")
	case *doc.Structured:
		c.whole("a template can hold no cards", "leave the vak block out")
	case *doc.RawMarkdown:
		c.whole("the template is too complicated to be compiled: "+b.Reason, "make it simpler")
	}
	for _, ins := range inlinesOf(b) {
		c.inlines(ins, 1)
	}
	for _, below := range blocksOf(b) {
		c.blocks(below, depth+1)
	}
}

func (c *checker) inlines(ins []doc.Inline, depth int) {
	if depth > MaxDepth && len(ins) > 0 {
		c.whole(fmt.Sprintf("emphasis stands more than %d deep within itself", MaxDepth), "make the template simpler")
		return
	}
	var stack []int
	for _, in := range ins {
		switch in := in.(type) {
		case *doc.Text:
			for _, r := range in.Text {
				i, ok := markAt(r)
				switch {
				case !ok:
				case c.marks[i].kind != fill:
					stack = c.end(stack, i)
				case c.marks[i].slot.whole():
					c.wrong(i, "shares its paragraph with something else", "put it on a line of its own, with blank lines around")
				default:
					c.seen[i]++
				}
			}
		case *doc.Link:
			c.none("the address of a link", in.Href, in.Title)
		case *doc.Image:
			c.none("an image", in.Src, in.Alt, in.Title)
		}
		c.inlines(childrenOf(in), depth+1)
	}
	c.open(stack)
}

// endsOf are the ends of conditionals that a paragraph consists of, or nil where
// it holds anything else.
func endsOf(p *doc.Paragraph, marks []mark) []int {
	var ends []int
	for _, in := range p.Inlines {
		switch in := in.(type) {
		case *doc.Break:
		case *doc.Text:
			for _, r := range in.Text {
				i, ok := markAt(r)
				switch {
				case ok && marks[i].kind != fill:
					ends = append(ends, i)
				case r != ' ':
					return nil
				}
			}
		default:
			return nil
		}
	}
	return ends
}

// only is the mark that a paragraph consists of.
func only(p *doc.Paragraph) (int, bool) {
	if len(p.Inlines) != 1 {
		return 0, false
	}
	t, ok := p.Inlines[0].(*doc.Text)
	if !ok {
		return 0, false
	}
	rs := []rune(t.Text)
	if len(rs) != 1 {
		return 0, false
	}
	return markAt(rs[0])
}
