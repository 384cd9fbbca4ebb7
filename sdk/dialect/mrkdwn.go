package dialect

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// slackMrkdwn is Slack's mrkdwn. There is no escape character: only & < > have
// entities, and whether * _ ~ ` are markup depends on what stands around them.
// A marker opens or closes a style only beside a boundary, and a style ends
// with its line.
type slackMrkdwn struct{}

func (slackMrkdwn) Name() string { return "mrkdwn" }

// hairSpace makes a boundary between a marker and punctuation that Slack does
// not count as one.
const hairSpace = "\u200a"

func (slackMrkdwn) Escape(dst []byte, s string, at Position) []byte {
	if at.In == InFence {
		start := len(dst)
		dst = fenceText(dst, s, at.Before)
		return escapeEntities(dst, start)
	}
	if at.In == InText || at.In == InLabel {
		return mrkdwnText(dst, s, at)
	}
	start := len(dst)
	return escapeEntities(append(dst, s...), start)
}

// escapeEntities escapes what has been appended to dst since start.
func escapeEntities(dst []byte, start int) []byte {
	if !bytes.ContainsAny(dst[start:], "&<>") {
		return dst
	}
	raw := string(dst[start:])
	dst = dst[:start]
	from := 0
	for i := 0; i < len(raw); i++ {
		if as := mrkdwnEntity(raw[i]); as != "" {
			dst = append(append(dst, raw[from:i]...), as...)
			from = i + 1
		}
	}
	return append(dst, raw[from:]...)
}

func mrkdwnEntity(c byte) string {
	switch c {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	}
	return ""
}

func mrkdwnText(dst []byte, s string, at Position) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		var as string
		switch c := s[i]; c {
		case '&', '<':
			as = mrkdwnEntity(c)
		case '>':
			as = "&gt;"
			if i == 0 && at.LineStart {
				as = wordJoiner + as // Slack reads &gt; as a quote there too
			}
		case '*', '_', '~', '`':
			before := at.Before
			if i > 0 {
				before, _ = utf8.DecodeLastRuneInString(s[:i])
			}
			if word(before) {
				continue // it cannot open a style inside a word
			}
			as = wordJoiner + s[i:i+1]
		default:
			continue
		}
		dst = append(append(dst, s[from:i]...), as...)
		from = i + 1
	}
	return append(dst, s[from:]...)
}

