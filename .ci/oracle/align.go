package oracle

import (
	"fmt"
	"strings"
	"unicode"

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
