package compile

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// readEntity decodes the entity at s[i], which is "&", and returns the offset
// behind it, or -1. What it stands for is clean.
func readEntity(s string, i int) (string, int) {
	start := i + 1
	if start < len(s) && s[start] == '#' {
		return numericEntity(s, start+1)
	}
	j := start
	for j < len(s) && j-start < 32 && isAlnum(s[j]) {
		j++
	}
	if j == start || j >= len(s) || s[j] != ';' {
		return "", -1
	}
	e, ok := util.LookUpHTML5EntityByName(s[start:j])
	if !ok {
		return "", -1
	}
	return cleanWord(string(e.Characters)), j + 1
}

func numericEntity(s string, i int) (string, int) {
	base, digits := 10, 7
	if i < len(s) && (s[i] == 'x' || s[i] == 'X') {
		base, digits = 16, 6
		i++
	}
	j := i
	for j < len(s) && j-i <= digits && (isDigit(s[j]) || base == 16 && isHex(s[j])) {
		j++
	}
	if j == i || j-i > digits || j >= len(s) || s[j] != ';' {
		return "", -1
	}
	n, err := strconv.ParseUint(s[i:j], base, 32)
	if err != nil || n == 0 || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		n = utf8.RuneError
	}
	return cleanWord(string(rune(n))), j + 1
}

// unescape resolves backslash escapes and entities, as CommonMark does in
// destinations, titles and info strings.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			i++
			out = append(out, s[i])
		case c == '&':
			if e, end := readEntity(s, i); end > 0 {
				out = append(out, e...)
				i = end - 1
				continue
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}
