package layout

import (
	"sync"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A memory is what rendering a document needs and the result does not keep. It
// is lent from one rendering to the next: for a short answer, making it anew
// took more time than the answer.
type memory struct {
	toks  []token
	cons  []dialect.Construct
	ids   []doc.ID
	texts []textMark
	buf   [2][]byte
	slabs [][]node
	slab  int // the slab that nodes are taken from
	used  int // nodes taken from it
}

var memories = sync.Pool{New: func() any { return new(memory) }}

func borrow() *memory { return memories.Get().(*memory) }

// keep takes the slices back that w and c have grown.
func (m *memory) keep(w *walk, c *cutter) {
	m.toks, m.cons, m.ids = w.toks, w.cons, w.ids
	m.texts, m.buf = c.texts, c.buf
}

// mostLent is how many tokens a memory may hold that is lent again.
const mostLent = 1 << 16

// giveBack ends the loan. Nothing of the document is held on to.
func (m *memory) giveBack() {
	if cap(m.toks) > mostLent || cap(m.buf[0]) > mostLent || len(m.slabs) > 64 {
		return
	}
	clear(m.toks)
	clear(m.cons)
	clear(m.ids)
	clear(m.texts[:cap(m.texts)])
	for i := 0; i <= m.slab && i < len(m.slabs); i++ {
		clear(m.slabs[i])
	}
	m.toks, m.cons, m.ids, m.texts = m.toks[:0], m.cons[:0], m.ids[:0], m.texts[:0]
	m.buf[0], m.buf[1] = m.buf[0][:0], m.buf[1][:0]
	m.slab, m.used = 0, 0
	memories.Put(m)
}

// node returns a node that nobody uses.
func (m *memory) node() *node {
	const size = 32
	if m.slab == len(m.slabs) {
		m.slabs = append(m.slabs, make([]node, size))
	}
	n := &m.slabs[m.slab][m.used]
	if m.used++; m.used == size {
		m.slab, m.used = m.slab+1, 0
	}
	return n
}
