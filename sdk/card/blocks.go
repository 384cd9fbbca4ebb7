package card

import (
	"reflect"
	"strconv"

	"github.com/clipperhouse/displaywidth"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// Options say for whom blocks are made.
type Options struct {
	Width  int    // columns of fixed-width text that the surface has; 0: 60
	Locale string // a BCP 47 tag; the words that blocks add are English so far
}

// Lowered is what a tree is for a reader.
type Lowered struct {
	Blocks  []doc.Block
	Partial bool // it shows less than the tree says, as of a long chart
}

// maxParts bounds the nodes of the document that one tree becomes, so that
// doc.Parse takes it by its default limits with room for an answer around it.
const maxParts = 300_000

// Blocks makes of t what every text surface shows, by the rules of the document:
// all that the tree says to a reader is visible in the blocks, in the order of the
// tree, or Partial says that it is not. What is style (tones, density, width), for
// programs (keys of columns, the form of a chart) or for others (fallbacks) is not
// shown.
//
//   - The blocks are the children of id: id.Child(1) and so on; of an empty id they
//     are "1" and so on. The same tree gives the same blocks.
//   - Texts are plain: an empty line parts paragraphs, a newline is a soft break,
//     and nothing in them is markup. They are cleaned by [doc.Clean].
//   - The first title is a heading of level 3, for a card stands inside an answer;
//     sections go deeper.
//   - A status is its mark and its word, since marks alone are misread aloud. Tests
//     have the mark only: the line of counts above them has the words.
//   - Durations and sizes are in words; other numbers stay as they were written.
//
// It takes any tree, also one that breaks [Tree.Check]: what is too deep or too
// much is left out, and Partial is true. Its work is linear in the size of t. It is
// pure and safe for concurrent use.
func (t Tree) Blocks(id doc.ID, o Options) Lowered {
	l := lowerer{w: wordsFor(o.Locale), width: o.Width}
	if l.width <= 0 {
		l.width = 60
	}
	p := &place{id: id}
	l.node(p, t.Root, 3, 1)
	return Lowered{p.blocks, l.partial}
}

// A place is where blocks go: below the id of what holds them.
type place struct {
	id     doc.ID
	blocks []doc.Block
}

// next is the id of the next block.
func (p *place) next() doc.ID {
	n := len(p.blocks) + 1
	if p.id == "" {
		return doc.ID(strconv.Itoa(n))
	}
	return p.id.Child(n)
}

func (p *place) add(b doc.Block) { p.blocks = append(p.blocks, b) }

// A lowerer makes blocks. Its slabs are memory for what there is most of.
type lowerer struct {
	w       *words
	width   int
	nodes   int // of the tree
	parts   int // of the document
	partial bool

	texts   []doc.Text
	inlines []doc.Inline
}

// full reports whether the document has become as large as one may.
func (l *lowerer) full() bool { return l.parts > maxParts }

// each calls f for 0 to n-1 while there is room, and returns for how many.
func (l *lowerer) each(n int, f func(i int)) int {
	for i := range n {
		if l.full() {
			l.partial = true
			return i
		}
		f(i)
	}
	return n
}

// node lowers n to p. level is that of its heading, if it has one.
func (l *lowerer) node(p *place, n Node, level, depth int) {
	if l.nodes++; l.nodes > MaxNodes || depth > MaxDepth {
		l.partial = true
		return
	}
	switch b := byValue(n.Props).(type) {
	case nil:
	case Section:
		if b.Title != "" {
			l.heading(p, level, b.Title)
			level++
		}
	case UniversalCard:
		if b.Title != "" {
			l.heading(p, level, b.Title)
			level++
		}
		l.paragraphs(p, b.Summary)
	case Callout:
		l.callout(p, b, n.Children, level, depth)
		return
	case Quote:
		l.quote(p, b, n.Children, level, depth)
		return
	case Row:
		l.row(p, n.Children, level, depth)
		return
	case Stack:
	default:
		l.leaf(p, b, level)
	}
	l.children(p, n.Children, level, depth)
}

// leaf lowers what has no children.
func (l *lowerer) leaf(p *place, props Props, level int) {
	switch b := props.(type) {
	case Divider:
		p.add(&doc.Rule{ID: p.next()})
	case Title:
		l.heading(p, level+max(b.Level-2, 0), b.Text)
	case Text:
		l.text(p, b)
	case Badge:
		l.paragraph(p, l.strong(b.Text))
	case List:
		l.list(p, b)
	case Checklist:
		l.checklist(p, b)
	case Timeline:
		l.timeline(p, b)
	case Steps:
		l.steps(p, b.Items)
	case KeyValue:
		l.keyValue(p, b)
	case Table:
		l.table(p, b.Caption, b.Columns, b.Rows)
	case Comparison: // the first column names the rows in words; bold would stand twice where a row is a list
		l.table(p, b.Caption, b.Columns, b.Rows)
	case Metric:
		l.metric(p, b)
	case MetricGrid:
		l.metrics(p, b.Metrics)
	case Progress:
		l.progress(p, b)
	case Chart:
		l.chart(p, b, level)
	case Image:
		l.picture(p, b.Source, b.Alt, b.MediaType, b.Caption)
	case Audio:
		l.linked(p, l.w.audio, b.Source, b.Alt, b.MediaType, b.Caption)
	case Video:
		l.linked(p, l.w.video, b.Source, b.Alt, b.MediaType, b.Caption)
	case Media:
		l.media(p, b)
	case File:
		l.file(p, b)
	case LinkPreview:
		l.linkPreview(p, b)
	case Diff:
		l.diff(p, b)
	case TestMatrix:
		l.tests(p, b, level)
	case Terminal:
		l.terminal(p, b)
	case Citations:
		l.citations(p, b.Items)
	case Empty:
		l.empty(p, b)
	case Error:
		l.error(p, b)
	case Recipe:
		l.recipe(p, b, level)
	case Research:
		l.research(p, b, level)
	case UIPreview:
		l.uiPreview(p, b, level)
	default:
		l.partial = true // a struct around one of ours, which nothing is known of
	}
}

// children lowers nodes below each other. Behind a title they belong to it; figures
// in a row are one list, badges one line.
func (l *lowerer) children(p *place, nodes []Node, level, depth int) {
	below := level
	for i := 0; i < len(nodes); {
		n := nodes[i]
		run := i + 1
		switch b := n.Props.(type) {
		case Title:
			l.node(p, n, level, depth+1)
			below = level + max(b.Level-2, 0) + 1
		case Metric:
			metrics := []Metric{b}
			for ; run < len(nodes) && len(nodes[run].Children) == 0 && len(n.Children) == 0; run++ {
				m, ok := nodes[run].Props.(Metric)
				if !ok || l.nodes+run-i >= MaxNodes {
					break
				}
				metrics = append(metrics, m)
			}
			if run == i+1 {
				l.node(p, n, below, depth+1)
				break
			}
			if depth+1 > MaxDepth {
				l.partial = true
				break
			}
			l.nodes += run - i
			l.metrics(p, metrics)
		case Badge:
			for ; run < len(nodes); run++ {
				if _, ok := nodes[run].Props.(Badge); !ok {
					break
				}
			}
			l.row(p, nodes[i:run], below, depth)
		default:
			l.node(p, n, below, depth+1)
		}
		i = run
	}
}

// row lowers nodes beside each other: those that are short are parts of one line,
// or lines of one paragraph where the line is too long.
func (l *lowerer) row(p *place, nodes []Node, level, depth int) {
	for i := 0; i < len(nodes); {
		var parts [][]doc.Inline
		wide := 0
		run := i
		for ; run < len(nodes) && depth < MaxDepth && l.nodes < MaxNodes; run++ {
			ins, ok := l.short(nodes[run])
			if !ok {
				break
			}
			l.nodes++
			if len(ins) > 0 {
				parts = append(parts, ins)
				wide += inlineWidth(ins) + 3
			}
		}
		if len(parts) > 0 {
			var line []doc.Inline
			for j, ins := range parts {
				switch {
				case j == 0:
				case wide-3 <= l.width:
					line = append(line, l.plain(" · "))
				default:
					line = append(line, l.hard())
				}
				line = append(line, ins...)
			}
			l.paragraph(p, line)
		}
		if run == i {
			l.node(p, nodes[i], level, depth+1)
			run++
		}
		i = run
	}
}

// short is n as a part of a line, if it is short enough to be one.
func (l *lowerer) short(n Node) ([]doc.Inline, bool) {
	if len(n.Children) > 0 {
		return nil, false
	}
	switch b := n.Props.(type) {
	case Badge:
		return l.strong(oneLine(b.Text)), true
	case Metric:
		if ins := l.figure(b); inlineWidth(ins) <= l.width {
			return ins, true
		}
	case Text:
		if len(b.Text) <= 4*l.width && displaywidth.String(b.Text) <= l.width && !multiline(b.Text) {
			return l.emphasis(l.line(b.Text), b.Emphasis), true
		}
	}
	return nil, false
}

// byValue is p, or what p points to: a tree made by hand may hold a pointer.
func byValue(p Props) Props {
	v := reflect.ValueOf(p)
	if v.Kind() != reflect.Pointer {
		return p
	}
	if v.IsNil() {
		return nil
	}
	inner, _ := v.Elem().Interface().(Props)
	return inner
}
