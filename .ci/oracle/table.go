package oracle

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A fragment is a word of a cell, or as much of it as looks the same. It has to
// stand alone on the sides where nothing else of its cell touches it.
type fragment struct {
	text        []rune
	first, last bool
}

// fragments cuts the cells that pieces are into words. A word may be put
// together from pieces with other looks, and an address between two of them may
// be printed or behind its label.
func fragments(pieces []piece) (words []fragment, addresses []string) {
	open := false // the last fragment goes on in the next piece
	for i, p := range pieces {
		if i > 0 && p.cell != pieces[i-1].cell {
			open = false
		}
		if p.role == doc.RoleTarget {
			addresses = append(addresses, p.text)
			open = true
			continue
		}
		fields := strings.Fields(p.text)
		if len(fields) == 0 {
			open = false
			continue
		}
		first, _ := utf8.DecodeRuneInString(p.text)
		last, _ := utf8.DecodeLastRuneInString(p.text)
		joins := i+1 < len(pieces) && pieces[i+1].cell == p.cell && !unicode.IsSpace(last)
		for k, f := range fields {
			if text := visible(f); len(text) > 0 {
				touched := k == 0 && open && !unicode.IsSpace(first)
				words = append(words, fragment{text, !touched, k < len(fields)-1 || !joins})
			}
		}
		open = joins
	}
	return words, addresses
}

// table finds the words and addresses of pieces[from:to], which are the cells of
// one table, and returns where the table ends. A table may be a grid or a list,
// its head may be said again in every chunk or row, and addresses may be listed
// under it; so its end is where the document goes on, the first such place
// before which all of the table can be found.
func (a *alignment) table(e *expectation, from, to, cur int) int {
	words, addresses := fragments(e.pieces[from:to])
	least := cur
	for _, w := range words {
		least += len(w.text)
	}
	starts := map[rune][]int{}
	for g := cur; g < len(a.glyphs); g++ {
		starts[a.glyphs[g].r] = append(starts[a.glyphs[g].r], g)
	}
	var missing []string
	end := -1
	const tries = 100
	for g, n := min(least, len(a.glyphs)), 0; g <= len(a.glyphs) && n < tries; g++ {
		if !a.goesOn(e, to, g) {
			continue
		}
		n++
		lost := a.lacking(words, addresses, starts, cur, g)
		if end < 0 || len(lost) < len(missing) {
			missing, end = lost, g
		}
		if len(lost) == 0 {
			break
		}
	}
	if end < 0 {
		missing, end = []string{"where the document goes on"}, min(least, len(a.glyphs))
	}
	for _, m := range missing {
		a.missing = append(a.missing, fmt.Sprintf("%s of table %s", m, e.pieces[from].block))
	}
	for g := cur; g < end; g++ {
		a.glyphs[g].used, a.glyphs[g].added = true, true
	}
	for i := from; i < to; i++ {
		a.found[i] = true
	}
	return end
}

// lacking returns what of a table cannot be found in glyphs[from:to].
func (a *alignment) lacking(words []fragment, addresses []string, starts map[rune][]int, from, to int) []string {
	var lost []string
	next := map[string]int{} // where the search for the next of the same kind begins
	find := func(f fragment) bool {
		kind := fmt.Sprint(string(f.text), f.first, f.last)
		list := starts[f.text[0]]
		for k := next[kind]; k < len(list) && list[k]+len(f.text) <= to; k++ {
			g := list[k]
			if a.matches(f.text, g) && (!f.first || a.begins(g)) && (!f.last || a.ends(g+len(f.text))) {
				next[kind] = k + 1
				return true
			}
		}
		return false
	}
	for _, w := range words {
		if !find(w) {
			lost = append(lost, fmt.Sprintf("word %q", string(w.text)))
		}
	}
	linked := map[string]bool{}
	for g := from; g < to; g++ {
		if a.glyphs[g].style&Link != 0 && (g == from || a.glyphs[g].href != a.glyphs[g-1].href) {
			linked[canonical(a.glyphs[g].href)] = true
		}
	}
	for _, href := range addresses {
		if !linked[canonical(href)] && !find(fragment{visible(href), true, true}) {
			lost = append(lost, fmt.Sprintf("address %q", href))
		}
	}
	return lost
}

// goesOn reports whether what stands from glyph g on is what the document says
// from piece i on: its next parts, up to the first cell of the next table, one
// close behind the other, on a line of their own.
func (a *alignment) goesOn(e *expectation, i, g int) bool {
	if i == len(e.pieces) || g == len(a.glyphs) {
		return i == len(e.pieces) && g == len(a.glyphs)
	}
	if !a.glyphs[g].line {
		return false
	}
	const enough = 24 // characters
	gap := 8
	for n := 0; n < enough && i < len(e.pieces) && e.pieces[i].cell <= 1; i++ {
		p := &e.pieces[i]
		want := visible(p.text)
		if p.role == doc.RoleTarget {
			gap += gapDecoration + len(want) // printed, or behind its label
			continue
		}
		want = want[:min(len(want), enough)] // a chunk may end in it
		at := -1
		for k := g; k <= g+gap && at < 0; k++ {
			if a.matches(want, k) {
				at = k
			}
		}
		if at < 0 {
			return false
		}
		g, gap = at+len(want), gapDecoration+len(visible(p.text))-len(want)
		n += len(want)
	}
	return true
}

// begins reports whether a word can begin at glyph g.
func (a *alignment) begins(g int) bool {
	return g == 0 || a.glyphs[g].space || !wordRune(a.glyphs[g-1].r) || !wordRune(a.glyphs[g].r)
}

// ends reports whether a word can end before glyph g.
func (a *alignment) ends(g int) bool {
	return g == len(a.glyphs) || a.begins(g)
}
