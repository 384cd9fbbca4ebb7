package acceptance

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// readDiscord reads a message as Discord's clients do, and complains of what
// notifies, of code that is not closed, and of text that it would take for a
// construct.
func readDiscord(s string) reading {
	var r reading
	r.discord(s, 0, true)
	return r
}

// discord reads s. bol says that s starts a line.
func (r *reading) discord(s string, st style, bol bool) {
	all := s
	for s != "" {
		if bol {
			bol = false
			if m := discordQuote.FindString(s); m != "" && st&quoted == 0 {
				var lines []string
				for strings.HasPrefix(s, "> ") {
					line, rest, more := strings.Cut(s[2:], "\n")
					lines = append(lines, line)
					if s = rest; !more {
						break
					}
				}
				r.discord(strings.Join(lines, "\n"), st|quoted, true)
				if s != "" {
					r.add("\n", st, "", "")
				}
				bol = true
				continue
			}
			if strings.HasPrefix(s, ">>>") {
				r.wrong("a quote to the end of the message")
			}
			if m := discordHeading.FindString(s); m != "" {
				line, rest, more := strings.Cut(s, "\n")
				if strings.HasPrefix(m, "-") {
					r.wrong("subtext: %.20q", line)
				}
				var title reading // a style may stand in it, strong too
				title.discord(strings.TrimRight(line[len(m):], "#"), st, false)
				for _, n := range title.runs {
					r.add(n.text, n.style|bold, n.href, n.lang)
				}
				r.problems = append(r.problems, title.problems...)
				if more {
					r.add("\n", st, "", "")
				}
				s, bol = rest, true
				continue
			}
			if m := discordItem.FindStringSubmatch(s); m != nil {
				r.add(m[1], st, "", "")
				if m[2] != "-" && m[2] != "*" {
					r.add(m[2], st, "", "")
				}
				r.add(m[3], st, "", "")
				s = s[len(m[0]):]
				bol = true // a quote does not open here, another item does
				if strings.HasPrefix(s, "> ") {
					r.add("> ", st, "", "")
					s, bol = s[2:], false
				}
				continue
			}
		}
		before := last(all[:len(all)-len(s)])
		n := r.discordSpan(s, st, before)
		if n == 0 {
			m := first(s)
			if s[0] == '`' {
				r.wrong("a backtick that belongs to no code: %.20q", s)
			}
			size := len(string(m))
			if m == unicode.ReplacementChar && !strings.HasPrefix(s, "\uFFFD") {
				size = 1
			}
			r.add(s[:size], st, "", "")
			n = size
		}
		bol = s[n-1] == '\n'
		s = s[n:]
	}
}

// discordSpan reads the construct that s starts with and returns its length, or 0.
func (r *reading) discordSpan(s string, st style, before rune) int {
	inner := func(open string, own style) int {
		end := discordEnd(s[len(open):], open)
		if end <= 0 || st&own != 0 {
			return 0
		}
		r.discord(s[len(open):len(open)+end], st|own, false)
		return end + 2*len(open)
	}
	switch s[0] {
	case '\\':
		if len(s) > 1 && s[1] < 0x80 && unicode.IsOneOf([]*unicode.RangeTable{unicode.P, unicode.S}, rune(s[1])) {
			r.add(s[1:2], st, "", "")
			return 2
		}
	case '`':
		if m := discordFence.FindStringSubmatch(s); m != nil {
			if strings.TrimSpace(m[2]) == "" {
				r.wrong("an empty fence")
			}
			r.add(strings.TrimSuffix(m[2], "\n"), st|pre, "", m[1])
			return len(m[0])
		}
		ticks := len(s) - len(strings.TrimLeft(s, "`"))
		for at := ticks; ; {
			i := strings.IndexByte(s[at:], '`')
			if i < 0 {
				break
			}
			at += i
			k := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
			if k == ticks {
				r.add(strings.TrimSpace(s[ticks:at]), st|code, "", "")
				return at + k
			}
			at += k
		}
	case '*':
		if strings.HasPrefix(s, "**") {
			if n := inner("**", bold); n > 0 {
				return n
			}
		}
		if len(s) > 1 && !unicode.IsSpace(rune(s[1])) && !strings.HasPrefix(s, "**") {
			return inner("*", italic)
		}
	case '_':
		if strings.HasPrefix(s, "__") {
			return inner("__", underlined)
		}
		if !letter(before) && before != '_' {
			if end := discordEnd(s[1:], "_"); end > 0 && !letter(first(s[end+2:])) {
				return inner("_", italic)
			}
		}
	case '~':
		if strings.HasPrefix(s, "~~") {
			return inner("~~", struck)
		}
	case '|':
		if strings.HasPrefix(s, "||") {
			return inner("||", spoiler)
		}
	case '<':
		if m := discordAuto.FindStringSubmatch(s); m != nil {
			r.add(m[1], st, m[1], "")
			return len(m[0])
		}
		if m := discordLive.FindString(s); m != "" {
			r.wrong("%q is live", m)
		}
	case '@':
		if m := discordEveryone.FindString(s); m != "" {
			r.wrong("%q is live", m)
		}
	case '[':
		if m := discordMasked.FindStringSubmatch(s); m != nil {
			r.add(m[1], st, m[2], "")
			return len(m[0])
		}
	case 'h':
		if m := discordBare.FindString(s); m != "" && !letter(before) {
			r.add(m, st, m, "")
			return len(m)
		}
	}
	return 0
}

