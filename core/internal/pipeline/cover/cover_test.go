package cover_test

import (
	"context"
	"flag"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/doc/doctest"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

type target struct {
	name    string
	dialect dialect.Dialect
	profile surface.Profile
}

// targets are one profile a dialect, with the figures of the contract.
func targets() []target {
	code := surface.Capabilities{Code: true, Links: true, AccessiblePlain: true}
	all := surface.Capabilities{StructuredBlocks: true, Tables: true, Code: true, Links: true, Media: true}
	return []target{
		{"telegram", dialect.TelegramHTML, surface.Profile{Dialect: "html", Can: code, Grid: 40,
			Limit: surface.Limit{Max: 4096, Unit: surface.UTF16, Of: surface.Visible, MaxBytes: 32768, MaxEntities: 100, MaxEntityBytes: 9000}}},
		{"slack", dialect.SlackMrkdwn, surface.Profile{Dialect: "mrkdwn", Can: code, Grid: 80, Limit: surface.Limit{Max: 3900, Unit: surface.Codepoint, Of: surface.Sent}}},
		{"discord", dialect.DiscordMarkdown, surface.Profile{Dialect: "discord", Can: code, Grid: 56, Limit: surface.Limit{Max: 1900, Unit: surface.Codepoint, Of: surface.Sent}}},
		{"markdown", dialect.GFM, surface.Profile{Dialect: "markdown", Can: all}},
		{"plain", dialect.PlainText, surface.Profile{Dialect: "plain", Can: surface.Capabilities{Code: true}, Grid: 100}},
		{"small", dialect.TelegramHTML, surface.Profile{Dialect: "html", Can: code, Grid: 40, Limit: surface.Limit{Max: 300, Unit: surface.UTF16, Of: surface.Visible, MaxEntities: 100}}},
		{"list", dialect.DiscordMarkdown, surface.Profile{Dialect: "discord", Can: code, Tables: "list", Links: "masked", Limit: surface.Limit{Max: 300, Unit: surface.Codepoint}}},
	}
}

func render(t interface{ Fatal(...any) }, d *doc.Document, g target) surface.Rendering {
	r, err := layout.Render(context.Background(), surface.RenderRequest{Doc: d, Profile: g.profile, Kind: surface.Assistant}, g.dialect)
	if err != nil {
		t.Fatal(g.name, err)
	}
	return r
}

// What layout renders is never refused: a false alarm costs an answer its form.
// The seed is fixed, so that the test fails for a change and not for a draw; it
// is worth drawing some ten thousand by hand (-rapid.checks, -rapid.seed).
func TestNoFalseAlarm(t *testing.T) {
	fixSeed(t)
	rapid.Check(t, func(t *rapid.T) {
		d := doc.Lower(doctest.Random(t, doctest.Options{}), doc.Support{Blocks: []doc.Kind{doc.KindCallout, doc.KindCitations, doc.KindMedia, doc.KindDiff}})
		if !visible(d) {
			t.Skip("nothing to send")
		}
		for _, g := range targets() {
			r := render(t, d, g)
			if got := cover.Check(d, g.profile, r, g.dialect); len(got.Losses) > 0 {
				t.Fatalf("%s: %+v\n%s\n%s", g.name, got.Losses, doc.Append(nil, d, doc.WithSource), show(r))
			}
		}
	})
}

func fixSeed(t *testing.T) {
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		if err := f.Value.Set("1"); err != nil {
			t.Fatal(err)
		}
	}
}

