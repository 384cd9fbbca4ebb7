package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// why appends one for a person: what was decided and for what, then what there was
// to decide by, then the blocks and the recipes that were not taken.
func (l look) why(dst []byte, w control.Why) []byte {
	of := w.Target
	if w.Job != "" {
		of = "job " + w.Job + " to " + w.Target
	}
	dst = l.paint(dst, title, visible(of))
	dst = append(dst, ": recipe "...)
	dst = l.paint(dst, bold, visible(w.Recipe.ID))
	dst = append(dst, " "+visible(w.Recipe.Version)+"\n"...)

	rows := [][2]string{{"taken for", takenFor(w)}}
	for _, s := range []struct {
		from string
		all  []string
	}{{"text", w.Signals.Text}, {"tools", w.Signals.Tools}, {"origin", w.Signals.Provenance}} {
		if len(s.all) > 0 {
			rows = append(rows, [2]string{s.from + " says", strings.Join(s.all, ", ")})
		}
	}
	rows = append(rows, [2]string{"shown by", summary(w)}, [2]string{"rendered by", strings.TrimSpace(w.Renderer.ID + " " + w.Renderer.Version)})
	if w.Template != nil {
		rows = append(rows, [2]string{"template", fmt.Sprintf("%s, revision %d", w.Template.ID, w.Template.Revision)})
	}
	if w.Entry != "" {
		rows = append(rows, [2]string{"entry", w.Entry})
	}
	dst = l.table(dst, append(rows, [2]string{"epoch", fmt.Sprint(w.Epoch)}))

	if len(w.Renderers) > 0 {
		dst = l.heading(dst, "blocks, by what shows them")
		dst = l.table(dst, shownBy(w.Renderers))
	}
	if w.Unlisted > 0 {
		dst = append(dst, "  and "+count(w.Unlisted, "block")+" more\n"...)
	}
	if len(w.Rejected) > 0 {
		rows = rows[:0]
		for _, r := range w.Rejected {
			rows = append(rows, [2]string{r.Recipe.ID + " " + r.Recipe.Version, r.Reason})
		}
		dst = l.table(l.heading(dst, "recipes that were not taken, best first"), rows)
	}
	if len(w.Said) > 0 {
		dst = append(dst, '\n')
	}
	for _, d := range w.Said {
		dst = l.diagnostic(dst, d)
	}
	return dst
}

func (l look) heading(dst []byte, text string) []byte {
	dst = l.paint(append(dst, "\n  "...), dim, text)
	return append(dst, '\n')
}

// takenFor says what a recipe asks for, all of which is there.
func takenFor(w control.Why) string {
	var all []string
	for _, of := range []struct {
		what  string
		names []string
	}{{"signal", w.Matched}, {"card type", w.Types}} {
		if n := len(of.names); n > 0 {
			what := of.what
			if n > 1 {
				what += "s"
			}
			all = append(all, what+" "+strings.Join(of.names, ", "))
		}
	}
	switch {
	case len(all) > 0:
		return strings.Join(all, "; ")
	case w.Recipe.ID == plan.Basic:
		return "no other recipe suits the answer"
	}
	return "it asks for nothing"
}

// summary is that of a plan, with what it means.
func summary(w control.Why) string {
	s := w.Summary
	switch s {
	case "":
		return "nothing is known of it"
	case plan.Native:
		if len(w.Renderers) == 0 {
			return s + ", there is nothing to show"
		}
		return s + ", there is no card in it"
	case plan.Mixed:
		return s + ", as told below"
	case plan.Generic:
		return s + ", for want of a skill that can show its cards"
	}
	return s + ", the skill of its cards"
}

// mostNamed is the number of blocks that are named for one way of showing them.
const mostNamed = 12

// shownBy is a row for each way in which blocks are shown, in the order in which
// they come, with its blocks.
func shownBy(all []plan.Decision) (rows [][2]string) {
	type way struct{ by, why string }
	var ways []way
	blocks := map[way][]string{}
	for _, d := range all {
		k := way{d.Renderer, d.Why}
		if !slices.Contains(ways, k) {
			ways = append(ways, k)
		}
		kind := string(d.Kind)
		if d.Kind == doc.KindStructured {
			kind = "card"
		}
		blocks[k] = append(blocks[k], kind+" "+string(d.Block))
	}
	for _, k := range ways {
		named := strings.Join(blocks[k][:min(len(blocks[k]), mostNamed)], ", ")
		if n := len(blocks[k]) - mostNamed; n > 0 {
			named += " and " + count(n, "more block")
		}
		rows = append(rows, [2]string{k.by, named + ": " + k.why})
	}
	return rows
}

// table appends rows of two cells, the second below each other and broken at words
// where it is wider than the look.
func (l look) table(dst []byte, rows [][2]string) []byte {
	first := 0
	for _, r := range rows {
		first = max(first, displaywidth.String(visible(r[0])))
	}
	first = min(first, l.width/2)
	for _, r := range rows {
		cell := visible(r[0])
		dst = append(dst, "  "+cell...)
		at := 2 + displaywidth.String(cell)
		indent := 2 + first + 2
		used := 0 // columns of words in this line
		for word := range strings.FieldsSeq(visible(r[1])) {
			n := displaywidth.String(word)
			switch {
			case used > 0 && indent+used+1+n <= l.width:
				dst = append(dst, ' ')
				used++
			case used > 0 || at >= indent:
				dst = append(append(dst, '\n'), strings.Repeat(" ", indent)...)
				used = 0
			default:
				dst = append(dst, strings.Repeat(" ", indent-at)...)
			}
			at = 0
			dst = append(dst, word...)
			used += n
		}
		dst = append(dst, '\n')
	}
	return dst
}
