package compile

import "github.com/seed-1ae66336/vak/sdk/doc"

// An htmlTable is an open table. Its cells hold inlines only.
type htmlTable struct {
	rows  [][]doc.Cell
	cell  []doc.Inline
	open  bool // within a cell
	depth int  // of tables in its cells
}

func (m *markupBuilder) tableTag(t tag) {
	tb := m.table
	switch t.act {
	case actTable:
		switch {
		case !t.end:
			tb.depth++
		case tb.depth > 0:
			tb.depth--
		default:
			m.endTable()
		}
	case actRow:
		if !t.end && tb.depth == 0 {
			m.endCell()
			tb.rows = append(tb.rows, nil)
		}
	case actCell:
		if tb.depth == 0 {
			m.endCell()
			tb.open = !t.end
		}
	}
}

func (m *markupBuilder) endCell() {
	tb := m.table
	if tb.open && m.b.countCells(1) {
		if len(tb.rows) == 0 {
			tb.rows = append(tb.rows, nil)
		}
		last := &tb.rows[len(tb.rows)-1]
		*last = append(*last, doc.Cell(tb.cell))
	}
	tb.cell, tb.open = nil, false
}

// endTable puts the table. A table of one cell is a layout, and a paragraph.
func (m *markupBuilder) endTable() {
	if m.table == nil {
		return
	}
	m.endCell()
	tb := m.table
	m.table = nil
	sc := m.scope()
	rows := tb.rows[:0]
	shown := false
	for _, r := range tb.rows {
		if len(r) > 0 {
			rows = append(rows, r)
		}
		for _, c := range r {
			shown = shown || len(c) > 0
		}
	}
	switch {
	case !shown:
	case len(rows) == 1 && len(rows[0]) == 1:
		m.b.putInlines(sc, rows[0][0])
	default:
		t := &doc.Table{ID: sc.next(), Header: rows[0], Align: make([]doc.Align, len(rows[0]))}
		if len(rows) > 1 {
			t.Rows = rows[1:]
		}
		m.b.put(sc, t)
	}
}
