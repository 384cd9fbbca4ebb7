package compile

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

func TestSourceOverTheLimitIsRefused(t *testing.T) {
	d, err := Markdown(strings.Repeat("a", MaxSource+1))
	if d != nil || !errors.Is(err, ErrTooLarge) {
		t.Fatalf("%v, %v", d, err)
	}
	var size *SizeError
	if !errors.As(err, &size) || size.Size != MaxSource+1 || size.Limit != MaxSource {
		t.Errorf("%#v", err)
	}
	want := "markdown source too large: 4194305 bytes, at most 4194304 are compiled; send it in parts or as a document"
	if err.Error() != want {
		t.Errorf("%q", err)
	}
	if _, err := Markdown(strings.Repeat("a\n", MaxSource/2)); err != nil {
		t.Error(err)
	}
}

func TestCleaning(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"line ends become newlines", "a\r\nb\rc\n\rd", `1 paragraph "a" soft "b" soft "c"` + "\n" + `2 paragraph "d"`},
		{"NUL is shown, as CommonMark says", "a\x00b", `1 paragraph "a` + "\uFFFD" + `b"` + "\n! control"},
		{"colours of a terminal vanish, their text stays", "\x1b[31mred\x1b[0m \x1b[1;4mx", `1 paragraph "red x"` + "\n! control"},
		{"an escape that begins no sequence vanishes alone", "a\x1bb\x07c\x7f", `1 paragraph "abc"` + "\n! control"},
		{"bytes that are not UTF-8 are shown one by one", "a\xff\xfeb", `1 paragraph "a` + "\uFFFD\uFFFD" + `b"` + "\n! encoding"},
		{"a surrogate is one character", "a\xed\xa0\x80b", `1 paragraph "a` + "\uFFFD" + `b"` + "\n! encoding"},
		{"a byte order mark does not hide a heading", "\ufeff# a", `1 heading 1 "a"` + "\n! control"},
		{"overrides do not reach what stands around", "a\u202edp.exe \u2066b\u2069", `1 paragraph "adp.exe b"` + "\n! bidi"},
		{"marks of direction are harmless and stay", "a\u200eb\u061c", `1 paragraph "a\u200eb\u061c"`},
		{"joiners are part of emoji and of scripts", "👨\u200d👩 می\u200cخواهم ❤\ufe0f", `1 paragraph "👨\u200d👩 می\u200cخواهم ❤️"`},
		{"tags make flags", "\U0001F3F4\U000E0067\U000E0062\U000E007F", `1 paragraph "🏴\U000e0067\U000e0062\U000e007f"`},
		{"tags that make no flag are hidden text", "a\U000E0061\U000E0062", `1 paragraph "a"` + "\n! control"},
		{"separators of lines are no lines of markdown", "a\u2028# b\u0085c\fd\ve", `1 paragraph "a # b c d e"`},
		{"tabs are kept in code alone", "a\tb `c\td`\n\n    e\tf", `1 paragraph "a b " code("c d")` + "\n" + `2 code text="e\tf"`},
		{"entities bring nothing in", "a&#x202e;b&#0;c&#27;[d&#10;e&#xd800;", `1 paragraph "ab` + "\uFFFDc[d e\uFFFD" + `"`},
		{"nor do they in destinations", "[a](b&#10;c&#x202e;d)", `1 paragraph link("b cd" unsafe: "a")`},
		{"nor in attributes", "<img src=\"a&#10;b\" alt=\"&#x202e;c\">", `1 media source="a b" alt="c"`},
		{"nothing but invisible characters is nothing", "\u200b\u2060 &nbsp;\n\n- \u200b", "1 list\n  -"},
	} {
		d := compileForTest(t, c.in)
		if got := strings.TrimSpace(dump(d)); got != c.want {
			t.Errorf("%s: %q\ngot  %s\nwant %s", c.why, c.in, got, c.want)
		}
	}
}

