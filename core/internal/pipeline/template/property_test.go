package template

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// hostile is what a slot may bring that would mean something if it were parsed.
var hostile = []string{
	"{title}", "{body}", "{?title}", "{/title}", "{source_markdown}", "{metadata.k}", "\\", "**", "*", "_", "`", "```", "\n", "\n\n", "# ", "- ", "> ", "1. ", "| ", "|-|\n",
	"[a](http://b.c/)", "![a](http://b.c/d.png)", "<b>", "</b>", "<br>", "<!-- ", "-->", "<details>", "&amp;", "$x$", "||", "~~", "http://b.c/", "@everyone", "\u202e", "\x00", "\x1b[31m", "\xff", "\r\n", "\t",
	string(runeOf(0)), string(runeOf(1)), string(runeOf(7)),
}

// soup is fragments in any order, with numbered words between them.
func soup(label string, fragments []string, most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for i := range rapid.IntRange(0, most).Draw(t, "n") {
			if rapid.IntRange(0, 2).Draw(t, "word") == 0 {
				fmt.Fprintf(&b, "%s%dx", label, i)
			} else {
				b.WriteString(rapid.SampledFrom(fragments).Draw(t, "fragment"))
			}
		}
		return b.String()
	})
}

var answerFragments = append([]string{
	" ", "\n\n", "\n\n# ", "\n\n## *a* ", "\n- ", "\n- [x] ", "\n3. ", "\n> ", "\n> [!NOTE]\n> ", "\n\n```go\n", "\n```\n", "\n\n| a | b |\n|---|---|\n| c | ", " |\n", "[^1]", "\n\n[^1]: ", "\n\n---\n\n", "```mermaid\n",
}, hostile...)

// A format is drawn of pieces that go together, so that most are taken.
func formats() *rapid.Generator[string] {
	inline := rapid.SampledFrom([]string{
		"word", "{title}", "{block_count}", "{metadata.a}", "{metadata.b}", "**{title}**", "*x {metadata.a}*", "[see {title}](https://example.com/)", "`{title}`", "\\{title}", "{x", "||{metadata.b}||",
		"{?title}t {title}{/title}", "{?metadata.a}**a** {metadata.a}{/metadata.a}", "{?metadata.none}none{?title}{title}{/title}{/metadata.none}",
	})
	line := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(inline, 1, 4).Draw(t, "inlines"), rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "between"))
	})
	return rapid.Custom(func(t *rapid.T) string {
		var parts []string
		whole := rapid.SampledFrom([]string{"{body}", "{source_markdown}", "{?body}{body}{/body}", "> {body}", "- x\n\n  {body}", "> [!TIP]\n>\n> {body}", "{body}\n\n{source_markdown}", "{?source_markdown}\n{source_markdown}\n{/source_markdown}"}).Draw(t, "whole")
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			l := line.Draw(t, "line")
			switch flat := strings.ReplaceAll(l, "\n", " "); rapid.IntRange(0, 7).Draw(t, "block") {
			case 0:
				l = "# " + flat
			case 1:
				l = "- " + flat + "\n- b"
			case 2:
				l = "> " + flat
			case 3:
				l = "| a | " + strings.ReplaceAll(flat, "|", "") + " |\n|---|---|\n| {metadata.a} | {?metadata.none}x{/metadata.none} |"
			case 4:
				l = "{?title}\n# " + flat + "\n\nmore\n{/title}"
			case 5:
				l = "{?metadata.none}" + flat + "\n\nmore{/metadata.none}"
			}
			parts = append(parts, l)
		}
		at := rapid.IntRange(0, len(parts)).Draw(t, "at")
		return strings.Join(slices.Insert(parts, at, whole), "\n\n")
	})
}

// seen is all that must be seen of blocks, without blanks.
func seen(blocks []doc.Block) []string {
	var out []string
	for _, b := range blocks {
		out = append(out, slices.Collect(doc.Visible(b))...)
	}
	return out
}

