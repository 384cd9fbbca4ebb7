package cover

import (
	"bytes"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// ordered looks for the cells of b in document order, and behind each for what
// ends a cell: in [from, hi), part by part. With keyed, each row says "Header:"
// before each of its cells; without, the header comes first and once.
//
// It is for what pieces cannot be compared with: a line of one cell that says
// what another cell says, a header that the end of a chunk cuts in two with an
// address on both sides.
func (m *matcher) ordered(b *doc.Table, from, hi int, keyed bool) bool {
	near, pos := m.near, m.pos
	m.near, m.pos, m.mark = false, from, -1
	ok := m.inOrder(b, hi, keyed && len(b.Rows) > 0)
	m.near, m.mark = near, -1
	if !ok {
		m.pos = pos
	}
	return ok
}

func (m *matcher) inOrder(b *doc.Table, hi int, keyed bool) bool {
	seen := make([]bool, len(b.Header)) // the header cells
	if !keyed {
		for j, c := range b.Header {
			if seen[j] = true; !m.cell(c, hi, false) {
				return false
			}
		}
	}
	for _, row := range b.Rows {
		some := false
		for _, c := range row {
			some = some || says(c)
		}
		for j := 0; some && j < max(len(row), len(b.Header)); j++ {
			value := j < len(row) && says(row[j])
			// The header of an empty cell need not be there, once it was seen.
			if keyed && j < len(b.Header) && (value || !seen[j]) {
				if seen[j] = true; !m.cell(b.Header[j], hi, true) {
					return false
				}
			}
			if value && !m.cell(row[j], hi, false) {
				return false
			}
		}
	}
	for j, c := range b.Header {
		if !seen[j] && says(c) {
			return false
		}
	}
	return true
}

// says reports whether there is something to see in c.
func says(c doc.Cell) bool {
	for p := range doc.InlineParts(c) {
		if shows(p.Text) {
			return true
		}
	}
	return false
}

// cell looks for the parts of c and then for the end of it.
func (m *matcher) cell(c doc.Cell, hi int, key bool) bool {
	for p := range doc.InlineParts(c) {
		if m.spent() || p.Role == doc.RoleTarget && !m.target(p.Text, hi) || p.Role != doc.RoleTarget && !m.text(p.Text, hi) {
			return false
		}
	}
	return !says(c) || m.ends(hi, key)
}

// ends moves the cursor over what may stand around an address or in the place
// of a picture, and reports whether the cell ends there.
func (m *matcher) ends(hi int, key bool) bool {
	t := m.hay.text
	cut := false
	for m.pos < hi {
		rest := t[m.pos:hi]
		switch c := rest[0]; {
		case c == border && key:
			cut = true // the colon may be in the next chunk
			m.pos++
		case c == '\n' || c == border:
			return !key
		case c == '>' && cut, bytes.IndexByte([]byte("*_~`|"), c) >= 0:
			m.pos++ // a marker that did not become markup is ugly, no loss
		case c == ':': // behind a header whose cells are all empty too
			m.pos++
			return true
		case c == dialect.TargetStart:
			m.pos += m.hay.markLen(m.pos)
		case bytes.HasPrefix(rest, []byte("│")):
			return !key
		default:
			n := max(filler(rest), ignorable(rest), dataLen(rest))
			if n == 0 {
				return false
			}
			m.pos += n
		}
	}
	return !key
}

// shows reports whether there is something to see in s.
func shows(s string) bool {
	for s != "" {
		n := ignorable(s)
		if n == 0 {
			return true
		}
		s = s[n:]
	}
	return false
}
