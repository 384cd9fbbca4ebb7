package dialect

import "strings"

// plainText has no markup. It is what a log shows, what core falls back to, and
// the form that goes out when a platform refuses the marked-up one.
type plainText struct{}

func (plainText) Name() string { return "plain" }

func (plainText) Escape(dst []byte, s string, _ Position) []byte { return append(dst, s...) }

func (plainText) Syntax(c Construct, _, _ rune) (Syntax, bool) {
	switch c.Kind {
	case Strong, Emphasis, Strikethrough, CodeSpan:
		return Syntax{}, true
	case Spoiler:
		return Syntax{Open: "[spoiler: ", Close: "]"}, true
	case Link, Image:
		if c.Part || bare(c) {
			return Syntax{}, true
		}
		return Syntax{Close: " (" + c.Arg + ")", Tail: true}, true
	case Heading:
		if c.Level == 1 {
			return Syntax{Underline: '='}, true
		}
		return Syntax{Underline: '-'}, true
	case Quote:
		return Syntax{Line: "> "}, true
	case Fence:
		return Syntax{Flush: true}, true
	case Bullet:
		return Syntax{Open: "- "}, true
	case Number:
		return Syntax{Open: c.Arg + ". "}, true
	case TaskMark:
		if c.Arg == "done" {
			return Syntax{Open: "[x] "}, true
		}
		return Syntax{Open: "[ ] "}, true
	case Rule:
		return Syntax{Open: "———"}, true
	}
	return Syntax{}, false
}

func (plainText) Measure(chunk []byte) Size { return sent(chunk) }

func (plainText) Visible(dst, chunk []byte) []byte { return append(dst, chunk...) }

// bare reports whether the label of a link already shows its address.
func bare(c Construct) bool {
	return c.Label == c.Arg || "mailto:"+c.Label == c.Arg || "http://"+c.Label == c.Arg
}

// web reports whether href has the scheme http or https and no character that
// would end an address in angle brackets.
func web(href string) bool {
	return (hasScheme(href, "https://") || hasScheme(href, "http://")) && !strings.ContainsAny(href, " <>\n\t")
}

func hasScheme(href, scheme string) bool {
	return len(href) > len(scheme) && strings.EqualFold(href[:len(scheme)], scheme)
}

// wordJoiner keeps a literal character from being read as markup. It has no
// width and forbids a line break, so that no reader notices it.
const wordJoiner = "\u2060"

// zeroWidthSpace parts a run of backticks that would end a block of code.
const zeroWidthSpace = "\u200b"

// fenceText appends s so that no run of three backticks is left in it. after
// is how many backticks dst already ends with.
func fenceText(dst []byte, s string, before rune) []byte {
	run := 0
	if before == '`' {
		run = 1
		if len(dst) > 1 && dst[len(dst)-2] == '`' {
			run = 2
		}
	}
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			run = 0
			continue
		}
		if run == 2 {
			dst = append(append(dst, s[from:i]...), zeroWidthSpace...)
			from, run = i, 0
		}
		run++
	}
	return append(dst, s[from:]...)
}
