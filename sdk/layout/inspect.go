package layout

import (
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
)

// inspect fills in what stands inside of the construct that opens at tok, from
// the content token at to the end of its line.
func (c *cutter) inspect(con *dialect.Construct, tok, at int32) {
	con.First, con.Last, con.Text, con.Raw = 0, 0, 0, 0
	lines := con.Kind != dialect.CodeSpan && con.Kind != dialect.Heading
	for i := tok + 1; i < c.toks[tok].end; i++ {
		t := &c.toks[i]
		switch t.kind {
		case lineToken, gapToken:
			if i > at && lines && c.breaksStyles {
				return
			}
		case openToken:
			if t.con >= 0 && t.end > at {
				switch in := &c.cons[t.con]; in.Kind {
				case dialect.Link, dialect.Image:
					con.Raw |= dialect.Scan(in.Arg)
				case dialect.CodeSpan:
					con.Raw |= dialect.Tick
				}
			}
		case textToken:
			if i < at || t.text == "" || !t.in(textForm) {
				continue
			}
			if con.First == 0 {
				con.First, _ = utf8.DecodeRuneInString(t.text)
			}
			con.Last, _ = utf8.DecodeLastRuneInString(t.text)
			if t.ctx == dialect.InText {
				con.Text |= dialect.Scan(t.text)
			} else {
				con.Raw |= dialect.Scan(t.text)
			}
		}
	}
}

// after is the rune that will be written behind the construct that opens at
// tok, or behind the part of it on the line of the content token at. It is 0 at
// the end of a line and where an enclosing style ends too.
func (c *cutter) after(s *state, tok, at int32) rune {
	end := c.toks[tok].end
	if c.breaksStyles {
		for i := at; i < end; i++ {
			if k := c.toks[i].kind; k == lineToken || k == gapToken {
				return 0
			}
		}
	}
	outer := s.top
	for i := end; int(i) < len(c.toks); i++ {
		for outer != nil && (outer.dent || i >= c.toks[outer.tok].end) {
			if !outer.dent && outer.on[textForm] && outer.syn[textForm].Close != "" {
				if outer.kind.Style() || outer.kind == dialect.Heading || outer.syn[textForm].Label {
					return 0
				}
				r, _ := utf8.DecodeRuneInString(outer.syn[textForm].Close)
				return r
			}
			outer = outer.up
		}
		t := &c.toks[i]
		switch t.kind {
		case lineToken, gapToken, ruleToken:
			return 0
		case textToken:
			if t.text != "" && t.in(textForm) {
				r, _ := utf8.DecodeRuneInString(t.text)
				return r
			}
		case openToken:
			if t.con < 0 {
				continue
			}
			if syn, ok := c.dialects[textForm].Syntax(c.cons[t.con], 0, 0); ok && syn.Open != "" {
				r, _ := utf8.DecodeRuneInString(syn.Open)
				return r
			}
		case markToken:
			return ' '
		}
	}
	return 0
}

// next is the rune that a reader sees behind the content token i, or 0 at the
// end of a line.
func (c *cutter) next(i int32) rune {
	for j := int(i) + 1; j < len(c.toks); j++ {
		switch t := &c.toks[j]; t.kind {
		case lineToken, gapToken, ruleToken, markToken:
			return 0
		case textToken:
			if t.text != "" {
				r, _ := utf8.DecodeRuneInString(t.text)
				return r
			}
		}
	}
	return 0
}
