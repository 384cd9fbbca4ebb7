package card

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// around is a struct of somebody else's that passes for properties.
type around struct{ Text }

// Whatever breaks Check still gives blocks, and says that they are not all.
func TestBlocksOfBrokenTrees(t *testing.T) {
	deep := New(Text{Text: "deepest"})
	for range 40 {
		deep = New(Callout{Text: "x"}, deep)
	}
	wide := Of(Stack{})
	for range 400 {
		wide.Root.Children = append(wide.Root.Children, New(Metric{Label: "m", Value: Int(1)}), New(Badge{Text: "b"}), New(Divider{}))
	}
	wideRow := Of(Row{})
	for range 400 {
		wideRow.Root.Children = append(wideRow.Root.Children, New(Badge{Text: "b"}))
	}
	for _, c := range []struct {
		tree    Tree
		want    string
		partial bool
		why     string
	}{
		{Tree{}, "", false, "no properties"},
		{Tree{Node{Props: (*Text)(nil)}}, "", false, "a pointer to nothing"},
		{Of(&Text{Text: "by pointer"}), "by pointer\n", false, "a pointer"},
		{Of(around{Text{Text: "x"}}), "", true, "a struct around ours"},
		{Of(Stack{}, New(&Title{Text: "T"}), New(&Badge{Text: "B"}), New(&Metric{Label: "M", Value: Int(1)})), "T\nB\nM:\n \n1\n", false, "pointers among children"},
		{Of(Text{Text: "a"}, New(Text{Text: "b"})), "a\nb\n", false, "children where there are none"},
		{Tree{deep}, "", true, "too deep"},
		{wide, "", true, "too many nodes"},
		{wideRow, "", true, "too many nodes in a row"},
		{Of(Timeline{Items: []Event{{Label: "a", Status: "a\nb"}}}), "[a b] \na\n", false, "a status of two lines"},
		{Of(Callout{Tone: "pink", Title: "t"}), "t\n", false, "no tone"},
		{Of(Title{Text: "t", Level: 99}), "t\n", false, "no level"},
		{Of(Title{Text: "t", Level: -9}), "t\n", false, "nor that"},
		{Of(Table{Rows: [][]Scalar{{String("a"), Int(1)}, nil}}), "a\n1\n", false, "rows without columns"},
		{Of(Table{}), "No rows.\n", false, "a table of nothing at all"},
		{Of(Chart{}), "No points.\n", false, "a chart of nothing"},
		{Of(Chart{Series: []Series{{Name: "s"}, {Points: points("1")}}, XLabel: "x", YLabel: "y"}), "y\nx\ns\nx\n0\n1\n", false, "series of different length"},
		{Of(Progress{Value: String("half"), Max: String("all"), Unit: "u"}), "half of all u\n", false, "a progress of words"},
		{Of(TestMatrix{Tests: []Test{{Name: "n", Status: "flaky"}, {Name: "m", Status: Done}}}), "0 passed of 2\n[flaky] \nn\n[done] \nm\n", false, "statuses that tests do not have"},
		{Of(Terminal{ExitCode: String("?"), DurationMS: Float(-1)}), "Exit: ? (-1)\nNo output.\n", false, "no numbers"},
		{Of(Research{Takeaways: []Takeaway{{Text: "t", Sources: []int{-1, 99}}}}), "t\n [-1] [99]\n", false, "sources that are not there"},
		{Of(Text{Text: "a\xffb\u202ec\x1b[31m\x00"}), "a\uFFFDbc\uFFFD\n", false, "what may not stand in blocks"},
		{Of(Text{Text: " \n \n\t\n"}), "", false, "only space"},
		{Of(Title{Text: "a\nb\tc"}), "a b c\n", false, "lines in a title"},
	} {
		low := c.tree.Blocks("9", Options{Width: -5})
		if low.Partial != c.partial {
			t.Errorf("%s: partial is %t", c.why, low.Partial)
		}
		if got := read(low.Blocks); c.want != "" && got != c.want || !c.partial && c.want == "" && got != "" {
			t.Errorf("%s:\n%q, want\n%q", c.why, got, c.want)
		}
		valid(t, low.Blocks, "9")
	}
	if err := Of(&Text{Text: "by pointer"}).Check(); err == nil {
		t.Error("Check takes a pointer")
	}
	if err := (Tree{Node{Props: (*Text)(nil)}}).Check(); err == nil {
		t.Error("Check takes a pointer to nothing")
	}
}

