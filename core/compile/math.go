package compile

import "strings"

// math makes a formula of s[from:to], delimiters from i to end.
func (p *inliner) math(i, from, to, end int) int {
	tex := strings.TrimSpace(p.s[from:to])
	if strings.ContainsAny(tex, "\n\t") {
		tex = oneLine(tex)
	}
	p.add(i, tokenMath, p.str(tex))
	p.from = end
	return end
}

// texEnd finds a backslash with c behind it, from i on; any other character
// goes with the backslash before it.
func (p *inliner) texEnd(i int, c byte) int {
	s := p.s
	for {
		n := strings.IndexByte(s[i:], '\\')
		if n < 0 || i+n+1 >= len(s) {
			return -1
		}
		i += n
		if s[i+1] == c {
			return i
		}
		i += 2
	}
}

// formula reads the dollars at i: one opens a formula that ends in its line, two
// one that may go over lines; more are text.
func (p *inliner) formula(i int) int {
	s := p.s
	n := runLength(s, i)
	switch {
	case n == 2 && !p.noDouble:
		end := strings.Index(s[i+2:], "$$")
		if end < 0 {
			p.noDouble = true
			break
		}
		if end += i + 2; !blank(s[i+2 : end]) {
			return p.math(i, i+2, end, end+2)
		}
		return end // "$$$$" and "$$ $$" are text
	case n == 1 && charAfter(s, i+1)&charSpace == 0:
		if end := p.nextDollar(i + 1); end > 0 {
			return p.math(i, i+1, end, end+1)
		}
	}
	return i + n
}

// nextDollar returns where a formula that begins at i ends, or 0: at the next
// dollar, if it has no space before it and no digit behind it, in the same line
// and before any backtick. So "$5 and $10" is none. What was found is remembered
// for openers further on, which keeps a line of dollars linear.
func (p *inliner) nextDollar(i int) int {
	if p.dollar < 0 || int(p.dollar>>1) < i {
		p.dollar = int32(p.findDollar(i))
	}
	if p.dollar&1 == 0 {
		return 0
	}
	return int(p.dollar >> 1)
}

// findDollar returns twice the offset of the end of a formula plus 1, or twice
// the offset of what stands in its way.
func (p *inliner) findDollar(i int) int {
	s := p.s
	for j := i; j < len(s); j++ {
		switch s[j] {
		case '\n', '`':
			return 2 * j
		case '\\':
			if j++; j < len(s) && s[j] == '\n' {
				return 2 * j
			}
		case '$':
			if charBefore(s, j)&charSpace != 0 || j+1 < len(s) && (isDigit(s[j+1]) || s[j+1] == '$') {
				return 2 * j
			}
			return 2*j + 1
		}
	}
	return 2 * len(s)
}
