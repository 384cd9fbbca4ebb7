package cli

import (
	"fmt"
	"strings"
	"unicode"
)

// escape makes s safe and honest to look at: what a terminal would obey, or
// what a person could not see, is written as an escape. A tab stays.
func escape(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether r must be escaped to be seen. Joiners, which emoji and
// many scripts are made with, and language tags of flags are left alone.
func hidden(r rune) bool {
	switch {
	case r == '\t':
		return false
	case r == '\u200c', r == '\u200d', r >= 0xe0020 && r <= 0xe007f:
		return false
	case r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
