package lower

import "strings"

// maxLine is how many bytes of JSON stand in one line.
const maxLine = 80

// indented is compact JSON for people: what is short in one line, the elements of
// what is longer in lines of their own. It is linear in the size of b.
func indented(b []byte) string {
	p := printer{b: b, end: make(map[int]int)}
	p.match()
	p.value(0, 0)
	return p.out.String()
}

type printer struct {
	b   []byte
	end map[int]int // where what opens at a place closes
	out strings.Builder
}

// match finds the ends of objects and arrays.
func (p *printer) match() {
	var open []int
	for i := 0; i < len(p.b); i++ {
		switch p.b[i] {
		case '"':
			i = p.text(i) - 1
		case '{', '[':
			open = append(open, i)
		case '}', ']':
			p.end[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
}

// text is the end of the text that begins at i.
func (p *printer) text(i int) int {
	for i++; p.b[i] != '"'; i++ {
		if p.b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// value writes the value at i and returns where it ends.
func (p *printer) value(i, depth int) int {
	end, ok := p.end[i]
	switch {
	case !ok:
		return p.flat(i, p.scalar(i))
	case end == i+1 || end-i < maxLine-2*depth:
		return p.flat(i, end+1)
	}
	p.out.WriteByte(p.b[i])
	for i++; i < end; {
		p.line(depth + 1)
		if p.b[end] == '}' {
			i = p.flat(i, p.text(i)+1) // the name and its colon
		}
		if i = p.value(i, depth+1); p.b[i] == ',' {
			p.out.WriteByte(',')
			i++
		}
	}
	p.line(depth)
	p.out.WriteByte(p.b[end])
	return end + 1
}

// scalar is the end of the text, number or word at i.
func (p *printer) scalar(i int) int {
	if p.b[i] == '"' {
		return p.text(i)
	}
	for i < len(p.b) && p.b[i] != ',' && p.b[i] != '}' && p.b[i] != ']' {
		i++
	}
	return i
}

// flat writes what is from i to end in one line, with spaces behind commas and
// colons, and returns end.
func (p *printer) flat(i, end int) int {
	for i < end {
		if p.b[i] == '"' {
			next := p.text(i)
			p.out.Write(p.b[i:next])
			i = next
			continue
		}
		p.out.WriteByte(p.b[i])
		if p.b[i] == ',' || p.b[i] == ':' {
			p.out.WriteByte(' ')
		}
		i++
	}
	return end
}

func (p *printer) line(depth int) {
	p.out.WriteByte('\n')
	for range depth {
		p.out.WriteString("  ")
	}
}
