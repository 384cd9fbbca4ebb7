package cover_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// corpus is what the tests render, by file name.
func corpus(t testing.TB) map[string]*doc.Document {
	files, err := filepath.Glob("testdata/corpus/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	out := map[string]*doc.Document{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		d, err := compile.Markdown(string(b))
		if err != nil {
			t.Fatal(f, err)
		}
		out[filepath.Base(f)] = doc.Lower(d, doc.Support{Blocks: []doc.Kind{doc.KindCallout, doc.KindCitations, doc.KindMedia, doc.KindDiff}})
	}
	return out
}

func TestCorpusIsCovered(t *testing.T) {
	for name, d := range corpus(t) {
		for _, g := range targets() {
			r := render(t, d, g)
			if got := cover.Check(d, g.profile, r, g.dialect); len(got.Losses) > 0 {
				t.Errorf("%s on %s: %+v\n%s", name, g.name, got.Losses, show(r))
			}
		}
	}
}

// A unit is the shortest piece of a chunk that shows something by itself: a
// character, or an escape that stands for one.
type unit struct {
	from, to int    // in the chunk
	shows    string // the character
	at       int    // where in what is read back
}

// units returns those pieces of chunk whose deletion takes exactly one visible
// character away, outside of addresses behind labels.
func units(k dialect.Dialect, chunk string) (out []unit, visible string) {
	v := string(k.Visible(nil, []byte(chunk)))
	inMark := make([]bool, len(v)+1)
	in := false
	for i := range len(v) {
		in = in || v[i] == dialect.TargetStart
		inMark[i] = in
		in = in && v[i] != dialect.TargetEnd
	}
	at := 0
	for i := 0; i < len(chunk); {
		n := escape.FindStringIndex(chunk[i:])
		size := 0
		if n != nil && n[0] == 0 {
			size = n[1]
		} else {
			_, size = utf8.DecodeRuneInString(chunk[i:])
		}
		w := string(k.Visible(nil, []byte(chunk[:i]+chunk[i+size:])))
		if lost := len(v) - len(w); lost > 0 && lost <= utf8.UTFMax {
			// The first place where both differ is where it was, or right
			// behind where the same character follows itself.
			p := at
			for p < len(w) && v[p] == w[p] {
				p++
			}
			for p > at && (!utf8.RuneStart(v[p]) || v[p:] != v[p:p+lost]+w[p:]) {
				p--
			}
			r, rn := utf8.DecodeRuneInString(v[p:])
			if rn == lost && v[p+lost:] == w[p:] && !inMark[p] && !unicode.IsSpace(r) && !strings.ContainsRune("\u200b\u2060", r) {
				out = append(out, unit{i, i + size, v[p : p+lost], p})
				at = p
			}
		}
		i += size
	}
	return out, v
}

var escape = regexp.MustCompile(`^(&[a-z]+;|\\[[:punct:]])`)

