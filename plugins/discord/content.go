package main

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
)

// liveForm is what Discord makes more of than text, where it is not escaped.
var liveForm = regexp.MustCompile(`^(?:@everyone|@here|<@[!&]?[0-9]+>|<#[0-9]+>|<a?:[A-Za-z0-9_~]+:[0-9]+>|<t:-?[0-9]+(?::[A-Za-z])?>|<id:[a-z]+>|</[^<>\n]+:[0-9]+>)`)

// harmless is what may stand in a message that lets users be notified: users, and
// what a profile with live mentions does not escape, which notifies nobody all the
// same.
var harmless = regexp.MustCompile(`^(?:@|<@!?[0-9]+>)`)

// address is an address that Discord sees by itself. Nothing within is live.
var address = regexp.MustCompile(`^(?:https?|discord)://[^\s<>]+`)

// webAddress is one in plain text, which angle brackets make a link of and nothing
// else: underscores in it are no markup.
var webAddress = regexp.MustCompile("^https?://[^\\s<>`\\\\]+")

// liveToken reports whether text holds something live outside of code: a mention,
// an emoji of a server, a time. With users, those that notify users are let pass.
//
// It is a second lock: allowed_mentions is what keeps everybody from being
// notified whatever the text says.
func liveToken(text string, users bool) bool {
	for i := 0; i < len(text); {
		rest := text[i:]
		switch rest[0] {
		case '\\':
			i += 2
		case '`':
			i += codeAt(rest)
		case 'h', 'd':
			i += max(len(address.FindString(rest)), 1)
		case '@', '<':
			if liveForm.MatchString(rest) && !(users && harmless.MatchString(rest)) {
				return true
			}
			i++
		default:
			i++
		}
	}
	return false
}

// codeAt is the length of the code that s begins with, or of the run of backticks
// where it is not closed.
func codeAt(s string) int {
	run := func(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }
	n := run(s)
	for i := n; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		m := run(s[i:])
		i += m
		if m == n {
			return i
		}
	}
	return n
}

// plainContent writes plain text so that it is shown as it stands, and nothing in
// it is live. Where that would be too long only what is live is escaped: a star
// that makes a word slanted is better than a message that does not go.
func plainContent(plain string) string {
	out := escapeLines(plain, [2]string{"<", ">"}, func(dst []byte, s string, start bool, before, after rune) []byte {
		return dialect.DiscordMarkdown.Escape(dst, s, dialect.Position{LineStart: start, Before: before, After: after})
	})
	if utf8.RuneCountInString(out) <= maxContent {
		return out
	}
	return escapeLines(plain, [2]string{}, func(dst []byte, s string, _ bool, before, _ rune) []byte {
		for i := 0; i < len(s); i++ {
			if (s[i] == '@' || s[i] == '<') && liveForm.MatchString(s[i:]) {
				dst = append(dst, '\\')
			}
			dst = append(dst, s[i])
		}
		return dst
	})
}

// escapeLines has escape write every piece of text that is no address, and
// encloses those that are.
func escapeLines(text string, enclose [2]string, escape func(dst []byte, s string, start bool, before, after rune) []byte) string {
	var out []byte
	for n, line := range strings.Split(text, "\n") {
		if n > 0 {
			out = append(out, '\n')
		}
		from, before := 0, rune(0)
		flush := func(to int) {
			if to == from {
				return
			}
			after, _ := utf8.DecodeRuneInString(line[to:])
			if to == len(line) {
				after = 0
			}
			out = escape(out, line[from:to], from == 0, before, after)
			before, _ = utf8.DecodeLastRuneInString(line[:to])
			from = to
		}
		for i := 0; i < len(line); i++ {
			found := ""
			if i == 0 || !letter(line[i-1]) {
				found = trimmed(webAddress.FindString(line[i:]))
			}
			if found == "" {
				continue
			}
			flush(i)
			out = append(out, enclose[0]+found+enclose[1]...)
			from = i + len(found)
			before, i = '>', from-1
		}
		flush(len(line))
	}
	return string(out)
}

// trimmed is an address without what belongs to the sentence around it.
func trimmed(s string) string {
	for s != "" {
		last := s[len(s)-1]
		open := strings.IndexByte(")]}", last)
		switch {
		case strings.IndexByte(".,:;!?'\"*_~|", last) >= 0:
		case open >= 0 && strings.Count(s, ")]}"[open:open+1]) > strings.Count(s, "([{"[open:open+1]):
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
