package card

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	w := &english
	for _, c := range []struct {
		of        string
		f         func(Scalar) string
		in        Scalar
		want, why string
	}{
		{"duration", w.duration, Int(0), "0 ms", "nothing"},
		{"duration", w.duration, Scalar{isNumber, "850.0"}, "850.0 ms", "below a second as it was written"},
		{"duration", w.duration, Int(1000), "1 s", "no decimal that says nothing"},
		{"duration", w.duration, Int(3249), "3.2 s", "one that does"},
		{"duration", w.duration, Int(59_949), "59.9 s", "the last that are seconds"},
		{"duration", w.duration, Int(59_999), "1 min", "never 60 s"},
		{"duration", w.duration, Int(65_000), "1 min 5 s", "minutes"},
		{"duration", w.duration, Int(3_599_999), "1 h", "never 60 min"},
		{"duration", w.duration, Int(5_403_000), "1 h 30 min 3 s", "hours"},
		{"duration", w.duration, Int(-5), "-5", "what is no time stays"},
		{"duration", w.duration, String("quick"), "quick", "so does a word"},
		{"duration", w.duration, Scalar{isNumber, "1e300"}, "1e300 ms", "and what no clock shows"},
		{"timing", w.timing, Int(1), "1 second", "one"},
		{"timing", w.timing, Int(5400), "1 hour 30 minutes", "two units"},
		{"timing", w.timing, Int(86_400), "24 hours", "a day"},
		{"timing", w.timing, Float(1.5), "1.5 seconds", "no whole number"},
		{"timing", w.timing, Int(0), "0 seconds", "none"},
		{"timing", w.timing, Scalar{isNumber, "1e300"}, "1e300 seconds", "too many"},
		{"size", w.size, Int(1), "1 byte", "one"},
		{"size", w.size, Int(999), "999 bytes", "below a thousand"},
		{"size", w.size, Int(12_000), "12 KB", "no decimal that says nothing"},
		{"size", w.size, Int(1_234_567), "1.2 MB", "one that does"},
		{"size", w.size, Int(999_600), "1 MB", "never 1000 KB"},
		{"size", w.size, Int(-7), "-7 bytes", "what is no size stays"},
	} {
		if got := c.f(c.in); got != c.want {
			t.Errorf("%s of %v, %s: %q, want %q", c.of, c.in, c.why, got, c.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for part, want := range map[float64]string{0: "0 %", 0.001: "<1 %", 0.29: "29 %", 0.999: "99 %", 1: "100 %", 1.2: "120 %", -0.5: "-50 %", 1e300: "1e+302 %"} {
		if got := percent(part); got != want {
			t.Errorf("%v: %q, want %q", part, got, want)
		}
	}
	for part, want := range map[float64]string{-1: "░░░░", 0.24: "░░░░", 0.5: "▓▓░░", 0.99: "▓▓▓░", 1: "▓▓▓▓", 9: "▓▓▓▓"} {
		if got := bar(part, 4); got != want {
			t.Errorf("%v: %q, want %q", part, got, want)
		}
	}
}

func points(ys ...string) []Point {
	out := make([]Point, len(ys))
	for i, y := range ys {
		out[i] = Point{Int(int64(i)), Scalar{isNumber, y}}
		if y == "" {
			out[i].Y = Null()
		}
	}
	return out
}

func TestDrawn(t *testing.T) {
	for _, c := range []struct {
		in        []Point
		want, why string
	}{
		{points("0", "1", "2", "3", "4", "5", "6", "7"), "▁▂▃▄▅▆▇█", "each height"},
		{points("-7", "-3", "0"), "▁▅█", "negative numbers between the least and the greatest"},
		{points("5", "5", "5.0"), "▄▄▄", "all the same"},
		{points("0", "0"), "▄▄", "all nothing"},
		{points("1", "", "2"), "▁·█", "a gap"},
		{points("", ""), "··", "gaps only"},
		{points("-1e308", "1e308", "1e309"), "▁█·", "a span that no number holds, and a number that none is"},
	} {
		if got := drawn(c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

func TestSample(t *testing.T) {
	ys := make([]string, 500)
	for i := range ys {
		ys[i] = "1"
	}
	ys[123], ys[321] = "9", "-9"
	one := Series{Points: points(ys...)}
	ys[7], ys[8] = "99", "-99"
	two := Series{Points: points(ys...)}
	keep, ok := sample([]Series{one, two})
	if !ok || len(keep) != maxChartRows || !slices.IsSorted(keep) {
		t.Fatalf("%v, %t", keep, ok)
	}
	for _, i := range []int{0, 499, 123, 321, 7, 8} {
		if !slices.Contains(keep, i) {
			t.Errorf("point %d is not among %v", i, keep)
		}
	}
	if len(slices.Compact(slices.Clone(keep))) != len(keep) {
		t.Errorf("one is there twice: %v", keep)
	}
	gap := 0
	for i := range keep[1:] {
		gap = max(gap, keep[i+1]-keep[i])
	}
	if gap > 60 {
		t.Errorf("a gap of %d points in %v", gap, keep)
	}
	if keep, ok := sample([]Series{{Points: points(ys[:20]...)}}); !ok || len(keep) != 20 {
		t.Errorf("twenty points: %v", keep)
	}
	var many []Series
	for i := range 15 {
		ys := slices.Repeat([]string{"1"}, 60)
		ys[i*2+1], ys[i*2+2] = "5", "0"
		many = append(many, Series{Name: strings.Repeat("s", i+1), Points: points(ys...)})
	}
	if _, ok := sample(many); ok {
		t.Error("extremes of fifteen series fit twenty rows")
	}
}

func TestChanged(t *testing.T) {
	for _, c := range []struct {
		hunks      []string
		plus, less int
		why        string
	}{
		{[]string{"@@ -1 +1 @@\n-a\n+b\n c"}, 1, 1, "a header"},
		{[]string{"-a\n+b\n", "+c"}, 2, 1, "no header"},
		{[]string{"--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+b"}, 1, 0, "the names of files are no lines"},
		{[]string{"@@ -1 +1 @@\n--- a\n+++ b"}, 1, 1, "lines that look like names are some"},
		{[]string{"--- a\n+++ b"}, 1, 1, "even without a header"},
		{nil, 0, 0, "none"},
	} {
		if p, l := changed(c.hunks); p != c.plus || l != c.less {
			t.Errorf("%s: +%d −%d, want +%d −%d", c.why, p, l, c.plus, c.less)
		}
	}
}
