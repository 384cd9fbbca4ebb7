package compile

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// list builds a list. Its number is the one that the author wrote, so that lists
// which something interrupts go on counting as they did in the source. An empty
// item stays: its number or bullet is what the author wrote.
func (b *builder) list(sc *scope, n *ast.List) doc.Block {
	l := &doc.List{ID: sc.next(), Ordered: n.IsOrdered()}
	if l.Ordered {
		l.Start = n.Start
	}
	l.Items = make([]doc.Item, 0, n.ChildCount())
	for c := n.FirstChild(); c != nil && b.count(1); c = c.NextSibling() {
		in := sc.inner(l.ID + doc.ID("."+strconv.Itoa(len(l.Items)+1)))
		mark := len(b.stack)
		var item doc.Item
		first := c.FirstChild()
		if first != nil && isText(first) {
			text := b.st.leaf(first.Lines())
			item.Task, text = taskState(text)
			b.paragraph(&in, text)
			first = first.NextSibling()
		}
		b.blocks(&in, first)
		b.closeScope(&in)
		item.Blocks = b.take(mark)
		l.Items = append(l.Items, item)
	}
	return l
}

func isText(n ast.Node) bool {
	switch n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return true
	}
	return false
}

// taskState reads the box of a task at the start of an item.
func taskState(s string) (doc.Task, string) {
	if len(s) < 4 || s[0] != '[' || s[2] != ']' || s[3] != ' ' && s[3] != '\t' && s[3] != '\n' {
		return doc.NoTask, s
	}
	switch s[1] {
	case ' ':
		return doc.TaskOpen, strings.TrimLeft(s[4:], " \t")
	case 'x', 'X':
		return doc.TaskDone, strings.TrimLeft(s[4:], " \t")
	}
	return doc.NoTask, s
}
