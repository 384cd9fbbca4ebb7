package cover_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/doc/doctest"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func isExcess(l cover.Loss) bool { return l.What == cover.Excess }

// prose is an answer of n paragraphs of some 300 characters.
func prose(n int) *doc.Document {
	d := document()
	for i := range n {
		d.Blocks = append(d.Blocks, p(doc.ID(fmt.Sprint(i+1)), txt(fmt.Sprintf("Number %d. ", i)+strings.Repeat("some words of it ", 20))...))
	}
	return d
}

// add puts s into a chunk, in both forms.
func add(c *surface.Chunk, s string) { c.Text, c.Plain = c.Text+s, c.Plain+s }

// What is there besides must be in proportion, whichever way it is added. Each
// of these is found by one bound and no other.
func TestExcessIsFound(t *testing.T) {
	limit := surface.Limit{Max: 3900, Unit: surface.Codepoint, Of: surface.Sent}
	words := strings.Repeat("buy this now ", 80) // 800 characters
	for _, c := range []struct {
		why        string
		paragraphs int
		limit      surface.Limit
		harm       func(r *surface.Rendering)
		chunk      bool // it is found in a chunk by itself
	}{
		{"3,001 copies", 1, limit, func(r *surface.Rendering) {
			r.Chunks = slices.Repeat(r.Chunks, 3001)
		}, false},
		{"many chunks where there is no limit", 1, surface.Limit{}, func(r *surface.Rendering) {
			r.Chunks = append(r.Chunks, slices.Repeat([]surface.Chunk{chunk("x", "1")}, 100)...)
		}, false},
		{"one long text in an answer of one paragraph", 1, limit, func(r *surface.Rendering) {
			add(&r.Chunks[0], "\n"+words)
		}, true},
		{"one long text in an answer that is longer", 120, limit, func(r *surface.Rendering) {
			last := len(r.Chunks) - 1
			r.Chunks = slices.Insert(r.Chunks, last, chunk(words, r.Chunks[last].Blocks[0]))
		}, true},
		{"some text in every chunk", 120, limit, func(r *surface.Rendering) {
			for i := range r.Chunks {
				add(&r.Chunks[i], "\n"+words[:len(words)/5])
			}
		}, false},
		{"many chunks that are all but empty", 120, limit, func(r *surface.Rendering) {
			last := r.Chunks[len(r.Chunks)-1].Blocks
			for range 100 {
				r.Chunks = append(r.Chunks, chunk("x", last[len(last)-1]))
			}
		}, false},
		{"many chunks that are full of what is not seen", 2, limit, func(r *surface.Rendering) {
			last := r.Chunks[len(r.Chunks)-1].Blocks
			for range 40 {
				c := chunk("x", last[len(last)-1])
				c.Text = "<https://e.org/" + strings.Repeat("x", 3000) + "|x>"
				r.Chunks = append(r.Chunks, c)
			}
		}, false},
		{"a plain form that says more than the other", 1, limit, func(r *surface.Rendering) {
			r.Chunks[0].Plain += "\n" + words
		}, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			g := target{"slack", dialect.SlackMrkdwn, surface.Profile{Dialect: "mrkdwn", Limit: surface.Limit{Max: c.limit.Max / 2, Unit: c.limit.Unit, Of: c.limit.Of}}}
			d := prose(c.paragraphs)
			r := render(t, d, g)
			g.profile.Limit = c.limit
			if got := cover.Check(d, g.profile, r, g.dialect).Losses; len(got) > 0 {
				t.Fatalf("without harm: %+v", got)
			}
			c.harm(&r)
			got := cover.Check(d, g.profile, r, g.dialect).Losses
			if len(got) == 0 || !slices.ContainsFunc(got, isExcess) || slices.ContainsFunc(got, func(l cover.Loss) bool { return !isExcess(l) }) {
				t.Fatalf("got %+v", got)
			}
			if found := slices.ContainsFunc(got, func(l cover.Loss) bool { return l.Chunk >= 0 }); found != c.chunk {
				t.Errorf("got %+v, in a chunk: want %v", got, c.chunk)
			}
			claimed := cover.Check(d, g.profile, r, nil).Losses
			if c.why != "many chunks that are full of what is not seen" && !slices.ContainsFunc(claimed, isExcess) {
				t.Errorf("where core knows no dialect, got %+v", claimed)
			}
		})
	}
}

