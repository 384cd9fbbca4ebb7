package acceptance

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// readSlack reads a message as Slack's clients read mrkdwn, and complains of
// tokens that notify, of what is not escaped exactly once, and of markers that
// Slack would show. Where a marker has no effect it is text, so that a style
// that does not work is found as a star that nobody wrote.
func readSlack(s string) reading {
	var r reading
	for first := true; s != ""; first = false {
		if !first {
			r.add("\n", 0, "", "")
		}
		st := style(0)
		if strings.HasPrefix(s, "> ") {
			st, s = quoted, s[2:]
		}
		if strings.HasPrefix(s, "```") {
			body, rest, ok := strings.Cut(s[3:], "```")
			if ok {
				if strings.TrimSpace(body) == "" {
					r.wrong("an empty fence")
				}
				r.slackText(strings.TrimSuffix(strings.TrimPrefix(body, "\n"), "\n"), st|pre, "")
				if rest != "" && rest[0] != '\n' {
					r.wrong("text behind the end of a fence: %.20q", rest)
				}
				s = strings.TrimPrefix(rest, "\n")
				if s == "" {
					break
				}
				continue
			}
			r.wrong("a fence that is not closed")
		}
		line, rest, _ := strings.Cut(s, "\n")
		if strings.HasPrefix(line, "&gt;") || strings.HasPrefix(line, ">") {
			r.wrong("a line that Slack takes for a quote: %.20q", line)
		}
		r.slackLine(line, st, "", 0, 0)
		s = rest
	}
	return r
}

// slackLine reads a line, or what is inside a style, between the runes before
// and after.
func (r *reading) slackLine(s string, st style, href string, before, after rune) {
	start := 0
	flush := func(to int) { r.slackText(s[start:to], st, href) }
	for i := 0; i < len(s); {
		prev := before
		if i > 0 {
			prev = last(s[:i])
		}
		next := func(j int) rune {
			if j < len(s) {
				return first(s[j:])
			}
			return after
		}
		switch c := s[i]; c {
		case '<':
			flush(i)
			m := slackLink.FindStringSubmatch(s[i:])
			if m == nil || href != "" {
				r.wrong("< opens no link: %.30q", s[i:])
				r.add("<", st, href, "")
				i++
				start = i
				continue
			}
			to := slackUnescape.Replace(m[1])
			if m[2] == "" {
				r.slackText(m[1], st, to)
			} else {
				r.slackLine(m[2][1:], st, to, 0, 0)
			}
			i += len(m[0])
			start = i
			continue
		case '>':
			r.wrong("a > that is not escaped")
		case '`':
			if n := strings.IndexByte(s[i+1:], '`'); n > 0 && st&code == 0 && slackOpens(prev) && slackCloses(next(i+n+2), false) {
				flush(i)
				r.slackText(s[i+1:i+1+n], st|code, href)
				i += n + 2
				start = i
				continue
			}
		case '*', '_', '~':
			own := map[byte]style{'*': bold, '_': italic, '~': struck}[c]
			n := slackEnd(s[i+1:], c)
			if n > 0 && st&own == 0 && slackOpens(prev) && slackCloses(next(i+n+2), c == '*') {
				inner := s[i+1 : i+1+n]
				if !unicode.IsSpace(first(inner)) && !unicode.IsSpace(last(inner)) {
					flush(i)
					r.slackLine(inner, st|own, href, 0, 0)
					i += n + 2
					start = i
					continue
				}
			}
		}
		i++
	}
	flush(len(s))
}

// slackEnd returns where the next c stands in s, outside of links and code.
func slackEnd(s string, c byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case c:
			return i
		case '<':
			if n := strings.IndexByte(s[i:], '>'); n > 0 {
				i += n
			}
		case '`':
			if n := strings.IndexByte(s[i+1:], '`'); n > 0 && i > 0 && slackOpens(last(s[:i])) {
				i += n + 1
			}
		}
	}
	return -1
}

func slackOpens(before rune) bool {
	return before == 0 || unicode.IsSpace(before) || strings.ContainsRune(".,([{!?-=*_~", before)
}

func slackCloses(after rune, isBold bool) bool {
	if after == 0 || unicode.IsSpace(after) || strings.ContainsRune("*_~", after) {
		return true
	}
	if isBold {
		return strings.ContainsRune("!#$%^)-+={}[];:'\",.?/", after)
	}
	return strings.ContainsRune(".,])}!?-=", after)
}

// slackText decodes text. No other entity than the three may stand in it.
func (r *reading) slackText(s string, st style, href string) {
	for rest := s; ; {
		i := strings.IndexAny(rest, "&<>")
		if i < 0 {
			break
		}
		rest = rest[i:]
		m := slackEntity.FindString(rest)
		if m == "" {
			r.wrong("a %c that is not escaped: %.20q", rest[0], rest)
			m = rest[:1]
		}
		rest = rest[len(m):]
	}
	if st&(code|pre) == 0 && strings.Contains(s, "```") {
		r.wrong("a fence that does not start a line")
	}
	r.add(slackUnescape.Replace(s), st, href, "")
}

var (
	slackLink     = regexp.MustCompile(`^<((?:https?://|mailto:|tel:)[^<>|\s]+)(\|[^<>\n]+)?>`)
	slackEntity   = regexp.MustCompile(`^&(?:lt|gt|amp);`)
	slackUnescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

func TestReadSlack(t *testing.T) {
	for _, c := range []struct {
		in, shows string
		good      bool
		why       string
	}{
		{"*a* _b_ ~c~ `d` &lt;e&gt;", "a b c d <e>", true, "each style"},
		{"<https://e.com/a|l *x*> <https://e.com>", "l x (https://e.com/a) https://e.com (https://e.com)", true, "links"},
		{"> q\n```\na &amp; b\n```\nc", "q\na & b\nc", true, "quote and fence"},
		{"x*a*", "x*a*", true, "no style beside a letter: shown"},
		{"a\u2060*b*", "a\u2060*b*", true, "no style behind a character without width"},
		{"*a\nb*", "*a\nb*", true, "a style ends with its line"},
		{"snake_case_x", "snake_case_x", true, "inside a word"},
		{"<!channel>", "<!channel>", false, "live"},
		{"<@U1>", "<@U1>", false, "live"},
		{"a & b", "a & b", false, "not escaped"},
		{"&quot;", "&quot;", false, "no such entity"},
		{"&gt; x", "> x", false, "a quote nobody wrote"},
		{"```\na", "```\na", false, "not closed"},
	} {
		r := readSlack(c.in)
		if (len(r.problems) == 0) != c.good || r.reach() != c.shows {
			t.Errorf("%s (%s): %q, %q", c.in, c.why, r.reach(), r.problems)
		}
	}
}
