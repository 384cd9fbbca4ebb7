package acceptance

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
)

// hostile are the kinds of input that a plain parser takes quadratic time for.
// Each makes about n bytes.
var hostile = []struct {
	name string
	make func(n int) string
}{
	{"open links", units64("[a](")},
	{"open links in angle brackets", units64("[a](<b")},
	{"star and underscore", units64("*a_ ")},
	{"dashes", units64("- ")},
	{"quotes", units64(">")},
	{"brackets", func(n int) string { return strings.Repeat("[", n/2) + "a" + strings.Repeat("]", n/2) }},
	{"definitions", units64("[a]: /b\n")},
	{"open titles", units64("[a]: /b 'x\n\n")},
	{"footnotes", numbered("[^%d]: note\n")},
	{"references", numbered("x[^%d]\n\n[^%[1]d]: note\n\n")},
	{"short rows", func(n int) string {
		return strings.Repeat("|a", n/20) + "|\n" + strings.Repeat("|-", n/20) + "|\n" + strings.Repeat("|\n", 2*n/5)
	}},
	{"long headers", func(n int) string {
		return "| " + strings.Repeat("head ", n/20) + "| b |\n|---|---|\n" + strings.Repeat("| x |\n", n/8)
	}},
	{"less than", units64("<")},
	{"openers", units64("~~a ||b ")},
	{"fences", units64("p\n```go\nx\n```\n")},
	{"one word", units64("a")},
	{"CJK", units64("日本語の文。")},
	{"marks on one letter", func(n int) string { return "e" + strings.Repeat("\u0301", n/2) }},
	{"bold words", units64("**b** ")},
	{"links", units64("[l](https://example.com/a) ")},
	{"mentions and entities", units64("@a &amp; <@U1> ")},
	{"long cells", units64("| cell | cell |\n")},
	{"table", func(n int) string { return "| a | b |\n|---|---|\n" + strings.Repeat("| 1 | **x** |\n", n/14) }},
	{"bad bytes", units64("\xff\xed\xa0\x80")},
	{"prose", units64("The quick **brown** fox & `co` jumps, see https://example.com/x_y.\n\n")},
}

func units64(unit string) func(int) string {
	return func(n int) string { return strings.Repeat(unit, n/len(unit)+1) }
}

func numbered(format string) func(int) string {
	return func(n int) string {
		var sb strings.Builder
		for i := 0; sb.Len() < n; i++ {
			fmt.Fprintf(&sb, format, i)
		}
		return sb.String()
	}
}

// through is the processor time of the whole way of md to each chat and back through the
// reader of core. The least of some runs counts: noise only adds.
func through(t *testing.T, md string, runs int) time.Duration {
	least := time.Duration(math.MaxInt64)
	for range runs {
		runtime.GC()
		start := cpu()
		for _, id := range chats {
			s := bare(t, md, profiles[id])
			for _, d := range s.said {
				if strings.HasPrefix(d.Code, "renderer_") {
					t.Fatalf("%s: %s", id, d.Code)
				}
			}
		}
		least = min(least, cpu()-start)
	}
	return least
}

// TestHostileInputTakesLinearTime goes from 64 KB to 1 MB in two steps of four
// times the size, which is two doublings each.
func TestHostileInputTakesLinearTime(t *testing.T) {
	if testing.Short() || race {
		t.Skip("measures time")
	}
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			sizes := []int{64 << 10, 256 << 10, 1 << 20}
			took := make([]time.Duration, len(sizes))
			// Only where nothing else runs is the factor judged (make scale).
			judged := os.Getenv("VAK_SCALE") != ""
			for try := range 4 {
				for i, n := range sizes {
					d := through(t, h.make(n), []int{3, 2, 1}[i])
					if try == 0 || d < took[i] {
						took[i] = d
					}
				}
				if linear(took) || !judged {
					break
				}
			}
			t.Logf("%v", took)
			if took[2] > 20*time.Second {
				t.Errorf("1 MB takes %v", took[2])
			}
			if judged && !linear(took) {
				t.Errorf("64 KB, 256 KB and 1 MB take %v: more than 2.3 times as long for a doubling", took)
			}
		})
	}
}