// Nor is a table of what could be taken for something else: for what parts or
// surrounds cells, for the mark of a quote, for a number, or for a cell nearby.
func TestNoFalseAlarmOnTables(t *testing.T) {
	words := []string{"a", "a", "b", "—", "(", ")", "]()", "[1]", "(a)", ":", "a:", "│", "|", "*", "> -", "•", "1.", "=", "\u200b", "z\u200bz", "e\u0301",
		"👩‍👩‍👧", "🖼", "[spoiler:", "[image/png, 1 B]", "data:a", "https://e.org", strings.Repeat("long ", 30), strings.Repeat("x", 90)}
	hrefs := []string{"https://e.org", "https://e.org/x", "(a)", "a", "/p?(q)", "mailto:a@e.org", "https://e.org/" + strings.Repeat("long/", 30), "data:image/png;base64,AA=="}
	fixSeed(t)
	rapid.Check(t, func(t *rapid.T) {
		word, href := rapid.SampledFrom(words), rapid.SampledFrom(hrefs)
		var inlines func(deep int) []doc.Inline
		inlines = func(deep int) (out []doc.Inline) {
			for range rapid.IntRange(0, 3).Draw(t, "n") {
				w := word.Draw(t, "word")
				switch k := rapid.IntRange(0, 9).Draw(t, "kind"); {
				case k == 0:
					out = append(out, &doc.CodeSpan{Text: w})
				case k == 1:
					u := href.Draw(t, "src")
					out = append(out, &doc.Image{Alt: rapid.SampledFrom([]string{"", w}).Draw(t, "alt"), Src: u, Safe: doc.SafeURL(u)})
				case k == 2:
					out = append(out, &doc.Break{Hard: true})
				case k == 3 && deep > 0:
					out = append(out, &doc.Spoiler{Children: inlines(deep - 1)})
				case k == 4 && deep > 0:
					out = append(out, &doc.Strong{Children: inlines(deep - 1)})
				case k == 5 && deep > 0:
					u := href.Draw(t, "href")
					out = append(out, &doc.Link{Href: u, Safe: doc.SafeURL(u), Children: txt(w)})
				default:
					out = append(out, &doc.Text{Text: w}, &doc.Text{Text: " "})
				}
			}
			return out
		}
		columns := rapid.IntRange(1, 4).Draw(t, "columns")
		row := func() (out []doc.Cell) {
			for range columns {
				out = append(out, inlines(2))
			}
			return out
		}
		b := &doc.Table{ID: "2", Align: make([]doc.Align, columns), Header: row()}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			b.Rows = append(b.Rows, row())
		}
		d := document(p("1", txt("before")...), b, p("3", txt("after")...))
		for _, g := range targets() {
			r := render(t, d, g)
			if got := cover.Check(d, g.profile, r, g.dialect); len(got.Losses) > 0 {
				t.Fatalf("%s: %+v\n%s\n%s", g.name, got.Losses, doc.Append(nil, d, doc.WithSource), show(r))
			}
		}
	})
}

// Whatever a renderer sends, a check ends without a panic.
func TestAnyRenderingIsChecked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := doctest.Random(t, doctest.Options{Bytes: true})
		g := rapid.SampledFrom(targets()).Draw(t, "target")
		low := doc.Lower(d, doc.Support{Blocks: []doc.Kind{doc.KindCallout, doc.KindCitations, doc.KindMedia, doc.KindDiff}})
		r := render(t, low, g)
		piece := rapid.SampledFrom([]string{"", "│", "[1]", "(", "\n", ":", "x", "\x0e", "\x0f", "\x1e", "\xff", "🖼", "data:", "> "})
		for i := range r.Chunks {
			s := r.Chunks[i].Text
			from := rapid.IntRange(0, len(s)).Draw(t, "from")
			to := rapid.IntRange(from, len(s)).Draw(t, "to")
			r.Chunks[i].Text = s[:from] + piece.Draw(t, "piece") + s[to:]
			if rapid.Bool().Draw(t, "plain") {
				r.Chunks[i].Plain = r.Chunks[i].Text
			}
			if n := len(r.Chunks[i].Blocks); n > 0 {
				r.Chunks[i].Blocks = r.Chunks[i].Blocks[:rapid.IntRange(0, n).Draw(t, "blocks")]
			}
		}
		cover.Check(low, g.profile, r, g.dialect)
		cover.Check(d, g.profile, r, nil)
	})
}

func visible(d *doc.Document) bool {
	for _, b := range d.Blocks {
		for range doc.Visible(b) {
			return true
		}
	}
	return false
}

func show(r surface.Rendering) string {
	var b strings.Builder
	for _, c := range r.Chunks {
		b.WriteString("----- text ")
		for _, id := range c.Blocks {
			b.WriteString(string(id) + " ")
		}
		b.WriteString("\n" + c.Text + "\n----- plain\n" + c.Plain + "\n")
	}
	return b.String()
}
