package cover_test

import (
	"os"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// source is the corpus as one answer of some 30 KB.
func source(b *testing.B) string {
	var out strings.Builder
	for _, name := range []string{"prose", "lists", "table", "code", "cjk", "emoji", "long"} {
		s, err := os.ReadFile("testdata/corpus/" + name + ".md")
		if err != nil {
			b.Fatal(err)
		}
		for range 4 {
			out.Write(s)
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// A check of both forms is to cost well below a parse of the source.
func BenchmarkCheck(b *testing.B) {
	s := source(b)
	d, err := compile.Markdown(s)
	if err != nil {
		b.Fatal(err)
	}
	d = doc.Lower(d, doc.Support{Blocks: []doc.Kind{doc.KindCallout, doc.KindCitations, doc.KindMedia, doc.KindDiff}})
	for _, g := range targets()[:5] {
		r := render(b, d, g)
		b.Run(g.name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				if got := cover.Check(d, g.profile, r, g.dialect); len(got.Losses) > 0 {
					b.Fatal(got.Losses)
				}
			}
		})
	}
}

func BenchmarkGoldmark(b *testing.B) {
	s := []byte(source(b))
	p := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote, extension.Linkify)).Parser()
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		p.Parse(text.NewReader(s))
	}
}
