package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// maxDepth is the deepest nesting that the choice of a cut tells apart.
const maxDepth = 15

// The forms of a chunk.
const (
	textForm  = 0
	plainForm = 1
)

// A node is a construct that is written. Nodes are immutable and point outwards,
// so that a state is copied by copying a pointer.
type node struct {
	up    *node
	tok   int32
	level int // nodes around it
	kind  dialect.ConstructKind
	dent  bool // an indentation, which is no construct
	syn   [2]dialect.Syntax
	on    [2]bool         // the form shows it
	ends  [2]dialect.Size // what closing it and all around it takes
}

// A state is how far a chunk has been written. It is copied by value to come
// back to it.
type state struct {
	top    *node
	last   int32 // the content token written last, -1 for none
	solid  bool  // a reader can see something
	blocks int
	out    [2]output
}

// An output is one form of a chunk as far as it is written.
type output struct {
	n      int // bytes
	size   dialect.Size
	before rune // the last rune
	fresh  bool // at the start of a line, whose prefix is not written yet
	bol    bool // nothing but prefix and marks stand on the line
	opened bool // a construct opened last
}

// A bound is a limit that one form must keep.
type bound struct {
	max      int
	unit     surface.Unit
	visible  bool
	bytes    int
	entities int
	stored   int
}

func bounds(l surface.Limit) [2]bound {
	text := bound{max: l.Max, unit: l.Unit, visible: l.Of == surface.Visible,
		bytes: l.MaxBytes, entities: l.MaxEntities, stored: l.MaxEntityBytes}
	return [2]bound{text, {max: l.Max, unit: l.Unit, bytes: l.MaxBytes}}
}

func (b *bound) any() bool { return b.max > 0 || b.bytes > 0 || b.entities > 0 || b.stored > 0 }

func (b *bound) units(s *dialect.Size) int {
	c := &s.Sent
	if b.visible {
		c = &s.Visible
	}
	switch b.unit {
	case surface.UTF16:
		return c.UTF16
	case surface.Byte:
		return c.Bytes
	}
	return c.Codepoints
}

// holds reports whether num/den of s is within b.
func (b *bound) holds(s *dialect.Size, num int) bool {
	return (b.max == 0 || num*b.units(s) <= b.max) &&
		(b.bytes == 0 || num*s.Sent.Bytes <= b.bytes) &&
		(b.entities == 0 || num*s.Entities <= b.entities) &&
		(b.stored == 0 || num*s.EntityBytes <= b.stored)
}

// total is the size of form k of s when all that is open is closed.
func (s *state) total(k int) dialect.Size {
	t := s.out[k].size
	if s.top != nil {
		t = t.Add(s.top.ends[k])
	}
	return t
}

// fits reports whether s, closed, is within the limits.
func (c *cutter) fits(s *state) bool {
	for k := range c.forms {
		t := s.total(k)
		if !c.bound[k].holds(&t, 1) {
			return false
		}
	}
	return true
}

// half reports whether s, closed, is at least half full by any limit. Behind a
// chunk that is not, it has to be fuller, or the two would fit in one.
func (c *cutter) half(s *state) bool {
	if c.least > 0 {
		if t := s.total(textForm); c.bound[textForm].units(&t) <= c.least {
			return false
		}
	}
	for k := range c.forms {
		t := s.total(k)
		if !c.bound[k].holds(&t, 2) {
			return true
		}
		if m := c.bound[k].max; m > 0 && 2*c.bound[k].units(&t) == m {
			return true
		}
	}
	return false
}

// blank reports whether r alone shows nothing.
func blank(r rune) bool {
	if r < utf8.RuneSelf {
		return r <= ' '
	}
	switch {
	case unicode.IsSpace(r), unicode.Is(unicode.Cf, r), r == '\u2800', r == '\ufffc', r == '\u3164', r == '\u115f':
		return true
	}
	return false
}

func visible(s string) bool {
	for _, r := range s {
		if !blank(r) {
			return true
		}
	}
	return false
}

// prefix is what lines start with inside of n in form k.
func (n *node) prefix(k int) string {
	flush, outside := false, false
	parts := make([]string, 0, 4)
	for ; n != nil; n = n.up {
		switch {
		case n.dent:
			if !flush && n.syn[k].Line != "" {
				parts = append(parts, n.syn[k].Line)
			}
		case n.on[k]:
			flush = flush || n.syn[k].Flush
			outside = outside || n.syn[k].Outside
			if n.syn[k].Line != "" && !outside && !(flush && n.syn[k].Soft) {
				parts = append(parts, n.syn[k].Line)
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	var sb strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		sb.WriteString(parts[i])
	}
	return sb.String()
}
