package plan

import (
	"encoding/json"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A walker reads signals from blocks.
//
// What a reader reads as running text is looked through for keywords: headings,
// paragraphs, cells, titles, captions and alternative texts, code within a line
// included. Code, diffs, diagrams, payloads of cards, what was not compiled and
// addresses are not. A phrase is found across emphasis, links and the end of a
// line, never across two blocks or two cells.
type walker struct {
	p       *Planner
	scan    scan
	signals set             // of the answer's text, apart from those of keywords
	tabbed  map[string]bool // the lines of the source with tabs in them, see fields
}

func (w *walker) add(signal string, is bool) {
	if is {
		w.signals.add(w.p.names.id[signal])
	}
}

// card adds the signals of a type of card.
func (w *walker) card(name string) {
	for _, id := range w.p.byType[name] {
		w.signals.add(id)
	}
}

func (w *walker) blocks(bs []doc.Block) {
	for _, b := range bs {
		w.block(b)
	}
}

func (w *walker) block(b doc.Block) {
	switch b := b.(type) {
	case *doc.Heading:
		w.run(b.Inlines)
	case *doc.Paragraph:
		w.run(b.Inlines)
		w.add(Tabular, w.tabbed != nil && w.hasRows(b.Inlines))
	case *doc.List:
		for i := range b.Items {
			w.blocks(b.Items[i].Blocks)
		}
	case *doc.Table:
		w.add(Tabular, true)
		w.add(TableData, true)
		for _, c := range b.Header {
			w.run(c)
		}
		for _, row := range b.Rows {
			for _, c := range row {
				w.run(c)
			}
		}
	case *doc.Quote:
		w.blocks(b.Blocks)
	case *doc.Code:
		hunk := hasHunk(b.Text)
		w.add(Diff, hunk)
		w.add(Tabular, !hunk && hasTabs(b.Text)) // tabs behind a + or - only indent
	case *doc.Diff:
		w.add(Diff, true)
	case *doc.Diagram:
		w.add(Tabular, tableDiagram(b))
		w.add(TableData, tableDiagram(b))
	case *doc.Callout:
		w.run(b.Title)
		w.blocks(b.Blocks)
	case *doc.Citations:
		for i := range b.Items {
			w.line(b.Items[i].Title)
			w.blocks(b.Items[i].Blocks)
		}
	case *doc.Media:
		w.line(b.Alt)
		w.line(b.Caption)
	case *doc.ArtifactRef:
		w.add(Artifact, true)
		w.line(b.Text)
		w.line(b.Caption)
	case *doc.Structured:
		w.card(owner(b).Type)
	}
}

// line is a text that stands alone.
func (w *walker) line(s string) {
	w.scan.text(s)
	w.scan.end()
}

// run is inlines that stand alone.
func (w *walker) run(ins []doc.Inline) {
	w.inlines(ins)
	w.scan.end()
}

func (w *walker) inlines(ins []doc.Inline) {
	for _, in := range ins {
		switch in := in.(type) {
		case *doc.Text:
			w.scan.text(in.Text)
		case *doc.Strong:
			w.inlines(in.Children)
		case *doc.Emphasis:
			w.inlines(in.Children)
		case *doc.Strikethrough:
			w.inlines(in.Children)
		case *doc.Spoiler:
			w.inlines(in.Children)
		case *doc.CodeSpan:
			if !in.Math {
				w.scan.text(in.Text)
			}
		case *doc.Link:
			if !in.Bare() {
				w.inlines(in.Children)
			}
		case *doc.Image:
			w.scan.text(in.Alt)
		case *doc.Break:
			w.scan.space()
		}
	}
}

// tableDiagram reports whether b is shown as a table.
func tableDiagram(b *doc.Diagram) bool {
	return b.DiagramKind == "table" || b.DiagramKind == "records"
}

// hasHunk reports whether a line of text is the header of a hunk: "@@ -1,3 +1,4 @@"
// and whatever follows.
func hasHunk(text string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], "@@ -")
		if i < 0 {
			return false
		}
		at += i
		if (at == 0 || text[at-1] == '\n') && isHunk(text[at+len("@@ -"):]) {
			return true
		}
		at += len("@@ -")
	}
}

// isHunk reports whether rest goes on as the header of a hunk does behind "@@ -".
func isHunk(rest string) bool {
	old, rest, ok := strings.Cut(beginning(rest), " +")
	now, _, closed := strings.Cut(rest, " @@")
	return ok && closed && isRange(old) && isRange(now)
}

// beginning is the first line of s, as far as the header in it can go.
func beginning(s string) string {
	s = s[:min(len(s), 64)]
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	return s
}

// isRange reports whether s is "12" or "12,5".
func isRange(s string) bool {
	start, count, counted := strings.Cut(s, ",")
	return digits(start) && (!counted || digits(count))
}

func digits(s string) bool {
	return s != "" && len(s) < 10 && strings.Trim(s, "0123456789") == ""
}

// hasTabs reports whether two lines, one behind the other, have a tab between two
// things. A tab that indents is none.
func hasTabs(text string) bool {
	if strings.IndexByte(text, '\t') < 0 {
		return false
	}
	before := false
	for line := range strings.Lines(text) {
		is := isTabbed(line)
		if is && before {
			return true
		}
		before = is
	}
	return false
}

func isTabbed(line string) bool { return strings.IndexByte(strings.TrimSpace(line), '\t') >= 0 }

// tabbedLines are the lines of a source with a tab between two things, if two of
// them follow each other. In a paragraph a tab has become a space, so that its lines
// are looked up here.
func tabbedLines(source string) map[string]bool {
	if !hasTabs(source) {
		return nil
	}
	out := map[string]bool{}
	for line := range strings.Lines(source) {
		if isTabbed(line) {
			out[fields(line)] = true
		}
	}
	return out
}

// fields is line with single spaces.
func fields(line string) string { return strings.Join(strings.Fields(line), " ") }

// hasRows reports whether two lines of a paragraph, one behind the other, had tabs.
func (w *walker) hasRows(ins []doc.Inline) bool {
	before := false
	for i, in := range ins {
		text, ok := in.(*doc.Text)
		switch {
		case !ok && in.InlineKind() != doc.InlineBreak:
			before = false // of a line with markup no more is known
		case ok && (i+1 == len(ins) || ins[i+1].InlineKind() == doc.InlineBreak):
			is := (i == 0 || ins[i-1].InlineKind() == doc.InlineBreak) && w.tabbed[fields(text.Text)]
			if is && before {
				return true
			}
			before = is
		}
	}
	return false
}

// A card is what the envelope of a structured block says of itself.
type card struct {
	Type  string
	Skill string // that owns the type
}

// owner reads the beginning of an envelope, whose payload comes last and may be a
// megabyte.
func owner(b *doc.Structured) card {
	var c card
	d := json.NewDecoder(strings.NewReader(b.Output))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return card{}
	}
	for d.More() {
		name, err := d.Token()
		if err != nil || name == "payload" {
			return c
		}
		switch name {
		case "semantic_type":
			err = d.Decode(&c.Type)
		case "skill_id":
			err = d.Decode(&c.Skill)
		default:
			var skip json.RawMessage
			err = d.Decode(&skip)
		}
		if err != nil {
			return c
		}
	}
	return c
}