// linear allows 2.3 times for each of the four doublings together, and a little
// more in one step, so that a curve that bends late is found and a collection
// that falls into one step is not taken for one.
func linear(took []time.Duration) bool {
	if took[2] > 100*time.Millisecond && float64(took[2]) > math.Pow(2.3, 4)*float64(took[0]) {
		return false
	}
	for i := 1; i < len(took); i++ {
		if took[i] > 100*time.Millisecond && float64(took[i]) > 2.6*2.6*float64(took[i-1]) {
			return false
		}
	}
	return true
}

// TestMemory watches the heap while 1 MB of each kind goes through.
func TestMemory(t *testing.T) {
	if testing.Short() || race {
		t.Skip("needs memory and time")
	}
	const most = 512 << 20
	for _, h := range hostile {
		md := h.make(1 << 20)
		runtime.GC()
		done, peak := make(chan struct{}), make(chan uint64)
		go func() {
			sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
			high := uint64(0)
			for {
				metrics.Read(sample)
				high = max(high, sample[0].Value.Uint64())
				select {
				case <-done:
					peak <- high
					return
				case <-time.After(2 * time.Millisecond):
				}
			}
		}()
		for _, id := range chats {
			bare(t, md, profiles[id])
		}
		close(done)
		if high := <-peak; high > most {
			t.Errorf("%s: 1 MB takes %d MB of memory", h.name, high>>20)
		}
	}
}

// TestDeep nests each container ten thousand levels deep.
func TestDeep(t *testing.T) {
	const n = 10_000
	var list strings.Builder
	for i := range 1000 {
		list.WriteString(strings.Repeat(" ", i) + "- x\n")
	}
	for name, md := range map[string]string{
		"quotes":   strings.Repeat("> ", n) + "text",
		"lists":    strings.Repeat("- ", n) + "text",
		"numbers":  strings.Repeat("1. ", n) + "text",
		"both":     strings.Repeat("> - ", n) + "text",
		"steps":    list.String() + "text",
		"strong":   strings.Repeat("**a ", n) + "text" + strings.Repeat(" a**", n),
		"brackets": strings.Repeat("[", n) + "text" + strings.Repeat("](b)", n),
		"images":   strings.Repeat("![", n) + "text" + strings.Repeat("](b)", n),
		"tags":     strings.Repeat("<b>", n) + "text" + strings.Repeat("</b>", n),
		"details":  strings.Repeat("<details>\n\n", n) + "text",
		"tables":   strings.Repeat("<table><tr><td>", n) + "text",
	} {
		t.Run(name, func(t *testing.T) {
			soon(t, func() {
				for _, id := range surfaces {
					for _, most := range []int{0, 64} {
						if id == "webhook" && (most > 0 || name == "lists" || name == "numbers") {
							// No shipped surface cuts GFM, and no parser of it
							// takes a hundred marks on one line for lists.
							continue
						}
						s := inProcess(t, md, narrow(id, most))
						rules(t, s)
						if !strings.Contains(seen(s.joined.text()), "text") && most == 0 {
							t.Errorf("%s does not show the text within", id)
						}
					}
				}
			})
		})
	}
}

// TestBytesThatAreNotUTF8 puts every bad byte, and every cut of a character,
// into each place that treats text on its own.
func TestBytesThatAreNotUTF8(t *testing.T) {
	bad := []string{"\x80", "\xbf", "\xc0\xaf", "\xc2", "\xe2\x82", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xfe", "\xff"}
	for _, form := range []string{"a%sb", "`%s`", "```%s\n%s\n```", "[%s](https://example.com/%s)", "# %s", "| %s |\n|---|\n| %s |", "<b>%s</b>", "<%s>", "&%s;", "$%s$", "![%s](%s)", "x[^%s]\n\n[^%s]: n"} {
		for _, b := range bad {
			md := strings.ReplaceAll(form, "%s", "p"+b+"q")
			for _, id := range surfaces {
				rules(t, inProcess(t, md, profiles[id]))
			}
			if t.Failed() {
				t.Fatalf("%q", md)
			}
		}
	}
}
