package ledger

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A scanner reads JSON. Its first error sticks: every method does nothing once
// err is set, so that callers check it only where they loop. The bytes are known
// to be UTF-8.
type scanner struct {
	b      []byte
	i      int
	depth  int    // objects and arrays that are open
	spaced bool   // there was space between tokens
	buf    []byte // the last string that had escapes
	err    *ParseError
	path   []segment // where err is, innermost first
}

// A segment is one step of a path: a field, or an index in one.
type segment struct {
	field string
	index int
}

func (p *scanner) fail(err error, reason string) {
	if p.err == nil {
		p.err = &ParseError{Offset: p.i, Reason: reason, Err: err}
	}
}

// at adds a field to the path of the error, if there is one.
func (p *scanner) at(field string) {
	if p.err != nil {
		p.path = append(p.path, segment{field: field})
	}
}

// atIndex adds an index to the path of the error, if there is one.
func (p *scanner) atIndex(n int) {
	if p.err != nil {
		p.path = append(p.path, segment{index: n})
	}
}

// failure is the error with its path.
func (p *scanner) failure() error {
	var b strings.Builder
	for i := len(p.path) - 1; i >= 0; i-- {
		switch s := p.path[i]; {
		case s.field == "":
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(s.index))
			b.WriteByte(']')
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.field)
		}
	}
	p.err.Path = b.String()
	return p.err
}

// peek gives the first byte of the next token, 0 at the end; a NUL is no token
// either.
func (p *scanner) peek() byte {
	for p.i < len(p.b) {
		switch c := p.b[p.i]; c {
		case ' ', '\t', '\n', '\r':
			p.i++
			p.spaced = true
		default:
			return c
		}
	}
	return 0
}

// end reports whether nothing follows.
func (p *scanner) end() bool {
	p.peek()
	return p.i == len(p.b)
}

// open consumes c, which opens an object or an array.
func (p *scanner) open(c byte) {
	if p.err != nil {
		return
	}
	if p.peek() != c {
		switch {
		case p.i == len(p.b):
			p.fail(ErrSyntax, "unexpected end")
		case c == '{':
			p.fail(ErrInvalid, "expected an object")
		default:
			p.fail(ErrInvalid, "expected an array")
		}
		return
	}
	if p.depth++; p.depth > MaxDepth {
		p.fail(ErrTooDeep, "")
		return
	}
	p.i++
}

// more reports whether member n follows in what close ends, and consumes the
// comma before it, or close.
func (p *scanner) more(n int, close byte) bool {
	if p.err != nil {
		return false
	}
	c := p.peek()
	if c == close {
		p.i++
		p.depth--
		return false
	}
	if n > 0 {
		if c != ',' {
			p.fail(ErrSyntax, "expected a comma or the end of the object or array")
			return false
		}
		p.i++
		if p.peek() == close {
			p.fail(ErrSyntax, "a comma before the end")
			return false
		}
	}
	return true
}

// key reads the name of a member and the colon. It is valid until the next
// string is read.
func (p *scanner) key() []byte {
	if p.peek() != '"' {
		p.fail(ErrSyntax, "expected the name of a member")
		return nil
	}
	k := p.str()
	if p.err == nil && p.peek() != ':' {
		p.fail(ErrSyntax, "expected a colon")
	}
	if p.err != nil {
		return nil
	}
	p.i++
	return k
}

// str reads a string. It is valid until the next one is read.
func (p *scanner) str() []byte {
	if p.err != nil {
		return nil
	}
	if p.peek() != '"' {
		p.fail(ErrInvalid, "expected a string")
		return nil
	}
	p.i++
	start := p.i
	for i, c := range p.b[start:] {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		p.i = start + i
		switch c {
		case '"':
			p.i++
			return p.b[start : start+i]
		case '\\':
			return p.unescape(start)
		}
		p.fail(ErrSyntax, "control character in a string")
		return nil
	}
	p.i = len(p.b)
	p.fail(ErrSyntax, "a string without end")
	return nil
}