func TestCardsStayExact(t *testing.T) {
	card := `{"semantic_type":"metric","payload":{"label":"a"}}`
	for _, c := range []struct{ why, source, code, text string }{
		{"a card of a type that nobody owns", "```vak\n" + card + "\n```", "vak_unknown_type", card},
		{"a tilde fence counts", "~~~vak\n" + card + "\n~~~", "vak_unknown_type", card},
		{"up to three spaces count", "  ```vak x=1\n  " + card + "\n  ```", "vak_unknown_type", card},
		{"CRLF and no final newline", "```vak\r\n" + card + "\r\n```", "vak_unknown_type", card},
		{"four spaces are code", "    ```vak\n    " + card, "", "```vak\n" + card},
		{"quoted in a longer fence", "````\n```vak\n{}\n```\n````", "", "```vak\n{}\n```"},
		{"almost JSON", "```vak\n{'a':1,}\n```", "vak_malformed", "{'a':1,}"},
		{"cut off", "```vak\n{\"semantic_type\":\"me", "vak_malformed", `{"semantic_type":"me`},
		{"no type", "```vak\n{}\n```", "vak_invalid", "{}"},
		{"no object", "```vak\n[1]\n```", "vak_invalid", "[1]"},
		{"too deep", "```vak\n" + strings.Repeat("[", 20_000) + "\n```", "vak_malformed", strings.Repeat("[", 20_000)},
		{"too large", "```vak\n{\"a\":\"" + strings.Repeat("b", 1<<20) + "\"}\n```", "vak_invalid", `{"a":"` + strings.Repeat("b", 1<<20) + `"}`},
		{"another word", "```vakx\n{}\n```", "", "{}"},
		{"another case", "```VAK\n{}\n```", "", "{}"},
		{"the second word", "```json vak\n{}\n```", "", "{}"},
		{"HTML is no fence", "<pre><code class=\"language-vak\">{}</code></pre>", "", "{}"},
	} {
		d := compileForTest(t, c.source)
		code, ok := d.Blocks[0].(*doc.Code)
		if !ok || code.Text != c.text {
			t.Errorf("%s: %.200s", c.why, dump(d))
			continue
		}
		var codes []string
		for _, g := range d.Diagnostics {
			codes = append(codes, g.Code)
			if g.Block != code.ID {
				t.Errorf("%s: about block %q", c.why, g.Block)
			}
		}
		if got := strings.Join(codes, " "); got != c.code || (c.code != "") != (code.Language == "vak") {
			t.Errorf("%s: %q, language %s", c.why, got, code.Language)
		}
	}
}

func TestOverALimitTheRestIsKeptRaw(t *testing.T) {
	for _, c := range []struct{ why, source, kept, reason string }{
		{"quotes", "first\n\n" + strings.Repeat(">", 10_000) + " end", "end", reasonDepth},
		{"lists", "first\n\n" + strings.Repeat("- ", 10_000) + "end", "end", reasonDepth},
		{"nodes", "first\n\n" + strings.Repeat("*a* b ", MaxNodes/2) + "end", "end", reasonNodes},
		{"blocks", "first\n\n" + strings.Repeat("a\n\n", MaxNodes) + "end", "end", reasonNodes},
		{"cells", "first\n\n|a|b|\n|-|-|\n" + strings.Repeat("||||||||||\n", MaxCells/8) + "\nend", "end", reasonCells},
		{"work", "first\n\n" + strings.Repeat("- ", 40) + "x" + strings.Repeat("\n", 200_000) + "end", "end", reasonWork},
		{"footnotes", "first[^1]\n\n[^1]: a\n\n    " + strings.Repeat("*a* b ", MaxNodes/2) + "end", "end", reasonNodes},
	} {
		d := compileForTest(t, c.source)
		if p, ok := d.Blocks[0].(*doc.Paragraph); !ok || !strings.HasPrefix(p.Inlines[0].(*doc.Text).Text, "first") {
			t.Errorf("%s: what came before is gone", c.why)
		}
		var raw *doc.RawMarkdown
		for _, b := range flatten(d.Blocks) {
			if r, ok := b.(*doc.RawMarkdown); ok {
				raw = r
			}
		}
		if raw == nil || !strings.HasSuffix(raw.Markdown, c.kept) || raw.Reason != c.reason {
			t.Errorf("%s: raw markdown is %.100v", c.why, raw)
			continue
		}
		if !slices.ContainsFunc(d.Diagnostics, func(g doc.Diagnostic) bool { return g.Code == "limit" && g.Block == raw.ID }) {
			t.Errorf("%s: no diagnostic", c.why)
		}
	}
}

