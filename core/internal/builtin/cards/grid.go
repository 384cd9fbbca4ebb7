package cards

import (
	"maps"
	"slices"
	"strconv"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/outline"
	"github.com/seed-1ae66336/vak/sdk/card"
)

// maxCells bounds a table, as it does in a document. Rows that leave cells out
// would otherwise come to more than they weigh.
const maxCells = 200_000

type tablePayload struct {
	Title   string
	Summary string
	Caption string
	Columns []struct {
		Key       string
		Label     string
		IsNumeric *bool `json:"isNumeric"`
	}
	Rows []map[string]card.Scalar
}

// comparisons are the types whose columns are what is compared.
var comparisons = []string{"comparison", "comparison_table", "pros_cons", "decision_matrix", "criteria_matrix", "tradeoff_analysis"}

func table(typ string, p tablePayload) card.Tree {
	columns := make([]card.Column, len(p.Columns))
	rows := make([][]card.Scalar, len(p.Rows))
	for i, r := range p.Rows {
		last := 0
		row := make([]card.Scalar, len(columns))
		for j, c := range p.Columns {
			if cell, ok := r[c.Key]; ok {
				row[j], last = cell, j+1
			}
		}
		rows[i] = row[:last:last] // the cells behind it are absent anyway
	}
	for j, c := range p.Columns {
		columns[j] = card.Column{Key: c.Key, Label: c.Label, Numeric: numeric(rows, j)}
		if c.Label == "" {
			columns[j].Label = outline.Label(c.Key)
		}
		if c.IsNumeric != nil {
			columns[j].Numeric = *c.IsNumeric
		}
	}
	var node card.Node
	if len(columns) > 1 && slices.Contains(comparisons, typ) {
		node = card.New(card.Comparison{Caption: p.Caption, Columns: columns, Rows: rows})
	} else {
		node = card.New(card.Table{Caption: p.Caption, Columns: columns, Rows: rows})
	}
	return stack(p.Title, p.Summary, node)
}

// numeric reports whether a column has numbers and nothing else.
func numeric(rows [][]card.Scalar, column int) bool {
	found := false
	for _, r := range rows {
		if column < len(r) && !r[column].IsZero() && !r[column].IsNull() {
			if !r[column].IsNumber() {
				return false
			}
			found = true
		}
	}
	return found
}

// checkTable holds keys to be unique, and rows to the keys of the columns.
func checkTable(p tablePayload, found *problems) {
	declared := map[string]bool{}
	for i, c := range p.Columns {
		if declared[c.Key] {
			found.add("/columns/"+strconv.Itoa(i)+"/key", "expected a key that no other column has")
		}
		declared[c.Key] = true
	}
	if len(p.Columns)*len(p.Rows) > maxCells {
		found.add("/rows", "expected 200,000 cells at most, columns times rows")
	}
	for i, r := range p.Rows {
		for _, key := range slices.Sorted(maps.Keys(r)) {
			if !declared[key] {
				found.add(card.Pointer("/rows/"+strconv.Itoa(i), key), "there is no such member; no column has this key")
			}
		}
		if found.full() {
			return
		}
	}
}
