package dialect

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// telegramHTML is the HTML parse mode of the Telegram Bot API. The server takes
// a fixed set of tags, decodes four named entities, and repairs nesting that it
// does not allow without a word: code in links, links in code, styles around
// code and quotes in quotes are lost, so none of them is written.
type telegramHTML struct{}

func (telegramHTML) Name() string { return "html" }

func (telegramHTML) Escape(dst []byte, s string, at Position) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		var as string
		switch s[i] {
		case '<':
			as = "&lt;"
		case '>':
			as = "&gt;"
		case '&':
			as = "&amp;"
		case '"':
			as = "&quot;"
		case '\t':
			as = "    " // the server turns a tab into one space, even in code
		case '@':
			// Outside of code the server links @name, and whoever bears the
			// name is notified.
			if at.Live || at.In == InCode || at.In == InFence || at.In == InURL {
				continue
			}
			before, next := at.Before, at.After
			if i > 0 {
				before, _ = utf8.DecodeLastRuneInString(s[:i])
			}
			if i+1 < len(s) {
				next, _ = utf8.DecodeRuneInString(s[i+1:])
			}
			if wordRune(before) || !wordRune(next) {
				continue // an e-mail address, or no name at all
			}
			as = "@" + wordJoiner
		default:
			continue
		}
		dst = append(append(dst, s[from:i]...), as...)
		from = i + 1
	}
	return append(dst, s[from:]...)
}