// unescape reads the rest of a string that began at start and has its first
// escape at p.i.
func (p *scanner) unescape(start int) []byte {
	buf := p.buf[:0]
	if buf == nil {
		buf = make([]byte, 0, min(len(p.b)-start, 64<<10))
	}
	b, run := p.b, start
	for i := p.i; i < len(b); {
		c := b[i]
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		buf = append(buf, b[run:i]...)
		p.i = i
		switch c {
		case '"':
			p.i++
			p.buf = buf
			return buf
		case '\\':
			var n int
			if buf, n = escape(buf, b[i+1:]); n == 0 {
				p.fail(ErrSyntax, "bad escape in a string")
				return nil
			}
			i += 1 + n
			run = i
		default:
			p.fail(ErrSyntax, "control character in a string")
			return nil
		}
	}
	p.i = len(b)
	p.fail(ErrSyntax, "a string without end")
	return nil
}

// escape writes what the escape in b, without its backslash, means and returns
// its length, 0 if it means nothing.
func escape(dst, b []byte) ([]byte, int) {
	if len(b) == 0 {
		return dst, 0
	}
	c := b[0]
	switch c {
	case '"', '\\', '/':
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'u':
		r := hex4(b[1:])
		if r < 0 {
			return dst, 0
		}
		if utf16.IsSurrogate(r) {
			if len(b) > 6 && b[5] == '\\' && b[6] == 'u' {
				if both := utf16.DecodeRune(r, hex4(b[7:])); both != utf8.RuneError {
					return utf8.AppendRune(dst, both), 11
				}
			}
			r = utf8.RuneError // alone, it names no character
		}
		return utf8.AppendRune(dst, r), 5
	default:
		return dst, 0
	}
	return append(dst, c), 1
}

func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// number reads a whole number from 0.
func (p *scanner) number(dst *uint64) {
	if p.err != nil {
		return
	}
	p.peek()
	start := p.i
	digits := p.digits()
	n, err := strconv.ParseUint(string(p.b[start:p.i]), 10, 64)
	if err != nil || digits > 1 && p.b[start] == '0' || p.i < len(p.b) && bytes.IndexByte([]byte(".eE"), p.b[p.i]) >= 0 {
		p.i = start
		p.fail(ErrInvalid, "expected a whole number from 0 to 2^64-1")
		return
	}
	*dst = n
}

// flag reads a boolean.
func (p *scanner) flag(dst *bool) {
	if p.err != nil {
		return
	}
	p.peek()
	switch {
	case p.literal("true"):
		*dst = true
	case p.literal("false"):
		*dst = false
	default:
		p.fail(ErrInvalid, "expected true or false")
	}
}

// raw reads a value of any type, without the space in it.
func (p *scanner) raw(dst *json.RawMessage) {
	if p.err != nil {
		return
	}
	p.peek()
	start := p.i
	p.spaced = false
	if p.skip(); p.err != nil {
		return
	}
	v := p.b[start:p.i]
	if p.spaced {
		*dst = appendCompact(make([]byte, 0, len(v)), v)
		return
	}
	*dst = bytes.Clone(v)
}

// skip passes over one value of any type.
func (p *scanner) skip() {
	if p.err != nil {
		return
	}
	switch c := p.peek(); {
	case c == '{':
		p.open('{')
		for n := 0; p.more(n, '}'); n++ {
			p.key()
			p.skip()
		}
	case c == '[':
		p.open('[')
		for n := 0; p.more(n, ']'); n++ {
			p.skip()
		}
	case c == '"':
		p.str()
	case c == '-' || '0' <= c && c <= '9':
		p.skipNumber()
	case p.literal("true"), p.literal("false"), p.literal("null"):
	default:
		p.fail(ErrSyntax, "expected a value")
	}
}

func (p *scanner) skipNumber() {
	p.one("-")
	if !p.one("0") && p.digits() == 0 {
		p.fail(ErrSyntax, "bad number")
	}
	if p.one(".") && p.digits() == 0 {
		p.fail(ErrSyntax, "bad number")
	}
	if p.one("eE") {
		p.one("+-")
		if p.digits() == 0 {
			p.fail(ErrSyntax, "bad number")
		}
	}
}

// digits passes over digits and counts them.
func (p *scanner) digits() int {
	from := p.i
	for p.i < len(p.b) && '0' <= p.b[p.i] && p.b[p.i] <= '9' {
		p.i++
	}
	return p.i - from
}

// one passes over one byte of set.
func (p *scanner) one(set string) bool {
	if p.i < len(p.b) && strings.IndexByte(set, p.b[p.i]) >= 0 {
		p.i++
		return true
	}
	return false
}

func (p *scanner) literal(w string) bool {
	if len(p.b)-p.i < len(w) || string(p.b[p.i:p.i+len(w)]) != w {
		return false
	}
	p.i += len(w)
	return true
}
