package dialect

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// gfm is GitHub-flavoured markdown, for receivers that read markdown
// themselves. What vak compiles from it shows the same again.
type gfm struct{}

func (gfm) Name() string { return "markdown" }

func (gfm) Escape(dst []byte, s string, at Position) []byte {
	if at.In == InCode || at.In == InFence || at.In == InURL {
		return append(dst, s...)
	}
	from, i := 0, 0
	if at.LineStart {
		if i = gfmLineStart(s); i > 0 {
			dst = append(dst, s[:i-1]...)
			dst = append(dst, '\\', s[i-1])
			from = i
		}
	}
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\', '*', '_', '`', '[', ']', '<', '~', '|', '$':
		case '!':
			if i+1 < len(s) {
				continue // a link behind it would be a picture
			}
		case ':':
			// A parser would take an address for a link, backslashes included.
			if !strings.HasPrefix(s[i:], "://") {
				continue
			}
		case '@':
			if i == 0 || i+1 == len(s) || s[i-1] == ' ' || s[i+1] == ' ' {
				continue
			}
		case '.':
			if i < 3 || !hasSuffixFold(s[:i], "www") {
				continue
			}
		case '&':
			if i+1 < len(s) && s[i+1] != '#' && !asciiLetter(rune(s[i+1])) {
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

// gfmLineStart is [discordLineStart] for all that opens a block in GFM.
func gfmLineStart(s string) int {
	i := 0
	for i < len(s) && s[i] == ' ' {
		i++
	}
	rest := s[i:]
	switch {
	case rest == "":
		return 0
	case rest[0] == '#', rest[0] == '>', rest[0] == '+', rest[0] == '-', rest[0] == '=':
		return i + 1
	case rest[0] >= '0' && rest[0] <= '9':
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n < len(rest) && (rest[n] == '.' || rest[n] == ')') && (n+1 == len(rest) || rest[n+1] == ' ') {
			return i + n + 1
		}
	}
	return 0
}

func (gfm) Syntax(c Construct, before, _ rune) (Syntax, bool) {
	switch c.Kind {
	case Strong:
		return Syntax{Open: "**", Close: "**"}, true
	case Emphasis:
		return Syntax{Open: "*", Close: "*"}, true
	case Strikethrough:
		return Syntax{Open: "~~", Close: "~~"}, true
	case Spoiler:
		return Syntax{Open: "||", Close: "||"}, true
	case CodeSpan:
		n := 1
		for n < 16 && c.Runs&(1<<n) != 0 {
			n++
		}
		if n == 16 {
			n = c.Run + 1
		}
		return codeSpan(c, n, before), true
	case Link, Image:
		if c.Arg == "" || !c.Safe && strings.Contains(c.Arg, ":") || strings.ContainsAny(c.Arg, "<>\n\\") {
			return Syntax{}, false
		}
		if c.Kind == Link && c.Label == c.Arg && strings.Contains(c.Arg, "://") && web(c.Arg) {
			return Syntax{Open: "<", Close: ">", URL: true}, true
		}
		arg := c.Arg
		if strings.ContainsAny(arg, " ()") {
			arg = "<" + arg + ">"
		}
		if c.Kind == Image {
			return Syntax{Open: "![", Close: "](" + arg + ")"}, true
		}
		return Syntax{Open: "[", Close: "](" + arg + ")"}, true
	case Heading:
		return Syntax{Open: "######"[:c.Level] + " "}, true
	case Quote:
		return Syntax{Line: "> "}, true
	case Fence:
		fence := strings.Repeat("`", max(3, c.Run+1))
		return Syntax{Open: fence + c.Arg + "\n", Close: "\n" + fence}, true
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
		return Syntax{Open: "---"}, true
	case HardBreak:
		return Syntax{Open: `\`}, true
	}
	return Syntax{}, false
}

func (gfm) Measure(chunk []byte) Size { return sent(chunk) }

func (gfm) Visible(dst, chunk []byte) []byte {
	r := markdownReader{dst: dst, gfm: true}
	r.lines(chunk)
	return r.dst
}

// A markdownReader reads what package dialect writes for Discord and as GFM:
// literal marker characters are always escaped there, so that every marker
// that is not escaped is markup.
type markdownReader struct {
	dst []byte
	gfm bool
}

// lines reads block structure.
func (r *markdownReader) lines(in []byte) {
	var fence []byte
	quotes := 0 // around the fence
	for first := true; len(in) > 0; first = false {
		line := in
		if i := bytes.IndexByte(in, '\n'); i >= 0 {
			line, in = in[:i], in[i+1:]
		} else {
			in = nil
		}
		if !first {
			r.dst = append(r.dst, '\n')
		}
		if fence != nil {
			for range quotes {
				line = bytes.TrimPrefix(bytes.TrimLeft(line, " "), []byte("> "))
			}
			if end := bytes.TrimLeft(line, " "); bytes.HasPrefix(end, fence) && len(bytes.TrimLeft(end, "`")) == 0 {
				fence = nil
				continue
			}
			r.dst = append(r.dst, line...)
			continue
		}
		body, depth := r.open(line)
		if n := len(body) - len(bytes.TrimLeft(body, "`")); n >= 3 && bytes.IndexByte(body[n:], '`') < 0 {
			fence, quotes = body[:n], depth
			continue
		}
		r.line(body)
	}
}

