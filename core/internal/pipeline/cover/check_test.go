package cover_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func txt(s string) []doc.Inline { return []doc.Inline{&doc.Text{Text: s}} }

func p(id doc.ID, ins ...doc.Inline) *doc.Paragraph { return &doc.Paragraph{ID: id, Inlines: ins} }

func link(label, href string) *doc.Link {
	return &doc.Link{Href: href, Safe: doc.SafeURL(href), Children: txt(label)}
}

func document(bs ...doc.Block) *doc.Document { return &doc.Document{Version: 1, Blocks: bs} }

func cells(ss ...string) (out []doc.Cell) {
	for _, s := range ss {
		out = append(out, txt(s))
	}
	return out
}

// chunk is a chunk whose two forms are the same.
func chunk(text string, ids ...doc.ID) surface.Chunk {
	return surface.Chunk{Text: text, Plain: text, Blocks: ids}
}

// Renderings made by hand, as another author's renderer might make them.
func TestCheck(t *testing.T) {
	words := document(p("1", txt("one two three")...), p("2", txt("four five")...))
	list := document(&doc.List{ID: "1", Ordered: true, Start: 3, Items: []doc.Item{
		{Blocks: []doc.Block{p("1.1.1", txt("tea")...)}}, {Task: doc.TaskDone, Blocks: []doc.Block{p("1.2.1", txt("milk")...)}}}})
	linked := document(p("1", txt("see ")[0], link("the page", "https://e.org/x"), txt(" now")[0]))
	table := document(&doc.Table{ID: "1", Align: make([]doc.Align, 2), Header: cells("Name", "Age"),
		Rows: [][]doc.Cell{cells("Ada", "36"), cells("Bob", "7 or 8")}})
	for _, c := range []struct {
		d      *doc.Document
		chunks []surface.Chunk
		want   []cover.Loss
		why    string
	}{
		{words, []surface.Chunk{chunk("one two\nthree\n\nfour five", "1", "2")}, nil, "space does not count"},
		{words, []surface.Chunk{chunk("Answer: one two three - and four five!", "1", "2")}, nil, "more than there must be"},
		{words, []surface.Chunk{chunk("one two th", "1"), chunk("ree four five", "1", "2")}, nil, "a word in two chunks"},
		{words, []surface.Chunk{chunk("o\u2060ne\u200b two three four five", "1", "2")}, nil, "characters without width"},
		{words, []surface.Chunk{chunk("one three four five", "1", "2")}, lost("1", cover.MissingText), "a word missing"},
		{words, []surface.Chunk{chunk("one two three four fve", "1", "2")}, lost("2", cover.MissingText), "a letter missing"},
		{words, []surface.Chunk{chunk("one three two four five", "1", "2")}, lost("1", cover.MissingText), "words in another order"},
		{words, []surface.Chunk{chunk("one two three", "1")}, lost("2", cover.MissingText), "a block missing"},
		{words, nil, append(lost("1", cover.MissingText), lost("2", cover.MissingText)...), "no chunk at all"},
		{words, []surface.Chunk{chunk("one two three", "1"), chunk("four five", "1")}, lost("2", cover.WrongChunk), "a chunk that does not name the block"},
		{words, []surface.Chunk{chunk("one two three four five", "1", "2", "9")}, []cover.Loss{{Block: "9", Chunk: 0, What: cover.UnknownBlock}}, "no such block"},
		{words, []surface.Chunk{chunk("one two three four five", "2", "1")}, []cover.Loss{{Block: "1", Chunk: 0, What: cover.UnknownBlock}, {Block: "1", Chunk: -1, What: cover.WrongChunk}}, "blocks out of order"},
		{words, []surface.Chunk{{Text: "one two three four five", Plain: "one two four five", Blocks: []doc.ID{"1", "2"}}}, lost("1", cover.PlainLost), "plain form lacks a word"},
		{words, []surface.Chunk{chunk("one two three four five", "1", "2"), chunk(" \n", "2")}, []cover.Loss{{Chunk: 1, What: cover.EmptyChunk}}, "an empty chunk"},
		{words, []surface.Chunk{chunk("one two three four five\xff", "1", "2")}, []cover.Loss{{Chunk: 0, What: cover.InvalidUTF8}}, "not UTF-8"},
		{words, []surface.Chunk{chunk("one two three\x0e four five", "1", "2")}, []cover.Loss{{Chunk: 0, What: cover.Control}}, "a control character"},
		{words, []surface.Chunk{chunk(strings.Repeat("one two three ", 10)+"four five", "1", "2")},
			[]cover.Loss{{Chunk: 0, What: cover.PlainTooLong}, {Chunk: 0, What: cover.TooLong}}, "more than 100 characters"},
		{list, []surface.Chunk{chunk("3. tea\n4. [x] milk", "1")}, nil, "naming the list names its items"},
		{list, []surface.Chunk{chunk("3) tea\n4) ✅ milk", "1.1.1", "1.2.1")}, nil, "other marks that say the same"},
		{list, []surface.Chunk{chunk("1. tea\n2. ☑ milk", "1")}, lost("1", cover.MissingNumber), "numbers that start anew"},
		{list, []surface.Chunk{chunk("3. tea\n4. ☐ milk", "1")}, lost("1", cover.MissingTask), "the other state"},
		{linked, []surface.Chunk{chunk("see the page (https://e.org/x) now", "1")}, nil, "printed"},
		{linked, []surface.Chunk{chunk("see the page now", "1")}, lost("1", cover.MissingTarget), "no address"},
		{linked, []surface.Chunk{chunk("see https://e.org/x now", "1")}, lost("1", cover.MissingText), "no label"},
		{table, []surface.Chunk{chunk("Name │ Age\nAda  │ 36\nBob  │ 7 or 8", "1")}, nil, "a grid"},
		{table, []surface.Chunk{chunk("Name: Ada\nAge: 36\n\nName: Bob\nAge: 7 or 8", "1")}, nil, "lines of header and value"},
		{table, []surface.Chunk{chunk("Name │ Ada │ Bob\nAge │ 36 │ 7 or 8", "1")}, nil, "turned on its side"},
		{table, []surface.Chunk{chunk("Name │ Age\nAda 7 │ 36\nBob  │ or 8", "1")}, lost("1", cover.MissingCell), "a word in another cell"},
		{table, []surface.Chunk{chunk("Name │ Age\nAda  │ 36\nBob  │ 7 or", "1")}, lost("1", cover.MissingCell), "a word missing in a cell"},
		{table, []surface.Chunk{chunk("Name Age Ada 36 Bob 7 or 8", "1")}, lost("1", cover.MissingCell), "cells run together"},
		{document(p("1", link("link", "(foo)"))), []surface.Chunk{chunk("link ((foo))", "1")}, nil, "an address in brackets of its own"},
		{document(p("1", txt("x] ]()")...)), []surface.Chunk{chunk("[spoiler: x] ]]()", "1")}, nil, "brackets that might close a label"},
		{document(p("1", txt("\u200bone")...)), []surface.Chunk{chunk("o one", "1")}, nil, "a word that starts with nothing"},
		{rich(), []surface.Chunk{chunk("— │ (a)\n──┼───\n🖼 [1] │ —\n(b) [2] │ c [3]\n[1] u\n[2] v\n[3] u", "1")}, nil, "cells of what may part cells, addresses listed"},
		{rich(), []surface.Chunk{chunk("—: 🖼 (u)\n(a): —\n\n—: (b) (v)\n(a): c (u)", "1")}, nil, "the same in lines"},
		{rich(), []surface.Chunk{chunk("—: 🖼 (u)\n(a): —\n\n—: () (v)\n(a): c (u)", "1")}, lost("1", cover.MissingCell), "a label without its letter"},
		{rich(), []surface.Chunk{chunk("— │ (a)\n🖼 [1] │ —\n(b) [2] │ c [3]\n[1] u\n[3] u", "1")}, lost("1", cover.MissingCell), "an address that is not in the list"},
	} {
		profile := surface.Profile{Limit: surface.Limit{Max: 100}}
		got := cover.Check(c.d, profile, surface.Rendering{Chunks: c.chunks}, dialect.PlainText).Losses
		got = slices.DeleteFunc(got, func(l cover.Loss) bool { // plain form of the same loss
			return l.What == cover.PlainLost && !slices.Contains(c.want, l)
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.why, got, c.want)
		}
	}
}

