package main

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// What the Bot API server takes. (Its source: 4,096 code points after parsing,
// 1<<15 bytes before; what is beyond 100 entities is dropped without a word.)
const (
	maxText     = 4096
	maxRaw      = 32_768
	maxEntities = 100
)

// content is the text of a part, held to what Telegram takes, and its parse mode.
func content(r surface.SendRequest) (text, mode string, err error) {
	live := r.Mentions == surface.LiveMentions
	switch r.Form {
	case surface.FormText:
		text, mode = r.Chunk.Text, "HTML"
	case surface.FormPlain:
		text = r.Chunk.Plain
		if !live {
			text = defuse(text)
		}
	default:
		return "", "", refuse(surface.Payload, "form", "Telegram is sent text only")
	}
	switch {
	case !utf8.ValidString(text):
		return "", "", refuse(surface.Payload, "utf8", "the text is not UTF-8")
	case len(text) > maxRaw:
		return "", "", refuse(surface.TooLong, "text_too_long", hintLong)
	}
	shown := text
	if mode != "" {
		m, ok := readHTML(text)
		if !ok {
			return "", "", refuse(surface.Payload, "markup", "the text holds markup that vak does not write; see what renders it")
		}
		shown = m.text
		switch {
		case m.entities > maxEntities:
			return "", "", refuse(surface.Payload, "too_many_entities", "Telegram drops markup beyond 100 pieces")
		case !live && m.notifies():
			return "", "", refuse(surface.Payload, "live_token", "the text holds a mention that rendering takes the life of; see what renders it")
		case !live && m.user: // rendering lets such links be; in the plain form they are words
			return "", "", refuse(surface.Payload, "live_link", "a link to a user notifies")
		}
	}
	switch {
	case utf8.RuneCountInString(shown) > maxText:
		return "", "", refuse(surface.TooLong, "message_too_long", hintLong)
	case strings.TrimFunc(shown, unicode.IsSpace) == "":
		return "", "", refuse(surface.Permanent, "empty", "there is nothing to read in it")
	}
	return text, mode, nil
}

// A marked text is one as Telegram shows it.
type marked struct {
	text     string
	dead     [][2]int // where no name is live: code, and links that show their address
	entities int
	user     bool // a link names a user, who is notified
}

// readHTML reads what vak's dialect writes, and nothing else: what the server would
// repair or guess at is refused, so that what is read here is what it reads.
func readHTML(s string) (marked, bool) {
	type tag struct {
		name, href string
		from       int
	}
	var m marked
	var open []tag
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == '&' {
			c, n := entity(s[i:])
			if n == 0 {
				return m, false
			}
			b.WriteByte(c)
			i += n
			continue
		}
		if s[i] != '<' {
			b.WriteByte(s[i])
			i++
			continue
		}
		end := strings.IndexByte(s[i:], '>')
		if end < 0 {
			return m, false
		}
		name := s[i+1 : i+end]
		i += end + 1
		if closed, ok := strings.CutPrefix(name, "/"); ok {
			if len(open) == 0 || open[len(open)-1].name != closed {
				return m, false
			}
			top := open[len(open)-1]
			open = open[:len(open)-1]
			text := b.String()
			if top.name == "code" || top.name == "pre" || top.name == "a" && text[top.from:] == top.href && dotted(top.href) {
				m.dead = append(m.dead, [2]int{top.from, len(text)})
			}
			continue
		}
		t := tag{name: name, from: b.Len()}
		href, link := strings.CutPrefix(name, `a href="`)
		language, code := strings.CutPrefix(name, `code class="language-`)
		switch {
		case link:
			address, ok := attribute(href)
			scheme := strings.ToLower(address)
			if !ok || !strings.HasPrefix(scheme, "http://") && !strings.HasPrefix(scheme, "https://") && !strings.HasPrefix(scheme, "tg://") {
				return m, false
			}
			m.user = m.user || strings.HasPrefix(scheme, "tg://user")
			t.name, t.href = "a", address
			m.entities++
		case code:
			if _, ok := attribute(language); !ok || len(open) == 0 || open[len(open)-1].name != "pre" {
				return m, false
			}
			t.name = "code" // one piece with the pre around it
		case name == "b" || name == "i" || name == "s" || name == "tg-spoiler" || name == "blockquote" || name == "code" || name == "pre":
			m.entities++
		default:
			return m, false
		}
		open = append(open, t)
	}
	m.text = b.String()
	return m, len(open) == 0
}

// entity decodes the one that s begins with, of those that the dialect writes.
func entity(s string) (byte, int) {
	for name, c := range map[string]byte{"&lt;": '<', "&gt;": '>', "&amp;": '&', "&quot;": '"'} {
		if strings.HasPrefix(s, name) {
			return c, len(name)
		}
	}
	return 0, 0
}

// attribute decodes the rest of an attribute with its closing quote.
func attribute(s string) (string, bool) {
	s, ok := strings.CutSuffix(s, `"`)
	if !ok || strings.ContainsAny(s, `"<>`) {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '&' {
			b.WriteByte(s[i])
			i++
			continue
		}
		c, n := entity(s[i:])
		if n == 0 {
			return "", false
		}
		b.WriteByte(c)
		i += n
	}
	return b.String(), true
}

// dotted reports whether the server keeps a link to href, as far as can be told: it
// wants a dot in the host.
func dotted(href string) bool {
	scheme, rest, _ := strings.Cut(href, "://")
	if strings.EqualFold(scheme, "tg") {
		return true
	}
	host := rest
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	dot := strings.IndexByte(host, '.')
	return dot > 0 && dot < len(host)-1 && !strings.ContainsFunc(host, func(r rune) bool {
		return !wordRune(r) && !strings.ContainsRune(".-:", r)
	})
}

// notifies reports whether a name in the text is live.
func (m marked) notifies() bool {
next:
	for i := 0; i < len(m.text); i++ {
		if !names(m.text, i) {
			continue
		}
		for _, d := range m.dead {
			if d[0] <= i && i < d[1] {
				continue next
			}
		}
		return true
	}
	return false
}

// names reports whether a name begins at i that the server would link.
func names(s string, i int) bool {
	if s[i] != '@' {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	next, _ := utf8.DecodeRuneInString(s[i+1:])
	return !(i > 0 && wordRune(before)) && i+1 < len(s) && wordRune(next)
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// web is an address that Telegram links by itself, so that a name within is no
// name. It is narrower than what the server takes for one, which depends on what
// stands before.
var web = regexp.MustCompile(`(?:^|[\s(])https?://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,16}(?:/[A-Za-z0-9/?#._~:&=+%@-]*)?`)

// joiner after an @ makes a name none; nobody sees it.
const joiner = "\u2060"

// defuse takes the life of every name in a plain text. Addresses stay as they are.
func defuse(text string) string {
	addresses := web.FindAllStringIndex(text, -1)
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		b.WriteByte(text[i])
		for len(addresses) > 0 && addresses[0][1] <= i {
			addresses = addresses[1:]
		}
		if names(text, i) && !(len(addresses) > 0 && addresses[0][0] <= i) {
			b.WriteString(joiner)
		}
	}
	return b.String()
}
