package cli

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

const tabStop = 4

// box appends text in a box with head in its upper border. A line of text that
// is wider than the box goes on in the next, marked at the left, so that the
// chunk's own lines stay apart from those of the box.
func (l look) box(dst []byte, head, text string) []byte {
	inner := l.width - 4
	dst = l.paint(dst, dim, "┌─ ")
	head = truncate(head, l.width-6)
	dst = l.paint(dst, bold, head)
	dst = l.paint(dst, dim, " "+strings.Repeat("─", max(l.width-2-displaywidth.String("┌─ "+head), 0))+"┐")
	dst = append(dst, '\n')
	for line := range strings.SplitSeq(text, "\n") {
		mark := "│ "
		for piece := range wrap(visible(expandTabs(line)), inner) {
			dst = l.paint(dst, dim, mark)
			dst = append(dst, piece...)
			// Measured with the mark: what starts with a combining character
			// joins the blank before it.
			dst = append(dst, strings.Repeat(" ", max(l.width-2-displaywidth.String(mark+piece), 0))...)
			dst = l.paint(dst, dim, " │")
			dst = append(dst, '\n')
			mark = "│↪"
		}
	}
	dst = l.paint(dst, dim, "└"+strings.Repeat("─", l.width-2)+"┘")
	return append(dst, '\n')
}

// wrap cuts a line into pieces of at most width columns, after a space where
// one is near, else between grapheme clusters. An empty line is one piece.
func wrap(line string, width int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for {
			cut := cutAt(line, width)
			if !yield(line[:cut]) || cut == len(line) {
				return
			}
			line = line[cut:]
		}
	}
}

// cutAt is where the first piece of line ends.
func cutAt(line string, width int) int {
	at, used, space := 0, 0, 0
	for g := displaywidth.StringGraphemes(line); g.Next(); {
		w := g.Width()
		if used+w > width && at > 0 {
			if space > at/2 {
				return space
			}
			return at
		}
		at, used = at+len(g.Value()), used+w
		if g.Value() == " " {
			space = at
		}
	}
	return len(line)
}

func truncate(s string, width int) string {
	return displaywidth.TruncateString(s, width, "…")
}

func expandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	col := 0
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		if g.Value() == "\t" {
			n := tabStop - col%tabStop
			b.WriteString(strings.Repeat(" ", n))
			col += n
			continue
		}
		b.WriteString(g.Value())
		col += g.Width()
	}
	return b.String()
}
