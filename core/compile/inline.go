package compile

import (
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// An inliner turns the text of one leaf into inlines, in two passes. The first
// cuts the text into tokens and decides, by stacks, which delimiters, brackets
// and tags belong together; the second makes the tree. Both are linear: every
// search either is remembered or pays for itself by what it removes.
type inliner struct {
	b *builder
	s string // the text

	tokens  []token
	strs    []string // texts that do not stand in s
	conts   []target
	notes   []*footnote
	pairs   []pair
	delims  []delim
	last    int32 // the top of the list of delimiters, or -1
	openers []opener

	lastBracket int32           // the topmost bracket in openers, or -1
	lastTag     [tagCount]int32 // by name, the topmost start tag in openers, or -1
	anyTag      bool
	dead        int32 // links in openers below this index would hold a link

	from int // where the text run began that is not a token yet

	ticks    codeEnds
	dollar   int32 // next place where "$" may end a formula, see nextDollar
	noParen  bool  // no further "\)"
	noSquare bool  // no further "\]"
	noDouble bool  // no further "$$"
	noEnds   noEnds

	out     []doc.Inline // the tree pass: children of the open frames
	frames  []frame
	pending [2]int // range of s that is not a node yet
	buf     []byte // text that is not a node yet, if it is not one range
	nest    int    // how many frames have a node
	unborn  int    // how many of these have no child yet
	comment bool   // a comment was left out
}

// noEnds are the things that were looked for to the end of the text in vain. No
// search for one is made twice.
type noEnds struct {
	comment, instruction, cdata, declaration bool

	code [6]bool // end tags, by the tagID of code, kbd, samp, tt and pre
}

// special marks the bytes that the scanner stops at.
var special = func() (t [256]bool) {
	for _, c := range "\n\\`*_~|$<&[]!:.@" {
		t[c] = true
	}
	return t
}()

// inlines parses s. It is not called while it runs.
func (b *builder) inlines(s string) []doc.Inline {
	if s == "" || b.stopped() {
		return nil
	}
	p := &b.inl
	p.b = b
	p.reset(s)
	p.scan()
	p.finish()
	return p.tree()
}

func (p *inliner) reset(s string) {
	p.s = s
	p.tokens = p.tokens[:0]
	p.strs = p.strs[:0]
	p.conts = p.conts[:0]
	p.pairs = p.pairs[:0]
	p.delims = p.delims[:0]
	p.openers = p.openers[:0]
	p.notes = p.notes[:0]
	p.last, p.lastBracket, p.dead = -1, -1, 0
	if p.anyTag || p.b.fresh {
		p.anyTag, p.b.fresh = false, false
		for i := range p.lastTag {
			p.lastTag[i] = -1
		}
	}
	p.noEnds = noEnds{}
	p.from = 0
	p.ticks = codeEnds{}
	p.dollar = -1
	p.noParen, p.noSquare, p.noDouble = false, false, false
	p.comment = false
}

func (p *inliner) scan() {
	s := p.s
	for i := 0; i < len(s); {
		c := s[i]
		if !special[c] {
			i++
			continue
		}
		switch c {
		case '\n':
			i = p.newline(i)
		case '\\':
			i = p.backslash(i)
		case '`':
			i = p.codeSpan(i)
		case '*', '_', '~', '|':
			i = p.delimiter(i)
		case '$':
			i = p.formula(i)
		case '<':
			i = p.angle(i)
		case '&':
			if e, end := readEntity(s, i); end > 0 {
				p.add(i, tokenStr, p.str(e))
				i = end
				p.from = i
			} else {
				i++
			}
		case '[':
			i = p.bracket(i, false)
		case '!':
			if i+1 < len(s) && s[i+1] == '[' {
				i = p.bracket(i, true)
			} else {
				i++
			}
		case ']':
			i = p.closeBracket(i)
		case ':':
			i = p.colon(i)
		case '.':
			if i-p.from >= 3 && s[i-1] == 'w' {
				i = p.www(i)
			} else {
				i++
			}
		case '@':
			i = p.at(i)
		}
	}
	p.text(len(s))
}

// text makes a token of the run that ends at end.
func (p *inliner) text(end int) {
	if p.from < end {
		p.push(token{kind: tokenText, start: int32(p.from), end: int32(end)})
	}
	p.from = end
}

// more is by how much a list of n entries should grow. For a long text that is
// guessed from how far the scanner has come: doubling again and again would cost
// more in copies than all the rest.
func (p *inliner) more(n int) int {
	if n < 1024 || p.from == 0 {
		return n + 8
	}
	guess := float64(n) / float64(p.from) * float64(len(p.s)-p.from)
	return max(int(guess*1.05), n/4) + 64
}

func (p *inliner) push(t token) {
	if len(p.tokens) == cap(p.tokens) {
		p.tokens = slices.Grow(p.tokens, p.more(len(p.tokens)))
	}
	p.tokens = append(p.tokens, t)
}

// add ends the run at i and appends a token. The caller moves on and sets from.
func (p *inliner) add(i int, kind tokenKind, a int32) *token {
	p.text(i)
	p.push(token{kind: kind, start: int32(i), end: int32(i), a: a})
	return &p.tokens[len(p.tokens)-1]
}

func (p *inliner) open(o opener) {
	if len(p.openers) == cap(p.openers) {
		p.openers = slices.Grow(p.openers, p.more(len(p.openers)))
	}
	p.openers = append(p.openers, o)
}

func (p *inliner) str(s string) int32 {
	p.strs = append(p.strs, s)
	return int32(len(p.strs) - 1)
}

func (p *inliner) leadsTo(t target) int32 {
	if len(p.conts) == cap(p.conts) {
		p.conts = slices.Grow(p.conts, p.more(len(p.conts)))
	}
	p.conts = append(p.conts, t)
	return int32(len(p.conts) - 1)
}

func (p *inliner) newline(i int) int {
	end := i
	for end > p.from && (p.s[end-1] == ' ' || p.s[end-1] == '\t') {
		end--
	}
	kind := tokenSoft
	if i-end >= 2 && p.s[i-1] == ' ' && p.s[i-2] == ' ' {
		kind = tokenHard
	}
	p.add(end, kind, 0)
	i = skipSpaces(p.s, i+1)
	p.from = i
	return i
}

func (p *inliner) backslash(i int) int {
	s := p.s
	if i+1 >= len(s) {
		return i + 1
	}
	switch c := s[i+1]; {
	case c == '\n':
		p.add(i, tokenHard, 0)
		p.from = skipSpaces(s, i+2)
		return p.from
	case c == '(' && !p.noParen:
		if end := p.texEnd(i+2, ')'); end >= 0 && !blank(s[i+2:end]) {
			return p.math(i, i+2, end, end+2)
		} else if end < 0 {
			p.noParen = true
		}
	case c == '[' && !p.noSquare:
		if end := p.texEnd(i+2, ']'); end >= 0 && strings.ContainsAny(s[i+2:end], `\^_=+<>{}`) {
			return p.math(i, i+2, end, end+2)
		} else if end < 0 {
			p.noSquare = true
		}
	}
	if isPunct(s[i+1]) {
		p.text(i)
		p.from = i + 1
		return i + 2
	}
	return i + 1
}

// finish decides what is left open at the end of the text.
func (p *inliner) finish() {
	p.closeTo(0, true)
	p.emphasis(-1)
}

// closeTo takes all openers from index n on off the stack, topmost first.
// Brackets are literal. Tags hold up to here if they may, else they are literal.
func (p *inliner) closeTo(n int, end bool) {
	for len(p.openers) > n {
		o := &p.openers[len(p.openers)-1]
		switch {
		case o.tag == 0:
			if !o.dead {
				p.lastBracket = o.prev
			}
		default:
			p.lastTag[o.tag] = o.prev
			if o.cont != contLink && (!end || o.guess && o.delim < 0 && p.shownAfter(o)) {
				p.match(o)
			}
		}
		p.openers = p.openers[:len(p.openers)-1]
	}
	p.dead = min(p.dead, int32(n))
}

// match closes o here, at the end of the last token.
func (p *inliner) match(o *opener) {
	p.emphasis(o.delim)
	t := &p.tokens[o.token]
	t.kind, t.cont, t.edge, t.a = tokenOpen, o.cont, o.edge, o.conts
	p.push(token{kind: tokenClose, cont: o.cont, edge: o.edge, a: o.conts})
}

// shownAfter reports whether anything follows a tag that nobody closed.
func (p *inliner) shownAfter(o *opener) bool {
	return int(o.token)+1 < len(p.tokens) && !blank(p.s[o.content:])
}
