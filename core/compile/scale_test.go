package compile

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hostile are inputs that some parser of markdown takes quadratic time for, or
// worse. Each makes a source of about n bytes.
var hostile = []struct {
	name string
	make func(n int) string
}{
	{"open links", repeat("[a](")},
	{"open links in angle brackets", repeat("[a](<b")},
	{"open links with long targets", repeat("[z](y")},
	{"links in links", repeat("[a](b) [")},
	{"images in open images", func(n int) string { return strings.Repeat("![", n/10) + strings.Repeat("[a](b)", n/10) }},
	{"star and underscore", repeat("*a_ ")},
	{"dashes", repeat("- ")},
	{"quotes", repeat(">")},
	{"quotes over lines", func(n int) string { return strings.Repeat(strings.Repeat(">", 100)+"a\n", n/102) }},
	{"lazy quotes", func(n int) string { return strings.Repeat(">", 60) + strings.Repeat("a\n", n/2) }},
	{"brackets", func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) }},
	{"brackets with a definition", func(n int) string {
		return "[x]: /y\n\n" + strings.Repeat("[", n/2) + strings.Repeat("]", n/2)
	}},
	{"labels", func(n int) string { return "[x]: /y\n\n" + strings.Repeat("[a][", n/4) }},
	{"definitions", repeat("[a]: /b\n")},
	{"numbered definitions", numbered("[a%d]: /b\n")},
	{"open titles", repeat("[a]: /b \"\n")},
	{"open titles in paragraphs", repeat("[a]: /b 'x\n\n")},
	{"footnotes", numbered("[^%d]: note\n")},
	{"footnotes with references", numbered("x[^%d]\n\n[^%[1]d]: note\n\n")},
	{"references to one footnote", func(n int) string { return "[^1]: x\n\n" + strings.Repeat("[^1]", n/4) }},
	{"less than", repeat("<")},
	{"open images", repeat("![")},
	{"open strikes", repeat("~~a ")},
	{"open spoilers", repeat("||b ")},
	{"pipes", repeat("|c")},
	{"growing backticks", func(n int) string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString(strings.Repeat("`", i) + " ")
		}
		return b.String()
	}},
	{"dollars", repeat("$")},
	{"words with dollars", repeat("$a ")},
	{"dollar words", repeat("a$ ")},
	{"double dollars", repeat("$$a ")},
	{"double dollar lines", repeat("$$a\n")},
	{"parentheses of TeX", repeat(`\(`)},
	{"brackets of TeX", repeat(`\[a`)},
	{"anchors", repeat("<a>")},
	{"anchors with targets", repeat("<a href=x>")},
	{"bold tags", repeat("<b>")},
	{"bold tags and ends", func(n int) string { return strings.Repeat("<b>", n/7) + "x" + strings.Repeat("</b>", n/7) }},
	{"mixed tags", repeat("<b><i></b>")},
	{"tags and brackets", func(n int) string { return strings.Repeat("[<b>", n/8) + strings.Repeat("]</i>", n/8) }},
	{"spans with text", repeat("<span>a</span>")},
	{"code tags", repeat("<code>")},
	{"subscripts", repeat("x<sub>2</sub>")},
	{"open attributes", repeat(`<a x="`)},
	{"open attributes, two quotes", repeat(`<a x="'`)},
	{"details", repeat("<details>")},
	{"details lines", repeat("<details>\n")},
	{"details in lists", repeat("<details><ul><li>")},
	{"summaries", repeat("<summary>\n")},
	{"tables of HTML", repeat("<table><tr><td>")},
	{"pre", repeat("<pre>")},
	{"pre lines", repeat("<pre>\n\n")},
	{"open comments", repeat("<!--")},
	{"comments", repeat("<!---->")},
	{"comment lines", repeat("<!--a\n\n")},
	{"declarations", repeat("<!a")},
	{"instructions", repeat("<?")},
	{"ampersands", repeat("&")},
	{"entities", repeat("&amp;")},
	{"strong openers", repeat("**a **b")},
	{"nested emphasis", func(n int) string { return strings.Repeat("*a ", n/6) + strings.Repeat("b* ", n/6) }},
	{"nested strong", func(n int) string { return strings.Repeat("*", n/2) + "a" + strings.Repeat("*", n/2) }},
	{"threes", repeat("a***b**c*")},
	{"underscores", repeat("_a__b")},
	{"deep lists", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat("  ", i) + "- x\n")
		}
		return b.String()
	}},
	{"deep quotes and lists", repeat("> - ")},
	{"long lists", repeat("- x\n")},
	{"loose lists", repeat("1. x\n\n")},
	{"lists with blank lines", func(n int) string { return strings.Repeat("- ", 40) + "x" + strings.Repeat("\n", n) + "y" }},
	{"empty items", repeat("-\n")},
	{"changing markers", repeat("- x\n+ y\n")},
	{"fences", repeat("p\n```go\nx\n```\n")},
	{"open fences", repeat("```\n~~~\n")},
	{"indented code", repeat("    x\n\n\n")},
	{"tabs", repeat("\t>\t- x\n")},
	{"short rows", func(n int) string {
		return strings.Repeat("|a", n/20) + "|\n" + strings.Repeat("|-", n/20) + "|\n" + strings.Repeat("|\n", n/4)
	}},
	{"delimiter rows", repeat("|-|\n")},
	{"headers that fit nothing", repeat("a|b\n-|-|-\n")},
	{"rows of code", func(n int) string { return "a|b\n-|-\n" + strings.Repeat("`|", n/2) }},
	{"headings", repeat("# a\n")},
	{"setext headings", repeat("a\n-\n")},
	{"addresses", repeat("http://a.b/c ")},
	{"addresses in one word", repeat("http://a!")},
	{"parentheses behind an address", func(n int) string { return "http://a.b/" + strings.Repeat(")", n) }},
	{"mail", repeat("a@b")},
	{"mail with dots", repeat("a.@")},
	{"words before at", func(n int) string { return strings.Repeat("a", n/2) + strings.Repeat("@a", n/4) }},
	{"colons", repeat("http:")},
	{"backslashes", repeat(`\`)},
	{"escapes", repeat(`\*`)},
	{"hard breaks", repeat("a  \n")},
	{"flags", func(n int) string { return "\U0001F3F4" + strings.Repeat("\U000E0067", n/4) }},
	{"control characters", repeat("\x1b[\x00")},
	{"bad bytes", repeat("\xed\xa0\x80")},
	{"JSON", func(n int) string { return "```vak\n" + strings.Repeat("[", n) }},
	{"diff", func(n int) string { return "```diff\n" + strings.Repeat("--- a\n+++ b\n", n/12) }},
	{"one word", repeat("a")},
	{"lines", repeat("a\n")},
	{"prose", repeat("The quick **brown** fox jumps over `the` lazy dog, and [so](https://example.com/x) on.\n\n")},
	{"one paragraph", repeat("The quick brown fox jumps over the lazy dog. ")},
}

func repeat(unit string) func(int) string {
	return func(n int) string { return strings.Repeat(unit, n/len(unit)+1) }
}

func numbered(format string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
}

// fastest is the least time of some runs: noise only adds.
func fastest(t *testing.T, source string, runs int) time.Duration {
	least := time.Hour
	for range runs {
		runtime.GC()
		start := cpuTime()
		if _, err := Markdown(source); err != nil {
			t.Fatal(err)
		}
		least = min(least, cpuTime()-start)
	}
	return max(least, time.Microsecond)
}

// allocated is all memory that was ever asked for, given back or not: an upper
// bound of what is used at a time.
func allocated(t *testing.T, source string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Markdown(source); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A doubling says how many times as long twice the source takes, from 64 KB to 1 MB.
// It measures four doublings at once: one step alone is at the mercy of caches
// and of the collector.
type doubling struct{ small, large time.Duration }

func (d doubling) factor() float64 {
	return math.Sqrt(math.Sqrt(float64(d.large) / float64(d.small)))
}

func (d *doubling) measure(t *testing.T, source func(int) string) {
	d.small = min(d.small, fastest(t, source(64<<10), 4))
	d.large = min(d.large, fastest(t, source(1<<20), 1))
}

func TestHostileInputTakesLinearTimeAndMemory(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("measures time")
	}
	plain := hostile[len(hostile)-1].make
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			d := doubling{time.Hour, time.Hour}
			limit := 2.3
			tries := 1
			if os.Getenv("VAK_SCALE") != "" {
				tries = 6
			}
			for range tries { // again, if something else was busy
				if d.measure(t, h.make); d.factor() <= limit {
					break
				}
				// On a machine that is shared even plain prose does not scale:
				// what it takes more than twice the time is not ours.
				p := doubling{time.Hour, time.Hour}
				p.measure(t, plain)
				limit = max(limit, 1.25*p.factor())
			}
			used := allocated(t, h.make(1<<20)) >> 20
			t.Logf("64 KB %v, 1 MB %v and %d MB, %.2f for each doubling", d.small, d.large, used, d.factor())
			// Other tests beside it change what a cache holds and when memory is
			// collected: the factor is judged where nothing else runs (make scale).
			if d.factor() > limit && os.Getenv("VAK_SCALE") != "" {
				t.Errorf("each doubling takes %.2f times as long", d.factor())
			}
			for n := 0; d.large > 2*time.Second && n < 5; n++ { // again: what else runs only adds to it
				d.measure(t, h.make)
			}
			if d.large > 2*time.Second {
				t.Errorf("1 MB takes %v", d.large)
			}
			if used > 512 {
				t.Errorf("1 MB takes %d MB of memory", used)
			}
		})
	}
}