// Nodes that share a list or a line count as others do.
func TestNodesThatShareABlock(t *testing.T) {
	for _, p := range []Props{Metric{Label: "m", Value: Int(1)}, Badge{Text: "m"}} {
		for _, n := range []int{MaxNodes - 1, MaxNodes} {
			tree := Of(Stack{})
			for range n {
				tree.Root.Children = append(tree.Root.Children, New(p))
			}
			low := tree.Blocks("1", Options{})
			if got := strings.Count(read(low.Blocks), "m"); got != MaxNodes-1 || low.Partial != (n == MaxNodes) {
				t.Errorf("%s: %d of %d nodes are shown, partial is %t", p.Primitive(), got, n, low.Partial)
			}
		}
	}
}

// Blocks stay a document that doc.Parse takes, whatever is in a tree of the largest
// size, and take no time to speak of.
func TestBlocksAreBounded(t *testing.T) {
	row := make([]Scalar, 100)
	for i := range row {
		row[i] = Int(1)
	}
	table := Table{Columns: make([]Column, 100)}
	for range 10_000 {
		table.Rows = append(table.Rows, row)
	}
	var list List
	for range 300_000 {
		list.Items = append(list.Items, ListItem{Text: "a"})
	}
	var tests TestMatrix
	for range 300_000 {
		tests.Tests = append(tests.Tests, Test{Name: "n", Status: Passed})
	}
	var long []Series
	for range 10_000 {
		long = append(long, Series{Name: "s", Points: points(append([]string{"1"}, make([]string, 40)...)...)})
	}
	for _, c := range []struct {
		why     string
		p       Props
		partial bool
		says    string
	}{
		{"a table", table, true, " of 10,000 rows"},
		{"a list", list, true, " of 300,000 items"},
		{"tests", tests, true, " of 300,000 items"},
		{"lines", Text{Text: strings.Repeat("a\n", 1<<20)}, false, ""},
		{"paragraphs", Text{Text: strings.Repeat("a\n\n", 1<<20)}, false, ""},
		{"empty lines", Text{Text: strings.Repeat(" \n", 1<<20) + "b"}, false, ""},
		{"lines in a cell", Table{Columns: []Column{{Label: "l"}}, Rows: [][]Scalar{{String(strings.Repeat("a\n", 1<<20))}}}, false, ""},
		{"series", Chart{Form: "line", Series: long}, true, " of 41 points"},
		{"one line", Text{Text: strings.Repeat("a", 4<<20)}, false, ""},
	} {
		start := time.Now()
		low := Of(c.p).Blocks("1", Options{})
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: %v", c.why, took)
		}
		if low.Partial != c.partial {
			t.Errorf("%s: partial is %t", c.why, low.Partial)
		}
		if !strings.Contains(read(low.Blocks), c.says) {
			t.Errorf("%s: nothing says %q", c.why, c.says)
		}
		valid(t, low.Blocks, "1")
	}
}

// Every level of heading that there may be is one that documents have.
func TestHeadings(t *testing.T) {
	tree := Of(UniversalCard{Title: "a"},
		New(Title{Text: "b"}),
		New(Section{Title: "c"}, New(Section{Title: "d"}, New(Section{Title: "e"}, New(Section{Title: "f"})))),
		New(Title{Text: "g", Level: 3}),
		New(Recipe{Title: "h", Steps: []Step{{Text: "x"}}}),
	)
	var got []int
	for _, b := range tree.Blocks("1", Options{}).Blocks {
		if h, ok := b.(*doc.Heading); ok {
			got = append(got, h.Level)
		}
	}
	want := []int{3, 4, 5, 6, 6, 6, 5, 6, 6}
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
