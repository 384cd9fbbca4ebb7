// Package escape writes characters that a terminal would obey, or that a person
// could not see, so that they can be seen.
package escape

import (
	"fmt"
	"strings"
)

// Runes returns s with every rune that is hidden written as \uXXXX, or \u{XXXXX}
// beyond the basic plane.
func Runes(s string, hidden func(rune) bool) string {
	i := strings.IndexFunc(s, hidden)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	for _, r := range s[i:] {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
