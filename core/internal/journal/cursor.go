package journal

import (
	"bytes"
	"encoding/json"
)

// A cursor walks over JSON that somebody has vouched for with a checksum. After
// its first surprise it stands still. It trusts no length and no nesting.
type cursor struct {
	b   []byte
	i   int
	bad bool
}

func (p *cursor) ok() bool { return !p.bad }

func (p *cursor) fail() { p.bad, p.i = true, len(p.b) }

// next is the byte at hand, behind any space; 0 at the end.
func (p *cursor) next() byte {
	for p.i < len(p.b) {
		switch c := p.b[p.i]; c {
		case ' ', '\t', '\r':
			p.i++
		default:
			return c
		}
	}
	return 0
}

func (p *cursor) expect(c byte) {
	if p.next() != c {
		p.fail()
		return
	}
	p.i++
}

// raw moves over a string and returns it with its quotes.
func (p *cursor) raw() []byte {
	if p.next() != '"' {
		p.fail()
		return nil
	}
	from := p.i
	p.i++
	for {
		n := bytes.IndexByte(p.b[p.i:], '"')
		if n < 0 {
			p.fail()
			return nil
		}
		end := p.i + n
		escapes := 0
		for end-escapes > p.i && p.b[end-1-escapes] == '\\' {
			escapes++
		}
		p.i = end + 1
		if escapes%2 == 0 {
			return p.b[from:p.i]
		}
	}
}

// str reads a string.
func (p *cursor) str() string {
	raw := p.raw()
	if len(raw) < 2 {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		p.fail()
	}
	return s
}

// number reads a whole number that is not negative.
func (p *cursor) number() uint64 {
	p.next()
	from := p.i
	var n uint64
	for p.i < len(p.b) && '0' <= p.b[p.i] && p.b[p.i] <= '9' {
		n = n*10 + uint64(p.b[p.i]-'0')
		p.i++
	}
	if p.i == from || p.i-from > 19 {
		p.fail()
		return 0
	}
	return n
}

// value moves over any value and returns it.
func (p *cursor) value() []byte {
	p.next()
	from, depth := p.i, 0
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case '"':
			p.raw()
			if depth == 0 {
				return p.taken(from)
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // of what is around
				return p.taken(from)
			}
			if depth--; depth == 0 {
				p.i++
				return p.taken(from)
			}
		case ',':
			if depth == 0 {
				return p.taken(from)
			}
		}
		p.i++
	}
	if depth > 0 {
		p.fail()
	}
	return p.taken(from)
}

func (p *cursor) taken(from int) []byte {
	if p.bad || p.i <= from {
		p.fail()
		return nil
	}
	return p.b[from:p.i]
}

// array calls f at each element, which f moves over.
func (p *cursor) array(f func()) {
	p.expect('[')
	if p.ok() && p.next() == ']' {
		p.i++
		return
	}
	for p.ok() {
		at := p.i
		f()
		if p.i <= at { // no progress
			p.fail()
		}
		switch {
		case !p.ok():
		case p.next() == ']':
			p.i++
			return
		default:
			p.expect(',')
		}
	}
}