// rich is a table of cells that could be taken for what stands between cells.
func rich() *doc.Document {
	return document(&doc.Table{ID: "1", Align: make([]doc.Align, 2), Header: cells("—", "(a)"),
		Rows: [][]doc.Cell{{{&doc.Image{Src: "u"}}, txt("—")}, {{link("(b)", "v")}, {link("c", "u")}}}})
}

func lost(id doc.ID, w cover.What) []cover.Loss { return []cover.Loss{{Block: id, Chunk: -1, What: w}} }

// An address behind a label must be the whole of it, and text behind a label
// does not stand for text.
func TestCheckBehindLabels(t *testing.T) {
	d := document(p("1", txt("go ")[0], link("here", "https://e.org/x")))
	for _, c := range []struct {
		text string
		want []cover.Loss
		why  string
	}{
		{`go <a href="https://e.org/x">here</a>`, nil, "as it should be"},
		{`go <a href="https://e.org/xy">here</a>`, lost("1", cover.MissingTarget), "a longer address"},
		{`<a href="https://e.org/go here">x</a> https://e.org/x`, lost("1", cover.MissingText), "text in an address"},
	} {
		r := surface.Rendering{Chunks: []surface.Chunk{{Text: c.text, Plain: "go here (https://e.org/x)", Blocks: []doc.ID{"1"}}}}
		if got := cover.Check(d, surface.Profile{}, r, dialect.TelegramHTML).Losses; !slices.Equal(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.why, got, c.want)
		}
	}
}

