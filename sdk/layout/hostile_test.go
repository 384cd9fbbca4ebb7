package layout_test

import (
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Documents that want more to be opened, repeated or kept together than a small
// chunk can hold. What is written must stay in proportion to what was said.
func TestHostileDocumentsAtSmallLimits(t *testing.T) {
	for _, tt := range []struct{ name, src string }{
		{"quotes", strings.Repeat(">", 10_000) + " x"},
		{"lists", strings.Repeat("- ", 10_000) + "x"},
		{"quotes and lists", strings.Repeat("> - ", 3000) + "word " + strings.Repeat("long ", 3000)},
		{"strong", strings.Repeat("**a ", 5000) + strings.Repeat("b** ", 5000)},
		{"more columns than cells", "|" + strings.Repeat("a|", 3000) + "\n|" + strings.Repeat("-|", 3000) + "\n" + strings.Repeat("|b|c|d|\n", 3000)},
		{"headers longer than cells", "|" + strings.Repeat("a", 3000) + "|b|\n|-|-|\n" + strings.Repeat("|c|d|\n", 3000)},
		{"one line of code", "```\n" + strings.Repeat("x", 100_000) + "\n```"},
		{"long addresses", strings.Repeat("[label](https://example.com/"+strings.Repeat("q", 300)+") ", 500)},
		{"long clusters", strings.Repeat("e"+strings.Repeat("\u0301", 200)+" ", 300)},
		{"lines", strings.Repeat("a\n", 20_000)},
		{"backticks", strings.Repeat("`` ` `` ", 5000)},
		{"entities", strings.Repeat("&", 50_000)},
		{"headings", strings.Repeat("# h\n", 5000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := compile.Markdown(tt.src)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range settings() {
				for _, limit := range []int{64, 100, 1900} {
					s.profile.Limit.Max = limit
					r := render(t, d, s)
					written := 0
					for _, c := range r.Chunks {
						written += len(c.Text)
						if over := within(s.dialect.Measure([]byte(c.Text)), s.profile.Limit); over != "" {
							t.Fatalf("%s at %d: the limit of %s is broken", s.dialect.Name(), limit, over)
						}
						if over := within(dialect.PlainText.Measure([]byte(c.Plain)), surface.Limit{Max: limit, Unit: s.profile.Limit.Unit}); over != "" {
							t.Fatalf("%s at %d: the plain form breaks the limit of %s", s.dialect.Name(), limit, over)
						}
					}
					if written > 40*len(tt.src)+10_000 {
						t.Errorf("%s at %d: %d bytes were written for %d", s.dialect.Name(), limit, written, len(tt.src))
					}
				}
			}
		})
	}
}
