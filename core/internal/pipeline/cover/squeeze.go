package cover

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
)

// isRule reports whether a squeezed line is nothing but what parts a header
// from the rows.
func isRule(line []byte) bool {
	if line[0] != 0xe2 && line[0] != '-' && line[0] != '+' && line[0] != '=' {
		return false
	}
	return len(line) > 3 && strings.Trim(string(line), "─┼├┤━┿-+=|:") == ""
}

// mark returns the length of the mark of a quote or a list item, with the space
// around it, that raw starts with.
func mark(raw []byte) int {
	n := 0
	for n < len(raw) {
		k := ignorable(raw[n:])
		if k == 0 {
			break
		}
		n += k
	}
	for _, s := range [...]string{">", "›", "•", "◦", "▪", "-", "☐", "☑", "[ ]", "[x]"} {
		if bytes.HasPrefix(raw[n:], []byte(s)) {
			return n + len(s)
		}
	}
	return 0
}

// squeeze appends b without what does not count, and without targets unless
// they are wanted and the label before one does not show it already.
func squeeze(dst, b []byte, targets bool) []byte {
	from := 0
	for i := 0; i < len(b); {
		c := b[i]
		if c > ' ' && c < 0x7f {
			i++
			continue
		}
		n := 0
		switch {
		case c == dialect.TargetStart && !targets:
			n = len(b) - i
			if k := bytes.IndexByte(b[i:], dialect.TargetEnd); k >= 0 {
				n = k + 1
			}
		case c == dialect.TargetStart:
			dst = append(dst, b[from:i]...)
			n = bytes.IndexByte(b[i:], dialect.TargetEnd) + 1
			if n < 2 {
				n = len(b) - i
			}
			if at := squeeze(nil, b[i+1:i+n-1], true); !bytes.HasSuffix(dst, at) {
				dst = append(dst, at...)
			}
			i += n
			from = i
			continue
		case c == border:
			n = 1
		default:
			n = ignorable(b[i:])
		}
		if n > 0 {
			dst = append(dst, b[from:i]...)
			i += n
			from = i
			continue
		}
		if c < utf8.RuneSelf {
			i++
		} else {
			_, n := utf8.DecodeRune(b[i:])
			i += n
		}
	}
	return append(dst, b[from:]...)
}

// reduce appends squeezed text without what may stand around an address or in
// the place of a picture.
func reduce(dst, b []byte) []byte {
	for len(b) > 0 {
		n := bytes.IndexAny(b, "()[]🖼")
		if n < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:n]...)
		b = b[n:]
		b = b[filler(b):]
	}
	return dst
}

// filler returns the length of what b starts with if it may stand around an
// address or in the place of a picture: brackets, "[1]", "[image/png,12KB]",
// "[spoiler:", a sign for a picture, and a data: address, which need not be
// seen. Else it returns 0.
func filler(b []byte) int {
	switch {
	case len(b) == 0:
		return 0
	case b[0] == '[':
		return noteLen(b)
	case b[0] == '(':
		if bytes.HasPrefix(b[1:], []byte("data:")) {
			return 1 + dataLen(b[1:])
		}
		return 1
	case b[0] == ')' || b[0] == ']':
		return 1
	case bytes.HasPrefix(b, []byte("🖼")):
		return len("🖼")
	}
	return 0
}

// dataLen returns the length of the data: address that b starts with, or 0.
func dataLen(b []byte) int {
	if !bytes.HasPrefix(b, []byte("data:")) {
		return 0
	}
	if n := bytes.IndexAny(b, " \n)│\x0e\x1e"); n >= 0 {
		return len(bytes.TrimRight(b[:n], ":")) // the colon behind a header is not part of it
	}
	return len(b)
}

// noteLen returns how much of b, which starts with a bracket, is a note: the
// bracket at least.
func noteLen(b []byte) int {
	const spoiler = "[spoiler:"
	if bytes.HasPrefix(b, []byte(spoiler)) {
		return len(spoiler)
	}
	end := bytes.IndexByte(b[:min(len(b), 100)], ']')
	if end < 0 {
		return 1
	}
	in := squeeze(nil, b[1:end], true) // it may be cut at the end of a chunk
	if digits(in) {
		return end + 1
	}
	kind, size, ok := bytes.Cut(in, []byte(","))
	if ok && bytes.IndexByte(kind, '/') > 0 && len(size) > 1 && isDigit(size[0]) && size[len(size)-1] == 'B' {
		return end + 1
	}
	return 1
}
