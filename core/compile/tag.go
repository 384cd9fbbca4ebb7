package compile

import (
	"html"
	"strings"
)

// angle reads what begins with "<" at i: an address, a comment or a tag. All
// else stays text.
func (p *inliner) angle(i int) int {
	s := p.s
	if i+1 >= len(s) {
		return i + 1
	}
	switch c := s[i+1]; {
	case c == '!' || c == '?':
		return p.markup(i)
	case c == '/':
		return p.endTag(i)
	case !isAlnum(c):
		return i + 1
	}
	if end := p.angleAddress(i); end > 0 {
		return end
	}
	t, end := readTag(s, i)
	if end < 0 || t.act == actUnknown {
		return max(end, i+1) // an unknown tag is literal as a whole
	}
	switch t.act {
	case actBreak:
		p.add(i, tokenHard, 0)
		p.from = skipLineEnd(s, end)
		return p.from
	case actVoid:
		p.text(i)
	case actRule:
		p.add(i, tokenHard, 0)
	case actImage:
		src, ok := t.attr("src")
		alt, _ := t.attr("alt")
		title, _ := t.attr("title")
		if !ok || src == "" {
			return end
		}
		p.conts = append(p.conts, container{kind: contImage, href: src, title: title})
		tok := p.add(i, tokenImage, int32(len(p.conts)-1))
		tok.start = p.str(alt)
	case actCode, actPre:
		if p.noClose[t.name] {
			return end
		}
		from, to := indexEndTag(s[end:], t.name)
		if from < 0 {
			if p.noClose == nil {
				p.noClose = make(map[string]bool)
			}
			p.noClose[t.name] = true
			return end
		}
		text := oneLine(textOfHTML(s[end : end+from]))
		if blank(text) {
			p.text(i)
		} else {
			p.add(i, tokenCode, p.str(text))
		}
		end += to
	default:
		p.startTag(i, end, t)
		return end
	}
	p.from = end
	return end
}

// skipLineEnd skips the line end that follows a <br>, which breaks the line
// already.
func skipLineEnd(s string, i int) int {
	if j := skipSpaces(s, i); j < len(s) && s[j] == '\n' {
		return skipSpaces(s, j+1)
	}
	return i
}

// markup reads a comment, which vanishes, or another declaration, which is
// literal as a whole.
func (p *inliner) markup(i int) int {
	s := p.s
	if strings.HasPrefix(s[i:], "<!--") {
		if p.noClose["-->"] {
			return i + 4
		}
		end := commentEnd(s, i)
		if end < 0 {
			p.noEnd("-->")
			return i + 4
		}
		p.text(i)
		p.from = end
		p.comment = true
		return end
	}
	closer := ">"
	switch {
	case strings.HasPrefix(s[i:], "<?"):
		closer = "?>"
	case strings.HasPrefix(s[i:], "<![CDATA["):
		closer = "]]>"
	case i+2 >= len(s) || !isAlpha(s[i+2]):
		return i + 1
	}
	if p.noClose[closer] {
		return i + 2
	}
	n := strings.Index(s[i:], closer)
	if n < 0 {
		p.noEnd(closer)
		return i + 2
	}
	return i + n + len(closer)
}

// noEnd notes that closer does not occur from here on.
func (p *inliner) noEnd(closer string) {
	if p.noClose == nil {
		p.noClose = make(map[string]bool)
	}
	p.noClose[closer] = true
}

// startTag opens an element that may enclose inlines.
func (p *inliner) startTag(i, end int, t tag) {
	c := container{kind: contNone}
	guess := false
	if int(t.act) < len(tagConts) {
		c.kind = tagConts[t.act]
	}
	if t.act == actLink {
		c.kind = contLink
		href, ok := t.attr("href")
		c.title, _ = t.attr("title")
		c.href = strings.TrimSpace(href)
		if !ok || c.href == "" {
			c.kind = contNone // an anchor
			guess = t.attrs != ""
		}
	} else {
		// A tag that nobody closes is a word in angle brackets if it stands
		// like one: "List<i>", "the <p> tag".
		guess = t.attrs != "" || charBefore(p.s, i)&charAlnum == 0 && charAfter(p.s, end)&charSpace == 0 ||
			t.act.block() && strings.TrimSpace(p.s[:i]) == ""
	}
	p.conts = append(p.conts, c)
	if t.act.block() {
		p.softBreak(i)
	}
	tok := p.add(i, tokenOpen, int32(len(p.conts)-1))
	tok.end = int32(end)
	p.from = end
	prev := int32(-1)
	if at, ok := p.lastTag[t.name]; ok {
		prev = at
	} else if p.lastTag == nil {
		p.lastTag = make(map[string]int32)
	}
	p.lastTag[t.name] = int32(len(p.openers))
	p.openers = append(p.openers, opener{
		token: int32(len(p.tokens) - 1), delim: p.last, prev: prev, name: t.name, guess: guess, content: int32(end),
	})
}

