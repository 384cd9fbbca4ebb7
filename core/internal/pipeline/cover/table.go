package cover

import (
	"bytes"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// table looks for the cells of a table in [m.pos, hi): in document order, else
// in any.
//
// For the latter, what was read back falls into pieces at line ends and grid borders. A piece
// is a cell, or "Header:", or "Header: cell"; pieces that are nothing by
// themselves are joined until they are a cell, for cells of several lines and
// cells cut at the end of a chunk. Each piece serves once.
func (m *matcher) table(i, hi int) bool {
	b, _ := m.blocks[i].Block.(*doc.Table)
	if b == nil {
		return true
	}
	if m.ordered(b, hi) {
		return true
	}
	r := tableReader{m: m, head: newCells(), body: newCells(), targets: map[string]bool{}}
	for p := i; p >= 0; p = m.blocks[p].parent {
		switch m.blocks[p].Block.(type) {
		case *doc.Quote, *doc.Callout:
			r.quotes++
		}
	}
	for _, c := range b.Header {
		r.expect(r.head, c)
	}
	for _, row := range b.Rows {
		for _, c := range row {
			r.expect(r.body, c)
		}
	}
	r.read(m.pos, hi)
	m.pos, m.mark = r.used, -1
	return r.left == 0 && r.unseen == 0
}

// A tableReader finds the cells of one table.
type tableReader struct {
	m          *matcher
	head, body *cells
	targets    map[string]bool // addresses in cells, and whether each was seen
	left       int             // cells that were not found yet
	unseen     int             // addresses
	quotes     int             // quotes around the table
	used       int             // behind the last piece that was a cell

	piece, wide, buf []byte
	borders          bool     // some cell has a border in it
	pend, pendWide   []byte   // pieces joined since the last that was a cell
	starts           [][2]int // where each of them starts in both
}

// cells are what some cells of a table say, in the forms that they are read in.
type cells struct {
	exact   map[string]*count // cells of nothing but text
	reduced map[string]*count // others, without what stands around addresses
	full    map[string]*count // these with their addresses in place
	longest int
}

// A count is how many cells that say the same were not found yet.
type count struct {
	n       int
	only    bool     // there is nothing but addresses
	text    *count   // of a full form: that of its text
	targets []string // of a full form
}

func newCells() *cells {
	return &cells{map[string]*count{}, map[string]*count{}, map[string]*count{}, 0}
}

func (r *tableReader) expect(in *cells, c doc.Cell) {
	var text, full []byte
	var targets []string
	for p := range doc.InlineParts(c) {
		// A border in a cell cannot be told from one around it.
		r.borders = r.borders || strings.Contains(p.Text, "│")
		said := bytes.ReplaceAll([]byte(p.Text), []byte("│"), nil)
		full = squeeze(full, said, true)
		if p.Role == doc.RoleTarget {
			s := string(squeeze(nil, said, true))
			targets = append(targets, s)
			if _, ok := r.targets[s]; !ok {
				r.targets[s] = false
				r.unseen++
			}
		} else {
			text = squeeze(text, said, true)
		}
	}
	in.longest = max(in.longest, len(full))
	if len(full) == 0 {
		return
	}
	if len(text) == 0 {
		// Addresses are looked for by themselves. This is one way to see them.
		f := increment(in.full, reduce(nil, full))
		f.text, f.targets = &count{n: 1, only: true}, targets
		return
	}
	r.left++
	if len(targets) == 0 && plain(c) {
		increment(in.exact, text)
		return
	}
	k := increment(in.reduced, reduce(nil, text))
	f := increment(in.full, reduce(nil, full))
	f.text, f.targets = k, targets
}

func increment(in map[string]*count, key []byte) *count {
	k := in[string(key)]
	if k == nil {
		k = &count{}
		in[string(key)] = k
	}
	k.n++
	return k
}

// plain reports whether ins shows nothing but text: no link or picture that a
// number or a note may stand for, no spoiler that a note announces.
func plain(ins []doc.Inline) bool {
	for _, in := range ins {
		ok := true
		switch in := in.(type) {
		case *doc.Image, *doc.Spoiler:
			return false
		case *doc.Strong:
			ok = plain(in.Children)
		case *doc.Emphasis:
			ok = plain(in.Children)
		case *doc.Strikethrough:
			ok = plain(in.Children)
		case *doc.Link:
			ok = len(in.Children) > 0 && in.Bare() && plain(in.Children)
		}
		if !ok {
			return false
		}
	}
	return true
}

// read goes through the pieces of [from, hi) until nothing is left to find.
func (r *tableReader) read(from, hi int) {
	r.used = from
	t := r.m.hay.text
	if !lineOpens(t[:from]) {
		// A table starts on a line of its own.
		n := bytes.IndexAny(t[from:hi], "\n\x1e")
		if n < 0 {
			return
		}
		from += n + 1
	}
	for lineStart := false; from < hi && (r.left > 0 || r.unseen > 0); {
		end, sep := pieceEnd(t[from:hi])
		end += from
		r.one(t[from:end], end, lineStart)
		lineStart = sep == 1
		from = end + max(sep, 1)
	}
}

// lineOpens reports whether nothing but marks and numbers stands on the last
// line of t.
func lineOpens(t []byte) bool {
	line := t[1+bytes.LastIndexAny(t, "\n\x1e"):]
	for len(line) > 0 {
		n := max(mark(line), ignorable(line))
		if n == 0 && (isDigit(line[0]) || line[0] == '.' || line[0] == ')') {
			n = 1
		}
		if n == 0 {
			return false
		}
		line = line[n:]
	}
	return true
}

// pieceEnd returns where the piece that t starts with ends, and the length of
// what ends it: a newline, a grid border or the end of a chunk.
func pieceEnd(t []byte) (end, sep int) {
	line := len(t)
	for _, c := range [...]byte{'\n', border} {
		if n := bytes.IndexByte(t[:line], c); n >= 0 {
			line, sep = n, 1
		}
	}
	if n := bytes.Index(t[:line], []byte("│")); n >= 0 {
		return n, len("│")
	}
	return line, sep
}

// one reads a piece that ends at end.
func (r *tableReader) one(raw []byte, end int, lineStart bool) {
	unseen := r.unseen
	if r.addresses(raw); r.unseen < unseen {
		r.used = end
	}
	r.piece = squeeze(r.piece[:0], raw, false)
	if len(r.piece) == 0 {
		return
	}
	if isRule(r.piece) {
		if len(r.pend) == 0 {
			r.used = end // the one under a header
		}
		return
	}
	marks := 0 // of quotes and list items that the table stands in
	if lineStart || len(r.pend) == 0 {
		marks = r.quotes + 2
	}
	for rest := raw; ; marks-- {
		r.squeeze(rest)
		if r.joins() || r.is(r.head, r.piece, r.wide, true) || r.is(r.body, r.piece, r.wide, true) {
			r.found(end)
			return
		}
		if r.keyed(rest, end) {
			return
		}
		k := mark(rest)
		if k == 0 || marks == 0 {
			break
		}
		rest = rest[k:]
	}
	r.squeeze(raw)
	if !r.borders && r.is(r.head, r.piece, r.wide, false) {
		return // the header once more
	}
	if lineStart && r.quotes > 0 {
		for n := 0; n < r.quotes; n++ {
			raw = raw[mark(raw):]
		}
		r.squeeze(raw)
	}
	r.join(end)
}

func (r *tableReader) squeeze(raw []byte) {
	r.piece = squeeze(r.piece[:0], raw, false)
	r.wide = squeeze(r.wide[:0], raw, true)
}

func (r *tableReader) found(end int) {
	r.used = end
	r.forget()
}

// join adds the piece at hand to those that are nothing by themselves.
func (r *tableReader) join(end int) {
	if r.joins() {
		r.found(end)
		return
	}
	if len(r.pend) > 2*max(r.body.longest, r.head.longest)+64 {
		r.forget()
	}
	r.starts = append(r.starts, [2]int{len(r.pend), len(r.pendWide)})
	r.pend, r.pendWide = append(r.pend, r.piece...), append(r.pendWide, r.wide...)
	r.listed(r.pend)
}

func (r *tableReader) forget() {
	r.pend, r.pendWide, r.starts = r.pend[:0], r.pendWide[:0], r.starts[:0]
}

// maxJoined bounds from how many pieces back a cell may begin.
const maxJoined = 12

// joins reports whether the piece at hand makes a cell of some of those before
// it, and takes note of it.
func (r *tableReader) joins() bool {
	if len(r.pend) == 0 || r.m.spent() {
		return false
	}
	n, w := len(r.pend), len(r.pendWide)
	r.pend, r.pendWide = append(r.pend, r.piece...), append(r.pendWide, r.wide...)
	defer func() { r.pend, r.pendWide = r.pend[:n], r.pendWide[:w] }()
	for _, s := range r.starts[max(0, len(r.starts)-maxJoined):] {
		r.m.work += len(r.pend) - s[0]
		text, wide := r.pend[s[0]:], r.pendWide[s[1]:]
		if r.is(r.body, text, wide, true) || r.is(r.head, text, wide, true) {
			return true
		}
	}
	return false
}

// keyed reads "Header: cell". The cell may be empty, or go on in what follows.
func (r *tableReader) keyed(raw []byte, end int) bool {
	colons := 0
	for at := 0; at < len(raw) && colons < 8; at++ {
		if raw[at] == dialect.TargetStart {
			if n := bytes.IndexByte(raw[at:], dialect.TargetEnd); n >= 0 {
				at += n
			}
			continue
		}
		if raw[at] != ':' {
			continue
		}
		colons++
		r.squeeze(raw[:at])
		// A header of nothing but a picture comes to nothing.
		if r.buf = reduce(r.buf[:0], r.piece); len(r.buf) > 0 && !r.is(r.head, r.piece, r.wide, false) {
			continue
		}
		r.is(r.head, r.piece, r.wide, true)
		r.found(end)
		r.squeeze(raw[at+1:])
		if len(r.piece) > 0 && !r.is(r.body, r.piece, r.wide, true) {
			r.join(end)
		}
		return true
	}
	return false
}

// is reports whether text is what a cell says that was not found yet, and takes
// note of it. Where take is not set it only tells whether some cell says so.
// wide is text with the addresses behind its labels.
func (r *tableReader) is(in *cells, text, wide []byte, take bool) bool {
	if k := in.exact[string(text)]; k != nil && (k.n > 0 || !take) {
		if take {
			k.n--
			r.left--
		}
		return true
	}
	if len(in.full) == 0 {
		return false
	}
	for _, form := range [...][]byte{wide, text} { // an address may be its own label
		r.buf = reduce(r.buf[:0], form)
		k := in.full[string(r.buf)]
		if k == nil || take && (k.n == 0 || k.text.n == 0) {
			continue
		}
		if take {
			if k.n--; !k.text.only {
				k.text.n--
				r.left--
			}
			for _, s := range k.targets {
				r.seen(s)
			}
		}
		return true
	}
	// r.buf is the reduced text.
	if k := in.reduced[string(r.buf)]; k != nil && (k.n > 0 || !take) {
		if take {
			k.n--
			r.left--
		}
		return true
	}
	return false
}

func (r *tableReader) seen(target string) {
	if was, ok := r.targets[target]; ok && !was {
		r.targets[target] = true
		r.unseen--
	}
}

// addresses takes note of the addresses behind labels, and of one in a list
// under a grid.
func (r *tableReader) addresses(raw []byte) {
	if r.unseen == 0 {
		return
	}
	for at := 0; ; {
		n := bytes.IndexByte(raw[at:], dialect.TargetStart)
		if n < 0 {
			break
		}
		at += n + 1
		end := bytes.IndexByte(raw[at:], dialect.TargetEnd)
		if end < 0 {
			break
		}
		r.seen(string(squeeze(nil, raw[at:at+end], true)))
		at += end
	}
	if bytes.IndexByte(raw, ']') > 0 {
		r.listed(squeeze(nil, raw, false))
	}
}

// listed takes note of an address that stands as "[n] address".
func (r *tableReader) listed(line []byte) {
	for r.unseen > 0 {
		k := mark(line)
		if k == 0 {
			break
		}
		line = line[k:]
	}
	end := bytes.IndexByte(line, ']')
	if end < 2 || line[0] != '[' || !digits(line[1:end]) {
		return
	}
	r.seen(string(line[end+1:]))
}

func digits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return len(b) > 0
}
