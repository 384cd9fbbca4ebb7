package compile

import "github.com/seed-1ae66336/vak/sdk/doc"

// A slab hands out memory from large pieces. A document is kept or dropped as a
// whole, so nothing is ever given back.
type slab[T any] struct {
	free []T
	last int
}

func (s *slab[T]) new() *T { return &s.take(1)[0] }

func (s *slab[T]) take(n int) []T {
	if len(s.free) < n {
		// Each piece is twice the former, so that small documents stay small.
		s.last = max(n, min(2*s.last, 512), 8)
		s.free = make([]T, s.last)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

// memory holds the slabs for the nodes that a document has many of.
type memory struct {
	blocks     slab[doc.Block]
	inlines    slab[doc.Inline]
	paragraphs slab[doc.Paragraph]
	texts      slab[doc.Text]
	strongs    slab[doc.Strong]
	emphases   slab[doc.Emphasis]
	spans      slab[doc.CodeSpan]
	links      slab[doc.Link]
	cells      slab[doc.Cell]
}

// Breaks carry nothing but their kind, and a document is immutable.
var (
	softBreak doc.Inline = &doc.Break{}
	hardBreak doc.Inline = &doc.Break{Hard: true}
)
