package cover

import (
	"bytes"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// excess finds what the chunks show beyond what the document accounts for: one
// by itself, beyond the blocks that it names, and all together.
func (c *checker) excess(h *haystack) {
	chunks := len(h.start) - 1
	if chunks == 0 {
		return
	}
	base := roomAnswer + c.actions
	change := make([]int, chunks+1) // from one chunk to the next, of what the blocks in it account for
	parted := map[[2]int]int{}      // by first and last chunk: what blocks in several say again
	most, at := base, 0
	for i := range c.blocks {
		b := &c.blocks[i]
		first, last := b.first, b.last
		if first < 0 { // no chunk names a line between two blocks
			first, last = at, min(at+1, chunks-1)
		} else if first < last {
			k := [2]int{first, last}
			parted[k] = max(parted[k], b.again)
		}
		at = last
		most += b.own + b.more
		change[first] += b.own + b.more
		change[last+1] -= b.own + b.more
	}
	again := make([]int, chunks)
	for k, room := range parted {
		for n := k[0] + 1; n <= k[1]; n++ {
			again[n] = max(again[n], room)
		}
	}
	total, here := 0, 0
	for n := range chunks {
		shown := h.shown(n)
		total += shown
		here += change[n]
		most += roomChunk + again[n]
		if shown > base+here+again[n] {
			c.lose(Loss{Chunk: n, What: Excess})
		}
	}
	if total > most {
		c.lose(Loss{Chunk: -1, What: Excess})
	}
}

// shown returns how many characters are seen in chunk n. What is reached by
// touching a label is not seen.
func (h *haystack) shown(n int) int {
	b, sum := h.text[h.start[n]:h.start[n+1]], 0
	for {
		k := bytes.IndexByte(b, dialect.TargetStart)
		if k < 0 {
			return sum + weigh(b)
		}
		sum += weigh(b[:k])
		if k = bytes.IndexByte(b, dialect.TargetEnd); k < 0 {
			return sum
		}
		b = b[k+1:]
	}
}

// How many chunks there may be. Package layout leaves a chunk less than half
// full only if what comes next does not fit it, so that chunks are more than
// half full on average, whatever the limit that fills them.
const (
	// spareChunks are more than there must be, once.
	spareChunks = 4
	// perFull is how many chunks may hold what fills one. Of all that is tested,
	// layout makes 1.8 at most, within a limit of 64.
	perFull = 4
	// perCost is how many chunks may hold as many bytes of the document, and of
	// what may be added to it, as one may hold. Layout makes 4 at most, where each
	// character has to be escaped.
	perCost = 10
)

// crowd finds more chunks than the document needs: chunks that are all but empty,
// or full of what nobody sees.
func (c *checker) crowd(chunks int) {
	cost, spans, apart, named := c.actions, 0, 0, 0
	for i := range c.blocks {
		b := &c.blocks[i]
		cost += b.bytes + b.more
		spans += b.spans + 1
		if b.named {
			named++
		}
		switch b.Kind() {
		case doc.KindTable, doc.KindCode, doc.KindDiff, doc.KindDiagram, doc.KindMedia, doc.KindArtifactRef, doc.KindStructured:
			apart += 2 // it may be a message of its own, and so is what follows
		}
	}
	most := apart + spareChunks
	l := c.profile.Limit
	if l.Max <= 0 && l.MaxBytes <= 0 && l.MaxEntities <= 0 && l.MaxEntityBytes <= 0 {
		most += named
	} else {
		full := max(share(cost, l.Max), share(cost, l.MaxBytes), share(spans, l.MaxEntities), share(cost, l.MaxEntityBytes))
		most += int(min(perFull*c.full, perCost*full))
	}
	if chunks > most {
		c.lose(Loss{Chunk: -1, What: Excess})
	}
}

// share is how much of limit m n takes; none, where there is no limit.
func share(n, m int) float64 {
	if m <= 0 {
		return 0
	}
	return float64(n) / float64(m)
}

// filled is how much of the fullest of the limits a chunk of that size takes.
func filled(size dialect.Size, l surface.Limit) float64 {
	return max(share(Units(size, l), l.Max), share(size.Sent.Bytes, l.MaxBytes),
		share(size.Entities, l.MaxEntities), share(size.EntityBytes, l.MaxEntityBytes))
}
