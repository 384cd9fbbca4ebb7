package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Where a text may be cut, from where it hurts least to where it hurts most.
type cutClass uint8

const (
	afterSentence cutClass = iota
	afterWord
	afterCluster
)

// lastBreak returns the last offset in s, at most hi and more than 0, behind
// which s may be cut, or 0 where there is none.
func lastBreak(s string, hi int, c cutClass) int {
	switch c {
	case afterSentence:
		return lastSentence(s, hi)
	case afterWord:
		return lastWord(s, hi)
	}
	return lastCluster(s, hi)
}

func lastSentence(s string, hi int) int {
	for i := hi; i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if ends(r) && fullWidth(r) {
			return i
		}
		if unicode.IsSpace(r) {
			before := strings.TrimRight(s[:i-n], `"')]”’»`)
			if last, _ := utf8.DecodeLastRuneInString(before); ends(last) && len(before) > 1 {
				return i
			}
		}
		i -= n
	}
	return 0
}

func ends(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '。', '！', '？', '｡':
		return true
	}
	return false
}

func fullWidth(r rune) bool { return r == '。' || r == '！' || r == '？' || r == '｡' }

func lastWord(s string, hi int) int {
	after := utf8.RuneError
	if hi < len(s) {
		after, _ = utf8.DecodeRuneInString(s[hi:])
	}
	for i := hi; i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if r == ' ' || unicode.IsSpace(r) && r != '\u00a0' && r != '\u202f' {
			return i
		}
		if ideograph(r) && (ideograph(after) || after == utf8.RuneError && i == len(s)) {
			return i
		}
		after = r
		i -= n
	}
	return 0
}

// ideograph reports whether lines break beside r without a space.
func ideograph(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// lastCluster never parts a grapheme cluster, except one that is longer than
// all of hi: then it cuts before the last rune.
func lastCluster(s string, hi int) int {
	if hi >= len(s) {
		return len(s)
	}
	// A cluster is not parted by starting to look from some ASCII character
	// followed by another: between those there is always a boundary.
	from := hi
	for from > 1 && !(s[from-1] < utf8.RuneSelf && s[from] < utf8.RuneSelf && s[from-1] != '\r') {
		from--
	}
	if from <= 1 {
		from = 0
	}
	best := from
	g := graphemes.FromString(s[from:min(len(s), hi+256)])
	at := from
	for g.Next() {
		at += len(g.Value())
		if at > hi {
			break
		}
		best = at
	}
	if best > 0 {
		return best
	}
	for hi > 0 && !utf8.RuneStart(s[hi]) {
		hi--
	}
	return hi
}
