package cover

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// border stands behind each chunk in what was read back. As a control character
// it is neither sent nor shown.
const border = '\x1e'

// A haystack is what a reader of all chunks sees.
type haystack struct {
	text  []byte
	start []int // where each chunk starts, and behind the last
}

func readBack(k dialect.Dialect, chunks []surface.Chunk, of func(*surface.Chunk) string) haystack {
	size := 0
	for i := range chunks {
		size += len(of(&chunks[i])) + 1
	}
	h := haystack{text: make([]byte, 0, size), start: make([]int, 0, len(chunks)+1)}
	var buf []byte
	for i := range chunks {
		h.start = append(h.start, len(h.text))
		s := of(&chunks[i])
		if k == dialect.PlainText {
			h.text = append(h.text, s...)
		} else {
			buf = append(buf[:0], s...)
			h.text = k.Visible(h.text, buf)
		}
		h.text = append(h.text, border)
	}
	h.start = append(h.start, len(h.text))
	return h
}

// markLen returns the length of the target, marks included, that starts at j.
func (h *haystack) markLen(j int) int {
	if n := bytes.IndexByte(h.text[j:], dialect.TargetEnd); n >= 0 {
		return n + 1
	}
	return len(h.text) - j
}

// closing returns how many bytes stand between j and the end of its chunk if
// they are nothing but what closes a construct there: the line under a heading,
// a bracket, the address behind a label.
func (h *haystack) closing(j int) int {
	rest := h.text[j:]
	if len(rest) == 0 || bytes.IndexByte([]byte(closers+"("), rest[0]) < 0 {
		return 0
	}
	n := bytes.IndexByte(rest, border)
	body := bytes.Trim(rest[:max(n, 0)], closers)
	if len(body) == 0 || body[0] == '(' && bytes.IndexByte(rest[len(body):n], ')') >= 0 && !bytes.ContainsAny(body, " \n") {
		return n
	}
	return 0
}

// closers are characters that close constructs at the end of a chunk.
const closers = " \n=-])>"

// blank reports whether there is nothing to see in h.text[from:to].
func (h *haystack) blank(from, to int) bool {
	for from < to {
		c := h.text[from]
		if c == dialect.TargetStart {
			from += h.markLen(from)
			continue
		}
		n := ignorable(h.text[from:to])
		if n == 0 && c != border {
			return false
		}
		from += max(n, 1)
	}
	return true
}

// ignorable returns the length of the character that b starts with if it does
// not count: space, control characters and those without width that dialects
// put between others.
func ignorable[T string | []byte](b T) int {
	if len(b) == 0 {
		return 0
	}
	switch c := b[0]; {
	case c < ' ':
		if c == dialect.TargetStart || c == border {
			return 0
		}
		return 1
	case c == ' ' || c == 0x7f:
		return 1
	case c < utf8.RuneSelf:
		return 0
	}
	r, n := decode(b)
	if thin(r) || r < 0xa0 || unicode.IsSpace(r) {
		return n
	}
	return 0
}

// thin reports whether r shows nothing, not even space: zero-width spaces, word
// joiners, byte order marks and what sets the direction of text. Joiners of
// emoji and of letters are not among them: these change what is seen.
func thin(r rune) bool {
	switch {
	case r < 0x200b:
		return r == 0x61c
	case r <= 0x200f:
		return r != 0x200c && r != 0x200d
	}
	return 0x202a <= r && r <= 0x202e || 0x2060 <= r && r <= 0x2069 || r == 0xfeff
}

// decode is utf8.DecodeRune for both kinds of text, without copying either.
func decode[T string | []byte](b T) (rune, int) {
	var buf [utf8.UTFMax]byte
	return utf8.DecodeRune(buf[:copy(buf[:], b[:min(len(b), utf8.UTFMax)])])
}