func (t telegramHTML) Syntax(c Construct, _, _ rune) (Syntax, bool) {
	switch c.Kind {
	case Strong:
		return Syntax{Open: "<b>", Close: "</b>"}, true
	case Emphasis:
		return Syntax{Open: "<i>", Close: "</i>"}, true
	case Strikethrough:
		return Syntax{Open: "<s>", Close: "</s>"}, true
	case Spoiler:
		return Syntax{Open: "<tg-spoiler>", Close: "</tg-spoiler>"}, true
	case CodeSpan:
		return Syntax{Open: "<code>", Close: "</code>", Alone: true}, true
	case Link, Image:
		if !web(c.Arg) && !hasScheme(c.Arg, "tg://") || !telegramHost(c.Arg) {
			return Syntax{}, false
		}
		return Syntax{Open: `<a href="` + string(t.Escape(nil, c.Arg, Position{In: InURL})) + `">`, Close: "</a>",
			NoCode: true, URL: c.Label == c.Arg}, true
	case Heading:
		s := Syntax{Bold: true}
		switch {
		case c.Level == 2:
			s.Tight = TightAfter
		case c.Level > 2:
			s.Tight = TightBefore | TightAfter
		}
		return s, true
	case Quote:
		if c.Level > 0 {
			return Syntax{Line: "› "}, true
		}
		return Syntax{Open: "<blockquote>", Close: "</blockquote>", Flush: true}, true
	case Fence:
		if c.Arg == "" {
			return Syntax{Open: "<pre>", Close: "</pre>", Flush: true, Outside: true}, true
		}
		lang := string(t.Escape(nil, c.Arg, Position{In: InURL}))
		return Syntax{Open: `<pre><code class="language-` + lang + `">`, Close: "</code></pre>", Flush: true, Outside: true}, true
	}
	return chatMark(c)
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// telegramHost reports whether the server keeps a link to href: its host must
// have a dot in it, which leaves out localhost.
func telegramHost(href string) bool {
	_, rest, _ := strings.Cut(href, "://")
	if hasScheme(href, "tg://") {
		return true
	}
	host := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = rest[:i]
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	dot := strings.IndexByte(host, '.')
	return dot > 0 && dot < len(host)-1
}

// chatMark gives the marks that all chat dialects without lists share.
func chatMark(c Construct) (Syntax, bool) {
	switch c.Kind {
	case Bullet:
		switch c.Level {
		case 0:
			return Syntax{Open: "• "}, true
		case 1:
			return Syntax{Open: "◦ "}, true
		}
		return Syntax{Open: "▪ "}, true
	case Number:
		return Syntax{Open: c.Arg + ". "}, true
	case TaskMark:
		if c.Arg == "done" {
			return Syntax{Open: "☑ "}, true
		}
		return Syntax{Open: "☐ "}, true
	case Rule:
		return Syntax{Open: "———"}, true
	}
	return Syntax{}, false
}

// Entities as the server stores them take 12 bytes (constructor, offset,
// length), plus a string for an address or a language.
const entityBytes = 12

func tlString(n int) int {
	if n < 254 {
		return (n + 1 + 3) / 4 * 4
	}
	return (n + 4 + 3) / 4 * 4
}

func (telegramHTML) Measure(chunk []byte) Size {
	var s Size
	s.Sent = count(chunk)
	if bytes.IndexByte(chunk, '<') < 0 && bytes.IndexByte(chunk, '&') < 0 {
		s.Visible = s.Sent
		return s
	}
	for len(chunk) > 0 {
		i := bytes.IndexAny(chunk, "<&")
		if i < 0 {
			s.Visible = s.Visible.add(count(chunk))
			break
		}
		if i > 0 {
			s.Visible = s.Visible.add(count(chunk[:i]))
			chunk = chunk[i:]
		}
		if chunk[0] == '&' {
			r, n := htmlEntity(chunk)
			if n == 0 {
				r, n = '&', 1
			}
			s.Visible.Codepoints++
			s.Visible.UTF16++
			if r > 0xFFFF {
				s.Visible.UTF16++
			}
			s.Visible.Bytes += utf8.RuneLen(r)
			chunk = chunk[n:]
			continue
		}
		end := bytes.IndexByte(chunk, '>')
		if end < 0 {
			s.Visible = s.Visible.add(count(chunk))
			break
		}
		tag := chunk[1:end]
		chunk = chunk[end+1:]
		switch {
		case len(tag) > 0 && tag[0] == '/':
		case bytes.HasPrefix(tag, []byte(`code class=`)):
			s.EntityBytes += tlString(len(tag)) // one entity with the pre around it
		case bytes.HasPrefix(tag, []byte(`a href=`)):
			s.Entities++
			s.EntityBytes += entityBytes + tlString(len(tag)-len(`a href=""`))
		default:
			s.Entities++
			s.EntityBytes += entityBytes
		}
	}
	return s
}

func (telegramHTML) Visible(dst, chunk []byte) []byte {
	var href []byte
	for len(chunk) > 0 {
		i := bytes.IndexAny(chunk, "<&")
		if i < 0 {
			return append(dst, chunk...)
		}
		dst = append(dst, chunk[:i]...)
		chunk = chunk[i:]
		if chunk[0] == '&' {
			r, n := htmlEntity(chunk)
			if n == 0 {
				r, n = '&', 1
			}
			dst = utf8.AppendRune(dst, r)
			chunk = chunk[n:]
			continue
		}
		end := bytes.IndexByte(chunk, '>')
		if end < 0 {
			return append(dst, chunk...)
		}
		tag := chunk[1:end]
		chunk = chunk[end+1:]
		switch {
		case bytes.HasPrefix(tag, []byte(`a href="`)):
			href = bytes.TrimSuffix(tag[len(`a href="`):], []byte(`"`))
		case string(tag) == "/a" && href != nil:
			dst = append(dst, TargetStart)
			for len(href) > 0 {
				r, n := htmlEntity(href)
				if n == 0 {
					r, n = utf8.DecodeRune(href)
				}
				dst = utf8.AppendRune(dst, r)
				href = href[n:]
			}
			dst = append(dst, TargetEnd)
			href = nil
		}
	}
	return dst
}

// htmlEntity decodes the entity that b starts with, of those that the server
// knows. It returns length 0 where there is none.
func htmlEntity(b []byte) (rune, int) {
	if len(b) == 0 || b[0] != '&' {
		return 0, 0
	}
	end := bytes.IndexByte(b[:min(len(b), 12)], ';')
	if end < 0 {
		return 0, 0
	}
	switch name := string(b[1:end]); name {
	case "lt":
		return '<', end + 1
	case "gt":
		return '>', end + 1
	case "amp":
		return '&', end + 1
	case "quot":
		return '"', end + 1
	default:
		if len(name) < 2 || name[0] != '#' {
			return 0, 0
		}
		digits, base := name[1:], 10
		if digits[0] == 'x' || digits[0] == 'X' {
			digits, base = digits[1:], 16
		}
		n, err := strconv.ParseUint(digits, base, 32)
		if err != nil || n == 0 || n > unicode.MaxRune {
			return 0, 0
		}
		return rune(n), end + 1
	}
}
