package layout

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
)

// A separator is what stands between two pieces of content.
type separator struct {
	lines int  // line ends
	gap   bool // a block ends
	depth int  // gap: containers around, the fewest of all gaps between
	keep  bool // no cut here
	rule  int32
	hard  bool
}

// separator reads the tokens between the content tokens a and b.
func (c *cutter) separator(a, b int32) separator {
	s := separator{depth: maxDepth, rule: -1}
	blank := false
	for i := a + 1; i < b; i++ {
		switch t := &c.toks[i]; t.kind {
		case lineToken:
			s.lines++
			s.hard = s.hard || t.hard
			s.keep = t.keep
		case gapToken:
			s.gap = true
			if int(t.depth) < s.depth {
				s.depth = int(t.depth)
			}
			blank = blank || t.blank
			s.keep = t.keep // the last gap stands before b
		case ruleToken:
			s.rule = i
		}
	}
	if s.gap {
		s.lines = 1
		if blank || s.rule >= 0 {
			s.lines = 2
		}
	}
	return s
}

// advance writes what stands between the last content of s and the content
// token i: closes, line ends, and what opens.
func (c *cutter) advance(s *state, i int32, sep separator) {
	path := c.path(i)
	common := c.common(s.top, path, sep.lines > 0)
	for s.top != common {
		c.closeTop(s, false)
	}
	if s.last >= 0 && sep.lines > 0 {
		c.newlines(s, sep)
	}
	level := 0
	if common != nil {
		level = common.level + 1
	}
	for _, tok := range path[level:] {
		c.openNode(s, tok, i)
	}
}

// path lists the constructs around the content token i, the outermost first.
func (c *cutter) path(i int32) []int32 {
	c.pathBuf = c.pathBuf[:0]
	p := c.toks[i].parent
	alone := c.alone && p >= 0 && c.toks[p].con >= 0 && c.cons[c.toks[p].con].Kind == dialect.CodeSpan
	for ; p >= 0; p = c.toks[p].parent {
		if c.bare && !c.addressed(p) {
			continue
		}
		if alone && c.toks[p].con >= 0 && c.cons[c.toks[p].con].Kind.Style() {
			c.lost(p)
			continue
		}
		c.pathBuf = append(c.pathBuf, p)
	}
	for a, b := 0, len(c.pathBuf)-1; a < b; a, b = a+1, b-1 {
		c.pathBuf[a], c.pathBuf[b] = c.pathBuf[b], c.pathBuf[a]
	}
	return c.pathBuf
}

// addressed reports whether the construct that opens at tok holds an address,
// which is lost without it.
func (c *cutter) addressed(tok int32) bool {
	con := c.toks[tok].con
	return con >= 0 && (c.cons[con].Kind == dialect.Link || c.cons[con].Kind == dialect.Image)
}

// lost notes a style that shows nowhere because all it holds is code.
func (c *cutter) lost(open int32) {
	o := &c.toks[open]
	for j := open + 1; j < o.end; j++ {
		if t := &c.toks[j]; t.kind == textToken && t.ctx != dialect.InCode {
			return
		}
	}
	c.note(open, "code_style")
}

// common returns the innermost node of top that is on path and stays open.
func (c *cutter) common(top *node, path []int32, newLine bool) *node {
	n := top
	for n != nil && (n.level >= len(path) || path[n.level] != n.tok) {
		n = n.up
	}
	if newLine {
		for m := n; m != nil; m = m.up {
			if m.syn[textForm].Lines && m.on[textForm] {
				n = m.up
			}
		}
	}
	return n
}

// closeTop closes the innermost construct. cut says that it goes on in the next
// chunk.
func (c *cutter) closeTop(s *state, cut bool) {
	n := s.top
	for k := range c.forms {
		if n.on[k] && n.syn[k].Close != "" && !(cut && n.syn[k].Tail) {
			c.put(s, k, n.syn[k].Close)
			s.out[k].opened = false
			s.out[k].bol = false
		}
	}
	s.top = n.up
}

