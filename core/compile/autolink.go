package compile

import (
	"strings"
	"unicode/utf8"
)

// colon looks for a bare address around the colon at i: "https://…", "http://…"
// or "mailto:…".
func (p *inliner) colon(i int) int {
	s := p.s
	start := i
	for start > p.from && i-start < 6 && isAlpha(s[start-1]) {
		start--
	}
	scheme := s[start:i]
	switch {
	case start == i || charBefore(s, start)&charAlnum != 0:
		return i + 1
	case strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"):
		if !strings.HasPrefix(s[i:], "://") || !domainStarts(s, i+3) {
			return i + 1
		}
		return p.bare(start, p.bareEnd(start, i+3), i+3)
	case strings.EqualFold(scheme, "mailto"):
		at := strings.IndexByte(s[i:min(len(s), i+66)], '@')
		if at <= 1 || strings.ContainsAny(s[i:i+at], " \t\n<>") {
			return i + 1
		}
		if end := mailDomain(s, i+at+1); end > 0 {
			p.link(start, s[start:end], s[start:end])
			p.from = end
			return end
		}
	}
	return i + 1
}

// www reads a bare address at "www.", whose full stop is at i.
func (p *inliner) www(i int) int {
	s := p.s
	start := i - 3
	if s[start] != 'w' || s[start+1] != 'w' || charBefore(s, start)&charAlnum != 0 ||
		start > 0 && strings.IndexByte("/.-_@", s[start-1]) >= 0 || !domainStarts(s, i+1) {
		return i + 1
	}
	return p.bare(start, p.bareEnd(start, i+1), i+1)
}

// bare adds the link s[start:end], if the domain at from has any text.
func (p *inliner) bare(start, end, from int) int {
	s := p.s
	if end <= from {
		return from
	}
	href := s[start:end]
	if s[start] == 'w' || s[start] == 'W' {
		href = "http://" + href
	}
	p.link(start, href, s[start:end])
	p.from = end
	return end
}

func domainStarts(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	return isAlnum(s[i]) || s[i] >= utf8.RuneSelf && charAfter(s, i)&(charSpace|charPunct) == 0
}

// bareEnd finds the end of a bare address, by the rules of GFM and then some: it
// also ends before a vertical bar, a quote of code, full-width punctuation, a
// bracket that closes one from before the address, and stars that do.
func (p *inliner) bareEnd(start, i int) int {
	s := p.s
	brackets := 0
	end := len(s)
scan:
	for j := i; j < len(s); {
		c := s[j]
		switch {
		case c <= ' ' || c == '<' || c == '>' || c == '|' || c == '`' || c == 0x7f:
			end = j
			break scan
		case c == '[':
			brackets++
		case c == ']':
			if brackets--; brackets < 0 && p.lastBracket >= 0 {
				end = j
				break scan
			}
		case c == '*':
			if p.last >= 0 && runLength(s, j) > 1 {
				end = j
				break scan
			}
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[j:])
			if f := runeFlags(r); f&charSpace != 0 || f&charWide != 0 && f&charPunct != 0 {
				end = j
				break scan
			}
			j += n
			continue
		}
		j++
	}
	return trimAddress(s, start, end)
}

// trimAddress takes off the end what belongs to the sentence: punctuation, an
// entity, a parenthesis that was opened before the address.
func trimAddress(s string, start, end int) int {
	surplus := strings.Count(s[start:end], ")") - strings.Count(s[start:end], "(")
	for end > start {
		switch c := s[end-1]; c {
		case '?', '!', '.', ',', ':', '*', '_', '~', '\'', '"':
			end--
		case ')':
			if surplus <= 0 {
				return end
			}
			surplus--
			end--
		case ';':
			j := end - 1
			for j > start && isAlnum(s[j-1]) {
				j--
			}
			if j < end-1 && s[j-1] == '&' {
				end = j - 1
			} else {
				end--
			}
		default:
			return end
		}
	}
	return end
}

// at looks for a bare address of mail around the "@" at i.
func (p *inliner) at(i int) int {
	s := p.s
	start := i
	for start > p.from && (isAlnum(s[start-1]) || strings.IndexByte("._+-", s[start-1]) >= 0) {
		start--
	}
	if start == i || s[start] == '.' {
		return i + 1
	}
	end := mailDomain(s, i+1)
	if end < 0 || strings.IndexByte(s[i+1:end], '.') < 0 {
		return i + 1
	}
	p.link(start, "mailto:"+s[start:end], s[start:end])
	p.from = end
	return end
}

// mailDomain returns the end of the domain of an address of mail, or -1.
func mailDomain(s string, i int) int {
	start, dot := i, i
	for i < len(s) && (isAlnum(s[i]) || s[i] == '-' || s[i] == '_' || s[i] == '.') {
		if s[i] == '.' {
			if i == dot || i+1 >= len(s) || !isAlnum(s[i+1]) {
				break
			}
			dot = i + 1
		}
		i++
	}
	if i == start || i == dot || s[i-1] == '-' || s[i-1] == '_' || !isAlnum(s[start]) {
		return -1
	}
	return i
}