// Other authors' renderers have habits of their own.
func TestHabitsAreNoExcess(t *testing.T) {
	code := "a := 1\nb := 2\n\nfmt.Println(a + b)\n" + strings.Repeat("}\n", 100)
	numbered := ""
	for i, l := range strings.Split(code, "\n") {
		numbered += fmt.Sprintf("%3d │ %s\n", i+1, l)
	}
	table := &doc.Table{ID: "1", Align: make([]doc.Align, 2), Header: cells("Name", "Age")}
	boxed := "╔" + strings.Repeat("═", 40) + "╗\n│ Name │ Age │\n"
	for range 50 {
		table.Rows = append(table.Rows, cells("Ada", "36"))
		boxed += "│ Ada │ 36 │\n"
	}
	boxed += "╚" + strings.Repeat("═", 40) + "╝"
	lined := document(p("1", txt("one")...), &doc.Rule{ID: "2"}, &doc.Rule{ID: "3"}, p("4", txt("two")...), &doc.Rule{ID: "5"})
	line := strings.Repeat("─", 60) + "\n"
	quote := document(&doc.Callout{ID: "1", Tone: doc.ToneWarning, Blocks: []doc.Block{p("1.1", txt("Mind the gap.")...)}})
	linked := document(p("1", link("https://e.org/a/long/one", "https://e.org/a/long/one"), txt(" and ")[0], link("e", "https://e.org")))
	for _, c := range []struct {
		d      *doc.Document
		chunks []surface.Chunk
		why    string
	}{
		{document(&doc.Code{ID: "1", Language: "go", Text: code}), []surface.Chunk{chunk("[go]\n"+numbered, "1")}, "numbers of lines"},
		{document(table), []surface.Chunk{chunk(boxed, "1")}, "a box"},
		{lined, []surface.Chunk{chunk("one\n"+line+line, "1"), chunk("two\n"+line, "4")}, "lines from side to side"},
		{quote, []surface.Chunk{chunk("┃ ⚠️ [!WARNING] Warning:\n┃ Mind the gap.", "1.1")}, "words for a tone"},
		{linked, []surface.Chunk{chunk("https://e.org/a/long/one (https://e.org/a/long/one) and e ↗ (https://e.org)", "1")}, "an address twice"},
		{prose(1), []surface.Chunk{chunk(prose(1).Blocks[0].(*doc.Paragraph).Inlines[0].(*doc.Text).Text+"\n\nSent by the assistant of somebody. Answers may be wrong.", "1")}, "a line below the answer"},
		{document(p("1", txt("one two")...), &doc.Media{ID: "2", Source: "/a.png", Alt: "a", MediaType: "image/png"}, p("3", txt("three")...)),
			[]surface.Chunk{chunk("(1/3) one two", "1"), chunk("(2/3) 📎 Picture: a /a.png (image/png, 120 KB)", "2"), chunk("(3/3) three", "3")}, "a picture as a message of its own"},
	} {
		for _, k := range []dialect.Dialect{dialect.PlainText, nil} {
			profile := surface.Profile{Limit: surface.Limit{Max: 4000}}
			if got := cover.Check(c.d, profile, surface.Rendering{Chunks: c.chunks}, k).Losses; len(got) > 0 {
				t.Errorf("%s: %+v", c.why, got)
			}
		}
	}
}

// adorned are answers that are more ornament than text, or that a limit cuts
// into very many pieces.
var adorned = map[string]string{
	"escapes":    strings.Repeat("&<>& ", 2000),
	"underlines": strings.Repeat("# a\n\nb\n\n", 300),
	"lines":      strings.Repeat("---\n\n", 100) + "a\n\n" + strings.Repeat("---\n\n", 100) + "b",
	"bullets":    strings.Repeat("- a\n", 500),
	"tasks":      strings.Repeat("- [x] a\n", 500),
	"numbers":    strings.Repeat("1. a\n", 500),
	"nested":     strings.Repeat("> ", 12) + strings.Repeat("word ", 300),
	"quoted":     "> > > ```\n" + strings.Repeat("> > > x\n", 300) + "> > > ```\n",
	"styles":     strings.Repeat("**a** _b_ `c` ~~d~~ ||e|| ", 200),
	"hidden":     "||" + strings.Repeat("word ", 300) + "||",
	"links":      strings.Repeat("[a](https://example.org/a/path) ", 200),
	"bare":       strings.Repeat("https://example.org/a/path ", 200),
	"pictures":   strings.Repeat("![](https://example.org/a.png) ![b](data:image/png;base64,AAAA)\n\n", 100),
	"label":      "[" + strings.Repeat("word ", 300) + "](https://example.org/" + strings.Repeat("p/", 20) + ")",
	"keys":       "| a header that is long | ||another|| [one](https://e.org/x) |\n|---|---|\n" + strings.Repeat("| a | b |\n", 200),
	"columns":    strings.Repeat("| h ", 20) + "|\n" + strings.Repeat("|---", 20) + "|\n" + strings.Repeat(strings.Repeat("| a ", 20)+"|\n", 50),
	"notes":      "| a | b |\n|---|---|\n" + strings.Repeat("| [x](https://e.org/y) | ![z](https://e.org/z.png) |\n", 100),
	"callouts":   strings.Repeat("> [!NOTE]\n> a\n\nb\n\n", 100),
	"footnotes":  strings.Repeat("a[^1] ", 100) + "\n\n[^1]: " + strings.Repeat("note ", 100),
	"thin":       strings.Repeat("a\u2060\u200b ", 1000),
	"wide":       strings.Repeat("# 日本語の見出し\n\n日本語。\n\n", 100),
}

