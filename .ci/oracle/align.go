package oracle

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// An alignment says which glyph shows which character of a document.
type alignment struct {
	glyphs  []glyph
	at      [][]int // for every piece, the glyph of each visible character; nil if lost
	missing []string
	extra   []string // letters and digits that nothing in the document accounts for
	found   []bool   // for every piece that is an address: the reader can get there
}

// Bounds of the search. What renderers put between two parts of a document is
// short (bullets, brackets, a label such as "[image/png, 12 KB]"), and the same
// characters that far away belong to something else.
const (
	gapDecoration = 48
	gapRepeated   = 400 // within one part: prefixes of lines, fences reopened in the next chunk
)

// align finds the pieces of e in glyphs, in order. Cells of a table may stand in
// any order and their words on any line.
func align(e *expectation, glyphs []glyph) *alignment {
	a := &alignment{glyphs: glyphs, at: make([][]int, len(e.pieces)), found: make([]bool, len(e.pieces))}
	cur := 0
	for i := 0; i < len(e.pieces); {
		p := &e.pieces[i]
		if p.cell > 0 {
			end := i + 1
			for end < len(e.pieces) && e.pieces[end].cell > 0 && e.pieces[end].block == p.block {
				end++
			}
			cur = a.table(e, i, end, cur)
			i = end
			continue
		}
		if p.role == doc.RoleTarget {
			cur = a.target(e, i, cur)
		} else {
			cur = a.text(e, i, cur)
		}
		i++
	}
	a.decoration(e)
	a.surplus()
	return a
}

func (a *alignment) lose(p *piece) {
	text := []rune(p.text)
	if len(text) > 80 {
		text = append(text[:80], '…')
	}
	what := "text"
	switch p.role {
	case doc.RoleTarget:
		what = "address"
	case doc.RoleNumber:
		what = "number"
	case doc.RoleTask:
		what = "task"
	}
	a.missing = append(a.missing, fmt.Sprintf("%s %q of block %s", what, string(text), p.block))
}

func (a *alignment) text(e *expectation, i, cur int) int {
	p := &e.pieces[i]
	want := visible(p.text)
	at := a.whole(want, cur)
	if at == nil {
		at = a.scattered(want, cur)
	}
	if at == nil {
		a.lose(p)
		return cur
	}
	a.at[i] = at
	for _, g := range at {
		a.glyphs[g].used = true
	}
	if len(at) == 0 {
		return cur
	}
	return at[len(at)-1] + 1
}

// whole finds want unbroken, not far behind cur.
func (a *alignment) whole(want []rune, cur int) []int {
	for gap := 0; gap <= gapDecoration && cur+gap+len(want) <= len(a.glyphs); gap++ {
		if a.matches(want, cur+gap) {
			at := make([]int, len(want))
			for k := range at {
				at[k] = cur + gap + k
			}
			return at
		}
	}
	return nil
}

func (a *alignment) matches(want []rune, at int) bool {
	for k, r := range want {
		if at+k >= len(a.glyphs) || a.glyphs[at+k].r != r {
			return false
		}
	}
	return true
}

// scattered finds the characters of want in order, with other characters
// between them: at a line prefix or at the seam of two chunks.
func (a *alignment) scattered(want []rune, cur int) []int {
	at := make([]int, 0, len(want))
	skipped := 0
	for _, r := range want {
		for cur < len(a.glyphs) && a.glyphs[cur].r != r {
			// Prefixes are punctuation; letters passed over are a sign that the
			// wrong place was found, so they weigh more.
			skipped++
			if wordRune(a.glyphs[cur].r) {
				skipped += 8
			}
			cur++
		}
		if cur == len(a.glyphs) || skipped > gapRepeated+len(want)/2 {
			return nil
		}
		at = append(at, cur)
		cur++
	}
	return at
}

