package layout_test

import (
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Single faults that foreign parsers and generated documents found once.
func TestCutsAndStyles(t *testing.T) {
	for _, tt := range []struct {
		why     string
		md      string
		dialect dialect.Dialect
		limit   int
		text    string // must occur that often in all chunks together
		times   int
	}{
		{"an address behind a cut label stands once", "[" + strings.Repeat("word ", 30) + "end](https://e.com/x)",
			dialect.DiscordMarkdown, 64, "<https://e.com/x>", 1},
		{"but each piece of a link of its own is one", "[" + strings.Repeat("word ", 30) + "end](https://e.com/x)",
			dialect.TelegramHTML, 100, `<a href="https://e.com/x">`, 2},
		{"an address that holds the marker ends the style early", "*[x](<https://e.com/a_b*c>)*",
			dialect.DiscordMarkdown, 0, "*", 1},
		{"a style that only a blank is left of", "**aaa `" + strings.Repeat("x", 60) + "` ccc**",
			dialect.TelegramHTML, 65, "<b></b>", 0},
	} {
		d, err := compile.Markdown(tt.md)
		if err != nil {
			t.Fatal(err)
		}
		r := render(t, d, setting{tt.dialect, surface.Profile{Links: "angle", Limit: surface.Limit{Max: tt.limit, Of: surface.Visible}}})
		var all strings.Builder
		for _, c := range r.Chunks {
			all.WriteString(c.Text + "\n")
		}
		if got := strings.Count(all.String(), tt.text); got != tt.times {
			t.Errorf("%s: %q occurs %d times, want %d:\n%s", tt.why, tt.text, got, tt.times, &all)
		}
	}
}
