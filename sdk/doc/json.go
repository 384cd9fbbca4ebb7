package doc

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A scanner reads JSON from one string. Its first error sticks: every method
// does nothing once err is set, so that callers check it only where they loop.
type scanner struct {
	s     string
	i     int
	exact bool            // the member just named is a name_b64
	buf   strings.Builder // unescaped strings; those given out share its memory
	err   *ParseError
	path  []segment // where err is, innermost first
}

// A segment is one step of a path: a field, and an index in it unless negative.
type segment struct {
	field string
	index int
}

// maxSkip bounds how deep a value that nobody reads may nest. Depth of what is
// read is bounded by Limits.
const maxSkip = 512

func (p *scanner) fail(err error, reason string) {
	if p.err == nil {
		p.err = &ParseError{Offset: p.i, Reason: reason, Err: err}
	}
}

// at adds a step to the path of the error, if there is one.
func (p *scanner) at(field string, index int) {
	if p.err != nil {
		p.path = append(p.path, segment{field, index})
	}
}

// failure is the error with its path.
func (p *scanner) failure() error {
	var b strings.Builder
	for i := len(p.path) - 1; i >= 0; i-- {
		if b.Len() > 0 && p.path[i].field != "" {
			b.WriteByte('.')
		}
		b.WriteString(p.path[i].field)
		if n := p.path[i].index; n >= 0 {
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(n))
			b.WriteByte(']')
		}
	}
	p.err.Path = b.String()
	return p.err
}

func (p *scanner) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// peek gives the first byte of the next token, 0 at the end.
func (p *scanner) peek() byte {
	if p.i < len(p.s) && p.s[p.i] > ' ' {
		return p.s[p.i]
	}
	p.space()
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

// open consumes c, which opens an object or an array.
func (p *scanner) open(c byte) {
	if p.err != nil {
		return
	}
	got := p.peek()
	if got == c {
		p.i++
		return
	}
	switch {
	case got == 0:
		p.fail(ErrSyntax, "unexpected end")
	case c == '{':
		p.fail(ErrInvalid, "expected an object")
	default:
		p.fail(ErrInvalid, "expected an array")
	}
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

// key reads the name of a member and the colon. A name_b64 is given as name,
// with exact set.
func (p *scanner) key() string {
	p.exact = false
	if p.peek() != '"' {
		p.fail(ErrSyntax, "expected the name of a member")
		return ""
	}
	k := p.rawString()
	if p.err != nil {
		return ""
	}
	if p.peek() != ':' {
		p.fail(ErrSyntax, "expected a colon")
		return ""
	}
	p.i++
	if len(k) > 4 && k[len(k)-4:] == "_b64" {
		p.exact = true
		k = k[:len(k)-4]
	}
	return k
}

// rawString reads a string whose quote is next.
func (p *scanner) rawString() string {
	if p.err != nil {
		return ""
	}
	s, start := p.s, p.i+1
	for i := start; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			p.i = i + 1
			return s[start:i]
		case c == '\\':
			return p.unescape(start, i)
		case c < ' ':
			p.i = i
			p.fail(ErrSyntax, "control character in a string")
			return ""
		}
	}
	p.fail(ErrSyntax, "a string without end")
	return ""
}

// unescape reads the rest of a string that began at start and has its first
// escape at i.
func (p *scanner) unescape(start, i int) string {
	s := p.s
	end := i // the closing quote: what is unescaped is never longer than the raw form
	for {
		n := strings.IndexByte(s[end:], '"')
		if n < 0 {
			p.fail(ErrSyntax, "a string without end")
			return ""
		}
		end += n
		slashes := end
		for s[slashes-1] == '\\' {
			slashes--
		}
		if (end-slashes)%2 == 0 {
			break
		}
		end++
	}
	if need := end - start; p.buf.Cap()-p.buf.Len() < need {
		// Strings already given out keep the former memory alive.
		p.buf = strings.Builder{}
		p.buf.Grow(max(need, min(len(s)/8, 64<<10)))
	}
	from := p.buf.Len()
	for run := start; ; {
		for i < end && s[i] != '\\' {
			if s[i] < ' ' {
				p.i = i
				p.fail(ErrSyntax, "control character in a string")
				return ""
			}
			i++
		}
		p.buf.WriteString(s[run:i])
		if i >= end {
			break
		}
		n := p.escape(i+1, end)
		if n == 0 {
			p.i = i
			p.fail(ErrSyntax, "bad escape in a string")
			return ""
		}
		i += 1 + n
		run = i
	}
	p.i = end + 1
	return p.buf.String()[from:]
}

