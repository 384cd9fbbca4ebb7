package template

import (
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A place is what inlines stand in.
type place struct {
	oneLine bool // a line that does not go on in the next
	label   bool // the label of a link, which holds no other
	styles  [4]bool
}

// The styles that mean no more when they stand within themselves.
const (
	strong = iota
	emphasis
	strikethrough
	spoiler
)

func (p place) inside(in doc.Inline) place {
	switch in.(type) {
	case *doc.Strong:
		p.styles[strong] = true
	case *doc.Emphasis:
		p.styles[emphasis] = true
	case *doc.Strikethrough:
		p.styles[strikethrough] = true
	case *doc.Spoiler:
		p.styles[spoiler] = true
	case *doc.Link:
		p.label, p.oneLine = true, true
	}
	return p
}

// has reports whether in is a style that p has already.
func (p place) has(in doc.Inline) bool {
	switch in.(type) {
	case *doc.Strong:
		return p.styles[strong]
	case *doc.Emphasis:
		return p.styles[emphasis]
	case *doc.Strikethrough:
		return p.styles[strikethrough]
	case *doc.Spoiler:
		return p.styles[spoiler]
	}
	return false
}

// line fills the inlines of a heading, a cell or a title.
func (f *filler) line(ins []doc.Inline) []doc.Inline {
	return f.filled(ins, place{oneLine: true})
}

// lines fills the inlines of a paragraph.
func (f *filler) lines(ins []doc.Inline) []doc.Inline { return f.filled(ins, place{}) }

func (f *filler) filled(ins []doc.Inline, p place) []doc.Inline {
	if !markedIn(ins) {
		return ins
	}
	return trimmed(f.inlines(ins, p))
}

// inlines fills inlines, as long as they are not within a conditional that is not
// shown.
func (f *filler) inlines(ins []doc.Inline, p place) []doc.Inline {
	var out joiner
	hidden := 0
	for _, in := range ins {
		t, ok := in.(*doc.Text)
		if !ok {
			if hidden > 0 {
				continue
			}
			if children := childrenOf(in); markedIn(children) {
				filled := f.inlines(children, p.inside(in))
				if _, link := in.(*doc.Link); !link && len(trimmed(filled)) == 0 {
					out.gap = true
					continue
				}
				in = with(in, filled)
			}
			out.add(in)
			continue
		}
		rest := t.Text
		for rest != "" {
			at := strings.IndexFunc(rest, func(r rune) bool { _, ok := markAt(r); return ok })
			if at < 0 {
				at = len(rest)
			}
			if at > 0 {
				if hidden == 0 {
					out.text(rest[:at])
				}
				rest = rest[at:]
				continue
			}
			r := []rune(rest[:4])[0] // a mark has four bytes
			i, _ := markAt(r)
			rest = rest[4:]
			switch {
			case f.marks[i].kind != fill:
				hidden += f.end(i)
			case hidden == 0:
				f.value(&out, i, p)
			}
			if !f.full[i] {
				out.gap = true
			}
		}
	}
	return out.list
}

// value adds what slot i shows.
func (f *filler) value(out *joiner, i int, p place) {
	switch s := f.marks[i].slot; s.name {
	case title:
		for _, in := range fitted(f.title, p) {
			out.add(in)
		}
	case count:
		out.text(number(f.count))
	case metadata:
		n := 0
		for line := range strings.SplitSeq(f.values[s.key], "\n") {
			line = strings.TrimSpace(strings.ReplaceAll(line, "\t", " "))
			switch {
			case line == "":
				continue
			case n > 0 && p.oneLine:
				out.text(" ")
			case n > 0:
				out.add(&doc.Break{Hard: true})
			}
			out.text(line)
			n++
		}
	}
}

// fitted are the inlines of a title as they can stand at p: without styles that
// are there already, and in a label with the addresses of links as text.
func fitted(ins []doc.Inline, p place) []doc.Inline {
	var out []doc.Inline
	for _, in := range ins {
		children := childrenOf(in)
		switch l := in.(type) {
		case *doc.Link:
			if !p.label {
				out = append(out, with(in, fitted(children, p.inside(in))))
				continue
			}
			out = append(out, fitted(children, p)...)
			switch {
			case len(children) == 0:
				out = append(out, &doc.Text{Text: l.Href})
			case !l.Bare():
				out = append(out, &doc.Text{Text: " (" + l.Href + ")"})
			}
		case *doc.Break:
			if p.oneLine {
				in = &doc.Text{Text: " "}
			}
			out = append(out, in)
		default:
			if p.has(in) {
				out = append(out, fitted(children, p)...)
				continue
			}
			if children != nil {
				in = with(in, fitted(children, p.inside(in)))
			}
			out = append(out, in)
		}
	}
	return out
}

// A joiner puts inlines side by side: texts become one, and where something was
// left out no two blanks or line ends meet.
type joiner struct {
	list []doc.Inline
	gap  bool // something was left out before what comes next
}

func (j *joiner) text(s string) {
	if j.gap && j.blank() {
		s = strings.TrimLeft(s, " ")
	}
	if s == "" {
		return
	}
	j.gap = false
	if n := len(j.list); n > 0 {
		if last, ok := j.list[n-1].(*doc.Text); ok {
			j.list[n-1] = &doc.Text{Text: last.Text + s}
			return
		}
	}
	j.list = append(j.list, &doc.Text{Text: s})
}

func (j *joiner) add(in doc.Inline) {
	switch in := in.(type) {
	case *doc.Text:
		j.text(in.Text)
		return
	case *doc.Break:
		if j.gap {
			j.list = trimRight(j.list)
			if n := len(j.list); n == 0 {
				return
			} else if _, ok := j.list[n-1].(*doc.Break); ok {
				return
			}
		}
	}
	j.gap = false
	j.list = append(j.list, in)
}

// blank reports whether what there is ends in a blank, or there is nothing.
func (j *joiner) blank() bool {
	if len(j.list) == 0 {
		return true
	}
	switch last := j.list[len(j.list)-1].(type) {
	case *doc.Break:
		return true
	case *doc.Text:
		return strings.HasSuffix(last.Text, " ")
	}
	return false
}

// trimmed is ins without blanks and line ends around, or nil where there is
// nothing to see.
func trimmed(ins []doc.Inline) []doc.Inline {
	for n := len(ins); n > 0; n = len(ins) {
		if _, ok := ins[n-1].(*doc.Break); ok {
			ins = ins[:n-1]
			continue
		}
		short := trimRight(ins)
		if len(short) == n {
			ins = short
			break
		}
		ins = short
	}
	for len(ins) > 0 {
		switch first := ins[0].(type) {
		case *doc.Break:
			ins = ins[1:]
			continue
		case *doc.Text:
			text := strings.TrimLeft(first.Text, " ")
			if text == "" {
				ins = ins[1:]
				continue
			}
			if text != first.Text {
				ins = append([]doc.Inline{&doc.Text{Text: text}}, ins[1:]...)
			}
		}
		break
	}
	if len(ins) == 0 {
		return nil
	}
	return ins
}

// trimRight is ins without blanks at the end of its last text.
func trimRight(ins []doc.Inline) []doc.Inline {
	n := len(ins)
	if n == 0 {
		return ins
	}
	last, ok := ins[n-1].(*doc.Text)
	if !ok {
		return ins
	}
	text := strings.TrimRight(last.Text, " ")
	switch text {
	case last.Text:
		return ins
	case "":
		return ins[:n-1]
	}
	return append(append([]doc.Inline(nil), ins[:n-1]...), &doc.Text{Text: text})
}
