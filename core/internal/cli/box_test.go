package cli

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  string
		why   string
	}{
		{"", 5, "", "an empty line is a line"},
		{"hello", 5, "hello", "what fits is not cut"},
		{"hello world", 8, "hello |world", "after a space"},
		{"a hellohello", 8, "a helloh|ello", "a space far back is no place to cut"},
		{"注文テーブル", 5, "注文|テー|ブル", "wide characters are not cut in half"},
		{"ab👩‍💻cd", 3, "ab|👩‍💻c|d", "nor are clusters"},
		{"👩‍💻", 1, "👩‍💻", "what can never fit is shown all the same"},
	} {
		var got []string
		for p := range wrap(c.line, c.width) {
			got = append(got, p)
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%s: wrap(%q, %d) = %q, want %q", c.why, c.line, c.width, s, c.want)
		}
	}
}

// FuzzBox shows that a box is a box: every line as wide as the others, nothing
// that a terminal would obey, and every line of the text marked as such once.
func FuzzBox(f *testing.F) {
	f.Add("head", "text\twith\ntabs", 40)
	f.Add("héad 注文", "注文テーブル 👩‍💻 \x1b[31m \u202e \u200b", 43)
	f.Add(strings.Repeat("long ", 50), strings.Repeat("x", 500), 80)
	f.Fuzz(func(t *testing.T, head, text string, width int) {
		width = 40 + (width&0x7fffffff)%100
		head, text = visible(strings.ToValidUTF8(head, "?")), strings.ToValidUTF8(text, "?")
		out := string(look{width: width}.box(nil, strings.ReplaceAll(head, "\t", " "), text))
		if strings.ContainsFunc(strings.ReplaceAll(out, "\n", ""), hidden) {
			t.Fatalf("hidden characters in %q", out)
		}
		starts := 0
		for line := range strings.SplitSeq(strings.TrimSuffix(out, "\n"), "\n") {
			if strings.HasPrefix(line, "│ ") {
				starts++
			}
			if w := displaywidth.String(line); w != width {
				t.Fatalf("a line has %d columns of %d: %q", w, width, line)
			}
		}
		if want := strings.Count(text, "\n") + 1; starts != want {
			t.Fatalf("%d lines are marked and the text has %d: %q", starts, want, out)
		}
	})
}
