package layout_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/seed-1ae66336/vak/core/compile"
)

// prose is an answer of the usual make, about a kilobyte.
const prose = `## What changed

The **build** now takes the *cache* from [the store](https://example.com/store/a_b), so a clean
run of ` + "`make test`" + ` needs about 40 s instead of 90 s. Two things are left & known:

- the first run after an upgrade still fills the cache
- on Windows the path is longer than it should be
  - see the note below
  - and the ticket
- nothing else

1. Pull the branch
2. Run the tests
3. Tell us what you saw

` + "```go\nfunc main() {\n\tfmt.Println(\"hello\", 1 < 2)\n}\n```" + `

> It worked on the first try.

| case | before | after |
|------|-------:|------:|
| cold | 90 s   | 40 s  |
| warm | 12 s   | 11 s  |

A closing paragraph with 中文 words, an emoji 🎩 and ~~old~~ text to make it whole.

`

func BenchmarkRender(b *testing.B) {
	for _, n := range []int{1, 60} {
		b.Run(strconv.Itoa(n)+"KB", func(b *testing.B) { benchmark(b, strings.Repeat(prose, n)) })
	}
}

func benchmark(b *testing.B, src string) {
	d, err := compile.Markdown(src)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("goldmark", func(b *testing.B) {
		p := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser()
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			p.Parse(text.NewReader([]byte(src)))
		}
	})
	b.Run("compile", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			if _, err := compile.Markdown(src); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, s := range settings() {
		b.Run(s.dialect.Name(), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				render(b, d, s)
			}
		})
	}
}
