package card

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// What is made of figures and tables.

// figure is a metric in one line.
func (l *lowerer) figure(b Metric) []doc.Inline {
	ins := join(l.key(b.Label), l.line(amount(b.Value, b.Unit)), l.change(b.Change))
	if detail := l.line(b.Detail); len(detail) > 0 {
		ins = join(ins, l.some(l.plain(" — ")), detail)
	}
	return ins
}

func (l *lowerer) change(s string) []doc.Inline {
	if s == "" {
		return nil
	}
	return l.line(" (" + s + ")")
}

func (l *lowerer) metric(p *place, b Metric) {
	l.phrase(p, phrase{before: l.key(b.Label), text: amount(b.Value, b.Unit), behind: l.change(b.Change), detail: b.Detail})
}

// metrics adds several figures: as a table from five on, where that is narrow
// enough for every surface and says all of it, else as a list.
func (l *lowerer) metrics(p *place, ms []Metric) {
	const narrow = 36
	name, value, change := len(l.w.metric), len(l.w.value), 0
	fits := len(ms) >= 5
	for _, m := range ms {
		fits = fits && m.Detail == "" && m.Value.IsNumber() && !multiline(m.Label+m.Unit+m.Change)
		name = max(name, inlineWidth(l.line(m.Label)))
		value = max(value, inlineWidth(l.line(amount(m.Value, m.Unit))))
		if m.Change != "" {
			change = max(change, len(l.w.change)+3, inlineWidth(l.line(m.Change))+3)
		}
	}
	if !fits || name+3+value+change > min(narrow, l.width) {
		l.entries(p, false, len(ms), func(i int, p *place) doc.Task {
			l.metric(p, ms[i])
			return doc.NoTask
		})
		return
	}
	columns := []Column{{Label: l.w.metric}, {Label: l.w.value, Numeric: true}}
	if change > 0 {
		columns = append(columns, Column{Label: l.w.change, Numeric: true})
	}
	rows := make([][]Scalar, len(ms))
	for i, m := range ms {
		rows[i] = []Scalar{String(m.Label), String(amount(m.Value, m.Unit))}
		if m.Change != "" {
			rows[i] = append(rows[i], String(m.Change))
		}
	}
	l.table(p, "", columns, rows)
}

// progress adds "label: ▓▓▓▓▓░░░░░ 50 % (5 of 10 steps)".
func (l *lowerer) progress(p *place, b Progress) {
	const cells = 10
	most, whole := 100.0, b.Max.IsZero() || b.Max.IsNull()
	if !whole {
		most, _ = b.Max.Float()
	}
	before := l.key(b.Label)
	at, ok := b.Value.Float()
	part := at / most
	switch {
	case !ok || !(most > 0) || math.IsInf(part, 0):
		says := amount(b.Value, "")
		if !whole {
			says += " " + l.w.of + " " + b.Max.String()
		}
		l.around(p, before, amount(String(says), b.Unit), nil)
		return
	case whole && (b.Unit == "" || b.Unit == "%"):
		l.around(p, join(before, l.line(bar(part, cells)+" ")), b.Value.String()+" %", nil)
		return
	}
	of := b.Max.String()
	if whole {
		of = "100"
	}
	says := percent(part) + " (" + amount(String(b.Value.String()+" "+l.w.of+" "+of), b.Unit) + ")"
	l.around(p, join(before, l.line(bar(part, cells)+" ")), says, nil)
}

// bar draws a part of one in a number of cells. What is not whole does not look so.
func bar(part float64, cells int) string {
	n := int(math.Floor(min(max(part, 0), 1) * float64(cells)))
	return strings.Repeat("▓", n) + strings.Repeat("░", cells-n)
}

// percent is a part of one in whole percent, rounded down: it says 100 only of a
// whole.
func percent(part float64) string {
	n := math.Floor(part*100 + 1e-9)
	if n == 0 && part > 0 {
		return "<1 %"
	}
	if math.Abs(n) >= 1e15 {
		return strconv.FormatFloat(n, 'g', -1, 64) + " %"
	}
	return strconv.FormatInt(int64(n), 10) + " %"
}

// table adds a table below its caption. A cell that is an address leads there.
func (l *lowerer) table(p *place, caption string, columns []Column, rows [][]Scalar) {
	for _, ins := range l.split(caption) {
		l.paragraph(p, l.bold(ins))
	}
	t := &doc.Table{ID: p.next(), Align: make([]doc.Align, len(columns)), Header: make([]doc.Cell, len(columns))}
	for i, c := range columns {
		if c.Numeric {
			t.Align[i] = doc.AlignRight
		}
		if t.Header[i] = l.line(c.Label); len(t.Header[i]) == 0 {
			t.Header[i] = l.line(c.Key)
		}
	}
	l.parts += 1 + len(columns)
	shown := l.each(len(rows), func(i int) {
		row := make([]doc.Cell, len(rows[i]))
		l.parts += 1 + len(row)
		for j, v := range rows[i] {
			if v.kind == isString && address(v.text) {
				row[j] = l.link(v.text, "")
				continue
			}
			row[j] = l.lines(v.shown())
		}
		t.Rows = append(t.Rows, row)
	})
	if len(columns)+len(rows) > 0 {
		p.add(t)
	}
	if len(rows) == 0 {
		l.said(p, l.w.noRows)
	}
	l.left(p, shown, len(rows), l.w.rowsOf)
}

// address reports whether s is an address of the web and nothing else.
func address(s string) bool {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(s, "http://")
	}
	return ok && rest != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || unicode.IsSpace(r) || unicode.IsControl(r) })
}

// count is a number of things: 12,345.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
