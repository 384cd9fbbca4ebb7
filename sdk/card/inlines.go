package card

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// The makers of inlines. Nothing here reads a text as markup.

// cleaned is s as it may stand in blocks.
func cleaned(s string) string {
	s, _ = doc.Clean(s)
	return s
}

// oneLine is s as it may stand in a line: newlines and tabs are spaces.
func oneLine(s string) string {
	s = cleaned(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return spaces.Replace(strings.Trim(s, "\n"))
}

var spaces = strings.NewReplacer("\n", " ", "\t", " ")

// multiline reports whether s has more than one line.
func multiline(s string) bool { return strings.ContainsAny(s, "\n\r") }

// plain is a text that has no newline.
func (l *lowerer) plain(s string) *doc.Text {
	if len(l.texts) == 0 {
		l.texts = make([]doc.Text, 64)
	}
	t := &l.texts[0]
	l.texts = l.texts[1:]
	t.Text = s
	l.parts++
	return t
}

// some is a slice of one inline.
func (l *lowerer) some(in doc.Inline) []doc.Inline {
	if len(l.inlines) == 0 {
		l.inlines = make([]doc.Inline, 64)
	}
	out := l.inlines[:1:1]
	l.inlines = l.inlines[1:]
	out[0] = in
	return out
}

func (l *lowerer) hard() *doc.Break {
	l.parts++
	return &doc.Break{Hard: true}
}

func (l *lowerer) space() []doc.Inline { return l.some(l.plain(" ")) }

// line is s in one line.
func (l *lowerer) line(s string) []doc.Inline {
	if s = oneLine(s); strings.TrimSpace(s) == "" {
		return nil
	}
	return l.some(l.plain(s))
}

// lines is s with its lines, and without paragraphs. Where the document has no
// room for more nodes, lines become one.
func (l *lowerer) lines(s string) []doc.Inline {
	if s = strings.Trim(cleaned(s), "\n"); strings.TrimSpace(s) == "" {
		return nil
	}
	if strings.IndexByte(s, '\n') < 0 {
		return l.some(l.plain(s))
	}
	var out []doc.Inline
	for s != "" {
		if l.full() {
			s = strings.ReplaceAll(s, "\n", " ")
		}
		line, rest, more := strings.Cut(s, "\n")
		if line != "" {
			out = append(out, l.plain(line))
		}
		if more {
			l.parts++
			out = append(out, &doc.Break{})
		}
		s = rest
	}
	return out
}

// split is the paragraphs of s, parted by empty lines.
func (l *lowerer) split(s string) [][]doc.Inline {
	s = strings.Trim(cleaned(s), "\n")
	var out [][]doc.Inline
	for s != "" {
		end, after := gap(s)
		if l.full() {
			end, after = len(s), len(s)
		}
		l.parts++
		if ins := l.lines(s[:end]); len(ins) > 0 {
			out = append(out, ins)
		}
		s = s[after:]
	}
	return out
}

// gap finds the first empty line of s: where what is before it ends, and where
// what is behind it begins. A line of spaces is empty.
func gap(s string) (end, after int) {
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1 // a line begins here
		next := i
		for next < len(s) {
			stop := strings.IndexByte(s[next:], '\n')
			if stop < 0 || strings.Trim(s[next:next+stop], " \t") != "" {
				break
			}
			next += stop + 1
		}
		if next > i {
			return i - 1, next
		}
	}
	return len(s), len(s)
}

// strong is s, in one line, as what stands out.
func (l *lowerer) strong(s string) []doc.Inline { return l.bold(l.line(s)) }

func (l *lowerer) bold(ins []doc.Inline) []doc.Inline {
	if len(ins) == 0 {
		return nil
	}
	l.parts++
	return l.some(&doc.Strong{Children: ins})
}

func (l *lowerer) italic(ins []doc.Inline) []doc.Inline {
	if len(ins) == 0 {
		return nil
	}
	l.parts++
	return l.some(&doc.Emphasis{Children: ins})
}

func (l *lowerer) emphasis(ins []doc.Inline, e Emphasis) []doc.Inline {
	switch e {
	case Strong:
		return l.bold(ins)
	case Subtle:
		return l.italic(ins)
	}
	return ins
}

