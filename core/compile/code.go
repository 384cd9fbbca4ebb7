package compile

import "strings"

// codeEnds finds the ends of code spans. When a run of backticks has no partner,
// it notes where each length of run occurs last, so that no run is searched for
// twice in vain.
type codeEnds struct {
	last map[int]int // by length, the offset of the last run of that length
}

// runLength counts how often s[i] is repeated from i on.
func runLength(s string, i int) int {
	n := 1
	for i+n < len(s) && s[i+n] == s[i] {
		n++
	}
	return n
}

// find returns the offset of the run that closes the one of length n at i, or -1.
func (e *codeEnds) find(s string, i, n int) int {
	if e.last != nil && e.last[n] <= i {
		return -1
	}
	build := e.last == nil
	var last map[int]int
	for j := i + n; ; {
		k := strings.IndexByte(s[j:], '`')
		if k < 0 {
			break
		}
		j += k
		m := runLength(s, j)
		if m == n {
			return j
		}
		if build {
			if last == nil {
				last = make(map[int]int)
			}
			last[m] = j
		}
		j += m
	}
	if last == nil {
		last = map[int]int{}
	}
	if build {
		e.last = last
	}
	return -1
}

// codeSpan reads the run of backticks at i. A span of nothing but space is left
// as it was written: as code it could not be seen.
func (p *inliner) codeSpan(i int) int {
	s := p.s
	n := runLength(s, i)
	end := p.ticks.find(s, i, n)
	if end < 0 || blank(s[i+n:end]) {
		return max(end, i) + n
	}
	text := s[i+n : end]
	if strings.ContainsAny(text, "\n\t") {
		text = oneLine(text)
	}
	if len(text) > 2 && text[0] == ' ' && text[len(text)-1] == ' ' {
		text = text[1 : len(text)-1]
	}
	p.add(i, tokenCode, p.str(text))
	p.from = end + n
	return p.from
}

// oneLine joins the lines of text within a line.
func oneLine(s string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(s)
}