// open reads the markers of quotes and list items that start a line. It returns
// the rest of the line and how many quotes are open in it.
func (r *markdownReader) open(b []byte) (rest []byte, quotes int) {
	for {
		b = bytes.TrimLeft(b, " ")
		switch {
		case bytes.HasPrefix(b, []byte("> ")):
			b = b[2:]
			quotes++
			continue
		case bytes.HasPrefix(b, []byte("- ")):
			b = b[2:]
			continue
		case r.gfm:
			n := 0
			for n < len(b) && b[n] >= '0' && b[n] <= '9' {
				n++
			}
			if n > 0 && bytes.HasPrefix(b[n:], []byte(". ")) {
				r.dst = append(r.dst, b[:n+2]...)
				b = b[n+2:]
				continue
			}
		}
		return b, quotes
	}
}

// line reads the marker of a heading, then what is in the line.
func (r *markdownReader) line(b []byte) {
	if n := len(b) - len(bytes.TrimLeft(b, "#")); n > 0 && n <= 6 && n < len(b) && b[n] == ' ' {
		b = b[n+1:]
	}
	if r.gfm && len(b) > 0 && b[0] == '|' {
		if len(bytes.Trim(b, "|:- ")) == 0 && bytes.Contains(b, []byte("-- |")) || len(bytes.Trim(b, "|:- ")) == 0 && bytes.Contains(b, []byte(":-: |")) {
			return // what parts the header from the rows
		}
		r.inline(b, false)
		return
	}
	r.inline(b, true)
}

// inline reads a line. Links are read only where links is set.
func (r *markdownReader) inline(b []byte, links bool) {
	closing := -1 // the next ] that is not escaped, as far as is known
	noLink := false
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '\\' && i+1 < len(b) && punct(b[i+1]):
			r.dst = append(r.dst, b[i+1])
			i += 2
		case c == '\\' && i+1 == len(b) && r.gfm:
			i++ // a hard break
		case c == '`':
			i += r.code(b[i:])
		case c == '<':
			end := bytes.IndexByte(b[i:], '>')
			if end < 0 || bytes.IndexByte(b[i:i+end], ' ') >= 0 || !bytes.Contains(b[i:i+end], []byte("://")) {
				r.dst = append(r.dst, c)
				i++
				continue
			}
			r.dst = append(r.dst, b[i+1:i+end]...)
			i += end + 1
		case c == '[' && !noLink:
			if closing < i {
				closing = closingBracket(b, i)
				noLink = closing < 0
			}
			n := 0
			if closing > i {
				n = r.link(b, i, closing)
			}
			if n == 0 {
				r.dst = append(r.dst, c)
				n = 1
			}
			i += n
		case c == '!' && i+1 < len(b) && b[i+1] == '[' && r.gfm:
			i++
		case c == '*' || c == '_':
			i++
		case (c == '~' || c == '|') && i+1 < len(b) && b[i+1] == c:
			i += 2
		case c == '|' && r.gfm && !links:
			r.dst = append(r.dst, " │ "...)
			i++
		default:
			r.dst = append(r.dst, c)
			i++
		}
	}
}

// code reads the code span that b starts with and returns its length.
func (r *markdownReader) code(b []byte) int {
	n := len(b) - len(bytes.TrimLeft(b, "`"))
	for at := n; at < len(b); {
		i := bytes.IndexByte(b[at:], '`')
		if i < 0 {
			break
		}
		at += i
		run := len(b[at:]) - len(bytes.TrimLeft(b[at:], "`"))
		if run == n {
			r.dst = append(r.dst, b[n:at]...)
			return at + n
		}
		at += run
	}
	r.dst = append(r.dst, b[:n]...)
	return n
}

// link reads the link whose label stands between open and closing, and returns
// its length, or 0 where there is none.
func (r *markdownReader) link(b []byte, open, closing int) int {
	if closing+1 >= len(b) || b[closing+1] != '(' {
		return 0
	}
	rest := b[closing+2:]
	var target []byte
	var n int
	if len(rest) > 0 && rest[0] == '<' {
		end := bytes.Index(rest, []byte(">)"))
		if end < 0 {
			return 0
		}
		target, n = rest[1:end], end+2
	} else {
		end := bytes.IndexByte(rest, ')')
		if end < 0 {
			return 0
		}
		target, n = rest[:end], end+1
	}
	r.inline(b[open+1:closing], false)
	r.dst = append(append(append(r.dst, TargetStart), target...), TargetEnd)
	return closing + 2 + n - open
}

func closingBracket(b []byte, from int) int {
	depth := 0
	for i := from; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '`':
			n := len(b[i:]) - len(bytes.TrimLeft(b[i:], "`"))
			i += n - 1
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func punct(c byte) bool {
	return c < utf8.RuneSelf && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c) >= 0
}
