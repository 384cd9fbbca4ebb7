package compile

import (
	"strings"

	"github.com/yuin/goldmark/util"
)

// bracket opens what may become a link or an image, or reads a reference to a
// footnote.
func (p *inliner) bracket(i int, image bool) int {
	s := p.s
	n := 1
	if image {
		n = 2
	} else if i+1 < len(s) && s[i+1] == '^' && p.b.st.footnoteKey != nil {
		if label, n := footnoteLabel(s[i:]); n > 0 {
			if f := p.b.st.footnoteKey[strings.ToLower(label)]; f != nil {
				p.notes = append(p.notes, f)
				p.add(i, tokenNote, int32(len(p.notes)-1))
				p.b.refer(f)
				p.from = i + n
				return p.from
			}
		}
	}
	if p.lastBracket >= 0 {
		p.openers[p.lastBracket].nested = true
	}
	p.add(i, tokenText, 0).end = int32(i + n)
	p.from = i + n
	p.open(opener{
		token: int32(len(p.tokens) - 1), delim: p.last, prev: p.lastBracket, image: image, content: int32(i + n),
	})
	p.lastBracket = int32(len(p.openers) - 1)
	return i + n
}

// closeBracket decides whether the bracket at i makes a link with the last one
// that is open.
func (p *inliner) closeBracket(i int) int {
	at := p.lastBracket
	if at < 0 {
		return i + 1
	}
	s := p.s
	o := &p.openers[at]
	if o.image || at >= p.dead {
		// An image of nothing, and a link from nothing to nothing, are text.
		if href, title, end, ok := p.leads(o, i); ok && (href != "" || !o.image && !blank(s[o.content:i])) {
			p.closeLink(at, i, target{href, title})
			p.from = end
			return end
		}
	}
	p.lastBracket = o.prev
	o.dead = true
	if int(at) == len(p.openers)-1 {
		p.openers = p.openers[:at]
		p.dead = min(p.dead, at)
	}
	return i + 1
}

// leads reads where a link leads: "(href "title")", "[label]", "[]" or nothing,
// if the text of the link is a label itself.
func (p *inliner) leads(o *opener, i int) (href, title string, end int, ok bool) {
	s := p.s
	if i+1 < len(s) && s[i+1] == '(' {
		if href, title, end, ok = inlineTarget(s, i+2); ok {
			return href, title, end, true
		}
	}
	if p.b.st.definedKey == nil {
		return "", "", 0, false
	}
	label, end := "", i+1
	if l, n := linkLabel(s[i+1:]); n > 0 {
		label, end = l, i+1+n
	} else {
		if o.nested || i-int(o.content) > maxLabel {
			return "", "", 0, false
		}
		label = s[o.content:i]
		if strings.HasPrefix(s[i+1:], "[]") {
			end = i + 3
		}
	}
	d := p.b.st.definedKey[util.ToLinkReference([]byte(label))]
	if d == nil {
		return "", "", 0, false
	}
	d.used = true
	return d.href, d.title, end, true
}

// inlineTarget reads a destination and a title from behind the parenthesis to
// the closing one.
func inlineTarget(s string, i int) (href, title string, end int, ok bool) {
	i = skipToWord(s, i)
	href, n := linkDestination(s[i:])
	if n == 0 && i < len(s) && s[i] != ')' {
		return "", "", 0, false
	}
	i += n
	t := skipToWord(s, i)
	if t > i {
		var n int
		if title, n = linkTitle(s[t:]); n > 0 {
			t = skipToWord(s, t+n)
		}
	}
	if t >= len(s) || s[t] != ')' {
		return "", "", 0, false
	}
	return cleanWord(unescape(href)), cleanWord(unescape(title)), t + 1, true
}

// closeLink makes a link or image of the bracket at index at in openers.
func (p *inliner) closeLink(at int32, i int, to target) {
	p.text(i)
	p.closeTo(int(at)+1, false)
	o := &p.openers[at]
	o.cont = contLink
	if o.image {
		o.cont = contImage
	}
	o.conts = p.leadsTo(to)
	p.match(o)
	p.lastBracket = o.prev
	p.openers = p.openers[:at]
	if o.cont == contLink {
		p.dead = at // links do not nest
	} else {
		p.dead = min(p.dead, at)
	}
}
