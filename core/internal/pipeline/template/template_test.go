package template

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

var update = flag.Bool("update", false, "write the goldens anew")

func must(t testing.TB, format string) *Template {
	t.Helper()
	tpl, err := Compile("t", 1, format)
	if err != nil {
		t.Fatalf("%q: %v", format, err)
	}
	return tpl
}

func answer(t testing.TB, markdown string) *doc.Document {
	t.Helper()
	d, err := compile.Markdown(markdown)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// outline is a document as a person can check it: a line for each block.
func outline(blocks []doc.Block, indent string) string {
	var b strings.Builder
	for _, bl := range blocks {
		fmt.Fprintf(&b, "%s%s %s", indent, bl.BlockID(), bl.Kind())
		switch bl := bl.(type) {
		case *doc.Code:
			fmt.Fprintf(&b, " %s %q", bl.Language, bl.Text)
		case *doc.Callout:
			b.WriteString(" " + string(bl.Tone))
		}
		for _, ins := range inlinesOf(bl) {
			b.WriteString(" " + inlineText(ins))
		}
		b.WriteByte('\n')
		for i, below := range blocksOf(bl) {
			if _, ok := bl.(*doc.List); ok {
				fmt.Fprintf(&b, "%s  item %d\n", indent, i+1)
			}
			b.WriteString(outline(below, indent+"    "))
		}
	}
	return b.String()
}

func inlineText(ins []doc.Inline) string {
	var b strings.Builder
	for _, in := range ins {
		switch in := in.(type) {
		case *doc.Text:
			fmt.Fprintf(&b, "%q", in.Text)
		case *doc.CodeSpan:
			fmt.Fprintf(&b, "code(%q)", in.Text)
		case *doc.Break:
			b.WriteString("/")
		case *doc.Link:
			fmt.Fprintf(&b, "link(%s %s)", in.Href, inlineText(in.Children))
		case *doc.Image:
			fmt.Fprintf(&b, "image(%s %q)", in.Src, in.Alt)
		default:
			fmt.Fprintf(&b, "%s(%s)", in.InlineKind(), inlineText(childrenOf(in)))
		}
	}
	return "[" + b.String() + "]"
}

// TestGolden compares what templates make of answers with testdata. In each
// file, "format" is applied to "answer" with "values", lines of key = value.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			in := map[string]string{}
			for _, f := range a.Files {
				in[f.Name] = string(f.Data)
			}
			v := Values{Metadata: map[string]string{}}
			for line := range strings.Lines(in["values"]) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
				v.Metadata[key] = strings.ReplaceAll(value, `\n`, "\n")
			}
			v.Title = v.Metadata["title"]
			got := outline(must(t, in["format"]).Apply(answer(t, in["answer"]), v).Blocks, "")
			if got == in["shows"] {
				return
			}
			if !*update {
				t.Fatalf("shows\n%s\nwant\n%s", got, in["shows"])
			}
			for i := range a.Files {
				if a.Files[i].Name == "shows" {
					a.Files[i].Data = []byte(got)
				}
			}
			if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestRefused has the place of what is wrong, and a word of what is said.