func TestCheckOfUnknownDialectIsClaimed(t *testing.T) {
	d := document(p("1", txt("one")...))
	r := surface.Rendering{Chunks: []surface.Chunk{{Text: "%%%", Plain: "one", Blocks: []doc.ID{"1"}}}}
	got := cover.Check(d, surface.Profile{}, r, nil)
	if len(got.Losses) > 0 || got.Coverage.Basis != packet.Claimed {
		t.Errorf("got %+v", got)
	}
}

func TestDispositions(t *testing.T) {
	image := &doc.Image{Src: "https://e.org/x.png", Alt: "x"}
	d := document(
		p("1", txt("one")...), p("2", image), p("3", &doc.Image{Src: "data:image/png;base64,AA=="}), p("4"),
		&doc.Table{ID: "5", Align: make([]doc.Align, 1), Header: cells("a")}, &doc.Code{ID: "6", Text: "x"},
		&doc.Quote{ID: "7", Blocks: []doc.Block{p("7.1", link("l", "https://e.org")), &doc.Rule{ID: "7.2"}}}, p("8"),
	)
	d.Diagnostics = []doc.Diagnostic{{Code: "comment", Block: "8"}, {Code: "comment", Block: "9"}}
	r := surface.Rendering{
		Chunks: []surface.Chunk{chunk("one\nx (https://e.org/x.png)\n[image/png, 1 B]\na\nx\nl (https://e.org)", "1", "2", "3", "5", "6", "7.1")},
		Notes: []surface.Note{
			{Block: "1", Disposition: surface.AsFallback, Reason: "word_boundary"},
			{Block: "1", Disposition: surface.AsFallback, Reason: "second"},
			{Block: "6", Disposition: surface.Omitted, Reason: "empty"}, // it is there, so it was not omitted
			{Block: "nowhere", Disposition: surface.AsFallback, Reason: "x"},
		},
	}
	got := cover.Check(d, surface.Profile{Grid: 40, Can: surface.Capabilities{Links: true, Code: true}}, r, dialect.PlainText)
	want := []packet.Block{
		{ID: "1", Kind: doc.KindParagraph, Disposition: surface.AsFallback, Reason: "word_boundary"},
		{ID: "2", Kind: doc.KindParagraph, Disposition: surface.AsFallback, Reason: "media"},
		{ID: "3", Kind: doc.KindParagraph, Disposition: surface.Omitted, Reason: "data_uri"},
		{ID: "4", Kind: doc.KindParagraph, Disposition: surface.Omitted, Reason: "empty"},
		{ID: "5", Kind: doc.KindTable, Disposition: surface.AsFallback, Reason: "grid"},
		{ID: "6", Kind: doc.KindCode, Disposition: surface.AsNative},
		{ID: "7", Kind: doc.KindQuote, Disposition: surface.AsNative},
		{ID: "7.1", Kind: doc.KindParagraph, Disposition: surface.AsNative},
		{ID: "7.2", Kind: doc.KindRule, Disposition: surface.AsNative},
		{ID: "8", Kind: doc.KindParagraph, Disposition: surface.Omitted, Reason: "comment"},
		{ID: "9", Kind: doc.KindRawMarkdown, Disposition: surface.Omitted, Reason: "comment"},
	}
	if len(got.Losses) > 0 || !slices.Equal(got.Coverage.Blocks, want) {
		t.Errorf("losses %+v\n got %+v\nwant %+v", got.Losses, got.Coverage.Blocks, want)
	}
}

// Text that repeats itself must not cost more than its length allows.
func TestCheckIsLinear(t *testing.T) {
	for _, c := range []struct {
		d    *doc.Document
		text string
		why  string
	}{
		{document(p("1", txt(strings.Repeat("a", 200_000)+"b")...)), strings.Repeat("a", 400_000), "one word that is everywhere but for its end"},
		{document(p("1", txt(strings.Repeat("ab ", 60_000)+"c")...)), strings.Repeat("ab ", 120_000), "words that are everywhere"},
		{document(p("1", txt(strings.Repeat("x ", 60_000))...)), strings.Repeat("y ", 120_000), "words that are nowhere"},
	} {
		r := surface.Rendering{Chunks: []surface.Chunk{chunk(c.text, "1")}}
		if got := cover.Check(c.d, surface.Profile{}, r, dialect.PlainText); len(got.Losses) == 0 {
			t.Errorf("%s: no loss", c.why)
		}
	}
}