// escape writes what the escape behind the backslash before i means and returns
// its length, 0 if it means nothing.
func (p *scanner) escape(i, end int) int {
	c := p.s[i]
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
		r := hex4(p.s[i+1 : end])
		if r < 0 {
			return 0
		}
		if utf16.IsSurrogate(r) {
			if i+6 < end && p.s[i+5] == '\\' && p.s[i+6] == 'u' {
				if both := utf16.DecodeRune(r, hex4(p.s[i+7:end])); both != utf8.RuneError {
					p.buf.WriteRune(both)
					return 11
				}
			}
			r = utf8.RuneError // alone, it names no character
		}
		p.buf.WriteRune(r)
		return 5
	default:
		return 0
	}
	p.buf.WriteByte(c)
	return 1
}

func hex4(s string) rune {
	if len(s) < 4 {
		return -1
	}
	var r rune
	for i := range 4 {
		c := s[i]
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

// str reads a string field into dst. A field and its _b64 must say the same,
// in whichever order they come.
func (p *scanner) str(dst *string) {
	exact := p.exact
	if p.err != nil {
		return
	}
	start := p.i
	if p.peek() != '"' {
		p.fail(ErrInvalid, "expected a string")
		return
	}
	s := p.rawString()
	if p.err != nil {
		return
	}
	if exact {
		b, err := base64.StdEncoding.Strict().DecodeString(s)
		if err != nil {
			p.i = start
			p.fail(ErrInvalid, "not base64")
			return
		}
		s = string(b)
	}
	switch {
	case *dst == "":
		*dst = s
	case exact && repair(s) == *dst:
		*dst = s
	case !exact && repair(*dst) == s:
	default:
		p.i = start
		p.fail(ErrInvalid, "a field given twice, or unlike its exact bytes")
	}
}

// word reads a string of a closed set; the caller judges it.
func (p *scanner) word(field string) (s string, ok bool) {
	if p.exact {
		p.skip()
		return "", false
	}
	if p.err != nil {
		return "", false
	}
	if p.peek() != '"' {
		p.fail(ErrInvalid, "expected a string")
		p.at(field, -1)
		return "", false
	}
	s = p.rawString()
	return s, p.err == nil
}

// number reads an integer that is not negative.
func (p *scanner) number(dst *int, field string) {
	if p.exact {
		p.skip()
		return
	}
	if p.err != nil {
		return
	}
	p.peek()
	start := p.i
	for p.i < len(p.s) && '0' <= p.s[p.i] && p.s[p.i] <= '9' {
		p.i++
	}
	digits := p.s[start:p.i]
	if p.i < len(p.s) && strings.IndexByte(".eE", p.s[p.i]) >= 0 ||
		len(digits) == 0 || len(digits) > 15 || len(digits) > 1 && digits[0] == '0' {
		p.i = start
		p.fail(ErrInvalid, "expected a whole number from 0")
		p.at(field, -1)
		return
	}
	n, _ := strconv.ParseInt(digits, 10, 64)
	*dst = int(n)
	if int64(*dst) != n {
		p.fail(ErrInvalid, "number too large")
		p.at(field, -1)
	}
}

// flag reads a boolean.
func (p *scanner) flag(dst *bool, field string) {
	if p.exact {
		p.skip()
		return
	}
	if p.err != nil {
		return
	}
	p.peek()
	switch {
	case strings.HasPrefix(p.s[p.i:], "true"):
		p.i += 4
		*dst = true
	case strings.HasPrefix(p.s[p.i:], "false"):
		p.i += 5
	default:
		p.fail(ErrInvalid, "expected true or false")
		p.at(field, -1)
	}
}

// skip passes over one value of any type.
func (p *scanner) skip() { p.skipTo(0) }

func (p *scanner) skipTo(depth int) {
	if p.err != nil {
		return
	}
	if depth > maxSkip {
		p.fail(ErrTooDeep, "in a field that is not known")
		return
	}
	switch c := p.peek(); {
	case c == '{':
		p.i++
		for n := 0; p.more(n, '}'); n++ {
			p.key()
			p.skipTo(depth + 1)
		}
	case c == '[':
		p.i++
		for n := 0; p.more(n, ']'); n++ {
			p.skipTo(depth + 1)
		}
	case c == '"':
		p.rawString()
	case c == '-' || '0' <= c && c <= '9':
		p.skipNumber()
	default:
		for _, w := range [...]string{"true", "false", "null"} {
			if strings.HasPrefix(p.s[p.i:], w) {
				p.i += len(w)
				return
			}
		}
		p.fail(ErrSyntax, "expected a value")
	}
}

func (p *scanner) skipNumber() {
	digits := func() {
		from := p.i
		for p.i < len(p.s) && '0' <= p.s[p.i] && p.s[p.i] <= '9' {
			p.i++
		}
		if p.i == from {
			p.fail(ErrSyntax, "bad number")
		}
	}
	next := func(set string) bool {
		if p.i < len(p.s) && strings.IndexByte(set, p.s[p.i]) >= 0 {
			p.i++
			return true
		}
		return false
	}
	next("-")
	if !next("0") {
		digits()
	}
	if next(".") {
		digits()
	}
	if next("eE") {
		next("+-")
		digits()
	}
}
