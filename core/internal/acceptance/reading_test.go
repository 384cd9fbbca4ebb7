package acceptance

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A style is a set of the ways in which a piece of text stands out.
type style uint16

const (
	bold style = 1 << iota
	italic
	struck
	underlined
	spoiler
	code   // a code span
	pre    // a block of code
	quoted // in a quote
)

// A run is a piece of text that looks the same throughout.
type run struct {
	text  string
	style style
	href  string // where a touch leads
	lang  string // of a block of code
}

// A reading is what a reader of one message sees, and what is wrong with it.
type reading struct {
	runs     []run
	problems []string
}

func (r *reading) add(text string, s style, href, lang string) {
	if text == "" {
		return
	}
	if n := len(r.runs); n > 0 {
		if l := &r.runs[n-1]; l.style == s && l.href == href && l.lang == lang {
			l.text += text
			return
		}
	}
	r.runs = append(r.runs, run{text, s, href, lang})
}

func (r *reading) wrong(format string, args ...any) {
	if len(r.problems) < 10 {
		r.problems = append(r.problems, fmt.Sprintf(format, args...))
	}
}

// text is all that is to be seen without touching anything.
func (r *reading) text() string {
	var sb strings.Builder
	for _, n := range r.runs {
		sb.WriteString(n.text)
	}
	return sb.String()
}

// reach is the text with every address that is behind a label set after it.
func (r *reading) reach() string {
	var sb strings.Builder
	for i, n := range r.runs {
		sb.WriteString(n.text)
		if n.href != "" && (i+1 == len(r.runs) || r.runs[i+1].href != n.href) {
			sb.WriteString(" (" + n.href + ")")
		}
	}
	return sb.String()
}

// styled lists the pieces of text that have all of s.
func (r *reading) styled(s style) []string {
	var out []string
	open := false
	for _, n := range r.runs {
		if n.style&s != s {
			open = false
			continue
		}
		if open {
			out[len(out)-1] += n.text
		} else {
			out = append(out, n.text)
		}
		open = true
	}
	return out
}

// without is the text that has none of s.
func (r *reading) without(s style) string {
	var sb strings.Builder
	for _, n := range r.runs {
		if n.style&s == 0 {
			sb.WriteString(n.text)
		}
	}
	return sb.String()
}

// readers reads a message of each dialect.
var readers = map[string]func(string) reading{
	"html":     readTelegram,
	"mrkdwn":   readSlack,
	"discord":  readDiscord,
	"markdown": readGFM,
	"plain":    readPlain,
}

func readPlain(s string) reading {
	var r reading
	r.add(s, 0, "", "")
	return r
}

// seen is s without blanks and without what has no width, which is what two
// forms of the same text have in common.
func seen(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u2060' || r == '\u200b' || r == '\ufeff' {
			return -1
		}
		return r
	}, s)
}

func letter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

func first(s string) rune { r, n := utf8.DecodeRuneInString(s); return none(r, n) }
func last(s string) rune  { r, n := utf8.DecodeLastRuneInString(s); return none(r, n) }

func none(r rune, n int) rune {
	if n == 0 {
		return 0
	}
	return r
}