func TestRefused(t *testing.T) {
	deep := strings.Repeat("{?title}", MaxDepth+1) + "x" + strings.Repeat("{/title}", MaxDepth+1) + "\n\n{body}"
	for _, c := range []struct{ format, at, says string }{
		{"", "1:1", "leave the answer out"},
		{"hello", "1:1", "leave the answer out"},
		{"{?title}\n{body}\n{/title}", "1:1", "leave the answer out"},
		{"{?metadata.x}\n{source_markdown}\n{/metadata.x}", "1:1", "leave the answer out"},
		{"`{body}`", "1:1", "leave the answer out"},
		{`\{body}`, "1:1", "leave the answer out"},
		{"{body}\n\n{body}", "3:1", "there twice"},
		{"{body}\n\nfoo {bar}", "3:5", "there is no slot {bar}; use {title}, {body}"},
		{"{body}\n\n{Title}", "3:1", "there is no slot {Title}"},
		{"{body}\n\n{metadata.X}", "3:1", "there is no slot {metadata.X}"},
		{"{body}\n\n{?nothing}{/nothing}", "3:1", "there is no slot {?nothing}"},
		{"{body}\n\nä {?title}x", "3:3", "{?title} is not closed; put {/title}"},
		{"{body}\n\nx{/title}", "3:2", "{/title} closes nothing"},
		{"{?title}{?body}x{/title}{/body}\n\n{body}", "1:17", "{/title} stands within {?body} of line 1"},
		{"a {body}", "1:3", "on a line of its own, with blank lines around"},
		{"# {body}", "1:3", "on a line of its own"},
		{"Hello\n{body}", "2:1", "on a line of its own"},
		{"| a |\n|---|\n| {body} |", "3:3", "on a line of its own"},
		{"**{source_markdown}**\n\n{body}", "1:3", "on a line of its own"},
		{"[x](http://a.b/{title})\n\n{body}", "1:16", "the address of a link"},
		{"see http://a.b/{title}\n\n{body}", "1:16", "the address of a link"},
		{"[x](http://a.b/ \"{title}\")\n\n{body}", "1:18", "the address of a link"},
		{"![{title}](http://a.b/c.png)\n\n{body}", "1:3", "an image"},
		{"x ![a](http://a.b/{title}) y\n\n{body}", "1:19", "an image"},
		{"``` {title}\nx\n```\n\n{body}", "1:5", "info string"},
		{"{body}\n\n<!-- {title} -->", "3:6", "stands in HTML"},
		{"[x][a]\n\n{body}\n\n[a]: http://x.y/{title}", "5:17", "the address of a link"},
		{"{body}\n\n<b class=\"{title}\">x</b>", "3:11", "stands in HTML"},
		{"{body}\n\n[a]: http://x.y/{title}", "1:1", "addresses that nothing refers to"},
		{"**{?title}x** y{/title}\n\n{body}", "1:3", "do not stand in the same paragraph"},
		{"- {?title}x\n- y{/title}\n\n{body}", "1:3", "do not stand in the same paragraph"},
		{"{?title}\n- a\n  {/title}\n\n{body}", "3:3", "do not stand in the same paragraph"},
		{"{body}\n\nx[^1]\n\n[^1]: y", "1:1", "no footnotes"},
		{deep, fmt.Sprintf("1:%d", 8*MaxDepth+1), "more than 8 conditionals"},
		{"{body}\n\n" + strings.Repeat("> ", MaxDepth+1) + "x", "1:1", "more than 8 deep"},
		{"{body}\n\n" + strings.Repeat("{title}", MaxNodes), fmt.Sprintf("3:%d", 7*(MaxNodes-2)+1), "more than 128"},
		{"{body}\n\n" + strings.Repeat("x", MaxLiteral-1), fmt.Sprintf("3:%d", MaxLiteral-1), "more than 16384 characters"},
		{strings.Repeat("{body}", MaxFormat), "1:1", "the limit is 65536"},
		{"{body}\n\n\U000F0000", "3:1", "U+F0000"},
		{"{body}\xff", "1:1", "UTF-8"},
	} {
		_, err := Compile("t", 1, c.format)
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Errorf("%.80q is taken", c.format)
			continue
		}
		if at := fmt.Sprintf("%d:%d", e.Line, e.Column); at != c.at || !strings.Contains(e.Error(), c.says) {
			t.Errorf("%.80q: at %s: %s\nwant %s with %q", c.format, at, e, c.at, c.says)
		}
	}
}

// TestTaken has formats near a bound, and braces that are text.
func TestTaken(t *testing.T) {
	for why, format := range map[string]string{
		"as deep as may be":        strings.Repeat("{?title}", MaxDepth) + "x" + strings.Repeat("{/title}", MaxDepth) + "\n\n{body}",
		"as many nodes as may be":  "{body}\n\n" + strings.Repeat("{title}", MaxNodes-2),
		"as long as may be":        "{body}\n\n" + strings.Repeat("x", MaxLiteral-2),
		"braces that are text":     "{} { title } {1} {a b} {?} {/} }{ \\{title\\}\n\n{body}",
		"conditionals for its own": "{?body}\n{body}\n{/body}",
		"source that there is":     "{?source_markdown}{source_markdown}{/source_markdown}",
		"unknown in code":          "`{unknown}` and `{?open}`\n\n```json\n{title}\n{?x}\n```\n\n{body}",
		"line ends of Windows":     "# {title}\r\n\r\n{body}\r\n",
		"an escaped backslash":     "\\\\{title}\n\n{body}",
	} {
		if _, err := Compile("t", 1, format); err != nil {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// TestEmptyAnswer has an answer that shows nothing, which stays one.
func TestEmptyAnswer(t *testing.T) {
	for _, markdown := range []string{"", " \n", "<!-- x -->", "---"} {
		d := answer(t, markdown)
		if got := must(t, "# Report\n\n{title}\n\n{body}").Apply(d, Values{Title: "T"}); got != d {
			t.Errorf("%q became %s", markdown, outline(got.Blocks, ""))
		}
	}
}

// TestDiagnostics has those of a body that stands within a block, and of a heading
// that became the title.
func TestDiagnostics(t *testing.T) {
	d := answer(t, "# T\n\nx")
	d.Diagnostics = []doc.Diagnostic{{Code: "a", Block: "1"}, {Code: "b", Block: "2"}, {Code: "c"}}
	got := must(t, "{title}\n\n> {body}").Apply(d, Values{}).Diagnostics
	if got[0].Block != "" || got[1].Block != "0.2.1.2" || got[2].Block != "" || d.Diagnostics[1].Block != "2" {
		t.Errorf("%+v", got)
	}
}

func TestBuiltIn(t *testing.T) {
	for _, b := range BuiltIn {
		if b.About == "" || b.Revision < 1 {
			t.Errorf("%s says nothing of itself", b.ID)
		}
		must(t, b.Text)
	}
}
