package dialect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// discordMarkdown is what Discord's clients read in the content of a message.
// Headings of three levels, lists, quotes, styles, spoilers and fences are
// native; a backslash escapes punctuation outside of code, addresses and the
// labels of masked links.
type discordMarkdown struct{}

func (discordMarkdown) Name() string { return "discord" }

func (discordMarkdown) Escape(dst []byte, s string, at Position) []byte {
	switch at.In {
	case InFence:
		return fenceText(dst, s, at.Before)
	case InCode, InURL, InLabel:
		return append(dst, s...)
	}
	i := 0
	if at.LineStart {
		i = discordLineStart(s)
		if i > 0 {
			dst = append(dst, s[:i-1]...)
			dst = append(dst, '\\', s[i-1])
			at.Before = rune(s[i-1])
		}
	}
	from := i
	for ; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\', '*', '_', '`', '[':
		case '~', '|':
			if !(i+1 < len(s) && s[i+1] == c || i > 0 && s[i-1] == c || i == 0 && at.Before == rune(c) || i+1 == len(s) && at.After == rune(c)) {
				continue
			}
		case '<':
			next := at.After
			if i+1 < len(s) {
				next, _ = utf8.DecodeRuneInString(s[i+1:])
			}
			if next == ' ' {
				continue
			}
		case ':':
			// An address that is no link would swallow the markup behind it.
			if !strings.HasPrefix(s[i:], "://") || !hasSuffixFold(s[:i], "http") && !hasSuffixFold(s[:i], "https") {
				continue
			}
		case '@':
			if rest := s[i+1:]; at.Live || !strings.HasPrefix(rest, "everyone") && !strings.HasPrefix(rest, "here") && rest != "" {
				continue
			}
		default:
			continue
		}
		dst = append(append(dst, s[from:i]...), '\\')
		from = i
	}
	return append(dst, s[from:]...)
}

// discordLineStart returns the offset behind the character that s must escape
// because it starts a line, or 0. Blanks before it do not matter to Discord.
func discordLineStart(s string) int {
	i := 0
	for i < len(s) && s[i] == ' ' {
		i++
	}
	rest := s[i:]
	switch {
	case rest == "":
		return 0
	case rest[0] == '#':
		n := len(rest) - len(strings.TrimLeft(rest, "#"))
		if n <= 3 && (n == len(rest) || rest[n] == ' ') {
			return i + 1
		}
	case rest[0] == '>':
		if len(rest) == 1 || rest[1] == ' ' || strings.HasPrefix(rest, ">>>") {
			return i + 1
		}
	case rest[0] == '-':
		if len(rest) == 1 || rest[1] == ' ' || rest[1] == '#' {
			return i + 1
		}
	case rest[0] >= '0' && rest[0] <= '9':
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n < len(rest) && rest[n] == '.' && (n+1 == len(rest) || rest[n+1] == ' ') {
			return i + n + 1
		}
	}
	return 0
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

func asciiLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func (d discordMarkdown) Syntax(c Construct, before, after rune) (Syntax, bool) {
	switch c.Kind {
	case Strong:
		return d.strong(c, before)
	case Emphasis:
		return d.emphasis(c, before, after)
	case Strikethrough:
		if c.Raw&Tildes != 0 {
			return Syntax{Why: "marker"}, false
		}
		s := Syntax{Open: "~~", Close: "~~"}
		if before == '~' {
			s.Open = wordJoiner + s.Open
		}
		if after == '_' || after == '~' {
			s.Close += wordJoiner
		}
		return s, true
	case Spoiler:
		if c.Raw&Bars != 0 {
			return Syntax{Why: "marker"}, false
		}
		return Syntax{Open: "||", Close: "||"}, true
	case CodeSpan:
		// A delimiter of three would open a fence.
		for n := 1; n <= 2; n++ {
			if c.Runs&(1<<n) == 0 {
				return codeSpan(c, n, before), true
			}
		}
		return Syntax{Why: "backtick"}, false
	case Link, Image:
		return d.link(c)
	case Heading:
		if c.Level > 3 {
			return Syntax{Bold: true}, true
		}
		s := Syntax{Open: "###"[:c.Level] + " "}
		if (c.Text|c.Raw)&Hash != 0 {
			s.Close = wordJoiner // Discord strips number signs from the end of a heading
		}
		return s, true
	case Quote:
		if c.Level > 0 {
			return Syntax{Line: "› ", Soft: true}, true
		}
		return Syntax{Line: "> "}, true
	case Fence:
		return Syntax{Open: "```" + discordLanguage(c.Arg) + "\n", Close: "\n```", Flush: true}, true
	case Bullet:
		return Syntax{Open: "- "}, true
	}
	return chatMark(c)
}

func (discordMarkdown) strong(c Construct, before rune) (Syntax, bool) {
	if c.Raw&Stars != 0 {
		return Syntax{Why: "marker"}, false
	}
	s := Syntax{Open: "**", Close: "**", Reopen: "**"}
	if before == '*' {
		s.Open = wordJoiner + s.Open
	}
	return s, true
}

// emphasis prefers stars, which work inside of words, and takes underscores
// where a star would run together with another one.
func (discordMarkdown) emphasis(c Construct, before, after rune) (Syntax, bool) {
	space := unicode.IsSpace(c.First) || unicode.IsSpace(c.Last)
	stars := c.Raw&Star == 0 && before != '*' && after != '*' && !space
	switch {
	case stars:
		return Syntax{Open: "*", Close: "*"}, true
	case c.Raw&Underscore == 0 && !word(before) && !word(after) && before != '_' && after != '_':
		return Syntax{Open: "_", Close: "_"}, true
	case c.Raw&Star == 0 && !space && before == '*' && after != '*':
		return Syntax{Open: wordJoiner + "*", Close: "*", Reopen: "*"}, true
	}
	return Syntax{Why: "marker"}, false
}

// codeSpan delimits code by n backticks, which must be no run within it.
func codeSpan(c Construct, n int, before rune) Syntax {
	delim := strings.Repeat("`", n)
	s := Syntax{Open: delim, Close: delim}
	if c.First == '`' || c.Last == '`' {
		s.Open, s.Close = delim+" ", " "+delim
	}
	s.Reopen = s.Open
	if before == '`' {
		s.Open = wordJoiner + s.Open
	}
	return s
}

