package cover

import (
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A block is a block of the document with what the check knows of it.
type block struct {
	doc.Block
	id      doc.ID
	parent  int // index of the block around it, -1 at the top
	first   int // index of the first chunk that names it or a block below it, -1: none does
	last    int // and of the last
	named   bool
	visible bool // there is something to see in it or below it
	room
}

// index lists all blocks of d, each before those below it, with the room that
// they give. grid is how wide a table may be.
func index(d *doc.Document, grid int) []block {
	var out []block
	var walk func(bs []doc.Block, parent, deep int)
	walk = func(bs []doc.Block, parent, deep int) {
		for _, b := range bs {
			at := len(out)
			out = append(out, block{Block: b, id: b.BlockID(), parent: parent, first: -1, last: -1})
			out[at].furnish(deep, grid)
			switch b := b.(type) {
			case *doc.List:
				for i := range b.Items {
					from := len(out)
					walk(b.Items[i].Blocks, at, deep+1)
					if from == len(out) {
						from = at
					}
					out[from].more += roomItem // in the chunk with the start of the item
				}
			case *doc.Quote:
				walk(b.Blocks, at, deep+1)
			case *doc.Callout:
				walk(b.Blocks, at, deep+1)
			case *doc.Citations:
				for i := range b.Items {
					walk(b.Items[i].Blocks, at, deep+1)
				}
			}
		}
	}
	walk(d.Blocks, -1, 0)
	return out
}

// A finder finds blocks by their ids when these come in document order, as
// those of parts and of chunks do: the block at hand, one around it, or one
// further on.
type finder struct {
	blocks []block
	at     int
	work   int
}

func (f *finder) find(id doc.ID) int {
	if f.at >= len(f.blocks) {
		return -1
	}
	for i := f.at; i >= 0; i = f.blocks[i].parent {
		if f.blocks[i].id == id {
			return i
		}
	}
	for i := f.at + 1; i < len(f.blocks); i++ {
		if f.blocks[i].id == id {
			f.at = i
			return i
		}
	}
	f.work += len(f.blocks) - f.at
	return -1
}

// anywhere finds a block that may stand before the one at hand too, for ids
// that are in document order but for a few.
func (f *finder) anywhere(id doc.ID) int {
	if f.spent() {
		return -1
	}
	i := f.find(id)
	if i < 0 {
		f.work += f.at
		f.at = 0
		i = f.find(id)
	}
	return i
}

// spent reports whether more was looked for in vain than a few ids account for.
func (f *finder) spent() bool { return f.work > 1<<16+16*len(f.blocks) }

// locate notes which chunks name which block. A chunk that names a block names
// all below it too, and those around it are implied.
func (c *checker) locate(chunks []surface.Chunk) {
	at := finder{blocks: c.blocks}
	for n := range chunks {
		for _, id := range chunks[n].Blocks {
			i := -1
			if !at.spent() {
				i = at.find(id)
			}
			if i < 0 {
				c.lose(Loss{Block: id, Chunk: n, What: UnknownBlock})
				continue
			}
			b := &c.blocks[i]
			b.named = true
			b.spread(n, n)
		}
	}
	for i := range c.blocks {
		if p := c.blocks[i].parent; p >= 0 && c.blocks[p].named {
			c.blocks[i].named = true
			if !c.blocks[i].direct() {
				c.blocks[i].spread(c.blocks[p].first, c.blocks[p].last)
			}
		}
	}
	for i := len(c.blocks) - 1; i >= 0; i-- {
		if b := &c.blocks[i]; b.parent >= 0 && b.first >= 0 {
			c.blocks[b.parent].spread(b.first, b.last)
		}
	}
}

// direct reports whether a chunk names b itself.
func (b *block) direct() bool { return b.first >= 0 }

func (b *block) spread(first, last int) {
	if b.first < 0 || first < b.first {
		b.first = first
	}
	if last > b.last {
		b.last = last
	}
}
