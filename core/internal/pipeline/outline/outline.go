package outline

import (
	"strings"

	"github.com/seed-1ae66336/vak/sdk/card"
)

// Tree is the outline of a payload. Its title is the payload's own, a text, or
// else the given one.
func Tree(payload []byte, title string) card.Tree {
	v, err := Parse(payload)
	if err != nil || v.Kind != Object {
		text := string(payload)
		if s, ok := v.Text(); ok {
			text = s
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
		return card.Of(card.UniversalCard{Title: title}, card.New(card.Text{Text: text}))
	}
	var root card.UniversalCard
	own, rest, ok := Take(v.Members, "title")
	root.Title = own
	if !ok {
		root.Title = title
	}
	root.Summary, rest, _ = Take(rest, "summary")
	if len(v.Members) == 0 {
		return card.Of(root, card.New(card.Empty{Text: "Nothing is in it."}))
	}
	return card.Of(root, Nodes(rest, card.MaxNodes-1, card.MaxDepth-1)...)
}

// Take takes the first member of a name out of members, if it is a text that says
// something. It leaves the given slice as it is.
func Take(members []Member, name string) (text string, rest []Member, ok bool) {
	for i, m := range members {
		if m.Name != name {
			continue
		}
		if s, is := m.Value.Text(); is && strings.TrimSpace(s) != "" {
			rest = append(rest, members[:i]...)
			return s, append(rest, members[i+1:]...), true
		}
		break
	}
	return "", members, false
}

// Nodes are the outline of an object's members: at most budget nodes, at most
// depth within each other. Both are 1 at least.
func Nodes(members []Member, budget, depth int) []card.Node {
	pairs := 0
	for _, m := range members {
		pairs += m.Value.scalars
	}
	w := writer{left: max(budget-pairs/card.MaxArray, 1)}
	return w.body(members, max(depth, 1), nil)
}
