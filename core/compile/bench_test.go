package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// answer is an answer as models write them, with a bit of everything.
const answer = `# Moving the cache to the edge

Here is **what changed** and why. The old path went through ` + "`cache.Get`" + ` twice for each
request, see [the profile](https://example.com/profiles/42 "CPU") and https://example.com/docs/cache_keys.

## Steps

1. Build the *new* binary:

   ` + "```sh\n   make edge\n   ./edge --dry-run\n   ```" + `

2. Roll it out to **one** region first, then watch:
   - latency (p50, p99)
   - error rate, which should stay below 0.1 %
   - [ ] disk usage
3. Remove the old path.

> **Note**: the flag ` + "`--compat`" + ` stays until March. It's not free: about 3 % of CPU.

| Region | Before | After |
|:-------|-------:|------:|
| eu-1   | 120 ms |  45 ms |
| us-2   | 98 ms  |  40 ms |
| ap-1   | 210 ms |  *88 ms* |

` + "```go\nfunc Get(ctx context.Context, key string) ([]byte, error) {\n\tif v, ok := local.Get(key); ok {\n\t\treturn v, nil\n\t}\n\treturn remote.Get(ctx, key)\n}\n```" + `

The rest is prose. It goes on for a while, with commas, and brackets (like these), and
an em dash here and there. Nobody formats every sentence, so most of the text is plain
words, one after the other, in lines of the usual length. Then ~~nothing~~ happens.

---

`

func inputs() []struct{ name, source string } {
	return []struct{ name, source string }{
		{"1KB", answer[:1024]},
		{"4KB", strings.Repeat(answer, 4)[:4096]},
		{"64KB", strings.Repeat(answer, 64)[:64<<10]},
	}
}

func BenchmarkMarkdown(b *testing.B) {
	for _, in := range inputs() {
		b.Run(in.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in.source)))
			for b.Loop() {
				if _, err := Markdown(in.source); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGoldmark is what BenchmarkMarkdown is measured against: goldmark's own
// parse, to its tree, with the extensions that come closest.
func BenchmarkGoldmark(b *testing.B) {
	p := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser()
	for _, in := range inputs() {
		b.Run(in.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in.source)))
			for b.Loop() {
				p.Parse(text.NewReader([]byte(in.source)), parser.WithContext(parser.NewContext()))
			}
		})
	}
}

func BenchmarkHostile(b *testing.B) {
	for _, h := range hostile {
		for _, n := range []int{64 << 10, 1 << 20} {
			source := h.make(n)
			b.Run(fmt.Sprintf("%s/%dKB", strings.ReplaceAll(h.name, " ", "_"), n>>10), func(b *testing.B) {
				for b.Loop() {
					if _, err := Markdown(source); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
