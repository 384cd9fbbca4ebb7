package doc

import (
	"iter"
	"strconv"
	"strings"
)

// A Role says in what form a reader must be able to see a [Part].
type Role uint8

// The roles.
const (
	RoleText   Role = iota // read as text
	RoleTarget             // an address: printed, or reached by touching a label
	RoleNumber             // the number of an ordered item, without its full stop
	RoleTask               // the state of a task: "☐" or "☑", or a mark that says the same
)

// A Part is one thing that a reader must be able to see. Space within Text does
// not count: only the order of the other characters does.
type Part struct {
	Block ID
	Kind  Kind
	Role  Role
	Text  string
	Cell  int // in a table: 1 for the first header cell, going on row by row; else 0
}

// Visible lists what a reader of b must be able to see, in reading order: text,
// code, targets, alternative texts, numbers and task states, those of children
// included. It is [Parts] without the roles. It is normative: coverage is
// measured against it.
func Visible(b Block) iter.Seq[string] {
	return func(yield func(string) bool) {
		for p := range Parts(b) {
			if !yield(p.Text) {
				return
			}
		}
	}
}

// Parts lists what a reader of b must be able to see, in reading order. No Part
// has an empty Text. The rules, beyond reading the fields in order:
//
//  1. The target of a link follows its label and is left out where the label
//     already shows it ([Link.Bare]). Targets of images inside a label follow
//     the target of the link, but for those that are the same.
//  2. An image shows its alternative text, then its address unless that is the
//     same. A data: address need not be shown: a notice takes its place, see
//     [Shows].
//  3. An ordered item starts with its number, a task with its state.
//  4. Breaks and rules show nothing. Titles of links and images, info strings
//     and alignments need not be seen; the file name of code must.
//  5. Structured and diagram blocks show what they carry as text; renderers
//     that do not know them get them lowered first.
func Parts(b Block) iter.Seq[Part] {
	return func(yield func(Part) bool) { visitor{yield}.block(b) }
}

// Shows reports whether a reader of b sees anything: something that [Visible]
// lists, or the notice in place of a picture that a data: address holds.
func Shows(b Block) bool {
	for range Visible(b) {
		return true
	}
	data := false
	eachImage(b, func(src string) { data = data || isData(src) })
	return data
}

// InlineParts lists what a reader of inlines must be able to see, by the rules
// of [Parts].
func InlineParts(inlines []Inline) iter.Seq[Part] {
	return func(yield func(Part) bool) { visitor{yield}.inlines("", "", 0, inlines) }
}

// Bare reports whether the label of l already shows its target: it is empty, is
// the target, or is the target without "mailto:" or "http://". Such a link is
// printed once.
func (l *Link) Bare() bool {
	switch len(l.Children) {
	case 0:
		return true
	case 1:
		if t, ok := l.Children[0].(*Text); ok {
			return t.Text == l.Href ||
				strings.HasSuffix(l.Href, t.Text) &&
					(len(l.Href) == len(t.Text)+len("mailto:") && l.Href[:len("mailto:")] == "mailto:" ||
						len(l.Href) == len(t.Text)+len("http://") && l.Href[:len("http://")] == "http://")
		}
	}
	return false
}

// Mark is how t is read: "☐", "☑" or nothing.
func (t Task) Mark() string {
	switch t {
	case TaskOpen:
		return "☐"
	case TaskDone:
		return "☑"
	}
	return ""
}

type visitor struct{ yield func(Part) bool }

func (v visitor) one(id ID, k Kind, r Role, s string) bool {
	return s == "" || v.yield(Part{Block: id, Kind: k, Role: r, Text: s})
}

func (v visitor) blocks(bs []Block) bool {
	for _, b := range bs {
		if !v.block(b) {
			return false
		}
	}
	return true
}

