package acceptance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// cuts holds that a block, or an item of a list, that fits a chunk is cut only
// where the chunk would otherwise have stayed under half full. How full it would
// have stayed is what the document without that block says.
func cuts(t failer, d *doc.Document, s *shown) {
	t.Helper()
	low := doc.Lower(d, lowered)
	for i, b := range low.Blocks {
		if l, ok := b.(*doc.List); ok {
			for k := range l.Items {
				before := append(low.Blocks[:i:i], &doc.List{ID: l.ID, Ordered: l.Ordered, Start: l.Start, Items: l.Items[:k]})
				if k == 0 {
					before = low.Blocks[:i]
				}
				alone := &doc.List{ID: l.ID, Ordered: l.Ordered, Start: l.Start + k, Items: l.Items[k : k+1]}
				cut(t, s, fmt.Sprintf("%s.%d.", l.ID, k+1), before, alone)
			}
			continue
		}
		if _, ok := b.(*doc.Rule); !ok {
			cut(t, s, string(b.BlockID()), low.Blocks[:i], b)
		}
	}
}

// cut is the rule for one block: id is its id, or what the ids in it start with.
func cut(t failer, s *shown, id string, before []doc.Block, b doc.Block) {
	t.Helper()
	from, to := -1, -1
	for i, c := range s.chunks {
		for _, have := range c.Blocks {
			if string(have) == id || strings.HasPrefix(string(have), strings.TrimSuffix(id, ".")+".") {
				if from < 0 {
					from = i
				}
				to = i
			}
		}
	}
	if from == to {
		return
	}
	together := []doc.Block{b}
	for len(before) > 0 { // a heading stays with what it heads
		h, ok := before[len(before)-1].(*doc.Heading)
		if !ok {
			break
		}
		together = append([]doc.Block{h}, together...)
		before = before[:len(before)-1]
	}
	if len(layOut(t, &doc.Document{Blocks: together}, s.profile).chunks) != 1 {
		return
	}
	pre := layOut(t, &doc.Document{Blocks: before}, s.profile).chunks
	switch {
	case len(pre) == from:
		t.Errorf("%s at %d: %s fits a chunk, starts one and is cut", s.on, s.profile.Limit.Max, id)
	case len(pre) == from+1 && 2*pre[from].Units >= s.profile.Limit.Max:
		t.Errorf("%s at %d: %s fits a chunk and is cut, though the chunk is %d long without it", s.on, s.profile.Limit.Max, id, pre[from].Units)
	}
}

// soon fails where f takes longer than a loop without end would need.
func soon(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Error("it does not end")
	}
}

// readme is a document as projects have them at their top.
func readme(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	words := strings.Fields("the server reads its configuration from a file and starts one worker for each core it finds on the machine unless told otherwise then `make build` **once** before you [install](https://example.com/install) snake_case C++ 日本語 🚀 naïve — “quoted” a|b x<y>z R&D 100% it's v1.2.3 https://example.com/a_b?c=d&e=f")
	text := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[r.IntN(len(words))]
		}
		return strings.Join(out, " ") + "."
	}
	var sb strings.Builder
	sb.WriteString("# Project\n\n[![build](https://example.com/b.svg)](https://example.com/ci) ![](https://example.com/c.svg)\n\n" + text(30) + "\n\n")
	for range 4 + r.IntN(8) {
		fmt.Fprintf(&sb, "%s %s\n\n", strings.Repeat("#", 2+r.IntN(3)), text(1+r.IntN(4)))
		for range 1 + r.IntN(4) {
			switch r.IntN(6) {
			case 0, 1:
				sb.WriteString(text(10 + r.IntN(120)))
			case 2:
				for i := range 2 + r.IntN(9) {
					fmt.Fprintf(&sb, "%s %s\n", []string{"-", "1."}[len(words[i%5])%2], text(3+r.IntN(20)))
					if r.IntN(4) == 0 {
						fmt.Fprintf(&sb, "   - %s\n", text(6))
					}
				}
			case 3:
				sb.WriteString("```go\n")
				for range 1 + r.IntN(40) {
					sb.WriteString("\tif x[\"a\"] < len(y) && z > 0 { // " + strings.Repeat("why ", r.IntN(9)) + "\n")
				}
				sb.WriteString("```")
			case 4:
				sb.WriteString("| option | default | meaning |\n|---|:-:|--:|\n")
				for range 1 + r.IntN(12) {
					fmt.Fprintf(&sb, "| `%s` | %d | %s |\n", words[r.IntN(10)], r.IntN(999), strings.ReplaceAll(text(1+r.IntN(7)), "|", "/"))
				}
			case 5:
				fmt.Fprintf(&sb, "> [!NOTE]\n> %s\n>\n> %s", text(20), text(9))
			}
			sb.WriteString("\n\n")
		}
	}
	return sb.String()
}

