package layout

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// picture stands for an image without an alternative text.
const picture = "🖼"

func (w *walk) inlines(ins []doc.Inline) {
	for _, in := range ins {
		w.inline(in)
	}
}

func (w *walk) inline(in doc.Inline) {
	switch in := in.(type) {
	case *doc.Text:
		w.text(in.Text, dialect.InText)
	case *doc.Strong:
		w.style(dialect.Strong, in.Children)
	case *doc.Emphasis:
		w.style(dialect.Emphasis, in.Children)
	case *doc.Strikethrough:
		w.style(dialect.Strikethrough, in.Children)
	case *doc.Spoiler:
		w.style(dialect.Spoiler, in.Children)
	case *doc.CodeSpan:
		w.codeSpan(in.Text)
	case *doc.Link:
		w.link(in)
	case *doc.Image:
		if w.label {
			w.text(in.Alt, dialect.InText)
		} else {
			w.image(in)
		}
	case *doc.Break:
		if w.flat {
			w.text(" ", dialect.InText)
		} else {
			w.line(in.Hard)
		}
	}
}

// style opens a style around ins, unless one of its kind is open already.
// Blanks at its ends stay outside: beside them no marker opens or closes.
func (w *walk) style(k dialect.ConstructKind, ins []doc.Inline) {
	if w.styles&(1<<k) != 0 {
		w.inlines(ins)
		return
	}
	if w.cell && k == dialect.Spoiler {
		w.note("spoiler") // its bars would end the cell
		w.inlines(ins)
		return
	}
	if !shows(ins) {
		w.inlines(ins)
		return
	}
	before, ins, after := trimBlanks(ins)
	w.text(before, dialect.InText)
	if len(ins) > 0 {
		w.styles |= 1 << k
		o := w.open(dialect.Construct{Kind: k})
		w.inlines(ins)
		w.close(o)
		w.styles &^= 1 << k
	}
	w.text(after, dialect.InText)
}

// shows reports whether a reader can see anything of ins.
func shows(ins []doc.Inline) bool {
	for p := range doc.InlineParts(ins) {
		if visible(p.Text) {
			return true
		}
	}
	return false
}

// ornament opens a style that the document does not ask for, so that no note
// is due where it cannot stand.
func (w *walk) ornament(k dialect.ConstructKind, ins []doc.Inline) {
	from := len(w.toks)
	w.style(k, ins)
	for i := from; i < len(w.toks); i++ {
		if t := &w.toks[i]; t.kind == openToken && t.con >= 0 && w.cons[t.con].Kind == k {
			t.quiet = true
			break
		}
	}
}

// trimBlanks takes the blanks at both ends of ins apart.
func trimBlanks(ins []doc.Inline) (before string, inner []doc.Inline, after string) {
	inner = ins
	for len(inner) > 0 {
		t, ok := inner[0].(*doc.Text)
		if !ok {
			break
		}
		rest := strings.TrimLeft(t.Text, " ")
		if len(rest) == len(t.Text) {
			break
		}
		before += t.Text[:len(t.Text)-len(rest)]
		if rest != "" {
			inner = slices.Clone(inner)
			inner[0] = &doc.Text{Text: rest}
			break
		}
		inner = inner[1:]
	}
	for len(inner) > 0 {
		t, ok := inner[len(inner)-1].(*doc.Text)
		if !ok {
			break
		}
		rest := strings.TrimRight(t.Text, " ")
		if len(rest) == len(t.Text) {
			break
		}
		after = t.Text[len(rest):] + after
		if rest != "" {
			inner = slices.Clone(inner)
			inner[len(inner)-1] = &doc.Text{Text: rest}
			break
		}
		inner = inner[:len(inner)-1]
	}
	return before, inner, after
}

