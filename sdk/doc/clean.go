package doc

import "unicode/utf8"

// Cleaned says what [Clean] had to do.
type Cleaned uint8

// What Clean does that a reader may want to be told of.
const (
	CleanedEncoding Cleaned = 1 << iota // bytes that are not UTF-8
	CleanedControls                     // control characters
	CleanedBidi                         // what turns the direction of text around it
)

// Clean returns source as it may stand in blocks: valid UTF-8, lines end with a
// newline alone, no control characters but tab and newline, nothing that turns
// the direction of text around it. It returns source itself, without a copy, if
// there is nothing to do.
//
//   - CRLF and CR become a newline; NUL, and each sequence that is not UTF-8,
//     becomes U+FFFD.
//   - Vertical tab, form feed, NEL and the line and paragraph separators become
//     a space: they separate words, yet are no line ends of markdown.
//   - ANSI escape sequences vanish as a whole, other controls alone.
//   - Direction overrides, embeddings and isolates vanish. Even balanced ones
//     could be cut apart by a later stage. Marks (U+200E, U+200F, U+061C) stay.
//   - A byte order mark, and tag characters that are not part of a flag, vanish.
//     Joiners, variation selectors and zero-width spaces stay.
func Clean(source string) (text string, did Cleaned) {
	i := firstUnclean(source)
	if i < 0 {
		return source, 0
	}
	out := make([]byte, 0, len(source)+16)
	out = append(out, source[:i]...)
	for i < len(source) {
		c := source[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(source[i:])
			if r == utf8.RuneError && n == 1 {
				did |= CleanedEncoding
				out = append(out, "\uFFFD"...)
				i += badSequence(source[i:])
				continue
			}
			switch classify(r) {
			case runeSpace:
				out = append(out, ' ')
			case runeDrop:
				did |= CleanedControls
			case runeBidi:
				did |= CleanedBidi
			case runeTag:
				if inFlag(out) {
					out = append(out, source[i:i+n]...)
				} else {
					did |= CleanedControls
				}
			default:
				out = append(out, source[i:i+n]...)
			}
			i += n
			continue
		}
		switch {
		case c >= ' ' && c != 0x7f || c == '\n' || c == '\t':
			out = append(out, c)
		case c == '\r':
			if i+1 == len(source) || source[i+1] != '\n' {
				out = append(out, '\n')
			}
		case c == 0:
			did |= CleanedControls
			out = append(out, "\uFFFD"...)
		case c == '\v' || c == '\f':
			out = append(out, ' ')
		case c == 0x1b:
			did |= CleanedControls
			i += escapeSequence(source[i:])
			continue
		default:
			did |= CleanedControls
		}
		i++
	}
	return string(out), did
}

// firstUnclean finds the first byte that [Clean] would change, or -1.
func firstUnclean(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || classify(r) != runeKeep {
			return i
		}
		i += n
	}
	return -1
}

type runeClass uint8

const (
	runeKeep runeClass = iota
	runeSpace
	runeDrop
	runeBidi
	runeTag
)

func classify(r rune) runeClass {
	switch {
	case r < 0x80:
		return runeKeep
	case r < 0xa0:
		if r == 0x85 {
			return runeSpace
		}
		return runeDrop
	case r < 0x2028:
		return runeKeep
	case r <= 0x2029:
		return runeSpace
	case r <= 0x202e, 0x2066 <= r && r <= 0x2069:
		return runeBidi
	case r == 0xfeff:
		return runeDrop
	case 0xe0000 <= r && r <= 0xe007f:
		return runeTag
	}
	return runeKeep
}

// inFlag reports whether out ends in a black flag, with or without tags: tags
// after it make the flag of a region, anywhere else they are hidden text.
func inFlag(out []byte) bool {
	for range 8 { // the longest such flag has six tags
		r, n := utf8.DecodeLastRune(out)
		if r == 0x1f3f4 {
			return true
		}
		if r < 0xe0020 || r > 0xe007e {
			return false
		}
		out = out[:len(out)-n]
	}
	return false
}

// badSequence measures the bytes that one U+FFFD stands for: a surrogate in
// three bytes counts as one.
func badSequence(s string) int {
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && s[2] >= 0x80 && s[2] <= 0xbf {
		return 3
	}
	return 1
}

// escapeSequence measures an ANSI escape sequence: ESC, "[", parameters and a
// final letter. Of anything else only the ESC goes.
func escapeSequence(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 1
	}
	for i := 2; i < len(s) && i < 32; i++ {
		switch c := s[i]; {
		case '@' <= c && c <= '~':
			return i + 1
		case c < ' ' || c > '?':
			return 1
		}
	}
	return 1
}
