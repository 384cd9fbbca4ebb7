package card

import (
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// What is made of the work of agents: changes, tests, commands.

func (l *lowerer) diff(p *place, b Diff) {
	if len(b.Files) == 0 {
		l.said(p, l.w.noChanges)
	}
	shown := l.each(len(b.Files), func(i int) { l.diffFile(p, b.Files[i]) })
	l.left(p, shown, len(b.Files), l.w.itemsOf)
}

// diffFile adds "old → new (+3 −1)" and the hunks.
func (l *lowerer) diffFile(p *place, f DiffFile) {
	var name []doc.Inline
	if f.OldName != "" && f.OldName != f.Filename {
		name = join(l.code(f.OldName), l.some(l.plain(" → ")))
	}
	name = join(name, l.code(f.Filename))
	text := strings.TrimRight(cleaned(strings.Join(trimmed(f.Hunks), "\n")), "\n")
	added, removed := changed(f.Hunks)
	more, less := f.Additions, f.Deletions
	if text != "" || !more.IsZero() || !less.IsZero() {
		if more.IsZero() || more.IsNull() {
			more = Int(int64(added))
		}
		if less.IsZero() || less.IsNull() {
			less = Int(int64(removed))
		}
		space := l.line(" (+" + more.String() + " −" + less.String() + ")")
		name = join(name, space)
	}
	l.paragraph(p, name)
	if strings.TrimSpace(text) != "" {
		old := f.OldName
		if old == "" {
			old = f.Filename
		}
		l.parts += 2
		p.add(&doc.Diff{ID: p.next(), Text: text, Files: []doc.DiffFile{{Old: oneLine(old), New: oneLine(f.Filename), Additions: added, Deletions: removed}}})
	}
}

// trimmed is hunks without the newline at the end of each.
func trimmed(hunks []string) []string {
	out := make([]string, len(hunks))
	for i, h := range hunks {
		out[i] = strings.TrimSuffix(strings.TrimSuffix(h, "\n"), "\r")
	}
	return out
}

// changed counts the lines that hunks add and remove. Lines above the header of a
// hunk, which name files, are none of them.
func changed(hunks []string) (added, removed int) {
	for _, h := range hunks {
		if strings.HasPrefix(h, "--- ") || strings.HasPrefix(h, "diff ") {
			h = h[max(strings.Index(h, "\n@@"), 0):]
		}
		for line := range strings.Lines(h) {
			switch line[0] {
			case '+':
				added++
			case '-':
				removed++
			}
		}
	}
	return added, removed
}

// tests adds the counts first, then what failed with its messages, what is of no
// known status, what was skipped, and what passed in as few lines as there are
// tests.
func (l *lowerer) tests(p *place, b TestMatrix, level int) {
	l.heading(p, level, b.Title)
	by := map[Status][]Test{}
	var others []Test
	for _, t := range b.Tests {
		switch t.Status {
		case Failed, Skipped, Passed:
			by[t.Status] = append(by[t.Status], t)
		default:
			others = append(others, t)
		}
	}
	l.paragraph(p, l.bold(l.line(l.counts(b, len(by[Failed]), len(by[Skipped]), len(by[Passed])))))
	if len(b.Tests) == 0 {
		l.said(p, l.w.noTests)
	}
	shown := l.testLines(p, by[Failed], true) + l.testLines(p, others, true) + l.testLines(p, by[Skipped], false) + l.testLines(p, by[Passed], false)
	l.left(p, shown, len(b.Tests), l.w.itemsOf)
}

// counts is "2 failed, 1 skipped, 41 passed of 44 in 3.2 s". Numbers that the card
// gives stand as they are; none is left out but those that are zero and not given.
func (l *lowerer) counts(b TestMatrix, failed, skipped, passed int) string {
	number := func(given Scalar, counted int) (string, bool) {
		if given.IsZero() || given.IsNull() {
			return strconv.Itoa(counted), counted > 0
		}
		return given.String(), true
	}
	var parts []string
	for _, n := range []struct {
		given   Scalar
		counted int
		word    string
		always  bool
	}{{b.Failed, failed, l.w.failed, false}, {b.Skipped, skipped, l.w.skipped, false}, {b.Passed, passed, l.w.passed, true}} {
		if s, there := number(n.given, n.counted); there || n.always {
			parts = append(parts, s+" "+n.word)
		}
	}
	total, _ := number(b.Total, len(b.Tests))
	says := strings.Join(parts, ", ") + " " + l.w.of + " " + total
	if !b.DurationMS.IsZero() && !b.DurationMS.IsNull() {
		says += " " + l.w.in + " " + l.w.duration(b.DurationMS)
	}
	return says
}

// testLines adds tests, each with its mark and how long it took. A message of
// several lines, or of a test that failed, is a block of code below its line;
// tests without one share a paragraph.
func (l *lowerer) testLines(p *place, tests []Test, asCode bool) int {
	var lines []doc.Inline
	flush := func() {
		l.paragraph(p, lines)
		lines = nil
	}
	defer flush()
	return l.each(len(tests), func(i int) {
		t := tests[i]
		mark := t.Status.mark()
		if mark == "" || t.Status != Passed && t.Status != Failed && t.Status != Skipped {
			mark = "[" + t.Status.word() + "]"
		}
		took := ""
		if !t.DurationMS.IsZero() && !t.DurationMS.IsNull() {
			took = " (" + l.w.duration(t.DurationMS) + ")"
		}
		name := l.line(t.Name)
		if asCode { // what went wrong stands out
			name = l.bold(name)
		}
		says := join(l.line(mark+" "), name, l.line(took))
		message := cleaned(t.Message)
		code := strings.TrimSpace(message) != "" && (asCode || multiline(message))
		if code {
			flush()
			l.paragraph(p, says)
			l.codeBlock(p, "", message)
			return
		}
		if len(lines) > 0 {
			lines = append(lines, l.hard())
		}
		lines = append(lines, says...)
		if message != "" {
			lines = append(lines, l.line(" — "+message)...)
		}
	})
}

func (l *lowerer) terminal(p *place, b Terminal) {
	var ins []doc.Inline
	if multiline(b.Command) {
		l.paragraph(p, l.line(l.w.command+":"))
		l.codeBlock(p, "", b.Command)
	} else if command := l.code(b.Command); len(command) > 0 {
		ins = join(l.line(l.w.command+": "), command)
	}
	says := ""
	if !b.ExitCode.IsZero() && !b.ExitCode.IsNull() {
		says = l.w.exit + ": " + b.ExitCode.String()
	}
	if !b.DurationMS.IsZero() && !b.DurationMS.IsNull() {
		took := l.w.duration(b.DurationMS)
		if says == "" {
			says = l.w.took + ": " + took
		} else {
			says += " (" + took + ")"
		}
	}
	if says != "" {
		if len(ins) > 0 {
			ins = append(ins, l.hard())
		}
		ins = join(ins, l.line(says))
	}
	l.paragraph(p, ins)
	if strings.TrimSpace(cleaned(b.Output)) == "" {
		l.said(p, l.w.noOut)
		return
	}
	l.codeBlock(p, "", b.Output)
}