func (w *walk) codeSpan(s string) {
	if s == "" {
		return
	}
	if !visible(s) {
		w.text(s, dialect.InText) // no platform shows code that is blank
		return
	}
	if w.cell && strings.Contains(s, "|") {
		w.note("code_in_cell") // a table of pipes ends the cell even in code
		w.text(s, dialect.InText)
		return
	}
	runs, run := dialect.ScanRuns(s)
	if m := w.profile.Limit.Max; m > 0 && run > 0 && len(s) > m/4 {
		w.note("backtick") // a cut could leave a backtick beside the delimiter
		w.text(s, dialect.InText)
		return
	}
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	o := w.open(dialect.Construct{Kind: dialect.CodeSpan, Runs: runs, Run: run, First: first, Last: last})
	w.text(s, dialect.InCode)
	w.toks[len(w.toks)-1].atomic = run > 0
	w.close(o)
}

// A label is what a reader sees of the children of a link.
type label struct {
	text   string
	images []*doc.Image // their addresses follow the link
	code   bool         // it holds code
}

func (l *label) add(ins []doc.Inline) {
	for _, in := range ins {
		switch in := in.(type) {
		case *doc.Text:
			l.piece(in.Text, false)
		case *doc.CodeSpan:
			l.piece(in.Text, true)
		case *doc.Strong:
			l.add(in.Children)
		case *doc.Emphasis:
			l.add(in.Children)
		case *doc.Strikethrough:
			l.add(in.Children)
		case *doc.Spoiler:
			l.add(in.Children)
		case *doc.Image:
			l.piece(in.Alt, false)
			l.images = append(l.images, in)
		case *doc.Break:
			l.piece(" ", false)
		case *doc.Link:
			l.add(in.Children)
		}
	}
}

func (l *label) piece(s string, code bool) {
	if s == "" {
		return
	}
	l.text += s
	l.code = l.code || code && visible(s)
}

func (w *walk) link(l *doc.Link) {
	if mt, size, data := doc.DataURI(l.Href); data {
		w.labels(l.Children)
		w.text(" "+notice(mt, size), dialect.InText)
		return
	}
	var lab label
	lab.add(l.Children)
	children := l.Children
	bare := l.Bare()
	if !visible(lab.text) {
		if len(lab.images) > 0 {
			lab.text = picture
			children = []doc.Inline{&doc.Text{Text: picture}}
		} else {
			lab.text = l.Href
			children = []doc.Inline{&doc.Text{Text: l.Href}}
			bare = true
		}
	}
	flat := w.flat
	w.flat = true
	w.linkAround(l, children, lab, bare)
	for _, im := range lab.images {
		if _, _, data := doc.DataURI(im.Src); !data && im.Src != "" && im.Src != l.Href {
			w.text(" ", dialect.InText)
			w.imageLink(im, picture)
		}
	}
	w.flat = flat
}

func (w *walk) linkAround(l *doc.Link, children []doc.Inline, lab label, bare bool) {
	c := dialect.Construct{Kind: dialect.Link, Arg: l.Href, Label: lab.text, Form: w.profile.Links, Safe: l.Safe}
	syn, ok := w.linkSyntax(c)
	if ok && syn.NoCode && lab.code {
		w.linkWithCode(c, children, lab)
		return
	}
	if !ok {
		if l.Safe && syn.Why != "" {
			w.note(syn.Why)
		}
		w.labels(children)
		if !bare {
			w.text(" ("+l.Href+")", dialect.InText)
		}
		return
	}
	o := w.open(c)
	if syn.URL {
		w.text(lab.text, dialect.InURL)
		w.toks[len(w.toks)-1].atomic = true
	} else {
		w.labels(children)
	}
	w.close(o)
}

// linkSyntax is the syntax of the link c, or false where it is better printed.
func (w *walk) linkSyntax(c dialect.Construct) (dialect.Syntax, bool) {
	if w.maxLink > 0 && len(c.Arg) > w.maxLink {
		return dialect.Syntax{Why: "too_long"}, false
	}
	syn, ok := w.d.Syntax(c, 0, 0)
	if !ok && syn.Why == "" {
		syn.Why = "link_scheme"
	}
	return syn, ok
}

// labels lays the label of a link out. Images in it show their text only.
func (w *walk) labels(ins []doc.Inline) {
	w.label = true
	w.inlines(ins)
	w.label = false
}