// newlines ends a line, leaves blank lines and writes a rule.
func (c *cutter) newlines(s *state, sep separator) {
	for k := range c.forms {
		if sep.hard && !sep.gap {
			if br, ok := c.dialects[k].Syntax(dialect.Construct{Kind: dialect.HardBreak}, 0, 0); ok && br.Open != "" {
				c.put(s, k, br.Open)
			}
		}
		prefix := strings.TrimRight(s.top.prefix(k), " ")
		if prefix != "" {
			prefix += " " // Discord takes a bare > for text
		}
		for j := range sep.lines {
			if j > 0 {
				c.put(s, k, prefix)
			}
			c.put(s, k, "\n")
		}
		if sep.rule >= 0 {
			if r, ok := c.dialects[k].Syntax(dialect.Construct{Kind: dialect.Rule}, 0, 0); ok {
				c.put(s, k, prefix+r.Open+"\n"+prefix+"\n")
			}
		}
		s.out[k].before = 0
		s.out[k].fresh = true
		s.out[k].bol = true
		s.out[k].opened = false
	}
}

// openNode writes the construct that opens at tok around the content token at.
func (c *cutter) openNode(s *state, tok, at int32) {
	t := &c.toks[tok]
	n := c.memory.node()
	*n = node{up: s.top, tok: tok}
	if s.top != nil {
		n.level = s.top.level + 1
		n.ends = s.top.ends
	}
	if t.con < 0 {
		n.dent = true
		n.syn[textForm].Line, n.syn[plainForm].Line = t.text, t.text
		s.top = n
		c.repeat(s, tok)
		return
	}
	con := c.cons[t.con]
	n.kind = con.Kind
	again := c.seen(tok)
	for k := range c.forms {
		o := &s.out[k]
		before, after := o.before, rune(0)
		if o.opened || o.fresh {
			before = 0
		}
		if k == textForm && c.contextual && (con.Kind.Style() || con.Kind == dialect.CodeSpan || con.Kind == dialect.Heading) {
			c.inspect(&con, tok, at)
			after = c.after(s, tok, at)
		}
		syn, ok := c.dialects[k].Syntax(con, before, after)
		if !ok {
			if k == textForm {
				c.note(tok, syn.Why)
			}
			continue
		}
		n.on[k] = true
		if syn.Underline != 0 {
			syn.Close += "\n" + strings.Repeat(string(syn.Underline), con.Run)
		}
		if again && syn.Reopen != "" {
			syn.Open = syn.Reopen
		}
		n.syn[k] = syn
	}
	s.top = n
	for k := range c.forms {
		if !n.on[k] {
			continue
		}
		syn := &n.syn[k]
		if strings.Contains(syn.Open, "\n") || strings.Contains(syn.Close, "\n") {
			if p := n.prefix(k); p != "" {
				syn.Open = strings.ReplaceAll(syn.Open, "\n", "\n"+p)
				syn.Close = strings.ReplaceAll(syn.Close, "\n", "\n"+p)
			}
		}
		if syn.Close != "" {
			n.ends[k] = n.ends[k].Add(c.dialects[k].Measure([]byte(syn.Close)))
		}
		o := &s.out[k]
		if syn.Open != "" {
			c.startLine(s, k, n.up)
			c.put(s, k, syn.Open)
			o.opened = true
			if con.Kind != dialect.Quote {
				o.bol = strings.HasSuffix(syn.Open, "\n")
			}
		}
		if syn.Line != "" && !o.fresh && !n.up.fenced(k) {
			c.put(s, k, syn.Line)
			o.opened = true
		}
	}
	c.repeat(s, tok)
}

// fenced reports whether lines inside of n in form k have no quote prefix.
func (n *node) fenced(k int) bool {
	for m := n; m != nil; m = m.up {
		if m.on[k] && m.syn[k].Outside {
			return true
		}
	}
	return false
}

// startLine writes the prefix of a line that nothing stands on yet. inside is
// the innermost construct whose prefix counts.
func (c *cutter) startLine(s *state, k int, inside *node) {
	o := &s.out[k]
	if !o.fresh {
		return
	}
	o.fresh = false
	n := inside
	// A construct that opens here and takes lines out of the quote or the list
	// is s.top already: its own prefix decides.
	if s.top != nil && s.top != inside && s.top.on[k] && (s.top.syn[k].Flush || s.top.syn[k].Outside) {
		n = s.top
	}
	if p := n.prefix(k); p != "" {
		c.put(s, k, p)
		o.before = 0
	}
}

