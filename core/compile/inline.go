package compile

import (
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
	conts   []container
	pairs   []pair
	delims  []delim
	last    int32 // the top of the list of delimiters, or -1
	openers []opener

	lastBracket int32 // the topmost bracket in openers, or -1
	lastTag     map[string]int32
	dead        int32 // links in openers below this index would hold a link

	from int // where the text run began that is not a token yet

	ticks    codeEnds
	dollar   int32 // next place where "$" may end a formula, see nextDollar
	noParen  bool  // no further "\)"
	noSquare bool  // no further "\]"
	noDouble bool  // no further "$$"
	noClose  map[string]bool

	out     []doc.Inline // the tree pass: children of the open frames
	frames  []frame
	pending [2]int // range of s that is not a node yet
	buf     []byte // text that is not a node yet, if it is not one range
	nest    int    // how many frames have a node
	unborn  int    // how many of these have no child yet
	comment bool   // a comment was left out
}

type tokenKind uint8

const (
	tokenText  tokenKind = iota // s[start:end]
	tokenStr                    // strs[a]
	tokenDelim                  // a run of delimiters, see pair
	tokenSoft                   // soft break
	tokenHard                   // hard break
	tokenCode                   // strs[a]
	tokenMath                   // strs[a]
	tokenOpen                   // opens conts[a]; literal if a is -1
	tokenClose                  // closes conts[a]
	tokenAuto                   // autolink: text s[start:end], address strs[a]
	tokenImage                  // conts[a], an HTML image
	tokenNote                   // reference to a footnote, conts[a]
)

type token struct {
	kind       tokenKind
	start, end int32
	a          int32
	// Of a tokenDelim: the pairs that it closes, innermost first, then what is
	// left of the run, then the pairs that it opens, outermost first.
	closes, closesEnd, opens int32
}

// A container is what a pair of brackets or tags encloses.
type container struct {
	kind        contKind
	href, title string
	note        *footnote
}

type contKind uint8

const (
	contNone contKind = iota // its tags vanish
	contStrong
	contEmphasis
	contStrike
	contSpoiler
	contLink
	contImage
	contSuper
	contSub
)

var tagConts = [...]contKind{
	actStrong: contStrong, actEmphasis: contEmphasis, actStrike: contStrike,
	actSuper: contSuper, actSub: contSub, actLink: contLink, actSummary: contNone,
}

// An opener is a bracket or a start tag that may find its other half.
type opener struct {
	token   int32
	delim   int32  // the top of the list of delimiters before it
	prev    int32  // the next lower opener of its sort: bracket, or tag of that name
	name    string // of a tag; "" for brackets
	image   bool
	nested  bool // a bracket stands within
	dead    bool // found out to be literal
	guess   bool // unmatched, it holds to the end all the same
	content int32
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
	p.last, p.lastBracket, p.dead = -1, -1, 0
	clear(p.lastTag)
	clear(p.noClose)
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
		p.tokens = append(p.tokens, token{kind: tokenText, start: int32(p.from), end: int32(end)})
	}
	p.from = end
}

// add ends the run at i and appends a token. The caller moves on and sets from.
func (p *inliner) add(i int, kind tokenKind, a int32) *token {
	p.text(i)
	p.tokens = append(p.tokens, token{kind: kind, start: int32(i), end: int32(i), a: a})
	return &p.tokens[len(p.tokens)-1]
}

func (p *inliner) str(s string) int32 {
	p.strs = append(p.strs, s)
	return int32(len(p.strs) - 1)
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
		if o.name == "" {
			if !o.dead {
				p.lastBracket = o.prev
			}
		} else {
			p.lastTag[o.name] = o.prev
			at := p.tokens[o.token].a
			if p.conts[at].kind != contLink && (!end || o.guess && o.delim < 0 && p.shownAfter(o)) {
				p.emphasis(o.delim)
				p.add(p.from, tokenClose, at)
			} else {
				p.tokens[o.token].a = -1
			}
		}
		p.openers = p.openers[:len(p.openers)-1]
	}
	p.dead = min(p.dead, int32(n))
}

// shownAfter reports whether anything follows a tag that nobody closed.
func (p *inliner) shownAfter(o *opener) bool {
	return int(o.token)+1 < len(p.tokens) && !blank(p.s[o.content:])
}

// A frame is a container that the tree pass is in.
type frame struct {
	kind contKind
	cont int32 // index in conts, or -1
	mark int   // where its children begin in out; -1 as long as there are none
}

// visible reports whether ins show anything.
func visible(ins []doc.Inline) bool {
	for _, in := range ins {
		switch in := in.(type) {
		case *doc.Text:
			if !blank(in.Text) {
				return true
			}
		case *doc.Break:
		case *doc.Strong:
			if visible(in.Children) {
				return true
			}
		case *doc.Emphasis:
			if visible(in.Children) {
				return true
			}
		case *doc.Strikethrough:
			if visible(in.Children) {
				return true
			}
		case *doc.Spoiler:
			if visible(in.Children) {
				return true
			}
		default:
			return true
		}
	}
	return false
}
