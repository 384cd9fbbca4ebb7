package cover

import (
	"slices"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// form checks what must hold of each chunk by itself: characters and sizes. It
// reports whether the chunks can be read back.
func (c *checker) form(p surface.Profile, r surface.Rendering, k dialect.Dialect) bool {
	readable := true
	for i := range r.Chunks {
		ch := &r.Chunks[i]
		switch {
		case !utf8.ValidString(ch.Text) || !utf8.ValidString(ch.Plain):
			c.lose(Loss{Chunk: i, What: InvalidUTF8})
			readable = false
		case hasControl(ch.Text) || hasControl(ch.Plain):
			c.lose(Loss{Chunk: i, What: Control})
			readable = false
		}
		// The plain form is a message of its own where the other is refused.
		var size dialect.Size
		full := 0.0
		if p.Limit != (surface.Limit{}) || k == dialect.PlainText {
			if size = dialect.PlainText.Measure([]byte(ch.Plain)); !Within(size, p.Limit) {
				c.lose(Loss{Chunk: i, What: PlainTooLong})
			}
			full = filled(size, p.Limit)
		}
		if k != nil && (k != dialect.PlainText || ch.Plain != ch.Text) {
			size = k.Measure([]byte(ch.Text))
		} else if k == nil {
			// What of an unknown dialect is visible cannot be told; what is
			// sent can.
			size = dialect.PlainText.Measure([]byte(ch.Text))
		}
		if k != nil || p.Limit.Of != surface.Visible {
			if !Within(size, p.Limit) {
				c.lose(Loss{Chunk: i, What: TooLong})
			}
			full = max(full, filled(size, p.Limit))
		}
		c.full += full
		c.report.Sizes = append(c.report.Sizes, size)
	}
	return readable
}

// hasControl reports whether s holds a control character that is not sent.
func hasControl(s string) bool {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := load(s[i : i+8])
		del := x ^ 0x7f7f7f7f7f7f7f7f
		below := (x - 0x2020202020202020) &^ x
		if (below|(del-0x0101010101010101)&^del)&0x8080808080808080 == 0 {
			continue
		}
		if slices.ContainsFunc([]byte(s[i:i+8]), isControl) {
			return true
		}
	}
	return slices.ContainsFunc([]byte(s[i:]), isControl)
}

func isControl(c byte) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }

// Within reports whether size keeps every bound of l.
func Within(size dialect.Size, l surface.Limit) bool {
	return fits(Units(size, l), l.Max) && fits(size.Sent.Bytes, l.MaxBytes) &&
		fits(size.Entities, l.MaxEntities) && fits(size.EntityBytes, l.MaxEntityBytes)
}

func fits(n, most int) bool { return most <= 0 || n <= most }

// Units is the length of a chunk as l counts it.
func Units(size dialect.Size, l surface.Limit) int {
	n := size.Sent
	if l.Of == surface.Visible {
		n = size.Visible
	}
	switch l.Unit {
	case surface.UTF16:
		return n.UTF16
	case surface.Byte:
		return n.Bytes
	}
	return n.Codepoints
}