func flatten(bs []doc.Block) (out []doc.Block) {
	for _, b := range bs {
		out = append(out, b)
		switch b := b.(type) {
		case *doc.List:
			for _, it := range b.Items {
				out = append(out, flatten(it.Blocks)...)
			}
		case *doc.Quote:
			out = append(out, flatten(b.Blocks)...)
		}
	}
	return out
}

func TestStyleBeyondTheDepthIsDroppedAndItsTextKept(t *testing.T) {
	d := compileForTest(t, strings.Repeat("*a **b ", 200)+"end"+strings.Repeat("** *", 200))
	if text := everything(d); strings.Count(text, "a") != 200 || !strings.Contains(text, "end") {
		t.Errorf("text is lost: %.200s", text)
	}
}

func TestNoTableFillsUp(t *testing.T) {
	d := compileForTest(t, strings.Repeat("|a", 1000)+"|\n"+strings.Repeat("|-", 1000)+"|\n"+strings.Repeat("|b\n", 1000))
	if n := len(d.Blocks[0].(*doc.Table).Rows[0]); n != 1 {
		t.Errorf("a row of one cell has %d", n)
	}
}

func TestStringsShareTheSource(t *testing.T) {
	source := "# Title\n\nSome *words* here\nand there.\n\n```go\ncode\nmore\n```\n"
	d := compileForTest(t, source)
	within := func(s string) bool {
		from := uintptr(unsafe.Pointer(unsafe.StringData(source)))
		at := uintptr(unsafe.Pointer(unsafe.StringData(s)))
		return from <= at && at < from+uintptr(len(source))
	}
	p := d.Blocks[1].(*doc.Paragraph)
	for _, s := range []string{
		d.Blocks[0].(*doc.Heading).Inlines[0].(*doc.Text).Text,
		p.Inlines[0].(*doc.Text).Text,
		p.Inlines[1].(*doc.Emphasis).Children[0].(*doc.Text).Text,
		d.Blocks[2].(*doc.Code).Text,
	} {
		if !within(s) {
			t.Errorf("%q was copied", s)
		}
	}
}

// Live text is compiled again and again while it grows, and a cut may fall
// anywhere.
func TestEveryPrefixCompiles(t *testing.T) {
	source := answer + "> ||s|| ~~d~~ 👨\u200d👩 $a$ \\[x=1\\] <b>c</b> <details><summary>e</summary>\n\n![i](u) | `|` |\n\n[^1]\n\n[^1]: note\n"
	for i := range source {
		compileForTest(t, source[:i])
	}
}

func TestMarkdownIsSafeForManyAtOnce(t *testing.T) {
	want := dump(compileForTest(t, answer))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			d, err := Markdown(answer)
			if err != nil || dump(d) != want {
				t.Error("differs", err)
			}
		})
	}
	wg.Wait()
}

func TestCommentsAreNotedWhereTheyStood(t *testing.T) {
	for _, c := range []struct {
		source string
		want   doc.ID
	}{
		{"a <!-- b --> c", "1"},
		{"a\n\n<!-- b\n\nc -->\n\nd", ""},
		{"- a <!-- b -->", "1.1.1"},
		{"- a\n\n  <!-- b -->", "1"},
		{"> <!-- b -->\n\nc", ""},
		{"| a |\n|---|\n| <!-- b --> c |", "1"},
		{"[//]: # (b)\n\nc", ""},
	} {
		d := compileForTest(t, c.source)
		if len(d.Diagnostics) != 1 || d.Diagnostics[0].Code != "comment" || d.Diagnostics[0].Block != c.want {
			t.Errorf("%q: %v, want block %q", c.source, d.Diagnostics, c.want)
		}
		if strings.ContainsAny(everything(d), "b-") {
			t.Errorf("%q: the comment is shown", c.source)
		}
	}
}