// softBreak ends the line at i, unless it has ended.
func (p *inliner) softBreak(i int) {
	p.text(i)
	if n := len(p.tokens); n > 0 && p.tokens[n-1].kind != tokenSoft && p.tokens[n-1].kind != tokenHard {
		p.add(i, tokenSoft, 0)
	}
}

// endTag reads the end tag at i. It closes the last start tag of its name and
// whatever was opened in between.
func (p *inliner) endTag(i int) int {
	t, end := readTag(p.s, i)
	if end < 0 || t.act == actUnknown {
		return max(end, i+1)
	}
	at, ok := p.lastTag[t.name]
	if !ok || at < 0 {
		// A stray end tag shows nothing, but "</b> ends it" is about one.
		if charBefore(p.s, i)&charSpace != 0 && charAfter(p.s, end)&charSpace != 0 && strings.TrimSpace(p.s) != p.s[i:end] {
			return end
		}
		p.text(i)
		p.from = end
		return end
	}
	p.text(i)
	p.closeTo(int(at)+1, false)
	o := p.openers[at]
	cont := p.tokens[o.token].a
	if p.conts[cont].kind == contLink {
		// Links do not nest, not even those of HTML.
		p.dead = min(p.dead, at)
	}
	p.emphasis(o.delim)
	p.setScript(o.token, cont)
	p.add(i, tokenClose, cont)
	p.from = end
	p.lastTag[t.name] = o.prev
	p.openers = p.openers[:at]
	p.dead = min(p.dead, at)
	if p.conts[cont].kind == contLink {
		p.dead = at
	}
	if t.act.block() {
		p.softBreak(end)
	}
	return end
}

// setScript rewrites the text of a <sup> or <sub> that is being closed.
func (p *inliner) setScript(open, cont int32) {
	c := &p.conts[cont]
	if c.kind != contSuper && c.kind != contSub {
		return
	}
	if int(open) == len(p.tokens)-2 {
		if t := &p.tokens[open+1]; t.kind == tokenText {
			if s := scriptText(p.s[t.start:t.end], c.kind == contSuper); s != "" {
				*t = token{kind: tokenStr, a: p.str(s)}
			}
		}
	}
	c.kind = contNone
}

// angleAddress reads "<https://example.org>", "<ann@example.org>" or, as Slack
// writes links, "<https://example.org|label>". It returns 0 if there is none.
func (p *inliner) angleAddress(i int) int {
	s := p.s
	j := i + 1
	for j < len(s) && j-i <= 33 && (isAlnum(s[j]) || s[j] == '+' || s[j] == '.' || s[j] == '-') {
		j++
	}
	if j < len(s) && s[j] == ':' && j-i > 2 && isAlpha(s[i+1]) && knownScheme(s[i+1:j], s[j+1:]) {
		return p.angleURI(i, j)
	}
	return p.angleEmail(i)
}

func (p *inliner) angleURI(i, j int) int {
	s := p.s
	for ; j < len(s); j++ {
		switch c := s[j]; {
		case c == '>':
			p.link(i, cleanWord(s[i+1:j]), s[i+1:j])
			p.from = j + 1
			return p.from
		case c == '|':
			n := strings.IndexAny(s[j:], "<>\n")
			if n < 0 || s[j+n] != '>' {
				return 0
			}
			label := strings.TrimSpace(html.UnescapeString(s[j+1 : j+n]))
			if label == "" {
				label = s[i+1 : j]
			}
			p.link(i, cleanWord(s[i+1:j]), cleanWord(label))
			p.from = j + n + 1
			return p.from
		case c <= ' ' || c == '<':
			return 0
		}
	}
	return 0
}

// link adds a link whose label is plain text.
func (p *inliner) link(i int, href, label string) {
	t := p.add(i, tokenAuto, p.str(href))
	t.start = p.str(label)
}

// angleEmail reads an address of mail. Its brackets stay: "Ann <ann@example.org>"
// is how such addresses are written.
func (p *inliner) angleEmail(i int) int {
	s := p.s
	j := i + 1
	for j < len(s) && (isAlnum(s[j]) || strings.IndexByte(".!#$%&'*+/=?^_`{|}~-", s[j]) >= 0) {
		j++
	}
	if j == i+1 || j >= len(s) || s[j] != '@' {
		return 0
	}
	end := mailDomain(s, j+1)
	if end < 0 || end >= len(s) || s[end] != '>' {
		return 0
	}
	p.text(i + 1)
	p.link(i+1, "mailto:"+s[i+1:end], s[i+1:end])
	p.from = end
	return end + 1
}

// knownScheme reports whether scheme, followed by rest, begins an address. Any
// scheme does that has "//", so that "<std::string>" stays what it is.
func knownScheme(scheme, rest string) bool {
	if strings.HasPrefix(rest, "//") {
		return true
	}
	switch strings.ToLower(scheme) {
	case "mailto", "tel", "sms", "xmpp", "urn", "magnet", "doi", "vance", "news", "sip", "geo":
		return rest != "" && rest[0] > ' ' && rest[0] != ':'
	}
	return false
}