// key is "label: ", strong but for the space, or nothing.
func (l *lowerer) key(label string) []doc.Inline {
	label = oneLine(label)
	if label == "" {
		return nil
	}
	if !strings.HasSuffix(label, ":") {
		label += ":"
	}
	return join(l.bold(l.line(label)), l.space())
}

// link leads to href; without a label it shows href, and without href the label.
func (l *lowerer) link(href, label string) []doc.Inline {
	href = oneLine(href)
	if href == "" {
		return l.line(label)
	}
	l.parts++
	return l.some(&doc.Link{Href: href, Safe: doc.SafeURL(href), Children: l.line(label)})
}

// code is s as code in a line.
func (l *lowerer) code(s string) []doc.Inline {
	if s = oneLine(s); s == "" {
		return nil
	}
	l.parts++
	return l.some(&doc.CodeSpan{Text: s})
}

// join is a new slice of all that there is in parts.
func join(parts ...[]doc.Inline) []doc.Inline {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	out := make([]doc.Inline, 0, n)
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// inlineWidth is about how many columns of fixed-width text ins take.
func inlineWidth(ins []doc.Inline) int {
	n := 0
	for p := range doc.InlineParts(ins) {
		n += displaywidth.String(p.Text)
	}
	return n
}

// The makers of paragraphs.

// paragraph adds ins, if there are any. Blanks before them are left out: markdown
// would take them for code.
func (l *lowerer) paragraph(p *place, ins []doc.Inline) {
	if ins = begun(ins); len(ins) > 0 {
		l.parts++
		p.add(&doc.Paragraph{ID: p.next(), Inlines: ins})
	}
}

// begun is ins without the blanks and breaks that they begin with. It changes the
// texts, which are the lowerer's own.
func begun(ins []doc.Inline) []doc.Inline {
	for len(ins) > 0 {
		switch in := ins[0].(type) {
		case *doc.Text:
			if in.Text = strings.TrimLeftFunc(in.Text, unicode.IsSpace); in.Text != "" {
				return ins
			}
		case *doc.Break:
		case *doc.Strong:
			if in.Children = begun(in.Children); len(in.Children) > 0 {
				return ins
			}
		case *doc.Emphasis:
			if in.Children = begun(in.Children); len(in.Children) > 0 {
				return ins
			}
		default:
			return ins
		}
		ins = ins[1:]
	}
	return nil
}

// paragraphs adds a text.
func (l *lowerer) paragraphs(p *place, s string) { l.around(p, nil, s, nil) }

// around adds the paragraphs of a text, with before in front of the first and
// behind after the last of them.
func (l *lowerer) around(p *place, before []doc.Inline, s string, behind []doc.Inline) {
	ps := l.split(s)
	if len(ps) == 0 {
		l.paragraph(p, join(before, behind))
		return
	}
	for i, ins := range ps {
		if i == 0 && len(before) > 0 {
			ins = join(before, ins)
		}
		if i == len(ps)-1 && len(behind) > 0 {
			ins = join(ins, behind)
		}
		l.paragraph(p, ins)
	}
}

// said adds a sentence of ours, which is not the card's.
func (l *lowerer) said(p *place, s string) { l.paragraph(p, l.italic(l.line(s))) }

// heading adds a title of a level, at most the sixth.
func (l *lowerer) heading(p *place, level int, s string) {
	if ins := l.line(s); len(ins) > 0 {
		l.parts++
		p.add(&doc.Heading{ID: p.next(), Level: min(max(level, 1), 6), Inlines: ins})
	}
}

// codeBlock adds text as it is.
func (l *lowerer) codeBlock(p *place, language, text string) {
	if text = strings.TrimRight(cleaned(text), "\n"); strings.TrimSpace(text) != "" {
		l.parts++
		p.add(&doc.Code{ID: p.next(), Language: language, Text: text})
	}
}

// left adds how much of a number of things is shown, where that is not all.
func (l *lowerer) left(p *place, shown, of int, what string) {
	if shown < of {
		l.said(p, count(shown)+" "+l.w.of+" "+count(of)+" "+what)
	}
}
