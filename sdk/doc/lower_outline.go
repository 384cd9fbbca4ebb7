package doc

import (
	"strconv"
	"strings"
)

// maxOutline bounds how deep an outline may nest.
const maxOutline = 32

// An outlineItem is one line of an outline, with those that continue it.
type outlineItem struct {
	lines  []string
	indent int
	number string // "12." where the line is numbered
	marked bool   // it has a bullet or a number
	task   Task
	below  []*outlineItem
}

// outline reads lines that nest by their indentation, with bullets, numbers or
// nothing before them. A line without a mark that is indented below a line with
// one goes on with its text. It gives nil for what has no such form: nothing at
// all, a tree drawn with lines, or one that nests too deep.
func outline(id ID, source string) Block {
	root := &outlineItem{indent: -1}
	open := []*outlineItem{root} // the innermost item at each indentation
	for l := range strings.SplitSeq(source, "\n") {
		if strings.TrimSpace(l) == "" {
			continue
		}
		it := outlineLine(l)
		if it == nil {
			return nil
		}
		if last := open[len(open)-1]; !it.marked && last.marked && it.indent > last.indent {
			last.lines = append(last.lines, it.lines...)
			continue
		}
		for open[len(open)-1].indent >= it.indent {
			open = open[:len(open)-1]
		}
		parent := open[len(open)-1]
		parent.below = append(parent.below, it)
		if open = append(open, it); len(open) > maxOutline {
			return nil
		}
	}
	if len(root.below) == 0 {
		return nil
	}
	return outlineList(id, root.below)
}

// outlineLine reads one line, nil if it belongs to a drawing.
func outlineLine(l string) *outlineItem {
	it := &outlineItem{}
	i := 0
	for ; i < len(l) && (l[i] == ' ' || l[i] == '\t'); i++ {
		if it.indent++; l[i] == '\t' {
			it.indent = (it.indent + 3) / 4 * 4
		}
	}
	s := strings.TrimRight(l[i:], " \t")
	if strings.HasPrefix(s, "│") || strings.HasPrefix(s, "├") || strings.HasPrefix(s, "└") || strings.HasPrefix(s, "|-") || strings.HasPrefix(s, "+-") {
		return nil
	}
	mark, rest, spaced := strings.Cut(s, " ")
	switch mark {
	case "-", "*", "+", "•":
		it.marked = true
	default:
		n := strings.TrimRight(mark, ".)")
		if len(n) == len(mark)-1 && len(n) <= 9 && n != "" && strings.Trim(n, "0123456789") == "" {
			it.marked, it.number = true, mark
		}
	}
	if it.marked {
		s = ""
		if spaced {
			s = strings.TrimLeft(rest, " \t")
		}
		if len(s) > 3 && s[0] == '[' && s[2] == ']' && s[3] == ' ' {
			switch s[1] {
			case ' ':
				it.task, s = TaskOpen, s[4:]
			case 'x', 'X':
				it.task, s = TaskDone, s[4:]
			}
		}
	}
	it.lines = []string{s}
	return it
}

func outlineList(id ID, items []*outlineItem) *List {
	b := &List{ID: id}
	b.Start, b.Ordered = outlineStart(items)
	for i, it := range items {
		at := id.Child(i + 1)
		if it.number != "" && !b.Ordered {
			it.lines[0] = strings.TrimRight(it.number+" "+it.lines[0], " ") // numbers that do not count stay as they are
		}
		item := Item{Task: it.task}
		if text := lines(strings.Join(it.lines, "\n")); len(text) > 0 {
			item.Blocks = append(item.Blocks, &Paragraph{ID: at.Child(1), Inlines: text})
		}
		if len(it.below) > 0 {
			item.Blocks = append(item.Blocks, outlineList(at.Child(2), it.below))
		}
		b.Items = append(b.Items, item)
	}
	return b
}

// outlineStart reports whether items count up one by one, and from where.
func outlineStart(items []*outlineItem) (start int, ok bool) {
	for i, it := range items {
		if it.number == "" {
			return 0, false
		}
		digits := it.number[:len(it.number)-1]
		n, err := strconv.Atoi(digits)
		if err != nil || strconv.Itoa(n) != digits {
			return 0, false
		}
		if i == 0 {
			start = n
		} else if n != start+i {
			return 0, false
		}
	}
	return start, true
}
