package doc

import "strings"

// inlines reads an array of inlines.
func (p *parser) inlines(dst *[]Inline, field string) {
	if !p.list(*dst != nil) {
		return
	}
	from := len(p.inlineStack)
	for n := 0; p.more(n, ']'); n++ {
		in := p.inline()
		p.at(field, n)
		p.inlineStack = append(p.inlineStack, in)
	}
	if n := len(p.inlineStack) - from; n > 0 && p.err == nil {
		*dst = p.inlineSlab.take(n)
		copy(*dst, p.inlineStack[from:])
	}
	p.inlineStack = p.inlineStack[:from]
}

func (p *parser) inline() (in Inline) {
	p.enter()
	p.open('{')
	kind, n := p.kind()
	if p.err != nil {
		return nil
	}
	switch InlineKind(kind) {
	case InlineText:
		in = p.textInline(n)
	case InlineStrong:
		in = p.strong(n)
	case InlineEmphasis:
		in = p.emphasis(n)
	case InlineStrikethrough:
		c := &Strikethrough{}
		p.children(n, &c.Children)
		in = c
	case InlineSpoiler:
		c := &Spoiler{}
		p.children(n, &c.Children)
		in = c
	case InlineCode:
		in = p.span(n)
	case InlineLink:
		in = p.linkInline(n)
	case InlineImage:
		in = p.image(n)
	case InlineBreak:
		c := p.breaks.new()
		for ; p.more(n, '}'); n++ {
			if p.key() == "hard" {
				p.flag(&c.Hard, "hard")
			} else {
				p.skip()
			}
		}
		in = c
	default:
		p.unknown(kind)
		return nil
	}
	p.depth--
	return in
}

func (p *parser) children(n int, dst *[]Inline) {
	for ; p.more(n, '}'); n++ {
		if p.key() == "children" {
			p.inlines(dst, "children")
		} else {
			p.skip()
		}
	}
}

func (p *parser) textInline(n int) *Text {
	in := p.texts.new()
	for ; p.more(n, '}'); n++ {
		if p.key() == "text" {
			p.text(&in.Text, "text")
		} else {
			p.skip()
		}
	}
	if strings.IndexByte(in.Text, '\n') >= 0 {
		p.fail(ErrInvalid, "a newline in text")
	}
	return in
}

func (p *parser) strong(n int) *Strong {
	in := p.strongs.new()
	p.children(n, &in.Children)
	return in
}

func (p *parser) emphasis(n int) *Emphasis {
	in := p.emphases.new()
	p.children(n, &in.Children)
	return in
}

func (p *parser) span(n int) *CodeSpan {
	in := p.spans.new()
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "text":
			p.text(&in.Text, "text")
		case "math":
			p.flag(&in.Math, "math")
		default:
			p.skip()
		}
	}
	return in
}

func (p *parser) linkInline(n int) *Link {
	if p.link {
		p.fail(ErrInvalid, "a link within a link")
	}
	p.link = true
	in := p.links.new()
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "href":
			p.text(&in.Href, "href")
		case "title":
			p.text(&in.Title, "title")
		case "safe":
			p.flag(&in.Safe, "safe")
		case "children":
			p.inlines(&in.Children, "children")
		default:
			p.skip()
		}
	}
	p.link = false
	p.safe(in.Safe, in.Href)
	return in
}

func (p *parser) image(n int) *Image {
	in := &Image{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "src":
			p.text(&in.Src, "src")
		case "alt":
			p.text(&in.Alt, "alt")
		case "title":
			p.text(&in.Title, "title")
		case "safe":
			p.flag(&in.Safe, "safe")
		default:
			p.skip()
		}
	}
	p.safe(in.Safe, in.Src)
	return in
}

// safe checks that what is marked safe is: clients open it at a touch.
func (p *parser) safe(marked bool, href string) {
	if marked && !SafeURL(href) {
		p.fail(ErrInvalid, "marked safe, with a scheme that is not")
		p.at("safe", -1)
	}
}
