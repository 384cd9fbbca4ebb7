package cover

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A layout is how the cells of a table stand when they stand in document order.
type layout uint8

const (
	inRows    layout = iota // the header once, then row by row, addresses in their cells
	withNotes               // the same, with the addresses listed as "[n] address" behind the table
	withKeys                // each row says "Header:" before each of its cells
)

// An inOrder reads a table whose cells stand in document order, each between
// what starts and what ends a cell. It is the strictest way and the cheapest.
//
// A bracket, a dash or a star may be content or what stands around it, and which
// it is shows only further on. So all places are kept up to which the parts so
// far may have been read, and each part is looked for from all of them: nothing
// is decided early, and nothing is read twice.
type inOrder struct {
	m     *matcher
	b     *doc.Table
	hi    int
	as    layout
	at    []int // the places, ascending; none: the table does not stand like that
	cut   int   // behind the first end of a chunk before the cell at hand, or -1
	queue []int // places to look at, ascending
	spare []int // for the next of at
}

// maxPlaces bounds the places that are kept.
const maxPlaces = 16

// ordered looks for b in [m.pos, hi) and moves the cursor behind it.
func (m *matcher) ordered(b *doc.Table, hi int) bool {
	from, near := m.pos, m.near
	defer func() { m.near, m.strict = near, false }()
	m.near, m.strict = false, true
	var later []string
	for _, as := range [...]layout{inRows, withKeys, withNotes} {
		if as == withKeys && len(b.Rows) == 0 {
			continue
		}
		if as == withNotes {
			if later = addresses(b); len(later) == 0 {
				break
			}
		}
		r := inOrder{m: m, b: b, hi: hi, as: as, at: []int{from}}
		r.table()
		for _, m.pos = range r.at {
			if as != withNotes || m.listed(later, hi) {
				return true
			}
		}
	}
	m.pos, m.mark = from, -1
	return false
}

// addresses lists the addresses in the cells of b.
func addresses(b *doc.Table) (out []string) {
	for _, row := range append([][]doc.Cell{b.Header}, b.Rows...) {
		for _, c := range row {
			for p := range doc.InlineParts(c) {
				if p.Role == doc.RoleTarget && !slices.Contains(out, p.Text) {
					if out = append(out, p.Text); len(out) > 500 {
						return nil // too many to look for one in the others
					}
				}
			}
		}
	}
	return out
}

func (r *inOrder) table() {
	if r.as != withKeys {
		r.row(r.b.Header)
		for _, row := range r.b.Rows {
			r.row(row)
		}
		return
	}
	for i, row := range r.b.Rows {
		n := len(row)
		if i == 0 {
			n = max(n, len(r.b.Header))
		}
		for j := range n {
			var key, value doc.Cell
			if j < len(r.b.Header) {
				key = r.b.Header[j]
			}
			if j < len(row) {
				value = row[j]
			}
			filled := says(value)
			var before []int
			if !filled && i > 0 {
				before = slices.Clone(r.at)
			}
			if says(key) {
				r.cell(key, true)
			}
			if filled {
				r.cell(value, false)
			} else if i > 0 {
				r.at = merge(r.at, before) // a header that stood before need not stand again
			}
		}
	}
}

// row looks for cells in a row. A chunk may start with the header once more.
func (r *inOrder) row(cells []doc.Cell) {
	first := true
	for _, c := range cells {
		if !says(c) {
			continue
		}
		r.cut = -1
		r.cell(c, false)
		if first && r.cut >= 0 {
			found, cut := slices.Clone(r.at), r.cut
			r.at = []int{cut}
			for _, h := range r.b.Header {
				if says(h) {
					r.cell(h, false)
				}
			}
			r.cell(c, false)
			r.at = merge(found, r.at)
		}
		first = false
	}
}

// merge returns the places of both.
func merge(a, b []int) []int {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), maxPlaces)]
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

// cell looks for c, alone between what parts cells, from all places.
func (r *inOrder) cell(c doc.Cell, key bool) {
	t, ok := (*doc.Text)(nil), false
	if len(c) == 1 { // most cells; and no iterator for them
		t, ok = c[0].(*doc.Text)
	}
	if ok {
		r.part(t.Text, false, true)
	} else {
		first, label := true, ""
		for p := range doc.InlineParts(c) {
			target := p.Role == doc.RoleTarget
			if !shows(p.Text) || target && r.as == withNotes {
				continue
			}
			var shown []int
			if target && p.Text == label {
				shown = slices.Clone(r.at) // a picture or code whose address is its label
			}
			label = p.Text
			if r.part(p.Text, target, first); shown != nil {
				r.at = merge(r.at, shown)
			}
			if len(r.at) == 0 {
				return
			}
			first = false
		}
	}
	out := r.at[:0]
	for _, j := range r.at {
		if r.m.pos = j; r.m.ends(r.hi, key) && !slices.Contains(out, r.m.pos) {
			out = append(out, r.m.pos)
		}
	}
	slices.Sort(out)
	r.at = out
}