// target finds the address of piece i: behind the label that was just shown,
// behind a sign that stands in for an empty label, or printed.
func (a *alignment) target(e *expectation, i, cur int) int {
	p := &e.pieces[i]
	if want := visible(p.text); a.matches(want, cur+1) && a.glyphs[cur].r == '(' {
		for g := cur + 1; g < cur+1+len(want); g++ {
			a.at[i] = append(a.at[i], g)
			a.glyphs[g].used = true
		}
		a.found[i] = true
		return cur + 1 + len(want)
	}
	if cur > 0 && a.glyphs[cur-1].style&Link != 0 && sameAddress(a.glyphs[cur-1].href, p.text) && a.glyphs[cur-1].used {
		a.found[i] = true
		return cur
	}
	for g := cur; g < min(cur+gapDecoration, len(a.glyphs)); g++ {
		if a.glyphs[g].style&Link == 0 || !sameAddress(a.glyphs[g].href, p.text) {
			continue
		}
		end := a.run(g)
		for ; g < end; g++ {
			a.at[i] = append(a.at[i], g)
			a.glyphs[g].used = true
		}
		a.found[i] = true
		return end
	}
	next := a.text(e, i, cur)
	a.found[i] = a.at[i] != nil
	return next
}

// run returns where the link that glyph g is part of ends, or its line: the same
// link in the next line may be another one.
func (a *alignment) run(g int) int {
	end := g + 1
	for end < len(a.glyphs) && a.glyphs[end].style&Link != 0 && a.glyphs[end].href == a.glyphs[g].href && !a.glyphs[end].line {
		end++
	}
	return end
}

// table finds the words of pieces[from:to], which are the cells of one table.
func (a *alignment) table(e *expectation, from, to, cur int) int {
	// A word may be put together from pieces with other looks, and an address
	// between two of them may be printed or behind its label; so pieces are looked
	// for one by one, and have to stand alone on the sides where nothing else of
	// the cell touches them.
	type fragment struct {
		text        string
		first, last bool
	}
	var words []fragment
	var targets []int
	open := false // the last fragment goes on in the next piece
	for i := from; i < to; i++ {
		p := &e.pieces[i]
		if i > from && p.cell != e.pieces[i-1].cell {
			open = false
		}
		if p.role == doc.RoleTarget {
			targets = append(targets, i)
			open = true
			continue
		}
		fields := strings.Fields(p.text)
		if len(fields) == 0 {
			open = false
			continue
		}
		joins := i+1 < to && e.pieces[i+1].cell == p.cell && !unicode.IsSpace(lastRune(p.text))
		for k, f := range fields {
			touched := k == 0 && open && !unicode.IsSpace(firstRune(p.text))
			words = append(words, fragment{f, !touched, k < len(fields)-1 || !joins})
		}
		open = joins
	}

	starts := map[rune][]int{}
	for g := cur; g < len(a.glyphs); g++ {
		starts[a.glyphs[g].r] = append(starts[a.glyphs[g].r], g)
	}
	end := cur
	next := map[fragment]int{} // where the search for the next of the same kind begins
	find := func(f fragment) bool {
		want := visible(f.text)
		if len(want) == 0 {
			return true
		}
		list := starts[want[0]]
		for k := next[f]; k < len(list); k++ {
			g := list[k]
			if !a.matches(want, g) || f.first && !a.begins(g) || f.last && !a.ends(g+len(want)) {
				continue
			}
			next[f] = k + 1
			for j := range want {
				a.glyphs[g+j].used = true
			}
			end = max(end, g+len(want))
			return true
		}
		return false
	}
	for _, w := range words {
		if !find(w) {
			a.missing = append(a.missing, fmt.Sprintf("word %q of table %s", w.text, e.pieces[from].block))
		}
	}
	for _, i := range targets {
		ok := false
		for g := cur; g < len(a.glyphs) && !ok; g++ {
			if a.glyphs[g].style&Link != 0 && sameAddress(a.glyphs[g].href, e.pieces[i].text) {
				ok = true
				end = max(end, a.run(g))
			}
		}
		if !ok && !find(fragment{e.pieces[i].text, true, true}) {
			a.lose(&e.pieces[i])
		}
		a.found[i] = true
	}
	end = a.rest(e, from, to, end)
	// Heads of tables are said again in every chunk, or in every row of a list;
	// some surfaces have grids, others have lists.
	for g := cur; g < end; g++ {
		a.glyphs[g].used, a.glyphs[g].added = true, true
	}
	return end
}

