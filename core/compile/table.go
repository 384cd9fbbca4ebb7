package compile

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A tableNode is a pipe table: its lines are the header and the rows.
type tableNode struct {
	leafNode
	align []doc.Align
}

var kindTable = ast.NewNodeKind("PipeTable")

func (*tableNode) Kind() ast.NodeKind              { return kindTable }
func (n *tableNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// A tableTransformer finds a table at the end of a paragraph: a header, a line
// of dashes with as many columns, and rows to the end.
type tableTransformer struct{}

func (tableTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	source := reader.Source()
	for i := 1; i < lines.Len(); i++ {
		seg := lines.At(i)
		if !maybeDelimiterRow(source[seg.Start:seg.Stop]) {
			continue
		}
		st := stateOf(pc)
		align, ok := delimiterRow(st.text[seg.Start:seg.Stop])
		if !ok {
			continue
		}
		head := lines.At(i - 1)
		if len(splitRow(st.text[head.Start:head.Stop], len(align), nil)) != len(align) {
			continue
		}
		t := &tableNode{align: align}
		for j := i - 1; j < lines.Len(); j++ {
			if j != i {
				seg := lines.At(j)
				t.Lines().Append(seg.TrimLeftSpace(source))
			}
		}
		t.SetPos(head.Start)
		t.SetBlankPreviousLines(node.HasBlankPreviousLines())
		parent := node.Parent()
		if i > 1 {
			// A new node, not this one with fewer lines: a setext heading that
			// asks for this paragraph must not get it and end behind the table.
			p := newParagraph(lines.Sliced(0, i-1), source)
			p.SetBlankPreviousLines(node.HasBlankPreviousLines())
			parent.InsertBefore(parent, node, p)
			t.SetBlankPreviousLines(false)
		}
		parent.ReplaceChild(parent, node, t)
		return
	}
}

func maybeDelimiterRow(line []byte) bool {
	pipe := false
	for _, c := range line {
		switch c {
		case '|':
			pipe = true
		case '-', ':', ' ', '\t', '\n':
		default:
			return false
		}
	}
	return pipe
}

// delimiterRow reads the alignments of a line that maybeDelimiterRow let pass.
func delimiterRow(line string) ([]doc.Align, bool) {
	var out []doc.Align
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	line = strings.TrimSuffix(line, "|")
	for {
		cell, rest, more := strings.Cut(line, "|")
		cell = strings.TrimSpace(cell)
		left, right := strings.HasPrefix(cell, ":"), strings.HasSuffix(cell, ":")
		dashes := strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil, false
		}
		switch {
		case left && right:
			out = append(out, doc.AlignCenter)
		case left:
			out = append(out, doc.AlignLeft)
		case right:
			out = append(out, doc.AlignRight)
		default:
			out = append(out, doc.AlignNone)
		}
		if !more {
			return out, true
		}
		line = rest
	}
}

// splitRow appends the cells of a row to cells, trimmed. A pipe separates unless
// a backslash stands before it. GFM splits within code spans as well; where
// that makes more cells than columns, and leaving code spans whole makes no more
// than that, the author meant the latter.
func splitRow(line string, columns int, cells []string) []string {
	line = strings.TrimSpace(line)
	from := len(cells)
	cells = splitPipes(line, cells, false)
	if len(cells)-from > columns && strings.IndexByte(line, '`') >= 0 {
		if whole := splitPipes(line, nil, true); len(whole) <= columns {
			return append(cells[:from], whole...)
		}
	}
	return cells
}

func splitPipes(line string, cells []string, code bool) []string {
	i, start := 0, 0
	if strings.HasPrefix(line, "|") {
		i, start = 1, 1
	}
	var ends codeEnds
	for i < len(line) {
		switch line[i] {
		case '\\':
			i++
		case '`':
			if code {
				n := runLength(line, i)
				if end := ends.find(line, i, n); end >= 0 {
					i = end + n
				} else {
					i += n
				}
				continue
			}
		case '|':
			cells = append(cells, strings.TrimSpace(line[start:i]))
			start = i + 1
		}
		i++
	}
	if start < len(line) {
		cells = append(cells, strings.TrimSpace(line[start:]))
	}
	return cells
}

// table builds a table. Its rows are as long as their lines: a short row is not
// filled, which would make many cells from a few bytes.
func (b *builder) table(sc *scope, n *tableNode) {
	t := &doc.Table{ID: sc.next(), Align: n.align}
	shown, comment := false, false
	row := func(seg text.Segment) []doc.Cell {
		b.row = splitRow(b.st.text[seg.Start:seg.Stop], len(n.align), b.row[:0])
		if !b.count(1) || !b.countCells(len(b.row)) {
			return nil
		}
		cells := b.mem.cells.take(len(b.row))
		for i, s := range b.row {
			if strings.Contains(s, `\|`) {
				s = strings.ReplaceAll(s, `\|`, "|")
			}
			cells[i] = b.inlines(s)
			shown = shown || visible(cells[i])
			comment = comment || b.inl.comment
		}
		return cells
	}
	t.Header = row(n.Lines().At(0))
	t.Rows = make([][]doc.Cell, 0, n.Lines().Len()-1)
	for i := 1; i < n.Lines().Len() && !b.stopped(); i++ {
		t.Rows = append(t.Rows, row(n.Lines().At(i)))
	}
	if len(t.Rows) == 0 {
		t.Rows = nil
	}
	if comment {
		id := sc.around()
		if shown {
			id = t.ID
		}
		b.comment(id)
	}
	if shown {
		b.put(sc, t)
	}
}
