package outline

import (
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/card"
)

// A form is what a value looks like if there is room.
type form byte

const (
	asPair    form = iota // beside other pairs
	asText                // a section with a text
	asList                // a section with a list of texts
	asTable               // a section with a table
	asSection             // a section with a body
)

// formOf is the form that suits v.
func formOf(v Value) form {
	switch {
	case v.Kind == Scalar:
		if s, ok := v.Text(); ok && (len(s) > longText || strings.Contains(s, "\n")) {
			return asText
		}
		return asPair
	case len(v.Members) == 0:
		return asPair
	case v.Kind == Object:
		return asSection
	}
	list, table, filled := true, true, 0
	columns := map[string]bool{}
	for _, m := range v.Members {
		_, text := m.Value.Text()
		list = list && (text || m.Value.Kind == Scalar && m.Value.Scalar.IsNumber())
		table = table && m.Value.Kind == Object && len(m.Value.Members) > 0 && len(m.Value.Members) <= maxColumns
		if !list && !table {
			return asSection
		}
		if table {
			for i, c := range m.Value.Members {
				table = table && c.Value.Kind == Scalar && !named(m.Value.Members[:i], c.Name)
				if !columns[c.Name] {
					columns[c.Name] = true
				}
				filled++
			}
			table = table && len(columns) <= maxColumns
		}
	}
	switch {
	case list:
		return asList
	case table && 2*filled >= len(columns)*len(v.Members):
		return asTable
	}
	return asSection
}

func named(members []Member, name string) bool {
	for _, m := range members {
		if m.Name == name {
			return true
		}
	}
	return false
}

// measure fills in what the full form of v takes, and how much is in it. What is a
// pair costs nothing of its own.
func measure(v *Value) {
	for _, m := range v.Members {
		v.scalars += m.Value.scalars
	}
	v.scalars = max(v.scalars, 1)
	switch formOf(*v) {
	case asText, asList, asTable:
		v.cost, v.depth = 2, 2
	case asSection:
		_, members := titleOf(*v, "")
		units := unitsOf(members)
		v.cost, v.depth = 1, 1
		open := false
		for i, m := range members {
			switch {
			case units[i] == isUnit:
			case m.Value.cost > 0:
				v.cost += m.Value.cost
				v.depth = max(v.depth, 1+m.Value.depth)
				open = false
			case !open:
				v.cost++
				v.depth = max(v.depth, 2)
				open = true
			}
		}
	}
}

// full is v in its form, whatever that takes.
func full(v Value, label string) card.Node {
	switch formOf(v) {
	case asText:
		text, _ := v.Text()
		return card.New(card.Section{Title: label}, card.New(card.Text{Text: text}))
	case asList:
		items := make([]card.ListItem, len(v.Members))
		for i, m := range v.Members {
			items[i].Text = m.Value.Scalar.String()
			if address(items[i].Text) {
				items[i].URL = items[i].Text
			}
		}
		return card.New(card.Section{Title: label}, card.New(card.List{Items: items}))
	case asTable:
		return card.New(card.Section{Title: label}, card.New(table(v)))
	}
	title, members := titleOf(v, label)
	var numbered func(int) string
	if v.Kind == Array {
		numbered = func(i int) string { return label + " " + strconv.Itoa(i+1) }
	}
	w := writer{left: 2*v.cost + 2}
	return card.New(card.Section{Title: title}, w.body(members, v.depth, numbered)...)
}

// table is an array of objects of scalars.
func table(v Value) card.Table {
	var t card.Table
	at := map[string]int{}
	for _, m := range v.Members {
		for _, c := range m.Value.Members {
			if _, there := at[c.Name]; !there {
				at[c.Name] = len(t.Columns)
				t.Columns = append(t.Columns, card.Column{Key: c.Name, Label: Label(c.Name), Numeric: true})
			}
		}
	}
	for _, m := range v.Members {
		row := make([]card.Scalar, len(t.Columns))
		for _, c := range m.Value.Members {
			i := at[c.Name]
			row[i] = c.Value.Scalar
			if !c.Value.Scalar.IsNumber() && !c.Value.Scalar.IsNull() {
				t.Columns[i].Numeric = false
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// titleOf is what a section is called, and its other members. An element of an
// array goes by its own name if it has one, a member by that of its place.
func titleOf(v Value, label string) (string, []Member) {
	if v.Kind == Object && v.element {
		for _, name := range []string{"title", "name", "label"} {
			if s, rest, ok := Take(v.Members, name); ok && len(s) <= longText && !strings.Contains(s, "\n") {
				return s, rest
			}
		}
	}
	return label, v.Members
}
