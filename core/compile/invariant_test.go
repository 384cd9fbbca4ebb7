package compile

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// check holds a document to the promises of this package and of package doc.
func check(t interface {
	Helper()
	Errorf(string, ...any)
}, source string, d *doc.Document) {
	t.Helper()
	if d.Source != source {
		t.Errorf("the source changed")
	}
	c := checker{t: t, ids: map[doc.ID]bool{}}
	c.blocks(d.Blocks, "", 1)
	if c.nodes > MaxNodes*3/2 { // footnotes have a limit of their own
		t.Errorf("%d nodes", c.nodes)
	}
	if c.cells > MaxCells {
		t.Errorf("%d cells", c.cells)
	}
	for _, g := range d.Diagnostics {
		if g.Message == reasonParser || strings.Contains(g.Message, reasonParser) {
			t.Errorf("goldmark panicked")
		}
		if g.Block != "" && !c.ids[g.Block] {
			t.Errorf("diagnostic %s about block %s, which there is none of", g.Code, g.Block)
		}
	}
}

type checker struct {
	t interface {
		Helper()
		Errorf(string, ...any)
	}
	ids   map[doc.ID]bool
	nodes int
	cells int
	last  doc.ID
}

func (c *checker) blocks(bs []doc.Block, prefix string, depth int) {
	if depth > MaxDepth {
		c.t.Errorf("blocks nest %d deep", depth)
	}
	for i, b := range bs {
		id := b.BlockID()
		if want := doc.ID(prefix + itoa(i+1)); id != want {
			c.t.Errorf("id %q where %q belongs", id, want)
		}
		if c.ids[id] {
			c.t.Errorf("id %s occurs twice", id)
		}
		if c.last != "" && id.Compare(c.last) <= 0 {
			c.t.Errorf("id %s stands behind %s", id, c.last)
		}
		c.last = id
		c.ids[id] = true
		c.nodes++
		c.block(b, string(id)+".", depth)
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

func (c *checker) block(b doc.Block, prefix string, depth int) {
	empty := false
	switch b := b.(type) {
	case *doc.Heading:
		empty = len(b.Inlines) == 0
		c.inlines(b.Inlines, 1, false)
		if b.Level < 1 || b.Level > 6 {
			c.t.Errorf("level %d", b.Level)
		}
	case *doc.Paragraph:
		empty = len(b.Inlines) == 0
		c.inlines(b.Inlines, 1, false)
	case *doc.List:
		empty = len(b.Items) == 0
		if !b.Ordered && b.Start != 0 {
			c.t.Errorf("a bullet list starts at %d", b.Start)
		}
		for i, it := range b.Items {
			c.nodes++
			c.blocks(it.Blocks, prefix+itoa(i+1)+".", depth+1)
		}
	case *doc.Table:
		if len(b.Align) != len(b.Header) {
			c.t.Errorf("%d alignments for %d columns", len(b.Align), len(b.Header))
		}
		for _, row := range append([][]doc.Cell{b.Header}, b.Rows...) {
			c.nodes++
			for _, cell := range row {
				c.cells++
				c.inlines(cell, 1, false)
			}
		}
	case *doc.Quote:
		empty = len(b.Blocks) == 0
		c.blocks(b.Blocks, prefix, depth+1)
	case *doc.Code:
		empty = b.Text == ""
		c.text(b.Text, true)
		c.text(b.Language, false)
		c.text(b.Filename, false)
		c.text(b.Meta, false)
		if strings.HasSuffix(b.Text, "\r") {
			c.t.Errorf("a carriage return in code")
		}
	case *doc.Diff:
		empty = b.Text == ""
		c.text(b.Text, true)
	case *doc.Diagram:
		empty = b.Source == ""
		c.text(b.Source, true)
		c.text(b.Meta, false)
	case *doc.Callout:
		empty = len(b.Blocks) == 0 && len(b.Title) == 0
		c.inlines(b.Title, 1, false)
		c.blocks(b.Blocks, prefix, depth+1)
	case *doc.Citations:
		empty = len(b.Items) == 0
		for i, it := range b.Items {
			c.nodes++
			c.text(it.Label, false)
			c.text(it.URL, false)
			c.text(it.Title, false)
			c.blocks(it.Blocks, prefix+itoa(i+1)+".", depth+1)
		}
	case *doc.Media:
		c.text(b.Source, false)
		c.text(b.Alt, false)
		c.text(b.Caption, false)
	case *doc.ArtifactRef:
		empty = b.Path == ""
		for _, s := range []string{b.Path, b.Project, b.ArtifactKind, b.Mode, b.Caption, b.Text, b.Raw} {
			c.text(s, false)
		}
	case *doc.RawMarkdown:
		empty = b.Markdown == "" || b.Reason == ""
		c.text(b.Markdown, true)
	}
	if empty {
		c.t.Errorf("%s %s is empty", b.Kind(), b.BlockID())
	}
}

func (c *checker) inlines(ins []doc.Inline, depth int, link bool) {
	if depth > MaxDepth {
		c.t.Errorf("inlines nest %d deep", depth)
	}
	text := false
	for _, in := range ins {
		c.nodes++
		was := text
		text = false
		var children []doc.Inline
		inner := link
		switch in := in.(type) {
		case *doc.Text:
			c.text(in.Text, false)
			if in.Text == "" || was {
				c.t.Errorf("text %q beside text or empty", in.Text)
			}
			text = true
			continue
		case *doc.CodeSpan:
			c.text(in.Text, false)
			if strings.TrimSpace(in.Text) == "" {
				c.t.Errorf("blank code span %q", in.Text)
			}
			continue
		case *doc.Break:
			continue
		case *doc.Image:
			c.text(in.Src, false)
			c.text(in.Alt, false)
			c.text(in.Title, false)
			if in.Safe != doc.SafeURL(in.Src) {
				c.t.Errorf("safe is %v for %q", in.Safe, in.Src)
			}
			continue
		case *doc.Link:
			c.text(in.Href, false)
			c.text(in.Title, false)
			if link {
				c.t.Errorf("a link within a link")
			}
			if in.Safe != doc.SafeURL(in.Href) {
				c.t.Errorf("safe is %v for %q", in.Safe, in.Href)
			}
			inner = true
			c.inlines(in.Children, depth+1, inner)
			continue
		case *doc.Strong:
			children = in.Children
		case *doc.Emphasis:
			children = in.Children
		case *doc.Strikethrough:
			children = in.Children
		case *doc.Spoiler:
			children = in.Children
		}
		if len(children) == 0 {
			c.t.Errorf("%s without children", in.InlineKind())
		}
		c.inlines(children, depth+1, inner)
	}
}

// text checks one string: code keeps newlines and tabs.
func (c *checker) text(s string, code bool) {
	if !utf8.ValidString(s) {
		c.t.Errorf("not UTF-8: %q", s)
	}
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			if !code {
				c.t.Errorf("%q in %q", r, s)
				return
			}
		case r < ' ', 0x7f <= r && r < 0xa0, 0x2028 <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069, r == 0xfeff:
			c.t.Errorf("%U in %q", r, s)
			return
		}
	}
}