// rest returns where the table of pieces[from:to] ends whose words were found
// before end. Of what is shown more often than the table has it (a head or a
// list of addresses that is given again) the first was taken, so that more of
// the table may stand behind end.
func (a *alignment) rest(e *expectation, from, to, end int) int {
	known := map[string]bool{"": true}
	hrefs := map[string]bool{}
	learn := func(s string) {
		for _, field := range strings.Fields(s) {
			for _, part := range strings.FieldsFunc(string(visible(field)), func(r rune) bool { return !wordRune(r) }) {
				known[part] = true
			}
		}
	}
	var cell strings.Builder
	for i, p := range e.pieces[from:to] {
		learn(p.text)
		if p.role == doc.RoleTarget {
			hrefs[canonical(p.text)] = true
			continue
		}
		if i > 0 && p.cell != e.pieces[from+i-1].cell {
			learn(cell.String())
			cell.Reset()
		}
		cell.WriteString(p.text)
	}
	learn(cell.String())
	for end < len(a.glyphs) {
		g := &a.glyphs[end]
		if g.line && a.goesOn(e, to, end) {
			break
		}
		if g.style&Link != 0 && hrefs[canonical(g.href)] {
			end = a.run(end)
			continue
		}
		stop := end
		for stop < len(a.glyphs) && wordRune(a.glyphs[stop].r) && (stop == end || !a.glyphs[stop].space) {
			stop++
		}
		var token []rune
		for _, g := range a.glyphs[end:stop] {
			token = append(token, g.r)
		}
		reference := end > 0 && a.glyphs[end-1].r == '[' && stop < len(a.glyphs) && a.glyphs[stop].r == ']'
		if !known[string(token)] && !reference {
			break
		}
		end = max(stop, end+1)
	}
	return end
}

// goesOn reports whether what stands from glyph g on is what the document says
// from piece i on: its next parts, up to the first cell of the next table, one
// close behind the other. A single short one might as well be a word of the table.
func (a *alignment) goesOn(e *expectation, i, g int) bool {
	if i == len(e.pieces) {
		return false
	}
	const enough = 6
	gap := 8
	for n := 0; n < enough && i < len(e.pieces) && e.pieces[i].cell <= 1; i++ {
		p := &e.pieces[i]
		want := visible(p.text)
		if p.role == doc.RoleTarget {
			gap = gapDecoration + len(want) // printed, or behind its label
			continue
		}
		want = want[:min(len(want), 40)] // a chunk may end in it
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
		n++
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

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// decoration marks what the renderer may add and the reader does not take for
// the author's: what kind of picture is in a data: address, and the scheme of an
// address that the author wrote without one.
func (a *alignment) decoration(e *expectation) {
	for _, media := range e.data {
		head := visible("[" + media + ",")
		for g := range a.glyphs {
			if a.glyphs[g].used || !a.matches(head, g) {
				continue
			}
			for k := g; k < min(g+len(head)+12, len(a.glyphs)); k++ {
				a.glyphs[k].used, a.glyphs[k].added = true, true
				if a.glyphs[k].r == ']' {
					break
				}
			}
			break
		}
	}
	scheme := []rune("http://")
	for g := range a.glyphs {
		first := &a.glyphs[g]
		if first.used || first.style&Link == 0 || g > 0 && a.glyphs[g-1].href == first.href || !a.matches(scheme, g) {
			continue
		}
		if k := g + len(scheme); k < len(a.glyphs) && a.glyphs[k].used && a.glyphs[k].href == first.href {
			for ; g < k; g++ {
				a.glyphs[g].used, a.glyphs[g].added = true, true
			}
		}
	}
}

// surplus collects runs of letters and digits that no piece of the document
// accounts for: something was shown twice, or made up.
func (a *alignment) surplus() {
	var run []rune
	flush := func() {
		if len(run) > 0 {
			a.extra = append(a.extra, string(run))
		}
		run = nil
	}
	for _, g := range a.glyphs {
		if !g.used && wordRune(g.r) {
			if g.space {
				flush()
			}
			run = append(run, g.r)
			continue
		}
		flush()
	}
	flush()
}

// sameAddress reports whether a platform that shows got leads to want. They
// differ in what platforms normalise: the letter case of scheme and host, and
// the path of an address that has none.
func sameAddress(got, want string) bool {
	return got == want || canonical(got) == canonical(want)
}

func canonical(href string) string {
	scheme, rest, ok := strings.Cut(href, "://")
	if !ok {
		return href
	}
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	return strings.ToLower(scheme+"://"+host) + path
}