// Decorations are what the walk adds: they may be lost.
var decorations = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^[ >›]*((•|◦|▪|-) )`),   // bullets
	regexp.MustCompile(`(?m)^([ ]*[>›])+`),          // quotes
	regexp.MustCompile(`(?m)^[ >]*([=-]{2,}|———)$`), // lines
	regexp.MustCompile(`[│─┼]`),
	regexp.MustCompile(`\((https?:|mailto:|tel:|/|javascript:)\S*\)`), // only its brackets; see decorated
	regexp.MustCompile(`(?m)\[\d+\]`),                                 // numbers of addresses under a grid
	regexp.MustCompile(`\[spoiler: |\]`),
	regexp.MustCompile(`(?m)^[ >]*[^:\n]*:( |$)`), // the colon behind a key of a table
	regexp.MustCompile(`[|]`),                     // cells of a markdown table
	regexp.MustCompile(`\[image/[a-z]+, [^\]]*\]|🖼`),
}

// decorated marks the bytes of v that are decorations.
func decorated(v string) []bool {
	out := make([]bool, len(v))
	for i, re := range decorations {
		for _, m := range re.FindAllStringIndex(v, -1) {
			switch i {
			case 4:
				out[m[0]] = true
				last := strings.LastIndexByte(v[m[0]:m[1]], ')')
				out[m[0]+last] = true
			case 7:
				end := strings.LastIndexByte(v[m[0]:m[1]], ':')
				out[m[0]+end] = true
			default:
				for j := m[0]; j < m[1]; j++ {
					out[j] = true
				}
			}
		}
	}
	return out
}

type tally struct{ chars, missedChars, words, missedWords, moves, missedMoves int }

// Every word that is deleted or moved, and nearly every character, is noticed.
func TestMutationsAreCaught(t *testing.T) {
	docs := corpus(t)
	names := make([]string, 0, len(docs))
	for name := range docs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, g := range targets() {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			var n tally
			for _, name := range names {
				mutate(t, name, docs[name], g, &n)
			}
			rate := 100 * float64(n.chars-n.missedChars) / float64(n.chars)
			t.Logf("%d of %d characters missed (%.3f %% caught), %d of %d words, %d of %d moves",
				n.missedChars, n.chars, rate, n.missedWords, n.words, n.missedMoves, n.moves)
			if rate < 99.5 || n.missedWords > 0 || n.missedMoves > 0 || n.chars < 4000 || n.words < 700 || n.moves < 1500 {
				t.Error("below the bar")
			}
		})
	}
}

func mutate(t *testing.T, name string, d *doc.Document, g target, n *tally) {
	r := render(t, d, g)
	for c := range r.Chunks {
		var others []string
		for o := range r.Chunks {
			if o != c {
				others = append(others, string(g.dialect.Visible(nil, []byte(r.Chunks[o].Text))))
			}
		}
		text := r.Chunks[c].Text
		us, v := units(g.dialect, text)
		deco := decorated(v)
		repeated(v, deco, others)
		lost := func(mutant string) bool {
			if strings.TrimSpace(mutant) == "" {
				return true
			}
			m := surface.Rendering{Chunks: slices.Clone(r.Chunks), Notes: r.Notes}
			m.Chunks[c].Text = mutant
			return len(cover.Check(d, g.profile, m, g.dialect).Losses) > 0
		}
		report := func(what, was string, at int) {
			from, to := max(0, at-40), min(len(v), at+40)
			t.Logf("%s chunk %d: %s %q missed in %q", name, c, what, was, strings.ToValidUTF8(v[from:to], ""))
		}
		for _, u := range us {
			if deco[u.at] {
				continue
			}
			n.chars++
			if !lost(text[:u.from] + text[u.to:]) {
				n.missedChars++
				report("character", u.shows, u.at)
			}
		}
		ws := wordsOf(us, v, deco)
		for i, w := range ws {
			n.words++
			gone := text[:w.from] + text[w.to:]
			if !lost(gone) {
				n.missedWords++
				report("word", w.shows, w.at)
			}
			for _, by := range [...]int{1, 5, -3} {
				j := i + by
				if j < 0 || j >= len(ws) {
					continue
				}
				if by < 0 {
					j--
					if j < 0 {
						continue
					}
				}
				to := ws[j].to
				var moved string
				switch {
				case to > w.to:
					moved = text[:w.from] + text[w.to:to] + " " + text[w.from:w.to] + text[to:]
				case to < w.from:
					moved = text[:to] + " " + text[w.from:w.to] + text[to:w.from] + text[w.to:]
				default:
					continue
				}
				if !reorders(g.dialect, text, moved) {
					continue // markup broke, or the same words in the same order
				}
				n.moves++
				if !lost(moved) {
					n.missedMoves++
					report("move of", w.shows+" behind "+ws[j].shows, w.at)
				}
			}
		}
	}
}

// repeated marks the lines of a table header that other chunks have too: each
// stands in for the other.
func repeated(v string, deco []bool, others []string) {
	at := 0
	for l := range strings.SplitAfterSeq(v, "\n") {
		if strings.Contains(l, "│") && slices.ContainsFunc(others, func(o string) bool { return strings.Contains(o, strings.TrimSpace(l)) }) {
			for j := range len(l) {
				deco[at+j] = true
			}
		}
		at += len(l)
	}
}

// wordsOf joins units that stand together both in the chunk and in what is read
// back into words, without those that have a decoration in them.
func wordsOf(us []unit, v string, deco []bool) (out []unit) {
	for i := 0; i < len(us); {
		j := i + 1
		for j < len(us) && us[j].from == us[j-1].to && us[j].at == us[j-1].at+len(us[j-1].shows) {
			j++
		}
		w := unit{us[i].from, us[j-1].to, v[us[i].at : us[j-1].at+len(us[j-1].shows)], us[i].at}
		end := w.at + len(w.shows)
		space := func(at int) bool { return at < 0 || at >= len(v) || v[at] <= ' ' }
		if space(w.at-1) && space(end) && !slices.Contains(deco[w.at:end], true) {
			out = append(out, w)
		}
		i = j
	}
	return out
}

// reorders reports whether a reader of b sees the words of a in another order.
func reorders(k dialect.Dialect, a, b string) bool {
	x, y := bytes.Fields(k.Visible(nil, []byte(a))), bytes.Fields(k.Visible(nil, []byte(b)))
	if len(x) != len(y) || bytes.Equal(bytes.Join(x, nil), bytes.Join(y, nil)) {
		return false
	}
	count := map[string]int{}
	for i := range x {
		count[string(x[i])]++
		count[string(y[i])]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
