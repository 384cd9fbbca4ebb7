package doc

import (
	"encoding/csv"
	"strings"
)

// diagram gives a better text form than code to the kinds that have one.
func diagram(b *Diagram) Block {
	source := codeText(b.Source)
	var out Block
	switch strings.ToLower(b.DiagramKind) {
	case "mindmap", "tree", "list", "items":
		out = outline(b.ID, source)
	case "records":
		out = records(b.ID, source)
	case "table":
		out = grid(b.ID, source)
	case "youtube":
		out = youtube(b.ID, b.Meta, source)
	}
	if out != nil {
		return out
	}
	return &Code{ID: b.ID, Language: b.DiagramKind, Meta: b.Meta, Text: source}
}

// youtube reads the number of a video or its address.
func youtube(id ID, meta, source string) Block {
	body := strings.TrimSpace(source)
	href := body
	switch {
	case len(body) == 11 && !strings.ContainsFunc(body, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || '9' < r) && (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r)
	}):
		href = "https://www.youtube.com/watch?v=" + body
	case !hasScheme(body, "https") && !hasScheme(body, "http"), strings.ContainsAny(body, " \t\n"):
		return nil
	}
	label := href
	for part := range strings.SplitSeq(meta, ",") {
		if k, v, _ := strings.Cut(part, "="); strings.TrimSpace(k) == "title" && strings.TrimSpace(v) != "" {
			label = strings.TrimSpace(v)
		}
	}
	return &Paragraph{ID: id, Inlines: []Inline{
		&Text{Text: "▶ "},
		&Link{Href: href, Safe: true, Children: lines(label)},
	}}
}

// maxColumns bounds a table made of a diagram, so that records that share no
// field do not make a cell for each of all their fields.
const maxColumns = 40

// grid reads a markdown table, or values separated by commas, semicolons or
// tabs, all lines with as many as the first. It gives nil for anything else.
func grid(id ID, source string) Block {
	if t := pipes(id, source); t != nil {
		return t
	}
	if rows := separated(source); rows != nil {
		return tableOf(id, rows)
	}
	return nil
}

func tableOf(id ID, rows [][]string) Block {
	t := &Table{ID: id, Align: make([]Align, len(rows[0]))}
	for i, r := range rows {
		cells := make([]Cell, len(r))
		for j, s := range r {
			cells[j] = lines(s)
		}
		if i == 0 {
			t.Header = cells
		} else {
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

// separated reads values with the first separator that all lines agree on.
func separated(source string) [][]string {
	first, _, _ := strings.Cut(source, "\n")
	for _, sep := range ",;\t" {
		if !strings.ContainsRune(first, sep) {
			continue
		}
		r := csv.NewReader(strings.NewReader(source))
		r.Comma = sep
		r.TrimLeadingSpace = true
		rows, err := r.ReadAll() // an error where a line has more or fewer values
		if err != nil || len(rows) < 2 || len(rows[0]) < 2 || len(rows[0]) > maxColumns {
			continue
		}
		for _, row := range rows {
			for i := range row {
				row[i] = codeText(strings.TrimSpace(row[i]))
			}
		}
		return rows
	}
	return nil
}

// pipes reads a markdown table.
func pipes(id ID, source string) Block {
	ls := strings.Split(strings.TrimSpace(source), "\n")
	if len(ls) < 2 || !strings.Contains(ls[0], "|") {
		return nil
	}
	header := pipeRow(ls[0])
	align, ok := pipeAlign(ls[1])
	if !ok || len(align) != len(header) || len(header) > maxColumns {
		return nil
	}
	rows := [][]string{header}
	for _, l := range ls[2:] {
		if !strings.Contains(l, "|") {
			return nil
		}
		rows = append(rows, pipeRow(l))
	}
	t := tableOf(id, rows).(*Table)
	t.Align = align
	return t
}

// pipeRow splits a line at pipes that no backslash precedes.
func pipeRow(l string) []string {
	l = strings.TrimPrefix(strings.TrimSpace(l), "|")
	var out []string
	var cell strings.Builder
	for i := 0; i < len(l); i++ {
		switch {
		case l[i] == '\\' && i+1 < len(l) && l[i+1] == '|':
			cell.WriteByte('|')
			i++
		case l[i] == '|':
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(l[i])
		}
	}
	if rest := strings.TrimSpace(cell.String()); rest != "" || len(out) == 0 {
		out = append(out, rest)
	}
	return out
}

func pipeAlign(l string) ([]Align, bool) {
	var out []Align
	for _, c := range pipeRow(l) {
		left, right := strings.HasPrefix(c, ":"), strings.HasSuffix(c, ":")
		if dashes := strings.Trim(c, ":"); dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil, false
		}
		switch {
		case left && right:
			out = append(out, AlignCenter)
		case left:
			out = append(out, AlignLeft)
		case right:
			out = append(out, AlignRight)
		default:
			out = append(out, AlignNone)
		}
	}
	return out, true
}

// records reads a table in one of three forms: as [grid] does; with a first
// line "schema: a, b" that names the fields and a line of values each, with or
// without a bullet; or as blocks of lines "field: value" with blank lines or
// bullets between them.
func records(id ID, source string) Block {
	source = strings.TrimSpace(source)
	first, rest, _ := strings.Cut(source, "\n")
	for _, word := range [...]string{"schema:", "fields:", "columns:"} {
		if len(first) > len(word) && strings.EqualFold(first[:len(word)], word) {
			head := strings.Trim(strings.TrimSpace(first[len(word):]), "[]")
			var body []string
			for l := range strings.SplitSeq(rest, "\n") {
				l = strings.TrimSpace(l)
				body = append(body, strings.TrimPrefix(strings.TrimPrefix(l, "- "), "* "))
			}
			if rows := separated(head + "\n" + strings.Join(body, "\n")); rows != nil {
				return tableOf(id, rows)
			}
			return nil
		}
	}
	if rows := fields(source); rows != nil {
		return tableOf(id, rows)
	}
	return grid(id, source)
}

// fields reads blocks of lines "field: value". A field that a record lacks is
// an empty cell.
func fields(source string) [][]string {
	var head []string
	var rows [][]string
	var row []string
	end := func() {
		if row != nil {
			rows = append(rows, row)
			row = nil
		}
	}
	for l := range strings.SplitSeq(source, "\n") {
		l = strings.TrimSpace(l)
		if l == "" || l == "---" {
			end()
			continue
		}
		if s, ok := strings.CutPrefix(l, "- "); ok {
			end()
			l = strings.TrimSpace(s)
		}
		k, v, ok := strings.Cut(l, ":")
		if !ok || k == "" || v != "" && v[0] != ' ' && v[0] != '\t' {
			return nil
		}
		k, v = strings.TrimSpace(k), strings.TrimSpace(v)
		at := -1
		for i, h := range head {
			if h == k {
				at = i
			}
		}
		if at < 0 {
			at = len(head)
			head = append(head, k)
		}
		if len(head) > maxColumns || at < len(row) && row[at] != "" {
			return nil // too wide, or a field twice
		}
		for len(row) <= at {
			row = append(row, "")
		}
		row[at] = v
	}
	end()
	if len(rows) == 0 {
		return nil
	}
	return append([][]string{head}, rows...)
}
