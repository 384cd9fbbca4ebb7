package fake

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blank reports whether a text of nothing but such characters counts as empty.
func blank(c rune) bool {
	return unicode.IsSpace(c) || c >= 0x2000 && c <= 0x200F || c == 0x180E || c == 0x202E || c == 0x2800 || c == 0xFFFC
}

// cleanTelegram does to a text what the server does before it counts: a carriage
// return is removed, any other control character becomes a space, and the end is
// trimmed.
func cleanTelegram(text string, entities []TelegramEntity) (string, []TelegramEntity) {
	var b strings.Builder
	shift := map[int]int{} // UTF-16 offset before: units removed up to there
	u, removed := 0, 0
	for _, c := range text {
		shift[u] = removed
		n := 1
		if c > 0xFFFF {
			n = 2
		}
		u += n
		switch {
		case c == '\r' || c >= 0x202A && c <= 0x202E:
			removed += n
			continue
		case c < ' ' && c != '\n':
			c = ' '
		}
		b.WriteRune(c)
	}
	shift[u] = removed
	out := strings.TrimRight(b.String(), " \n")
	size := units(out)
	var kept []TelegramEntity
	for _, e := range entities {
		from, to := e.Offset-shift[e.Offset], e.Offset+e.Length-shift[e.Offset+e.Length]
		e.Offset, e.Length = from, min(to, size)-from
		if e.Length > 0 {
			kept = append(kept, e)
		}
	}
	return out, kept
}

// units counts UTF-16 units.
func units(s string) int {
	n := 0
	for _, c := range s {
		n++
		if c > 0xFFFF {
			n++
		}
	}
	return n
}

// telegramName is a name that the server links by itself, and a URL, in which it
// does not.
var (
	telegramName = regexp.MustCompile(`@[A-Za-z0-9_]{2,32}`)
	telegramURL  = regexp.MustCompile(`(?i)\b(?:https?|ftp)://[a-z0-9.-]+\.[a-z]{2,}[^\s<>"]*`)
)

// telegramMentions lists who is notified: names outside of code and links, and
// users that a link names.
func telegramMentions(text string, entities []TelegramEntity) []string {
	var out []string
	var dead [][2]int // in bytes
	at := offsets(text)
	for _, e := range entities {
		switch e.Type {
		case "code", "pre", "text_link":
			dead = append(dead, [2]int{at[e.Offset], at[e.Offset+e.Length]})
		}
		if strings.HasPrefix(strings.ToLower(e.URL), "tg://user?id=") {
			out = append(out, e.URL)
		}
	}
	for _, span := range telegramURL.FindAllStringIndex(text, -1) {
		dead = append(dead, [2]int{span[0], span[1]})
	}
next:
	for _, span := range telegramName.FindAllStringIndex(text, -1) {
		if before, _ := utf8.DecodeLastRuneInString(text[:span[0]]); wordRune(before) {
			continue
		}
		if after, _ := utf8.DecodeRuneInString(text[span[1]:]); wordRune(after) {
			continue
		}
		for _, d := range dead {
			if span[0] < d[1] && d[0] < span[1] {
				continue next
			}
		}
		out = append(out, text[span[0]:span[1]])
	}
	return out
}

// offsets maps UTF-16 offsets to those in bytes.
func offsets(s string) map[int]int {
	out, u := map[int]int{}, 0
	for i, c := range s {
		out[u] = i
		u++
		if c > 0xFFFF {
			u++
		}
	}
	out[u] = len(s)
	return out
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}
