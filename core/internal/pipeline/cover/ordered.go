package cover

import (
	"bytes"
	"slices"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// An inOrder reads a table whose cells stand in document order, each between
// what starts and what ends a cell. It is the strictest way and the cheapest.
type inOrder struct {
	m     *matcher
	hi    int
	keyed bool     // each row says "Header:" before each of its cells; else the header comes first, once
	later []string // addresses that were not in their cells: they may be listed behind the table
}

// ordered looks for b in [m.pos, hi) and moves the cursor behind it.
func (m *matcher) ordered(b *doc.Table, hi int, keyed bool) bool {
	from, near := m.pos, m.near
	m.near = false
	r := inOrder{m: m, hi: hi, keyed: keyed && len(b.Rows) > 0}
	ok := r.table(b)
	m.near = near
	if !ok {
		m.pos, m.mark = from, -1
	}
	return ok
}

func (r *inOrder) table(b *doc.Table) bool {
	seen := make([]bool, len(b.Header)) // the header cells
	if !r.keyed {
		for j, c := range b.Header {
			if seen[j] = true; !r.cell(c, false) {
				return false
			}
		}
	}
	for _, row := range b.Rows {
		for j, c := range row {
			if !says(c) {
				continue
			}
			if !r.keyed || j >= len(b.Header) {
				for !r.cell(c, false) {
					if !r.keyed || !r.empty(b, seen) {
						return false
					}
				}
				continue
			}
			for from := r.m.pos; !r.cell(b.Header[j], true) || !r.cell(c, false); from = r.m.pos {
				if r.m.pos = from; !r.empty(b, seen) {
					return false
				}
			}
			seen[j] = true
		}
	}
	for j, c := range b.Header {
		for !seen[j] && says(c) {
			if !r.empty(b, seen) {
				return false
			}
		}
	}
	for _, s := range r.later {
		if !r.m.listed(s, r.hi) {
			return false
		}
	}
	return true
}

// empty passes over a header with nothing behind it. Headers of empty cells may
// stand or not, so that they are looked for only where something else is due.
func (r *inOrder) empty(b *doc.Table, seen []bool) bool {
	from := r.m.pos
	for j, c := range b.Header {
		if says(c) && r.cell(c, true) && r.m.ends(r.hi, false) {
			seen[j] = true
			return true
		}
		r.m.pos = from
	}
	return false
}

// says reports whether there is something to see in c.
func says(c doc.Cell) bool {
	if len(c) == 1 {
		if t, ok := c[0].(*doc.Text); ok {
			return shows(t.Text)
		}
	}
	for p := range doc.InlineParts(c) {
		if shows(p.Text) {
			return true
		}
	}
	return false
}

// cell looks for c, alone between what parts cells. Where c is not there, the
// cursor stays.
func (r *inOrder) cell(c doc.Cell, key bool) bool {
	from := r.m.pos
	ok := r.parts(c, key)
	if !ok {
		r.m.pos = from
	}
	return ok
}

func (r *inOrder) parts(c doc.Cell, key bool) bool {
	m := r.m
	if len(c) == 1 { // most cells; and no iterator for them
		if t, ok := c[0].(*doc.Text); ok {
			return !shows(t.Text) || r.text(t.Text, true) && m.ends(r.hi, key)
		}
	}
	first, some := true, false
	for p := range doc.InlineParts(c) {
		if !shows(p.Text) {
			continue
		}
		some = true
		switch {
		case p.Role != doc.RoleTarget:
			if !r.text(p.Text, first) {
				return false
			}
		case !m.here(p.Text, r.hi, first):
			if r.keyed {
				return false
			}
			if !slices.Contains(r.later, p.Text) {
				if len(r.later) > 100 {
					return false // too many to look for one in the others
				}
				r.later = append(r.later, p.Text)
			}
		}
		first = false
	}
	return !some || m.ends(r.hi, key)
}

// text looks for s right at the cursor, or behind what may stand there: what
// parts cells, where first is set, and what stands around addresses.
func (r *inOrder) text(s string, first bool) bool {
	m := r.m
	m.strict = true
	ok, cut := false, false
	for {
		if first {
			m.pos += separators(m.hay.text[m.pos:r.hi])
		}
		if ok = m.text(s, r.hi); ok {
			break
		}
		n := m.between(r.hi, first)
		if n == 0 {
			break
		}
		cut = cut || m.hay.text[m.pos] == border
		m.pos += n
	}
	m.strict = false
	if !ok && cut && first && !r.keyed {
		return m.text(s, r.hi) // a chunk may start with the header once more
	}
	return ok
}

// between returns the length of what stands at the cursor if it is no content:
// what parts cells and rows, where first is set, what stands around an address,
// and what starts a line.
func (m *matcher) between(hi int, first bool) int {
	if m.pos >= hi || m.spent() {
		return 0
	}
	rest := m.hay.text[m.pos:hi]
	c := rest[0]
	switch {
	case c == border || c == ' ' || c == '\n':
		return 1
	case c == dialect.TargetStart:
		return m.hay.markLen(m.pos)
	case bytes.IndexByte([]byte(markers), c) >= 0:
		return 1
	case first && c == ':': // behind a header that shows nothing
		return 1
	}
	if n := separators(rest); first && n > 0 {
		return n
	}
	return max(mark(rest), filler(rest), ignorable(rest), dataLen(rest))
}

// separators returns the length of the space and the lines, of a grid or before
// a table, that b starts with.
func separators(b []byte) int {
	n := 0
	for n < len(b) {
		switch {
		case b[n] == ' ' || b[n] == '\n' || b[n] == '=': // the last under a heading of plain text
			n++
		case b[n] == 0xe2 && bytes.HasPrefix(b[n:], []byte("—")): // a thematic break
			n += len("—")
		case b[n] == 0xe2 && (bytes.HasPrefix(b[n:], []byte("│")) || bytes.HasPrefix(b[n:], []byte("─")) || bytes.HasPrefix(b[n:], []byte("┼"))):
			n += len("│")
		default:
			return n
		}
	}
	return n
}

// markers are characters of markup. One that did not become markup is ugly, but
// no loss.
const markers = "*_~`|"

// here looks for an address right at the cursor, or behind what may stand there:
// printed, or the whole of one behind a label.
func (m *matcher) here(s string, hi int, first bool) bool {
	from := m.pos
	for m.pos < hi {
		rest := m.hay.text[m.pos:hi]
		if rest[0] == dialect.TargetStart {
			n := m.hay.markLen(m.pos)
			if same(s, rest[1:n-1]) {
				m.pos += n
				return true
			}
		} else {
			m.strict = true
			ok := m.text(s, hi)
			m.strict = false
			if ok {
				return true
			}
		}
		n := m.between(hi, first)
		if n == 0 {
			break
		}
		m.pos += n
	}
	m.pos = from
	return false
}

// listed looks for an address that is the next of a list: "[n] address".
func (m *matcher) listed(s string, hi int) bool {
	j := m.pos
	for j < hi {
		rest := m.hay.text[j:hi]
		n := max(ignorable(rest), mark(rest))
		if rest[0] == border {
			n = 1
		}
		if n == 0 && rest[0] == '[' {
			j += noteLen(rest)
			break
		}
		if n == 0 {
			return false
		}
		j += n
	}
	from := m.pos
	if m.pos = j; m.here(s, hi, false) {
		return true
	}
	m.pos = from
	return false
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
		case c == ' ' || c == '>' && cut:
			m.pos++
		case c == ':': // behind a header whose cells are all empty too
			m.pos++
			return true
		case c == dialect.TargetStart:
			m.pos += m.hay.markLen(m.pos)
		case bytes.HasPrefix(rest, []byte("│")):
			return !key
		default:
			n := max(filler(rest), ignorable(rest), dataLen(rest))
			if n == 0 && bytes.IndexByte([]byte(markers), c) >= 0 {
				n = 1
			}
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