func TestPackingOfReadmes(t *testing.T) {
	n := uint64(40)
	if testing.Short() {
		n = 8
	}
	for seed := range n {
		md := readme(seed)
		d, err := compile.Markdown(md)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range surfaces {
			for _, most := range []int{0, 700} {
				p := narrow(id, most)
				if most > 0 && profiles[id].Limit.Max == 0 {
					continue
				}
				s := layOut(t, d, p)
				s.source = md
				rules(t, s)
				cuts(t, d, s)
			}
		}
		if t.Failed() {
			t.Fatalf("readme(%d)", seed)
		}
	}
}

// TestPackingOfCases holds the cases, in process, to the rule on cuts too.
func TestPackingOfCases(t *testing.T) {
	for _, e := range append(load(t, "reported.jsonl"), load(t, "further.jsonl")...) {
		md := e.expand(e.Input, false)
		if len(md) > 30_000 {
			continue
		}
		t.Run(e.ID, func(t *testing.T) {
			d, err := compile.Markdown(md)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range chats {
				if s := layOut(t, d, profiles[id]); len(s.chunks) > 1 {
					cuts(t, d, s)
				}
			}
		})
	}
}

// tiny are limits at which what is opened and closed leaves little room.
var tiny = []int{64, 65, 80, 100}

// TestTinyLimits shows that nothing loops and nothing is lost where next to
// nothing fits a chunk.
func TestTinyLimits(t *testing.T) { tinyLimits(t, "telegram", "slack", "discord", "log") }

func tinyLimits(t *testing.T, on ...string) {
	t.Helper()
	type input struct{ id, md string }
	var inputs []input
	for _, e := range append(load(t, "reported.jsonl"), load(t, "further.jsonl")...) {
		if md := e.expand(e.Input, false); len(md) < 12_000 {
			inputs = append(inputs, input{e.ID, md})
		}
	}
	for seed := range uint64(3) {
		inputs = append(inputs, input{fmt.Sprintf("readme-%d", seed), readme(seed)})
	}
	for _, in := range inputs {
		t.Run(in.id, func(t *testing.T) {
			soon(t, func() {
				for _, id := range on {
					for _, most := range tiny {
						rules(t, inProcess(t, in.md, narrow(id, most)))
						if t.Failed() {
							t.Logf("at %d on %s", most, id)
							return
						}
					}
				}
			})
		})
	}
}

// TestGenerated holds documents that nobody thought of to all rules. It explores:
// what it finds is as often a gap in the readers of this package as a fault, so
// it runs only where somebody reads what it says (VAK_EXPLORE=1).
func TestGenerated(t *testing.T) {
	if os.Getenv("VAK_EXPLORE") == "" {
		t.Skip("set VAK_EXPLORE=1 to explore")
	}
	rapid.Check(t, func(rt *rapid.T) {
		md := markdown(rt)
		rt.Logf("%q", md)
		d, err := compile.Markdown(md)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		for _, id := range surfaces {
			most := 0
			if profiles[id].Limit.Max > 0 {
				most = rapid.SampledFrom([]int{0, 64, 65, 80, 100, 300, 900}).Draw(rt, "limit")
			}
			s := layOut(rt, d, narrow(id, most))
			s.source = md
			rules(rt, s)
			if most == 0 || most >= 300 {
				cuts(rt, d, s)
			}
		}
	})
}

var pieces = []string{
	"word", "two words", "snake_case", "*", "**", "_", "__", "~", "~~", "||", "`", "``", "```", "<", ">", "&", "&amp;", "\\", "[", "](", ")", "!",
	"https://example.com/a_b", "[l](https://example.com/x_(y))", "![i](https://example.com/i.png)", "`co de`", "**bold**", "*it*", "~~st~~", "||sp||",
	"$x_1$", "<b>", "</b>", "<br>", "<T>", "<!-- c -->", "中文", "标签：", "。", "👩‍👩‍👧‍👦", "e\u0301", "@name", "@everyone", "<@U1>", "<!here>", "#", "-", "1.", "|",
	"“q”", "it's", "\"", " ", "\u00a0", "…", "[^1]", "ann@example.org", "C:\\x", "1234567890123456789012345678901234567890",
}

