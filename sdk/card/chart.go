package card

import (
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// maxChartRows is how many rows a table of a chart has at most. The whole of a
// longer series is not shown.
const maxChartRows = 20

// chart adds what a chart says in words, a line drawn small for every series with
// its extremes, and the points as a table: one for all series that share their x,
// else one for each.
func (l *lowerer) chart(p *place, b Chart, level int) {
	l.heading(p, level, b.Title)
	l.paragraphs(p, b.Summary)
	points := 0
	for _, s := range b.Series {
		points += len(s.Points)
	}
	l.sparks(p, b)
	caption := b.YLabel
	if b.YLabel != "" && len(b.Series) == 1 && b.YLabel == b.Series[0].Name {
		caption = "" // the head of its column says so
	}
	if shared(b.Series) {
		if keep, ok := sample(b.Series); ok {
			l.points(p, caption, b.XLabel, b.Series, keep)
			l.noPoints(p, points)
			return
		}
	}
	for i, s := range b.Series {
		keep, _ := sample(b.Series[i : i+1])
		l.points(p, caption, b.XLabel, []Series{s}, keep)
		caption = ""
	}
	l.noPoints(p, points)
}

func (l *lowerer) noPoints(p *place, points int) {
	if points == 0 {
		l.said(p, l.w.noPoints)
	}
}

// name is what a series is called, with its unit.
func (s Series) name() string {
	if s.Unit == "" {
		return s.Name
	}
	return strings.TrimSpace(s.Name + " (" + s.Unit + ")")
}

// sparks adds a line for every series that is long enough for one.
func (l *lowerer) sparks(p *place, b Chart) {
	var lines [][]doc.Inline
	l.each(len(b.Series), func(i int) {
		if ins := l.spark(b.Series[i], b.XLabel); len(ins) > 0 {
			lines = append(lines, ins)
		}
	})
	if len(lines) == 1 {
		l.paragraph(p, lines[0])
		return
	}
	l.entries(p, false, len(lines), func(i int, p *place) doc.Task {
		l.paragraph(p, lines[i])
		return doc.NoTask
	})
}

// spark is a series in two lines: drawn, and its extremes in words.
func (l *lowerer) spark(s Series, xLabel string) []doc.Inline {
	if len(s.Points) < 3 {
		return nil
	}
	least, most, last := extremes(s.Points)
	if last < 0 {
		return nil
	}
	ins := l.key(s.Name)
	if len(s.Points) <= l.width {
		ins = join(ins, l.code(drawn(s.Points)), l.some(l.hard()))
	}
	lo, _ := s.Points[least].Y.Float()
	if hi, _ := s.Points[most].Y.Float(); lo == hi {
		return join(ins, l.line(amount(s.Points[least].Y, s.Unit)+" "+l.w.throughout))
	}
	says := ""
	for _, e := range []struct {
		word string
		at   int
	}{{l.w.least, least}, {l.w.most, most}, {l.w.last, last}} {
		if says != "" {
			says += ", "
		}
		says += e.word + " " + amount(s.Points[e.at].Y, s.Unit)
		at := s.Points[e.at].X
		x := at.String()
		if at.IsNumber() && xLabel != "" {
			x = xLabel + " " + x
		}
		if x != "" && !at.IsNull() {
			says += " (" + x + ")"
		}
	}
	return join(ins, l.line(says))
}

// extremes are the first of the least, the first of the greatest and the last of
// the points that have a number; -1 where there is none.
func extremes(points []Point) (least, most, last int) {
	least, most, last = -1, -1, -1
	var lo, hi float64
	for i, at := range points {
		y, ok := at.Y.Float()
		if !ok {
			continue
		}
		if least < 0 || y < lo {
			least, lo = i, y
		}
		if most < 0 || y > hi {
			most, hi = i, y
		}
		last = i
	}
	return least, most, last
}

// drawn is a line of bars between the least point and the greatest, which says
// nothing of zero: negative numbers are drawn as others are. Where all points are
// the same they stand at half height; a point without a number is a dot.
func drawn(points []Point) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	least, most, _ := extremes(points)
	var lo, hi float64
	if least >= 0 {
		lo, _ = points[least].Y.Float()
		hi, _ = points[most].Y.Float()
	}
	var sb strings.Builder
	for _, at := range points {
		y, ok := at.Y.Float()
		switch {
		case !ok:
			sb.WriteRune('·')
		case lo == hi:
			sb.WriteRune(bars[3])
		default:
			// In halves, for the span of two numbers may be more than a number holds.
			part := (y/2 - lo/2) / (hi/2 - lo/2)
			sb.WriteRune(bars[min(max(int(part*8), 0), 7)])
		}
	}
	return sb.String()
}

// shared reports whether all series have the same x in the same order.
func shared(series []Series) bool {
	for _, s := range series[min(1, len(series)):] {
		if !slices.EqualFunc(s.Points, series[0].Points, func(a, b Point) bool { return a.X == b.X }) {
			return false
		}
	}
	return true
}

// sample chooses the points to be shown of series that share their x: the first,
// the last, the extremes of each, and others evenly between them. It reports false
// where those alone are too many.
func sample(series []Series) ([]int, bool) {
	if len(series) == 0 {
		return nil, true
	}
	n := len(series[0].Points)
	if n <= maxChartRows {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all, true
	}
	keep := map[int]bool{0: true, n - 1: true}
	for _, s := range series {
		least, most, _ := extremes(s.Points)
		if least >= 0 {
			keep[least], keep[most] = true, true
		}
		if len(keep) > maxChartRows {
			return nil, false
		}
	}
	// Points that stand where even steps would have them, until there are enough.
	for steps := maxChartRows; steps > 1 && len(keep) < maxChartRows; steps-- {
		free := maxChartRows - len(keep)
		for i := range free {
			keep[(2*i+1)*(n-1)/(2*free)] = true
		}
	}
	for i := 0; len(keep) < maxChartRows; i++ {
		keep[i] = true
	}
	out := make([]int, 0, len(keep))
	for i := range keep {
		out = append(out, i)
	}
	slices.Sort(out)
	return out, true
}

// points adds the table of series that share their x.
func (l *lowerer) points(p *place, caption, x string, series []Series, keep []int) {
	if len(keep) == 0 { // the names remain
		l.paragraph(p, l.strong(caption))
		l.paragraph(p, l.strong(x))
		for _, s := range series {
			l.paragraph(p, l.strong(s.name()))
		}
		return
	}
	numbers := !slices.ContainsFunc(series[0].Points, func(at Point) bool { return !at.X.IsNumber() })
	columns := []Column{{Label: x, Numeric: numbers}}
	for _, s := range series {
		columns = append(columns, Column{Label: s.name(), Numeric: true})
	}
	rows := make([][]Scalar, len(keep))
	for i, at := range keep {
		rows[i] = []Scalar{series[0].Points[at].X}
		for _, s := range series {
			rows[i] = append(rows[i], s.Points[at].Y)
		}
	}
	l.table(p, caption, columns, rows)
	if n := len(series[0].Points); len(keep) < n {
		l.partial = true
		l.left(p, len(keep), n, l.w.pointsOf)
	}
}