// compileForTest compiles and checks.
func compileForTest(t *testing.T, source string) *doc.Document {
	t.Helper()
	d, err := Markdown(source)
	if err != nil {
		t.Fatal(err)
	}
	check(t, source, d)
	return d
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		d := compileForTest(t, source)
		again, err := Markdown(source)
		if err != nil || !reflect.DeepEqual(d, again) {
			t.Error("two runs differ")
		}
		wire := doc.Append(nil, d, doc.WithoutSource)
		if back, err := doc.Parse(wire, doc.Limits{}); err != nil {
			t.Errorf("the codec refuses the document: %v", err)
		} else if !bytes.Equal(wire, doc.Append(nil, back, doc.WithoutSource)) {
			t.Error("the codec changes the document")
		}
	})
}

// seeds are fragments that the fuzzer mixes.
func seeds() []string {
	out := []string{
		answer, "", "a\r\nb\rc\x00d\xff\xed\xa0\x80\ufeff\u202e", "**标签：**正文", "||s|| ~~d~~ ~x~", "$a$ $$b$$ \\(c\\) \\[d=1\\]", "$$\na\n$$",
		"[a]: /b \"t\"\n\n[a] [b][a] [a][] ![a]", "[^1] x\n\n[^1]: n\n\n    - l\n\n[^2]: u", "> [!NOTE] t\n> x", "<details><summary>a</summary>\n\nb\n\n</details>",
		"<b><i>x</b></i>", "<ul><li>a<ol start=3><li>b</ul>", "<table><tr><th>a<td>b<tr><td>c</table>", "<pre><code class=\"language-go\">x</code></pre>",
		"<!-- a --> b <!-- c", "| a | b |\n|--|:-:|\n| `a|b` | c |\n| 1 | 2 | 3 |", "- [ ] a\n- [x] b\n  1. c\n\n     d", "```vak\n{}\n```", "~~~go title=\"x\"\ny",
		"```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```", "![a](vance:/x/y.png?kind=image&caption=c)", "[a](vance://p/x)", "![x](data:image/png;base64,aaaa)",
		"https://a.b/c_d). www.x.y, a@b.cd <https://a.b|c> <x@y.z>", "&amp; &#x202e; &#10; &nbsp; &nope;", "***a** b*", "a  \nb\\\nc", "H<sub>2</sub>O <kbd>x</kbd><br>y",
		">\t- ```\n>\t  x", "# \n\n-\n\n1.\n", "a\n===\nb\n---", "<a href=\"u\">[x](y)</a> <img src=z alt=\"q\">", "[![a](b)](c) [](d) ![]()", "<p>a</p><h2>b</h2>c<hr>",
	}
	for _, h := range hostile {
		out = append(out, h.make(256))
	}
	return out
}

func TestInvariantsHoldForHostileInput(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			compileForTest(t, h.make(20_000))
			if !testing.Short() && !raceEnabled {
				compileForTest(t, h.make(1<<20))
			}
		})
	}
}