// repeat writes the header of a table that goes on in this chunk.
func (c *cutter) repeat(s *state, tok int32) {
	r, ok := c.repeats[tok]
	if !ok || c.start < r[1] || c.repeated == tok {
		return
	}
	size := 0
	for i := r[0]; i < r[1]; i++ {
		size += len(c.toks[i].text)
	}
	if m := c.bound[textForm].max; m > 0 && size > m {
		return
	}
	c.repeated = tok
	solid := s.solid
	for i := r[0]; i < r[1]; i++ {
		switch t := &c.toks[i]; t.kind {
		case lineToken:
			c.newlines(s, separator{lines: 1, rule: -1})
		case textToken:
			c.text(s, i, t.text, 0)
		}
	}
	c.newlines(s, separator{lines: 1, rule: -1})
	s.solid = solid
}

// text writes s, a piece of the text of token i, in both forms.
func (c *cutter) text(st *state, i int32, s string, after rune) {
	t := &c.toks[i]
	for k := range c.forms {
		if !t.in(k) {
			continue
		}
		c.startLine(st, k, st.top)
		o := &st.out[k]
		at := dialect.Position{In: t.ctx, LineStart: o.bol || o.opened, Before: o.before, After: after, Live: c.live}
		if o.opened && o.bol {
			at.Before = 0
		}
		at.In = st.top.context(t, k)
		from := len(c.buf[k])
		c.buf[k] = c.dialects[k].Escape(c.buf[k], s, at)
		c.count(st, k, from)
		o.opened = false
		o.bol = o.bol && strings.TrimLeft(s, " ") == ""
	}
	if !st.solid && t.only == 0 && visible(s) {
		st.solid = true
	}
}

// context is how the text of t, directly inside of n, is escaped in form k. A
// construct that form k does not show leaves its text as running text.
func (n *node) context(t *token, k int) dialect.Context {
	switch {
	case t.only != 0:
		return t.ctx
	case n == nil || n.dent:
		return dialect.InText
	case t.ctx == dialect.InCode && (n.kind != dialect.CodeSpan || !n.on[k]),
		t.ctx == dialect.InFence && (n.kind != dialect.Fence || !n.on[k]):
		return dialect.InText
	case t.ctx == dialect.InCode || t.ctx == dialect.InFence:
		return t.ctx
	}
	for m := n; m != nil; m = m.up {
		if (m.kind == dialect.Link || m.kind == dialect.Image) && m.on[k] {
			switch {
			case m.syn[k].URL:
				return dialect.InURL
			case m.syn[k].Label:
				return dialect.InLabel
			}
		}
	}
	return dialect.InText
}

// mark writes the mark token i.
func (c *cutter) mark(s *state, i int32) {
	con := c.cons[c.toks[i].con]
	for k := range c.forms {
		syn, ok := c.dialects[k].Syntax(con, 0, 0)
		if !ok {
			continue
		}
		c.startLine(s, k, s.top)
		mark := syn.Open
		if c.endsLine(i) {
			mark = strings.TrimRight(mark, " ")
		}
		c.put(s, k, mark)
		s.out[k].before = ' '
		s.out[k].opened = false
	}
	if con.Kind != dialect.Bullet {
		s.solid = true
	}
}

// endsLine reports whether the line ends behind the mark token i.
func (c *cutter) endsLine(i int32) bool {
	for j := int(i) + 1; j < len(c.toks); j++ {
		switch c.toks[j].kind {
		case lineToken, gapToken:
			return true
		case textToken, markToken:
			return false
		}
	}
	return true
}

// put appends markup to form k.
func (c *cutter) put(s *state, k int, markup string) {
	if markup == "" {
		return
	}
	from := len(c.buf[k])
	c.buf[k] = append(c.buf[k], markup...)
	c.count(s, k, from)
}

// count measures what has been appended to form k since from.
func (c *cutter) count(s *state, k, from int) {
	piece := c.buf[k][from:]
	if len(piece) == 0 {
		return
	}
	o := &s.out[k]
	o.n = len(c.buf[k])
	if c.limited {
		o.size = o.size.Add(c.dialects[k].Measure(piece))
	}
	o.before, _ = utf8.DecodeLastRune(piece)
}