// word reports whether a marker beside r is not beside a boundary.
func word(r rune) bool {
	switch {
	case r == 0:
		return false
	case r < utf8.RuneSelf:
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	case r == '‘' || r == '’' || r == '“' || r == '”' || r == '„' || r == '‚':
		return true
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

func (m slackMrkdwn) Syntax(c Construct, before, after rune) (Syntax, bool) {
	switch c.Kind {
	case Strong:
		return m.style(c, "*", Star, before, after)
	case Emphasis:
		return m.style(c, "_", Underscore, before, after)
	case Strikethrough:
		return m.style(c, "~", Tilde, before, after)
	case Spoiler:
		return Syntax{Why: "spoiler"}, false
	case CodeSpan:
		if c.Run > 0 {
			return Syntax{Why: "backtick"}, false
		}
		return m.boundary("`", before, after, false)
	case Link, Image:
		return m.link(c)
	case Heading:
		return Syntax{Bold: true}, true
	case Quote:
		if c.Level > 0 {
			return Syntax{Line: "› "}, true
		}
		return Syntax{Line: "> ", Flush: true}, true
	case Fence:
		return Syntax{Open: "```\n", Close: "\n```", Outside: true, Flush: true}, true
	}
	return chatMark(c)
}

func (m slackMrkdwn) style(c Construct, marker string, own Marks, before, after rune) (Syntax, bool) {
	if (c.Text|c.Raw)&own != 0 {
		return Syntax{Why: "marker"}, false
	}
	if unicode.IsSpace(c.First) || unicode.IsSpace(c.Last) {
		return Syntax{Why: "space"}, false
	}
	s, ok := m.boundary(marker, before, after, own == Star)
	s.Lines = true
	return s, ok
}

// boundary sets a marker between before and after, with a hair space where
// they are neither part of a word nor a boundary.
func (slackMrkdwn) boundary(marker string, before, after rune, bold bool) (Syntax, bool) {
	if word(before) || word(after) || before == '_' || after == '_' {
		return Syntax{Why: "word_boundary"}, false
	}
	s := Syntax{Open: marker, Close: marker, Reopen: marker}
	if !mrkdwnOpens(before) {
		s.Open = hairSpace + marker
	}
	// A marker character in text gets a joiner before it, which is no boundary.
	if strings.ContainsRune("*_~`", after) || !mrkdwnCloses(after, bold) {
		s.Close = marker + hairSpace
	}
	return s, true
}

func mrkdwnOpens(before rune) bool {
	return before == 0 || unicode.IsSpace(before) || before < utf8.RuneSelf && strings.IndexByte(".,([{!?-=", byte(before)) >= 0
}

func mrkdwnCloses(after rune, bold bool) bool {
	if after == 0 || unicode.IsSpace(after) {
		return true
	}
	if after >= utf8.RuneSelf {
		return false
	}
	if bold {
		return strings.IndexByte("~!#$%^)-+={}[];:'\",.?/", byte(after)) >= 0
	}
	return strings.IndexByte(".,])}!?-=", byte(after)) >= 0
}

func (m slackMrkdwn) link(c Construct) (Syntax, bool) {
	if !web(c.Arg) && !hasScheme(c.Arg, "mailto:") && !hasScheme(c.Arg, "tel:") || strings.ContainsAny(c.Arg, "|<> \t\n") {
		return Syntax{}, false
	}
	if c.Label == c.Arg {
		return Syntax{Open: "<", Close: ">", URL: true}, true
	}
	url := string(m.Escape(nil, c.Arg, Position{In: InURL}))
	if strings.ContainsAny(c.Label, "|\n") {
		return Syntax{Close: " (<" + url + ">)", Tail: true}, true
	}
	return Syntax{Open: "<" + url + "|", Close: ">", Label: true}, true
}

func (slackMrkdwn) Measure(chunk []byte) Size { return sent(chunk) }

func (m slackMrkdwn) Visible(dst, chunk []byte) []byte {
	r := mrkdwnReader{dst: dst, in: chunk}
	r.read()
	return r.dst
}

// A mrkdwnReader reads a message as Slack's clients do.
type mrkdwnReader struct {
	dst, in []byte
	ends    []int // where the styles that are open close, the innermost last
}

func (r *mrkdwnReader) read() {
	line, opened := true, false // opened: a style has opened right before
	for i := 0; i < len(r.in); {
		if line {
			line = false
			if bytes.HasPrefix(r.in[i:], []byte("> ")) {
				i += 2
				continue
			}
		}
		for len(r.ends) > 0 && r.ends[len(r.ends)-1] < i {
			r.ends = r.ends[:len(r.ends)-1]
		}
		if n := len(r.ends); n > 0 && r.ends[n-1] == i {
			r.ends = r.ends[:n-1]
			i++
			continue
		}
		c := r.in[i]
		start := opened
		opened = false
		switch c {
		case '*', '_', '~':
			if end := r.style(i, c, start); end > 0 {
				r.ends = append(r.ends, end)
				opened = true
				i++
				continue
			}
		case '`':
			if n := r.code(i, start); n > 0 {
				i += n
				continue
			}
		case '<':
			if n := r.link(i); n > 0 {
				i += n
				continue
			}
		case '&':
			if ch, n := mrkdwnDecode(r.in[i:]); n > 0 {
				r.dst = append(r.dst, ch)
				i += n
				continue
			}
		case '\n':
			line = true
		}
		r.dst = append(r.dst, c)
		i++
	}
}

func (r *mrkdwnReader) before(i int, start bool) bool {
	if start || i == 0 {
		return true
	}
	b, _ := utf8.DecodeLastRune(r.in[:i])
	return mrkdwnOpens(b)
}

func (r *mrkdwnReader) closes(i int, bold bool) bool {
	if i >= len(r.in) {
		return true
	}
	for _, e := range r.ends {
		if e == i {
			return true
		}
	}
	a, _ := utf8.DecodeRune(r.in[i:])
	return mrkdwnCloses(a, bold)
}

// style returns where the style that opens at i closes, or 0.
func (r *mrkdwnReader) style(i int, c byte, start bool) int {
	if !r.before(i, start) {
		return 0
	}
	n := bytes.IndexByte(r.in[i+1:], c)
	if n <= 0 {
		return 0
	}
	inner := r.in[i+1 : i+1+n]
	if bytes.IndexByte(inner, '\n') >= 0 {
		return 0
	}
	first, _ := utf8.DecodeRune(inner)
	last, _ := utf8.DecodeLastRune(inner)
	end := i + 1 + n
	if unicode.IsSpace(first) || unicode.IsSpace(last) || !r.closes(end+1, c == '*') {
		return 0
	}
	return end
}

// code reads the code span or fence at i and returns its length, or 0.
func (r *mrkdwnReader) code(i int, start bool) int {
	if !r.before(i, start) {
		return 0
	}
	delim := []byte("`")
	if bytes.HasPrefix(r.in[i:], []byte("```")) {
		delim = []byte("```")
	}
	rest := r.in[i+len(delim):]
	n := bytes.Index(rest, delim)
	if n <= 0 || !r.closes(i+n+2*len(delim), false) {
		return 0
	}
	r.text(rest[:n])
	return n + 2*len(delim)
}

func (r *mrkdwnReader) text(b []byte) {
	for len(b) > 0 {
		if ch, n := mrkdwnDecode(b); n > 0 {
			r.dst, b = append(r.dst, ch), b[n:]
			continue
		}
		r.dst, b = append(r.dst, b[0]), b[1:]
	}
}

// link reads the link at i and returns the length of what it has dealt with,
// or 0. Its label goes on to be read as text.
func (r *mrkdwnReader) link(i int) int {
	end := bytes.IndexByte(r.in[i:], '>')
	if end < 2 {
		return 0
	}
	body := r.in[i+1 : i+end]
	url, label, labelled := bytes.Cut(body, []byte("|"))
	if bytes.IndexByte(url, '\n') >= 0 || bytes.IndexByte(body, '<') >= 0 {
		return 0
	}
	if !labelled {
		r.text(url)
		return end + 1
	}
	inner := mrkdwnReader{dst: r.dst, in: label}
	inner.read()
	r.dst = append(inner.dst, TargetStart)
	r.text(url)
	r.dst = append(r.dst, TargetEnd)
	return end + 1
}

func mrkdwnDecode(b []byte) (byte, int) {
	switch {
	case bytes.HasPrefix(b, []byte("&amp;")):
		return '&', 5
	case bytes.HasPrefix(b, []byte("&lt;")):
		return '<', 4
	case bytes.HasPrefix(b, []byte("&gt;")):
		return '>', 4
	}
	return 0, 0
}

func (slackMrkdwn) contextual() {}
