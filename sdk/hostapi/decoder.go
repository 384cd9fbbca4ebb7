package hostapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A decoder reads JSON from b. After an error it reads nothing more.
type decoder struct {
	b   []byte
	i   int
	err error
}

// object reads an object, or null, which leaves everything as it is.
func (d *decoder) object(field string, member func(name string)) {
	if d.null() || !d.open('{', field) {
		return
	}
	if d.space(); d.peek() == '}' {
		d.i++
		return
	}
	for d.err == nil {
		var name string
		if d.space(); d.peek() != '"' {
			d.bad()
			return
		}
		d.text("", &name)
		if d.space(); d.peek() != ':' {
			d.bad()
			return
		}
		d.i++
		member(name)
		if !d.more('}') {
			return
		}
	}
}

// array reads an array, or null. empty is called in place of elements that are
// not there.
func (d *decoder) array(field string, element, empty func()) {
	if d.null() || !d.open('[', field) {
		return
	}
	if d.space(); d.peek() == ']' {
		d.i++
		empty()
		return
	}
	for d.err == nil {
		element()
		if !d.more(']') {
			return
		}
	}
}

// more reports whether another element follows.
func (d *decoder) more(end byte) bool {
	d.space()
	switch c := d.peek(); {
	case d.err != nil:
	case c == ',':
		d.i++
		return true
	case c == end:
		d.i++
	default:
		d.bad()
	}
	return false
}

func (d *decoder) open(c byte, field string) bool {
	if d.err != nil {
		return false
	}
	if d.peek() != c {
		d.wrong(field)
		return false
	}
	d.i++
	return true
}

// wrong says that a value is of another type, if it is a value at all.
func (d *decoder) wrong(field string) {
	if d.raw(); d.err == nil {
		d.err = fmt.Errorf("field %q has the wrong type", field)
	}
}

func (d *decoder) bad() {
	if d.err == nil {
		d.err = fmt.Errorf("not valid JSON at byte %d", d.i)
	}
}

func (d *decoder) space() {
	for d.i < len(d.b) {
		switch d.b[d.i] {
		case ' ', '\t', '\r', '\n':
			d.i++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end, which starts nothing.
func (d *decoder) peek() byte {
	if d.i < len(d.b) {
		return d.b[d.i]
	}
	return 0
}

func (d *decoder) null() bool {
	d.space()
	if d.err == nil && len(d.b)-d.i >= 4 && string(d.b[d.i:d.i+4]) == "null" {
		d.i += 4
		return true
	}
	return false
}

// text reads a string, or null.
func (d *decoder) text(field string, into *string) {
	if d.null() || d.err != nil {
		return
	}
	if d.peek() != '"' {
		d.wrong(field)
		return
	}
	start := d.i + 1
	i := d.run(start)
	if i < len(d.b) && d.b[i] == '"' { // nothing is escaped
		*into, d.i = string(d.b[start:i]), i+1
		return
	}
	out := append(make([]byte, 0, d.length(i)-start), d.b[start:i]...)
	for i < len(d.b) && d.b[i] == '\\' {
		var ok bool
		if out, i, ok = d.escape(out, i); !ok {
			break
		}
		end := d.run(i)
		out = append(out, d.b[i:end]...)
		if i = end; i < len(d.b) && d.b[i] == '"' {
			*into, d.i = string(out), i+1
			return
		}
	}
	d.i = i
	d.bad()
}

// run returns the place behind what stands for itself in a string.
func (d *decoder) run(i int) int {
	for i < len(d.b) && d.b[i] != '"' && d.b[i] != '\\' && d.b[i] >= ' ' {
		i++
	}
	return i
}

// length finds where a string ends, from a place in it: what is escaped is longer
// than what it stands for, so there is no need for more room.
func (d *decoder) length(i int) int {
	for i < len(d.b) && d.b[i] != '"' {
		if d.b[i] == '\\' {
			i++
		}
		i++
	}
	return min(i, len(d.b))
}

// escape reads one escape at i, and returns the place behind it.
func (d *decoder) escape(out []byte, i int) ([]byte, int, bool) {
	if i+1 >= len(d.b) {
		return out, i, false
	}
	switch c := d.b[i+1]; c {
	case '"', '\\', '/':
		return append(out, c), i + 2, true
	case 'b':
		return append(out, '\b'), i + 2, true
	case 'f':
		return append(out, '\f'), i + 2, true
	case 'n':
		return append(out, '\n'), i + 2, true
	case 'r':
		return append(out, '\r'), i + 2, true
	case 't':
		return append(out, '\t'), i + 2, true
	case 'u':
		r, ok := d.unit(i)
		if !ok {
			return out, i, false
		}
		i += 6
		if utf16.IsSurrogate(r) {
			low, ok := d.unit(i)
			if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
				return utf8.AppendRune(out, pair), i + 6, true
			}
			r = utf8.RuneError // half a character is none
		}
		return utf8.AppendRune(out, r), i, true
	}
	return out, i, false
}

// unit reads \uXXXX at i.
func (d *decoder) unit(i int) (rune, bool) {
	if i+6 > len(d.b) || d.b[i] != '\\' || d.b[i+1] != 'u' {
		return 0, false
	}
	for _, c := range d.b[i+2 : i+6] {
		if (c < '0' || '9' < c) && (c < 'a' || 'f' < c) && (c < 'A' || 'F' < c) {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(d.b[i+2:i+6]), 16, 16)
	return rune(n), err == nil
}

// reflected reads a value of a type that is rare, by package encoding/json.
func (d *decoder) reflected(field string, into any) {
	raw := d.raw()
	if d.err != nil {
		return
	}
	if err := json.Unmarshal(raw, into); err != nil {
		d.err = fmt.Errorf("field %q has the wrong type", field)
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			d.err = fmt.Errorf("field %q has the wrong type", field+"."+e.Field)
		}
	}
}

// raw reads any value and returns its bytes, which are valid JSON.
func (d *decoder) raw() []byte {
	d.space()
	if d.err != nil {
		return nil
	}
	start, depth := d.i, 0
	for d.i < len(d.b) {
		switch c := d.b[d.i]; c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth < 0 { // the end of what holds it
				return d.valid(start)
			}
			if depth == 0 {
				d.i++
				return d.valid(start)
			}
		case ',':
			if depth == 0 {
				return d.valid(start)
			}
		case '"':
			for d.i++; d.i < len(d.b) && d.b[d.i] != '"'; d.i++ {
				if d.b[d.i] == '\\' {
					d.i++
				}
			}
			if depth == 0 {
				d.i = min(d.i+1, len(d.b))
				return d.valid(start)
			}
		}
		d.i++
	}
	return d.valid(start)
}

func (d *decoder) valid(start int) []byte {
	d.i = min(d.i, len(d.b))
	if raw := d.b[start:d.i]; json.Valid(raw) {
		return raw
	}
	d.i = start
	d.bad()
	return nil
}
