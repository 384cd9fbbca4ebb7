package compile

import (
	"unicode"
	"unicode/utf8"
)

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isPunct reports whether c is ASCII punctuation.
func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !isAlnum(c) }

// Flags of a character beside a delimiter.
const (
	charSpace = 1 << iota
	charPunct
	charWide  // a letter or mark of Chinese, Japanese or Korean
	charAlnum // an ASCII letter or digit
	charClose // ASCII punctuation that ends a phrase
)

// charBefore classifies the character that ends at i.
func charBefore(s string, i int) uint8 {
	if i <= 0 {
		return charSpace
	}
	if c := s[i-1]; c < utf8.RuneSelf {
		return asciiFlags[c]
	}
	r, n := utf8.DecodeLastRuneInString(s[:i])
	for i -= n; r >= 0xfe00 && r <= 0xfe0f && i > 0; i -= n { // variation selectors belong to what they follow
		r, n = utf8.DecodeLastRuneInString(s[:i])
	}
	return runeFlags(r)
}

// charAfter classifies the character that begins at i.
func charAfter(s string, i int) uint8 {
	if i >= len(s) {
		return charSpace
	}
	if c := s[i]; c < utf8.RuneSelf {
		return asciiFlags[c]
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return runeFlags(r)
}

var asciiFlags = func() (f [utf8.RuneSelf]uint8) {
	for c := range f {
		switch b := byte(c); {
		case b <= ' ':
			f[c] = charSpace
		case isAlnum(b):
			f[c] = charAlnum
		case isPunct(b):
			f[c] = charPunct
		}
	}
	for _, c := range `:;,.!?)]}"'%>` {
		f[c] |= charClose
	}
	return f
}()

func runeFlags(r rune) uint8 {
	var f uint8
	switch {
	case r < utf8.RuneSelf:
		return asciiFlags[r]
	case unicode.IsSpace(r):
		return charSpace
	case unicode.IsPunct(r) || unicode.IsSymbol(r):
		f = charPunct
	}
	if isWide(r) {
		f |= charWide
	}
	return f
}

// isWide reports whether r is of the scripts that are written without spaces
// between words: Han, Kana, Hangul, Bopomofo, Yi, their punctuation and
// full-width forms.
func isWide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x11ff, 0x2e80 <= r && r <= 0xa4cf, 0xa960 <= r && r <= 0xa97f, 0xac00 <= r && r <= 0xd7ff,
		0xf900 <= r && r <= 0xfaff, 0xfe10 <= r && r <= 0xfe1f, 0xfe30 <= r && r <= 0xfe6f,
		0xff01 <= r && r <= 0xffee, 0x1b000 <= r && r <= 0x1b16f, 0x20000 <= r && r <= 0x3ffff:
		return true
	}
	return false
}

// invisible reports whether r shows nothing: space, or a format character.
func invisible(r rune) bool {
	switch {
	case r <= ' ':
		return true
	case r < utf8.RuneSelf:
		return false
	case 0xfe00 <= r && r <= 0xfe0f, r == 0x3164, r == 0x115f, r == 0x1160, r == 0x2800:
		return true
	}
	return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
}

func blank(s string) bool {
	for _, r := range s {
		if !invisible(r) {
			return false
		}
	}
	return true
}
