package outline

import (
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/card"
)

// The bounds of what gets a form of its own.
const (
	maxColumns = 12  // of a table
	longText   = 240 // bytes of a text that gets a section instead of a pair
	worthwhile = 8   // nodes that must be left for the parts of an object
)

// A writer writes nodes until its budget is used up. What stands beside each
// other in pairs takes one node; as long as no such list is open, a node is left
// for one.
type writer struct {
	left  int
	out   []card.Node
	pairs []card.Pair // the open list
}

// body writes members: what is a form of its own as that, what is not, or does not
// fit, as pairs. The pairs of an object come first: behind a section they would look
// like a part of it. numbered says how the elements of an array are called; it is
// nil for an object.
func (w *writer) body(members []Member, depth int, numbered func(int) string) []card.Node {
	if numbered == nil {
		members = pairsFirst(members)
	}
	units := unitsOf(members)
	for i, m := range members {
		v := m.Value
		if units[i] == isUnit {
			continue
		}
		name, label := m.Name, ""
		if numbered != nil {
			name, label = strconv.Itoa(i+1), numbered(i)
		} else {
			label = Label(name)
		}
		switch {
		case v.cost > 0 && v.cost < w.left && v.depth <= depth:
			w.node(full(v, label), v.cost)
		case v.Kind == Object && v.cost > 0 && w.left > worthwhile && depth > 2:
			// Too much as a whole: its parts, as far as they go.
			title, rest := titleOf(v, label)
			inner := writer{left: w.left - 2}
			nodes := inner.body(rest, depth-1, nil)
			w.node(card.New(card.Section{Title: title}, nodes...), 1+w.left-2-inner.left)
		case v.Kind == Scalar:
			p := pair(label, v)
			if u := units[i]; u >= 0 {
				p.Unit, _ = members[u].Value.Text()
			}
			w.add(p)
		case len(v.Members) == 0:
			w.add(card.Pair{Key: label, Value: card.Null()})
		default:
			w.flatten(v, []string{name})
		}
	}
	w.close()
	return w.out
}

// pairsFirst is members with those that cost nothing before the others.
func pairsFirst(members []Member) []Member {
	out := make([]Member, 0, len(members))
	for _, m := range members {
		if m.Value.cost == 0 {
			out = append(out, m)
		}
	}
	for _, m := range members {
		if m.Value.cost > 0 {
			out = append(out, m)
		}
	}
	return out
}

// node writes a node that takes cost nodes, its children included.
func (w *writer) node(n card.Node, cost int) {
	w.close()
	w.out = append(w.out, n)
	w.left -= cost
}

// add writes a pair. A list that is full goes on in another one, for which Nodes
// keeps the room.
func (w *writer) add(p card.Pair) {
	switch len(w.pairs) {
	case 0:
		w.left--
	case card.MaxArray:
		w.close()
	}
	w.pairs = append(w.pairs, p)
}

func (w *writer) close() {
	if w.pairs != nil {
		w.out = append(w.out, card.New(card.KeyValue{Items: w.pairs}))
		w.pairs = nil
	}
}

// flatten writes every scalar within v as a pair whose key is its path; elements
// count from 1.
func (w *writer) flatten(v Value, path []string) {
	switch {
	case v.Kind == Scalar:
		w.add(pair(Path(path...), v))
		return
	case len(v.Members) == 0:
		w.add(card.Pair{Key: Path(path...), Value: card.Null()})
		return
	}
	for i, m := range v.Members {
		name := m.Name
		if v.Kind == Array {
			name = strconv.Itoa(i + 1)
		}
		w.flatten(m.Value, append(path[:len(path):len(path)], name))
	}
}

// pair is a scalar with its name; an address links to itself.
func pair(label string, v Value) card.Pair {
	p := card.Pair{Key: label, Value: v.Scalar}
	if s, ok := v.Text(); ok && address(s) {
		p.URL = s
	}
	return p
}

func address(s string) bool {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(s, "http://")
	}
	return ok && rest != "" && !strings.ContainsAny(s, " \t\r\n")
}

// isUnit marks a member that is the unit of another one.
const isUnit = -2

// unitsOf says of each member which other one is its unit, -1 for none: "weight"
// and "weight_unit" are one value.
func unitsOf(members []Member) []int {
	units := make([]int, len(members))
	any := false
	for i, m := range members {
		units[i] = -1
		any = any || strings.HasSuffix(m.Name, "_unit")
	}
	if !any {
		return units
	}
	at := make(map[string]int, len(members))
	for i, m := range members {
		if _, twice := at[m.Name]; !twice {
			at[m.Name] = i
		}
	}
	for i, m := range members {
		of, ok := strings.CutSuffix(m.Name, "_unit")
		s, isText := m.Value.Text()
		if !ok || !isText || s == "" || units[i] != -1 {
			continue
		}
		if j, there := at[of]; there && units[j] == -1 && members[j].Value.Kind == Scalar && members[j].Value.cost == 0 {
			units[j], units[i] = i, isUnit
		}
	}
	return units
}
