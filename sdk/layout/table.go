package layout

import (
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// border parts the columns of a grid.
const border = " │ "

// textWidth is the width of s in columns of a monospaced font.
func textWidth(s string) int { return displaywidth.String(s) }

func (w *walk) table(b *doc.Table, depth int) {
	switch {
	case w.nested && w.profile.Can.Tables && w.roomFor(b.Header):
		w.pipes(b)
	case w.profile.Tables != "list" && w.grid(b):
	default:
		w.pairs(b, depth)
	}
}

// roomFor reports whether a header leaves room for rows in every chunk.
func (w *walk) roomFor(header []doc.Cell) bool {
	size := 0
	for _, h := range header {
		size += inlineSize(h) + 8
	}
	return w.profile.Limit.Max == 0 || size <= w.profile.Limit.Max/4
}

// A grid is a table as lines of equal columns.
type grid struct {
	rows    [][]string // the header first, if it says anything
	widths  []int
	targets []*doc.Link
	header  bool
}

// grid lays b out as an aligned grid if it fits the width of the profile.
func (w *walk) grid(b *doc.Table) bool {
	widest := w.profile.Grid
	if m := w.profile.Limit.Max; m > 0 {
		widest = min(widest, m/4) // a header that is repeated must leave room for rows
	}
	g := grid{header: true}
	if widest <= 0 || !g.add(b.Header, widest) {
		return false
	}
	if strings.Join(g.rows[0], "") == "" {
		g.rows, g.header = nil, false
	}
	for _, r := range b.Rows {
		if !g.add(r, widest) {
			return false
		}
	}
	if len(g.rows) == 0 {
		return true // nothing to see
	}
	w.note("grid")
	fence := w.open(dialect.Construct{Kind: dialect.Fence})
	start := int32(len(w.toks))
	for i, r := range g.rows {
		if i > 0 {
			w.line(false)
		}
		w.text(g.line(r, b.Align), dialect.InFence)
		if i == 0 && g.header && len(g.rows) > 1 {
			w.stay()
			w.text(g.rule(), dialect.InFence)
			if w.repeats == nil {
				w.repeats = make(map[int32][2]int32)
			}
			w.repeats[fence] = [2]int32{start, int32(len(w.toks))}
		}
	}
	w.close(fence)
	for i, l := range g.targets {
		w.line(false)
		w.text("["+strconv.Itoa(i+1)+"] ", dialect.InText)
		w.link(&doc.Link{Href: l.Href, Safe: l.Safe})
	}
	return true
}

// add takes a row up and reports whether the grid is still narrow enough.
func (g *grid) add(cells []doc.Cell, widest int) bool {
	row := make([]string, len(cells))
	for i, c := range cells {
		var sb strings.Builder
		if !g.cell(&sb, c) {
			return false
		}
		row[i] = strings.Join(strings.Fields(sb.String()), " ")
		n := textWidth(row[i])
		if i == len(g.widths) {
			g.widths = append(g.widths, n)
		} else {
			g.widths[i] = max(g.widths[i], n)
		}
	}
	g.rows = append(g.rows, row)
	total := -textWidth(border)
	for _, n := range g.widths {
		total += n + textWidth(border)
	}
	return total <= widest
}

// cell writes the text of a cell, and reports false for one of several lines.
// Targets of links are numbered and listed under the grid.
func (g *grid) cell(sb *strings.Builder, ins []doc.Inline) bool {
	for _, in := range ins {
		ok := true
		switch in := in.(type) {
		case *doc.Text:
			sb.WriteString(in.Text)
		case *doc.CodeSpan:
			sb.WriteString(in.Text)
		case *doc.Strong:
			ok = g.cell(sb, in.Children)
		case *doc.Emphasis:
			ok = g.cell(sb, in.Children)
		case *doc.Strikethrough:
			ok = g.cell(sb, in.Children)
		case *doc.Spoiler:
			ok = g.cell(sb, in.Children)
		case *doc.Link:
			ok = g.cell(sb, in.Children)
			if mt, size, data := doc.DataURI(in.Href); data {
				sb.WriteString(" " + notice(mt, size))
			} else if !in.Bare() || len(in.Children) == 0 {
				g.target(sb, in)
			}
		case *doc.Image:
			mt, size, data := doc.DataURI(in.Src)
			switch {
			case data:
				sb.WriteString(in.Alt + " " + notice(mt, size))
			case in.Src == "":
				sb.WriteString(in.Alt)
			default:
				sb.WriteString(in.Alt)
				if in.Alt == "" {
					sb.WriteString(picture)
				}
				g.target(sb, &doc.Link{Href: in.Src, Safe: in.Safe})
			}
		case *doc.Break:
			return false
		}
		if !ok {
			return false
		}
	}
	return true
}

func (g *grid) target(sb *strings.Builder, l *doc.Link) {
	if l.Href == "" {
		return
	}
	g.targets = append(g.targets, l)
	sb.WriteString(" [" + strconv.Itoa(len(g.targets)) + "]")
}

func (g *grid) line(row []string, align []doc.Align) string {
	var sb strings.Builder
	for i, n := range g.widths {
		if i > 0 {
			sb.WriteString(border)
		}
		var c string
		if i < len(row) {
			c = row[i]
		}
		left, right := 0, n-textWidth(c)
		if i < len(align) {
			switch align[i] {
			case doc.AlignRight:
				left, right = right, 0
			case doc.AlignCenter:
				left, right = right/2, right-right/2
			}
		}
		for range left {
			sb.WriteByte(' ')
		}
		sb.WriteString(c)
		for range right {
			sb.WriteByte(' ')
		}
	}
	return strings.TrimRight(sb.String(), " ")
}

func (g *grid) rule() string {
	var sb strings.Builder
	for i, n := range g.widths {
		if i > 0 {
			sb.WriteString("─┼─")
		}
		sb.WriteString(strings.Repeat("─", n))
	}
	return sb.String()
}

// pairs lays b out as a list of "header: value" lines, a group a row. A header
// stands at least once, if only without a value in the first row.
func (w *walk) pairs(b *doc.Table, depth int) {
	w.note("list")
	keyed := w.keyed(b)
	if len(b.Rows) == 0 || !keyed {
		w.joined(b.Header, true)
	}
	for i, row := range b.Rows {
		if i > 0 || !keyed && len(b.Header) > 0 {
			w.gap(depth+1, keyed)
		}
		if !keyed {
			w.joined(row, false)
			continue
		}
		cells := len(row)
		if i == 0 {
			cells = max(cells, len(b.Header))
		}
		started := false
		for j := range cells {
			var key, value doc.Cell
			if j < len(b.Header) {
				key = b.Header[j]
			}
			if j < len(row) {
				value = row[j]
			}
			if len(key) == 0 && len(value) == 0 {
				continue
			}
			if started {
				w.line(false)
			}
			started = true
			if len(key) > 0 {
				w.key(key)
				w.text(": "[:min(2, 1+len(value))], dialect.InText)
			}
			w.inlines(value)
		}
	}
}

// keyed reports whether the headers of b are worth repeating in every row: there
// are some, and they do not outweigh what the rows say.
func (w *walk) keyed(b *doc.Table) bool {
	keys, values := 0, 0
	for _, h := range b.Header {
		keys += inlineSize(h)
	}
	for _, r := range b.Rows {
		for _, c := range r {
			values += inlineSize(c)
		}
	}
	return keys > 0 && keys*len(b.Rows) <= 20*values+10_000
}

// inlineSize is about how many bytes ins show.
func inlineSize(ins []doc.Inline) int {
	n := 0
	for p := range doc.InlineParts(ins) {
		n += len(p.Text)
	}
	return n
}

func (w *walk) key(ins []doc.Inline) {
	flat := w.flat
	w.flat = true
	w.ornament(dialect.Strong, ins)
	w.flat = flat
}

// joined lays cells out in one line.
func (w *walk) joined(cells []doc.Cell, header bool) {
	started := false
	for _, c := range cells {
		if len(c) == 0 {
			continue
		}
		if started {
			w.text(border, dialect.InText)
		}
		started = true
		if header {
			w.key(c)
		} else {
			w.inlines(c)
		}
	}
}

// pipes lays b out as a table of GitHub-flavoured markdown.
func (w *walk) pipes(b *doc.Table) {
	cols := len(b.Header)
	for _, r := range b.Rows {
		cols = max(cols, len(r))
	}
	flat := w.flat
	w.flat, w.cell = true, true
	o := w.indent("")
	start := int32(len(w.toks))
	w.pipeRow(b.Header, cols)
	w.stay()
	rule := "|"
	for i := range cols {
		dash := " --- |"
		if i < len(b.Align) {
			switch b.Align[i] {
			case doc.AlignLeft:
				dash = " :-- |"
			case doc.AlignCenter:
				dash = " :-: |"
			case doc.AlignRight:
				dash = " --: |"
			}
		}
		rule += dash
	}
	w.raw(rule, inText)
	w.raw("───", inPlain)
	if w.repeats == nil {
		w.repeats = make(map[int32][2]int32)
	}
	w.repeats[o] = [2]int32{start, int32(len(w.toks))}
	for _, r := range b.Rows {
		w.line(false)
		w.pipeRow(r, max(len(r), 1)) // a reader fills a short row up
	}
	w.close(o)
	w.flat, w.cell = flat, false
}

func (w *walk) pipeRow(cells []doc.Cell, cols int) {
	w.raw("| ", inText)
	for i := range cols {
		if i > 0 {
			w.raw(" | ", inText)
			w.raw(border, inPlain)
		}
		if i < len(cells) {
			w.inlines(cells[i])
		}
	}
	w.raw(" |", inText)
}

// raw is text that is markup of the form that shows it.
func (w *walk) raw(s string, only sinks) {
	w.toks = append(w.toks, token{kind: textToken, ctx: dialect.InURL, text: s, parent: w.parent, block: w.block, only: only})
}