func (discordMarkdown) link(c Construct) (Syntax, bool) {
	if !web(c.Arg) && !hasScheme(c.Arg, "discord://") || strings.ContainsAny(c.Arg, " <>\t\n") {
		return Syntax{}, false
	}
	open, end := "<", ">"
	if c.Form == "bare" {
		open, end = "", ""
	}
	switch {
	case c.Label == c.Arg:
		return Syntax{Open: open, Close: end, URL: true}, true
	case c.Arg == "http://"+c.Label:
		return Syntax{Open: open + "http://", Close: end, URL: true}, true
	case c.Form == "masked" && maskable(c.Label):
		return Syntax{Open: "[", Close: "](<" + c.Arg + ">)", Label: true}, true
	}
	return Syntax{Close: " (" + open + c.Arg + end + ")", Tail: true}, true
}

// maskable reports whether Discord shows label as the label of a masked link.
// Labels that look like an address or hold a mention are shown raw, emoji break
// the link on some clients, and a backslash in a label stays visible.
func maskable(label string) bool {
	if label == "" || strings.ContainsAny(label, "\\*_~|`[]<>@\n") ||
		strings.Contains(label, "://") || strings.Contains(label, "discord.gg") || strings.HasPrefix(label, "www.") {
		return false
	}
	for _, r := range label {
		if r >= 0x2190 && !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsPunct(r) {
			return false
		}
	}
	return true
}

// discordLanguage returns a language that Discord takes behind a fence.
// Anything else would be read as the first line of the code.
func discordLanguage(lang string) string {
	switch strings.ToLower(lang) {
	case "c++":
		return "cpp"
	case "c#":
		return "cs"
	case "f#":
		return "fsharp"
	case "objective-c++":
		return "objectivec"
	}
	for i := 0; i < len(lang); i++ {
		if c := lang[i]; !asciiLetter(rune(c)) && (c < '0' || c > '9') && c != '-' {
			return ""
		}
	}
	return lang
}

func (discordMarkdown) Measure(chunk []byte) Size { return sent(chunk) }

func (discordMarkdown) Visible(dst, chunk []byte) []byte {
	r := markdownReader{dst: dst}
	r.lines(chunk)
	return r.dst
}

func (discordMarkdown) contextual() {}