// discordEnd returns where mark stands next in s, outside of escapes, code and
// addresses, and not as part of a longer run. It returns -1 where it does not.
func discordEnd(s, mark string) int {
	strong := false // a strong style is open in an emphasis
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '`':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
			if end := strings.Index(s[i+n:], s[i:i+n]); end >= 0 {
				i += 2*n + end - 1
			}
		case s[i] == '<' && discordAuto.MatchString(s[i:]):
			i += strings.IndexByte(s[i:], '>')
		case strings.HasPrefix(s[i:], mark):
			n := 0
			for strings.HasPrefix(s[i+n:], mark[:1]) {
				n++
			}
			switch {
			case n == len(mark):
				return i
			case n > len(mark) && len(mark) == 2: // "***": the outer one is the last
				return i + n - len(mark)
			case n == 3 && len(mark) == 1 && strong:
				return i + 2
			case n == 3 && len(mark) == 1 && i > 0:
				return i
			case n == 3 && len(mark) == 1:
				return -1
			case n == 2:
				strong = !strong
			}
			i += n - 1
		}
	}
	return -1
}

var (
	discordQuote    = regexp.MustCompile(`^> `)
	discordHeading  = regexp.MustCompile(`^ *(?:#{1,3}|-#) +`)
	discordItem     = regexp.MustCompile(`^( *)([-*]|\d+\.)( +)`)
	discordFence    = regexp.MustCompile("(?s)^```(?:([A-Za-z0-9_+\\-.#]+)\n)?\n?(.*?)\n?```")
	discordAuto     = regexp.MustCompile(`^<((?:https?|discord)://[^\s<>]+)>`)
	discordLive     = regexp.MustCompile(`^<(?:@[!&]?|#|a?:\w+:|t:|/|id:)[^<>\s]*>`)
	discordEveryone = regexp.MustCompile(`^@(?:everyone|here)`)
	discordMasked   = regexp.MustCompile(`^\[([^\[\]\n]+)\]\(<((?:https?|discord)://[^\s<>]+)>\)`)
	discordBare     = regexp.MustCompile(`^https?://[^\s<]+[^\s<.,:;"')\]]`)
)

func TestReadDiscord(t *testing.T) {
	for _, c := range []struct {
		in, shows string
		good      bool
		why       string
	}{
		{"**a** *b* _c_ ~~d~~ ||e|| `f`", "a b c d e f", true, "each style"},
		{"# a\n- b\n1. c\n> d\ne", "a\n b\n1. c\nd\ne", true, "blocks"},
		{"```go\na *b*\n```\nc", "a *b*\nc", true, "a fence"},
		{"l (<https://e.com/a_b_c>) \\*x\\*", "l (https://e.com/a_b_c (https://e.com/a_b_c)) *x*", true, "a link and an escape"},
		{"snake_case_x a*b", "snake_case_x a*b", true, "inside a word"},
		{"``a`b``", "a`b", true, "a longer delimiter"},
		{"*a **b***c", "a bc", true, "strong at the end of emphasis"},
		{"a ` b", "a ` b", false, "a stray backtick"},
		{"```\na", "```\na", false, "not closed"},
		{"<@123>", "<@123>", false, "live"},
		{"@everyone", "@everyone", false, "live"},
		{"\\@everyone \\<@1>", "@everyone <@1>", true, "escaped"},
		{"__init__", "init", true, "underlined, not shown"},
		{">>> a", ">>> a", false, "the rest of the message"},
	} {
		r := readDiscord(c.in)
		if (len(r.problems) == 0) != c.good || r.reach() != c.shows {
			t.Errorf("%s (%s): %q, %q", c.in, c.why, r.reach(), r.problems)
		}
	}
}