// part looks for s right at one of the places, or behind what may stand there:
// what parts cells, where first is set, and what stands around addresses.
func (r *inOrder) part(s string, target, first bool) {
	m, t := r.m, r.m.hay.text
	out := r.spare[:0]
	queue := append(r.queue[:0], r.at...)
	for n := 0; n < len(queue) && len(out) < maxPlaces && !m.spent(); n++ {
		j := queue[n]
		for j < r.hi && (t[j] == ' ' || t[j] == '\n') {
			j++
		}
		if j >= r.hi {
			continue
		}
		if n > 0 {
			m.work++
		}
		if t[j] == dialect.TargetStart {
			n := m.hay.markLen(j)
			if target && same(s, t[j+1:j+n-1]) {
				out = append(out, j+n)
			}
		} else if m.pos = j; m.text(s, r.hi) {
			out = append(out, m.pos)
		}
		if t[j] == border && r.cut < 0 {
			r.cut = j + 1
		}
		// Steps are short but for addresses, so that few places are out of order.
		for _, k := range r.steps(j, first) {
			if k = j + k; k > j {
				i := len(queue)
				for i > n+1 && queue[i-1] > k {
					i--
				}
				if i == n+1 || queue[i-1] != k {
					queue = slices.Insert(queue, i, k)
				}
			}
		}
	}
	slices.Sort(out)
	r.queue, r.spare, r.at = queue, r.at, slices.Compact(out)
}

// steps returns the lengths of what stands at j if it may be no content: what
// parts cells and rows, where first is set, what stands around an address, and
// what starts a line.
func (r *inOrder) steps(j int, first bool) [3]int {
	rest := r.m.hay.text[j:r.hi]
	c := rest[0]
	switch {
	case c == border:
		return [3]int{1}
	case c == dialect.TargetStart:
		return [3]int{r.m.hay.markLen(j)}
	case first && (c == ':' || c == '='): // behind a header that shows nothing; under a heading of plain text
		return [3]int{1}
	case first && c == 0xe2:
		for _, s := range [...]string{"│", "─", "┼", "—"} {
			if bytes.HasPrefix(rest, []byte(s)) {
				n := len(s)
				for s == "─" && bytes.HasPrefix(rest[n:], []byte(s)) {
					n += len(s)
				}
				if n > len(s) {
					return [3]int{len(s), n}
				}
				return [3]int{n}
			}
		}
	}
	one := 0
	switch {
	case bytes.IndexByte([]byte(markers+"()[]"), c) >= 0:
		one = 1
	case c >= utf8.RuneSelf:
		one = ignorable(rest)
	}
	return [3]int{one, max(mark(rest), filler(rest)), dataLen(rest)}
}

// markers are characters of markup. One that did not become markup is ugly, but
// no loss.
const markers = "*_~`|"

// listed looks for all of later in a list of "[n] address", in any order.
func (m *matcher) listed(later []string, hi int) bool {
	t := m.hay.text
	left := slices.Clone(later)
	for j := m.pos; j < hi && len(left) > 0 && !m.spent(); {
		rest := t[j:hi]
		end := 0
		if rest[0] == '[' {
			end = max(bytes.IndexByte(rest[:min(len(rest), 16)], ']'), 0)
		}
		if end == 0 || !digits(squeeze(nil, rest[1:end], true)) {
			// What is left of a table whose last cells show no text.
			n := max(ignorable(rest), mark(rest), filler(rest))
			switch {
			case rest[0] == border:
				n = 1
			case bytes.HasPrefix(rest, []byte("│")):
				n = len("│")
			case n == 0:
				return false
			}
			j += n
			continue
		}
		j += end + 1
		next := -1
		for i, s := range left {
			if m.pos = j; m.text(s, hi) && m.ends(hi, false) {
				next = m.pos
				left = slices.Delete(left, i, i+1)
				break
			}
		}
		if next < 0 { // the same as one before
			next = hi
			if n := bytes.IndexAny(t[j:hi], "\n\x1e"); n >= 0 {
				next = j + n
			}
		}
		j = next
		m.pos = j
	}
	return len(left) == 0
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