// markdown makes a document out of blocks of every kind with pieces in them
// that mean something to some dialect.
func markdown(t *rapid.T) string {
	line := func() string {
		n := rapid.IntRange(1, 8).Draw(t, "pieces")
		sep := rapid.SampledFrom([]string{" ", " ", ""}).Draw(t, "between")
		out := make([]string, n)
		for i := range out {
			out[i] = rapid.SampledFrom(pieces).Draw(t, "piece")
		}
		return strings.Join(out, sep)
	}
	var block func(deep int) string
	block = func(deep int) string {
		kind := rapid.IntRange(0, 9).Draw(t, "block")
		if deep == 0 {
			kind = 0
		}
		switch kind {
		case 1:
			return strings.Repeat("#", rapid.IntRange(1, 6).Draw(t, "level")) + " " + line()
		case 2, 3:
			mark := rapid.SampledFrom([]string{"- ", "7. ", "- [ ] ", "- [x] "}).Draw(t, "mark")
			var sb strings.Builder
			for range rapid.IntRange(1, 4).Draw(t, "items") {
				sb.WriteString(mark + strings.ReplaceAll(block(deep-1), "\n", "\n   ") + "\n")
			}
			return sb.String()
		case 4:
			return "> " + strings.ReplaceAll(block(deep-1)+"\n\n"+block(deep-1), "\n", "\n> ")
		case 5:
			var sb strings.Builder
			for range rapid.IntRange(0, 9).Draw(t, "lines") {
				sb.WriteString(strings.ReplaceAll(line(), "````", "") + "\n")
			}
			return "````" + rapid.SampledFrom([]string{"", "go", "c++"}).Draw(t, "lang") + "\n" + sb.String() + "````"
		case 6:
			cell := func() string { return strings.ReplaceAll(line(), "|", "\\|") }
			out := "| " + cell() + " | " + cell() + " |\n|---|--:|\n"
			for range rapid.IntRange(0, 5).Draw(t, "rows") {
				out += "| " + cell() + " | " + cell() + " |\n"
			}
			return out
		case 7:
			return strings.Repeat(line()+" ", rapid.IntRange(1, 80).Draw(t, "times"))
		case 8:
			return rapid.SampledFrom([]string{"---", "> [!TIP]\n> " + "tip", "[^1]: note", "$$\nx_1\n$$", "![only](https://example.com/o.png)"}).Draw(t, "fixed")
		}
		return line() + "\n" + line()
	}
	var sb strings.Builder
	for range rapid.IntRange(1, 8).Draw(t, "blocks") {
		sb.WriteString(block(2) + "\n\n")
	}
	return sb.String()
}

// TestRulesCanFail breaks a rendering in each way that a rule is there for.
func TestRulesCanFail(t *testing.T) {
	md := strings.Repeat("Some **bold** words and `code_x` with [a link](https://example.com/a).\n\n", 100)
	for name, spoil := range map[string]func(s *shown){
		"a word less":      func(s *shown) { s.chunks[0].Text = strings.Replace(s.chunks[0].Text, "words", "", 1) },
		"a star too many":  func(s *shown) { s.chunks[0].Text += " *" },
		"a tag not closed": func(s *shown) { s.chunks[0].Text = strings.Replace(s.chunks[0].Text, "</b>", "", 1) },
		"an address less": func(s *shown) {
			s.chunks[0].Text = strings.Replace(s.chunks[0].Text, `<a href="https://example.com/a">a link</a>`, "a link", 1)
		},
		"too long":       func(s *shown) { s.chunks[0].Text += strings.Repeat("x", 4096) },
		"nothing to see": func(s *shown) { s.chunks[1].Text = " " },
		"plain lost":     func(s *shown) { s.chunks[0].Plain = "x" },
		"room left": func(s *shown) {
			s.chunks = append(s.chunks[:1:1], s.chunks...)
			s.chunks[0].Text, s.chunks[0].Plain, s.chunks[0].Units = "x", "x", 1
			s.chunks[1].Units = 9
		},
		"a joiner in code": func(s *shown) { s.chunks[0].Text = strings.Replace(s.chunks[0].Text, "code_x", "code\u2060_x", 1) },
		"another renderer": func(s *shown) { s.by = "core/plain" },
	} {
		s := inProcess(t, md, profiles["telegram"])
		if len(s.chunks) < 2 {
			t.Fatal("too short to cut")
		}
		spoil(s)
		s.read, s.joined = nil, reading{}
		var f counting
		rules(&f, s.finish())
		if f == 0 {
			t.Errorf("%s: no rule fails", name)
		}
	}
	p := profiles["telegram"]
	p.Limit = surface.Limit{Max: 100, Unit: surface.Codepoint}
	d, err := compile.Markdown(strings.Repeat("a", 60) + "\n\n" + strings.Repeat("b ", 40))
	if err != nil {
		t.Fatal(err)
	}
	s := layOut(t, d, p)
	s.chunks[0].Blocks = append(s.chunks[0].Blocks, "2") // as if the second paragraph began in the first chunk
	var f counting
	cuts(&f, d, s)
	if f == 0 {
		t.Error("a needless cut is not found")
	}
}

// counting counts failures.
type counting int

func (c *counting) Helper()               {}
func (c *counting) Errorf(string, ...any) { *c++ }
func (c *counting) Fatalf(string, ...any) { *c++ }
