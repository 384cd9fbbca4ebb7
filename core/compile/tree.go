package compile

import (
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A frame is a container that the tree pass is in.
type frame struct {
	kind contKind
	link bool  // a link within a link, of which only the target is left
	a    int32 // as that of the token
	mark int   // where its children begin in out; -1 as long as there are none
}

// tree makes inlines of the tokens.
func (p *inliner) tree() []doc.Inline {
	p.out, p.frames, p.buf = p.out[:0], p.frames[:0], p.buf[:0]
	p.pending = [2]int{0, 0}
	p.nest, p.unborn = 0, 0
	inLink := 0
	for i := range p.tokens {
		t := &p.tokens[i]
		switch t.kind {
		case tokenText:
			p.put(int(t.start), int(t.end))
		case tokenStr:
			p.putString(p.strs[t.a])
		case tokenSoft, tokenHard:
			p.lineBreak(t.kind == tokenHard)
		case tokenCode, tokenMath:
			span := p.b.mem.spans.new()
			span.Text, span.Math = p.strs[t.a], t.kind == tokenMath
			p.emit(span)
		case tokenAuto:
			if inLink > 0 {
				p.putString(p.strs[t.start])
				continue
			}
			if p.unborn > 0 {
				p.enter()
			}
			p.flush()
			mark := len(p.out)
			p.putString(p.strs[t.start])
			p.flush()
			p.endLink(target{href: p.strs[t.a]}, mark)
		case tokenImage:
			p.image(p.conts[t.a], p.strs[t.start])
		case tokenNote:
			p.putString("[" + strconv.Itoa(p.notes[t.a].number) + "]")
		case tokenOpen:
			if t.edge {
				p.lineEdge()
			}
			f := frame{kind: t.cont, a: t.a}
			if t.cont == contLink {
				if inLink++; inLink > 1 {
					f.kind, f.link = contNone, true
				}
			}
			p.begin(f)
		case tokenClose:
			if t.cont == contLink {
				inLink--
			}
			p.end()
			if t.edge {
				p.lineEdge()
			}
		case tokenDelim:
			d := &p.delims[t.a]
			for at := d.closed; at >= 0; at = p.pairs[at].nextClosed {
				p.end()
			}
			p.put(int(t.start), int(t.end))
			for at := d.opened; at >= 0; at = p.pairs[at].nextOpened {
				p.begin(frame{kind: p.pairs[at].kind})
			}
		}
		if p.b.stopped() {
			return nil
		}
	}
	p.flush()
	for len(p.out) > 0 {
		if _, ok := p.out[len(p.out)-1].(*doc.Break); !ok {
			break
		}
		p.out = p.out[:len(p.out)-1]
	}
	return p.take(0)
}

// take returns what has been put out since mark as a slice of its own.
func (p *inliner) take(mark int) []doc.Inline {
	n := len(p.out) - mark
	if n == 0 {
		return nil
	}
	ins := p.b.mem.inlines.take(n)
	copy(ins, p.out[mark:])
	p.out = p.out[:mark]
	return ins
}

func (p *inliner) emit(in doc.Inline) {
	if p.unborn > 0 {
		p.enter()
	}
	p.flush()
	p.b.count(1)
	p.out = append(p.out, in)
}

// put appends s[start:end] to the text that is not a node yet.
func (p *inliner) put(start, end int) {
	if start == end {
		return
	}
	if p.unborn > 0 {
		p.enter()
	}
	switch {
	case len(p.buf) > 0:
		p.buf = append(p.buf, p.s[start:end]...)
	case p.pending[0] == p.pending[1]:
		p.pending = [2]int{start, end}
	case p.pending[1] == start:
		p.pending[1] = end
	default:
		p.buf = append(append(p.buf, p.s[p.pending[0]:p.pending[1]]...), p.s[start:end]...)
		p.pending = [2]int{}
	}
}

func (p *inliner) putString(s string) {
	if s == "" {
		return
	}
	if p.unborn > 0 {
		p.enter()
	}
	if p.pending[0] < p.pending[1] {
		p.buf = append(p.buf, p.s[p.pending[0]:p.pending[1]]...)
		p.pending = [2]int{}
	}
	p.buf = append(p.buf, s...)
}

// flush makes a node of the text. No text node can stand before it: only other
// nodes cause a flush.
func (p *inliner) flush() {
	var s string
	switch {
	case len(p.buf) > 0:
		s = string(p.buf)
		p.buf = p.buf[:0]
	case p.pending[0] < p.pending[1]:
		s = p.s[p.pending[0]:p.pending[1]]
		p.pending = [2]int{}
	default:
		return
	}
	if strings.IndexByte(s, '\t') >= 0 || strings.IndexByte(s, '\n') >= 0 {
		s = oneLine(s) // a literal tag may have been written over two lines
	}
	p.b.count(1)
	t := p.b.mem.texts.new()
	t.Text = s
	p.out = append(p.out, t)
}

// enter gives the frames that have no child so far their place: a frame that
// never gets one leaves no trace, not even a cut in the text around it.
func (p *inliner) enter() {
	p.flush()
	for i := len(p.frames) - 1; i >= 0 && p.unborn > 0; i-- {
		if f := &p.frames[i]; f.mark < 0 && f.kind != contNone {
			f.mark = len(p.out)
			p.unborn--
		}
	}
}

func (p *inliner) lineBreak(hard bool) {
	if p.unborn > 0 {
		p.enter()
	}
	p.flush()
	if len(p.out) == 0 && len(p.frames) == 0 {
		return // nothing that could end
	}
	p.b.count(1)
	if hard {
		p.out = append(p.out, hardBreak)
	} else {
		p.out = append(p.out, softBreak)
	}
}

// lineEdge ends the line, unless it has ended.
func (p *inliner) lineEdge() {
	if len(p.buf) == 0 && p.pending[0] == p.pending[1] {
		if n := len(p.out); n == 0 {
			return
		} else if _, ok := p.out[n-1].(*doc.Break); ok {
			return
		}
	}
	p.lineBreak(false)
}

// begin begins the children of a container. Beyond the depth that inlines may
// nest to, a style is dropped and its text kept; that of a link never is.
func (p *inliner) begin(f frame) {
	f.mark = -1
	if f.kind != contNone {
		if p.nest >= MaxDepth-4 && f.kind != contLink && f.kind != contImage {
			f.kind = contNone
		} else {
			p.nest++
			p.unborn++
		}
	}
	p.frames = append(p.frames, f)
}

// end makes a node of the innermost frame.
func (p *inliner) end() {
	f := p.frames[len(p.frames)-1]
	if f.kind == contNone {
		p.frames = p.frames[:len(p.frames)-1]
		if f.link {
			p.putString(" (" + p.conts[f.a].href + ")")
		}
		return
	}
	if f.mark < 0 {
		if f.kind != contLink && f.kind != contImage || p.conts[f.a].href == "" {
			p.unborn--
			p.nest--
			p.frames = p.frames[:len(p.frames)-1]
			return
		}
		p.enter()
		f.mark = len(p.out)
	}
	p.flush()
	p.nest--
	p.frames = p.frames[:len(p.frames)-1]
	switch f.kind {
	case contLink:
		p.endLink(p.conts[f.a], f.mark)
		return
	case contImage:
		alt := altText(p.out[f.mark:])
		p.out = p.out[:f.mark]
		p.image(p.conts[f.a], alt)
		return
	}
	children := p.take(f.mark)
	p.b.count(1)
	var n doc.Inline
	switch f.kind {
	case contStrong:
		strong := p.b.mem.strongs.new()
		strong.Children = children
		n = strong
	case contEmphasis:
		emphasis := p.b.mem.emphases.new()
		emphasis.Children = children
		n = emphasis
	case contStrike:
		n = &doc.Strikethrough{Children: children}
	default:
		n = &doc.Spoiler{Children: children}
	}
	p.out = append(p.out, n)
}

// endLink makes a link of what has been put out since mark.
func (p *inliner) endLink(to target, mark int) {
	children := p.take(mark)
	p.b.count(1)
	l := p.b.mem.links.new()
	l.Href, l.Title, l.Safe, l.Children = to.href, to.title, doc.SafeURL(to.href), children
	p.out = append(p.out, l)
}

func (p *inliner) image(to target, alt string) {
	p.emit(&doc.Image{Src: to.href, Alt: cleanWord(alt), Title: to.title, Safe: doc.SafeURL(to.href)})
}
