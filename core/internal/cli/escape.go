package cli

import (
	"unicode"

	"github.com/seed-1ae66336/vak/core/internal/escape"
)

// visible makes s safe and honest to look at on a terminal. A tab stays.
func visible(s string) string { return escape.Runes(s, hidden) }

// hidden reports whether r must be escaped to be seen. Joiners, which emoji and
// many scripts are made with, and the tags of flags are left alone.
func hidden(r rune) bool {
	switch {
	case r == '\t', r == '\u200c', r == '\u200d', r >= 0xe0020 && r <= 0xe007f:
		return false
	case r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