func (v visitor) block(b Block) bool {
	id, k := b.BlockID(), b.Kind()
	text := func(ss ...string) bool {
		for _, s := range ss {
			if !v.one(id, k, RoleText, s) {
				return false
			}
		}
		return true
	}
	switch b := b.(type) {
	case *Heading:
		return v.inlines(id, k, 0, b.Inlines)
	case *Paragraph:
		return v.inlines(id, k, 0, b.Inlines)
	case *List:
		for i, it := range b.Items {
			if b.Ordered && !v.one(id, k, RoleNumber, strconv.Itoa(b.Start+i)) {
				return false
			}
			if !v.one(id, k, RoleTask, it.Task.Mark()) || !v.blocks(it.Blocks) {
				return false
			}
		}
	case *Table:
		return v.table(b)
	case *Quote:
		return v.blocks(b.Blocks)
	case *Code:
		return text(b.Filename, b.Text)
	case *Diff:
		return text(b.Text)
	case *Diagram:
		return text(b.Source)
	case *Callout:
		return v.inlines(id, k, 0, b.Title) && v.blocks(b.Blocks)
	case *Citations:
		for _, it := range b.Items {
			if !text(it.Label, it.Title) || !v.one(id, k, RoleTarget, it.URL) || !v.blocks(it.Blocks) {
				return false
			}
		}
	case *Media:
		if !text(b.Alt) || b.Alt != b.Source && !v.target(id, k, 0, b.Source) {
			return false
		}
		return text(b.Caption)
	case *ArtifactRef:
		return text(b.Text, b.Caption) && v.one(id, k, RoleTarget, b.Path)
	case *Structured:
		return text(b.Output)
	case *RawMarkdown:
		return text(b.Markdown)
	}
	return true
}

func (v visitor) table(b *Table) bool {
	n := 0
	row := func(cells []Cell) bool {
		for _, c := range cells {
			n++
			if !v.inlines(b.ID, KindTable, n, c) {
				return false
			}
		}
		return true
	}
	if !row(b.Header) {
		return false
	}
	for _, r := range b.Rows {
		if !row(r) {
			return false
		}
	}
	return true
}

func (v visitor) inlines(id ID, k Kind, cell int, ins []Inline) bool {
	return v.run(id, k, cell, ins, nil)
}

// run visits ins. Inside a label, later collects the targets that follow the
// label's own.
func (v visitor) run(id ID, k Kind, cell int, ins []Inline, later *[]string) bool {
	text := func(s string) bool {
		return s == "" || v.yield(Part{Block: id, Kind: k, Text: s, Cell: cell})
	}
	for _, in := range ins {
		ok := true
		switch in := in.(type) {
		case *Text:
			ok = text(in.Text)
		case *CodeSpan:
			ok = text(in.Text)
		case *Strong:
			ok = v.run(id, k, cell, in.Children, later)
		case *Emphasis:
			ok = v.run(id, k, cell, in.Children, later)
		case *Strikethrough:
			ok = v.run(id, k, cell, in.Children, later)
		case *Spoiler:
			ok = v.run(id, k, cell, in.Children, later)
		case *Link:
			var after []string
			ok = v.run(id, k, cell, in.Children, &after)
			if ok && (len(in.Children) == 0 || !in.Bare()) {
				ok = v.target(id, k, cell, in.Href)
			}
			for _, src := range after {
				ok = ok && (src == in.Href || v.target(id, k, cell, src))
			}
		case *Image:
			ok = text(in.Alt)
			switch {
			case in.Alt == in.Src:
			case later != nil:
				*later = append(*later, in.Src)
			default:
				ok = ok && v.target(id, k, cell, in.Src)
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

func isData(src string) bool {
	_, _, data := DataURI(src)
	return data
}

func (v visitor) target(id ID, k Kind, cell int, src string) bool {
	if src == "" || isData(src) {
		return true
	}
	return v.yield(Part{Block: id, Kind: k, Role: RoleTarget, Text: src, Cell: cell})
}

// eachImage calls f with the address of every picture and link in b.
func eachImage(b Block, f func(src string)) {
	blocks := func(bs []Block) {
		for _, b := range bs {
			eachImage(b, f)
		}
	}
	cells := func(cs []Cell) {
		for _, c := range cs {
			eachInlineImage(c, f)
		}
	}
	switch b := b.(type) {
	case *Heading:
		eachInlineImage(b.Inlines, f)
	case *Paragraph:
		eachInlineImage(b.Inlines, f)
	case *Media:
		f(b.Source)
	case *Quote:
		blocks(b.Blocks)
	case *Callout:
		eachInlineImage(b.Title, f)
		blocks(b.Blocks)
	case *List:
		for _, it := range b.Items {
			blocks(it.Blocks)
		}
	case *Citations:
		for _, it := range b.Items {
			blocks(it.Blocks)
		}
	case *Table:
		cells(b.Header)
		for _, r := range b.Rows {
			cells(r)
		}
	}
}

func eachInlineImage(ins []Inline, f func(src string)) {
	for _, in := range ins {
		switch in := in.(type) {
		case *Image:
			f(in.Src)
		case *Strong:
			eachInlineImage(in.Children, f)
		case *Emphasis:
			eachInlineImage(in.Children, f)
		case *Strikethrough:
			eachInlineImage(in.Children, f)
		case *Spoiler:
			eachInlineImage(in.Children, f)
		case *Link:
			f(in.Href)
			eachInlineImage(in.Children, f)
		}
	}
}