// keeps checks what holds for every format, answer and values. It is nothing
// where the format is refused.
func keeps(t interface {
	Fatalf(string, ...any)
}, format, markdown string, v Values) {
	tpl, err := Compile("t", 1, format)
	if err != nil {
		return
	}
	d, err := compile.Markdown(markdown)
	if err != nil {
		t.Fatalf("%v", err)
	}
	before := doc.Append(nil, d, doc.WithSource)
	got := tpl.Apply(d, v)
	if !bytes.Equal(before, doc.Append(nil, d, doc.WithSource)) {
		t.Fatalf("the answer was changed by %q", format)
	}
	wire := doc.Append(nil, got, doc.WithSource)
	if again := doc.Append(nil, tpl.Apply(d, v), doc.WithSource); !bytes.Equal(wire, again) {
		t.Fatalf("%q makes %s and %s", format, wire, again)
	}
	parsed, err := doc.Parse(wire, doc.Limits{})
	if err != nil {
		t.Fatalf("%q of %q makes what nobody can read: %v\n%s", format, markdown, err, outline(got.Blocks, ""))
	}
	if got.Source != d.Source || !bytes.Equal(wire, doc.Append(nil, parsed, doc.WithSource)) {
		t.Fatalf("%q of %q changes on its way", format, markdown)
	}
	if strings.Contains(format, "{body}") && !strings.Contains(strings.ReplaceAll(format, "{source_markdown}", ""), "{source_markdown}") {
		f := tpl.filler(d, v)
		rest := seen(got.Blocks)
		if f.left != "" {
			heading := strings.Join(slices.Collect(doc.Visible(d.Blocks[0])), "")
			if !strings.Contains(squeeze(strings.Join(rest, "")), squeeze(heading)) && !linked(d.Blocks[0]) {
				t.Fatalf("%q of %q: the heading %q is nowhere in %q", format, markdown, heading, rest)
			}
		}
		if !hasBody(tpl) {
			return // {body} stands in code
		}
		for _, s := range seen(f.body) {
			at := slices.Index(rest, s)
			if at < 0 && shows(d.Blocks) {
				t.Fatalf("%q of %q loses %q: %s", format, markdown, s, outline(got.Blocks, ""))
			}
			if at >= 0 {
				rest = rest[at+1:]
			}
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// linked reports whether a heading has a link or a picture, whose addresses may
// come in another place in a label.
func linked(b doc.Block) bool {
	var any func([]doc.Inline) bool
	any = func(ins []doc.Inline) bool {
		return slices.ContainsFunc(ins, func(in doc.Inline) bool {
			switch in.(type) {
			case *doc.Link, *doc.Image:
				return true
			}
			return any(childrenOf(in))
		})
	}
	return any(inlinesOf(b)[0])
}

func hasBody(t *Template) bool {
	return slices.ContainsFunc(t.marks, func(m mark) bool { return m.kind == fill && m.slot.name == body && !m.code })
}

func values() *rapid.Generator[Values] {
	return rapid.Custom(func(t *rapid.T) Values {
		return Values{
			Title:    soup("t", hostile, 5).Draw(t, "title"),
			Metadata: map[string]string{"a": soup("a", hostile, 6).Draw(t, "a"), "b": soup("b", hostile, 3).Draw(t, "b")},
		}
	})
}

func TestKeeps(t *testing.T) {
	taken, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		format := formats().Draw(t, "format")
		all++
		if _, err := Compile("t", 1, format); err == nil {
			taken++
		}
		keeps(t, format, soup("q", answerFragments, 30).Draw(t, "answer"), values().Draw(t, "values"))
	})
	if taken < all/2 {
		t.Errorf("only %d of %d formats were taken, so little was tried", taken, all)
	}
}

// TestNothingIsParsed puts values into a template of which the rest is known.
func TestNothingIsParsed(t *testing.T) {
	tpl := must(t, "a {metadata.a} b\n\n# c {title} d\n\n{body}")
	rapid.Check(t, func(t *rapid.T) {
		v := Values{Title: soup("t", hostile, 8).Draw(t, "title"), Metadata: map[string]string{"a": soup("a", hostile, 8).Draw(t, "a")}}
		got := tpl.Apply(&doc.Document{Version: 1, Source: "x", Blocks: []doc.Block{&doc.Paragraph{ID: "1", Inlines: []doc.Inline{&doc.Text{Text: "x"}}}}}, v)
		if len(got.Blocks) != 3 || got.Blocks[0].Kind() != doc.KindParagraph || got.Blocks[1].Kind() != doc.KindHeading {
			t.Fatalf("%+v makes %s", v, outline(got.Blocks, ""))
		}
		for i, want := range []string{"a" + compile.Clean(v.Metadata["a"]) + "b", "c" + compile.Clean(v.Title) + "d"} {
			var text strings.Builder
			for _, in := range inlinesOf(got.Blocks[i])[0] {
				switch in := in.(type) {
				case *doc.Text:
					text.WriteString(in.Text)
				case *doc.Break:
				default:
					t.Fatalf("%+v makes %s", v, outline(got.Blocks, ""))
				}
			}
			if squeeze(text.String()) != squeeze(want) {
				t.Fatalf("%q became %q", want, text.String())
			}
		}
	})
}

func FuzzTemplate(f *testing.F) {
	for _, b := range BuiltIn {
		f.Add(b.Text, "# H\n\ntext", "T", "value")
	}
	f.Add("# {title}\n\n> {?metadata.a}{metadata.a}\n>\n> x{/metadata.a}\n\n- {?body}\n\n  {body}\n\n  {/body}", "# [a](b) *c*\n\n- x\n\n| a |\n|-|\n| b |", "", "{body}\n\n`")
	f.Add("`{body}`\n\n```\n{?x}\n```\n\n{source_markdown}", "\x00\xff\r\n", "\U000F0000", "\U000F0001")
	f.Fuzz(func(t *testing.T, format, markdown, title, value string) {
		if len(format)+len(markdown) > 1<<14 {
			return
		}
		keeps(t, format, markdown, Values{Title: title, Metadata: map[string]string{"a": value}})
	})
}