// linkWithCode lays a link out where code cannot stand in it: the pieces around
// the code are the link. Where there is none behind the code, the address is
// printed behind the label as a link to itself.
func (w *walk) linkWithCode(c dialect.Construct, children []doc.Inline, lab label) {
	c.Part = true
	last := w.linkPieces(c, children, -1)
	if last >= 0 && !endsInCode(children) {
		w.cons[w.toks[last].con].Part = false
		return
	}
	if lab.text == c.Arg {
		return
	}
	w.text(" (", dialect.InText)
	c.Label, c.Part = c.Arg, false
	o := w.open(c)
	w.text(c.Arg, dialect.InURL)
	w.toks[len(w.toks)-1].atomic = true
	w.close(o)
	w.text(")", dialect.InText)
}

// linkPieces opens the link c around each run of ins that holds no code, also
// within styles. It returns the token that opened the last of them, or last.
func (w *walk) linkPieces(c dialect.Construct, ins []doc.Inline, last int32) int32 {
	open := int32(-1)
	for _, in := range ins {
		code := holdsCode(in)
		if code && open >= 0 {
			w.close(open)
			open = -1
		}
		if code {
			if k, inner, ok := styleOf(in); ok && w.styles&(1<<k) == 0 {
				w.styles |= 1 << k
				o := w.open(dialect.Construct{Kind: k})
				last = w.linkPieces(c, inner, last)
				w.close(o)
				w.styles &^= 1 << k
				continue
			}
		} else if open < 0 {
			open = w.open(c)
			last = open
		}
		w.labels([]doc.Inline{in})
	}
	if open >= 0 {
		w.close(open)
	}
	return last
}

// styleOf takes a style apart.
func styleOf(in doc.Inline) (dialect.ConstructKind, []doc.Inline, bool) {
	switch in := in.(type) {
	case *doc.Strong:
		return dialect.Strong, in.Children, true
	case *doc.Emphasis:
		return dialect.Emphasis, in.Children, true
	case *doc.Strikethrough:
		return dialect.Strikethrough, in.Children, true
	case *doc.Spoiler:
		return dialect.Spoiler, in.Children, true
	}
	return 0, nil, false
}

// endsInCode reports whether the last thing that ins show is code.
func endsInCode(ins []doc.Inline) bool {
	for i := len(ins) - 1; i >= 0; i-- {
		var lab label
		lab.add(ins[i : i+1])
		if !visible(lab.text) {
			continue
		}
		if _, inner, ok := styleOf(ins[i]); ok {
			return endsInCode(inner)
		}
		return lab.code
	}
	return false
}

func holdsCode(in doc.Inline) bool {
	var lab label
	lab.add([]doc.Inline{in})
	return lab.code
}

func (w *walk) image(im *doc.Image) {
	if mt, size, data := doc.DataURI(im.Src); data {
		if im.Alt != "" {
			w.text(im.Alt+" ", dialect.InText)
		}
		w.text(notice(mt, size), dialect.InText)
		return
	}
	name := im.Alt
	if !visible(name) {
		name = picture
	}
	if im.Src == "" {
		w.text(name, dialect.InText)
		return
	}
	w.imageLink(im, name)
}

func (w *walk) imageLink(im *doc.Image, name string) {
	c := dialect.Construct{Kind: dialect.Image, Arg: im.Src, Label: name, Form: w.profile.Links, Safe: im.Safe}
	syn, ok := w.linkSyntax(c)
	if !ok {
		if im.Safe {
			w.note(syn.Why)
		}
		w.text(name, dialect.InText)
		if name != im.Src {
			w.text(" ("+im.Src+")", dialect.InText)
		}
		return
	}
	o := w.open(c)
	if syn.URL {
		w.text(name, dialect.InURL)
		w.toks[len(w.toks)-1].atomic = true
	} else {
		w.text(name, dialect.InText)
	}
	w.close(o)
}

// notice stands for what an address carries in itself.
func notice(mediaType string, size int) string { return "[" + mediaType + ", " + byteCount(size) + "]" }

// byteCount is n bytes for a person.
func byteCount(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n) + " B"
	case n < 1_000_000:
		return strconv.Itoa((n+500)/1000) + " KB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}
