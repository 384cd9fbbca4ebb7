package compile

import "strings"

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
		p.add(i, tokenImage, p.leadsTo(target{src, title})).start = p.str(alt)
	case actCode, actPre:
		none := &p.noEnds.code[t.id]
		if *none {
			return end
		}
		from, to := indexEndTag(s[end:], t.name)
		if from < 0 {
			*none = true
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
		end := -1
		if !p.noEnds.comment {
			end = commentEnd(s, i)
		}
		if end < 0 {
			p.noEnds.comment = true
			return i + 4
		}
		p.text(i)
		p.from = end
		p.comment = true
		return end
	}
	closer, none := ">", &p.noEnds.declaration
	switch {
	case strings.HasPrefix(s[i:], "<?"):
		closer, none = "?>", &p.noEnds.instruction
	case strings.HasPrefix(s[i:], "<![CDATA["):
		closer, none = "]]>", &p.noEnds.cdata
	case i+2 >= len(s) || !isAlpha(s[i+2]):
		return i + 1
	}
	if *none {
		return i + 2
	}
	n := strings.Index(s[i:], closer)
	if n < 0 {
		*none = true
		return i + 2
	}
	return i + n + len(closer)
}

// startTag opens an element that may enclose inlines.
func (p *inliner) startTag(i, end int, t tag) {
	o := opener{tag: t.id, edge: t.act.block(), conts: -1, content: int32(end)}
	if int(t.act) < len(tagConts) {
		o.cont = tagConts[t.act]
	}
	if t.act == actLink {
		href, ok := t.attr("href")
		href = strings.TrimSpace(href)
		if ok && href != "" {
			title, _ := t.attr("title")
			o.conts = p.leadsTo(target{href, title})
		} else {
			o.cont = contNone // an anchor
			o.guess = t.attrs != ""
		}
	} else {
		// A tag that nobody closes is a word in angle brackets if it stands
		// like one: "List<i>", "the <p> tag".
		o.guess = t.attrs != "" || charBefore(p.s, i)&charAlnum == 0 && charAfter(p.s, end)&charSpace == 0 ||
			o.edge && strings.TrimSpace(p.s[:i]) == ""
	}
	p.add(i, tokenText, 0).end = int32(end)
	p.from = end
	p.anyTag = true
	o.token, o.delim, o.prev = int32(len(p.tokens)-1), p.last, p.lastTag[t.id]
	p.lastTag[t.id] = int32(len(p.openers))
	p.open(o)
}

// endTag reads the end tag at i. It closes the last start tag of its name and
// whatever was opened in between.
func (p *inliner) endTag(i int) int {
	t, end := readTag(p.s, i)
	if end < 0 || t.act == actUnknown {
		return max(end, i+1)
	}
	at := p.lastTag[t.id]
	if at < 0 {
		// A stray end tag shows nothing, but "</b> ends it" is about one.
		if charBefore(p.s, i)&charSpace != 0 && charAfter(p.s, end)&charSpace != 0 && end-i < len(p.s) {
			return end
		}
		p.text(i)
		p.from = end
		return end
	}
	p.text(i)
	p.closeTo(int(at)+1, false)
	o := &p.openers[at]
	p.setScript(o)
	p.match(o)
	p.from = end
	p.lastTag[t.id] = o.prev
	p.openers = p.openers[:at]
	if o.cont == contLink {
		p.dead = at // links do not nest, not even those of HTML
	} else {
		p.dead = min(p.dead, at)
	}
	return end
}