// What layout adds is no excess, at any limit.
func TestLayoutIsNoExcess(t *testing.T) {
	docs := corpus(t)
	for name, source := range adorned {
		d, err := compile.Markdown(source)
		if err != nil {
			t.Fatal(name, err)
		}
		docs[name] = doc.Lower(d, doc.Support{Blocks: []doc.Kind{doc.KindCallout, doc.KindCitations, doc.KindMedia, doc.KindDiff}})
	}
	for name, d := range docs {
		for _, g := range targets() {
			noExcess(t, name, d, g)
			for _, most := range []int{64, 65, 90, 150, 400, 1000} {
				g.profile.Limit.Max = most
				noExcess(t, fmt.Sprint(name, " within ", most), d, g)
			}
		}
	}
}

func noExcess(t interface {
	Fatal(...any)
	Errorf(string, ...any)
}, name string, d *doc.Document, g target) {
	r := render(t, d, g)
	if got := cover.Check(d, g.profile, r, g.dialect).Losses; slices.ContainsFunc(got, isExcess) {
		t.Errorf("%s on %s: %+v in %d chunks", name, g.name, got, len(r.Chunks))
	}
}

func TestRandomIsNoExcess(t *testing.T) {
	fixSeed(t)
	rapid.Check(t, func(t *rapid.T) {
		d := doc.Lower(doctest.Random(t, doctest.Options{}), doc.Support{Blocks: []doc.Kind{doc.KindCallout, doc.KindCitations, doc.KindMedia, doc.KindDiff}})
		most := rapid.IntRange(surface.MinLimit, 400).Draw(t, "limit")
		for _, g := range targets() {
			g.profile.Limit.Max = most
			noExcess(t, fmt.Sprint("within ", most), d, g)
		}
	})
}

// A character is what a reader sees as one or as part of one: bytes and space
// weigh nothing.
func TestOnlyWhatIsSeenWeighs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s") + rapid.SampledFrom([]string{"", "é", "日本", "\u3000", "\u00a0", "\u2060", "\ufeff", "\u061c", "\u200d", "│", "👩‍👧"}).Draw(t, "special")
		want := 0
		for _, r := range s {
			if !unicode.IsSpace(r) && !unicode.IsControl(r) && !strings.ContainsRune("\u061c\u200b\u200e\u200f\ufeff", r) && (r < 0x202a || r > 0x202e) && (r < 0x2060 || r > 0x2069) {
				want++
			}
		}
		if got := cover.Weigh(s); got != want {
			t.Fatalf("%q weighs %d, want %d", s, got, want)
		}
	})
}

// What a reader can answer with may stand in the message, if there is anything
// of the kind.
func TestActionsAreNoExcess(t *testing.T) {
	var actions []surface.Action
	text := "one two"
	for i := range 20 {
		verb := fmt.Sprintf("Roll the release back to number %d", i)
		actions = append(actions, surface.Action{ID: fmt.Sprint(i), Verb: verb})
		text += fmt.Sprintf("\n%d. %s (until 2026-01-02 15:04 UTC)", i+1, verb)
	}
	d, r := document(p("1", txt("one two")...)), surface.Rendering{Chunks: []surface.Chunk{chunk(text, "1")}}
	profile := surface.Profile{Can: surface.Capabilities{Actions: true}}
	if got := cover.Check(d, profile, r, dialect.PlainText, actions...).Losses; len(got) > 0 {
		t.Errorf("with actions: %+v", got)
	}
	if got := cover.Check(d, profile, r, dialect.PlainText).Losses; !slices.ContainsFunc(got, isExcess) {
		t.Errorf("without: %+v", got)
	}
}
