package compile

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// everything joins all strings of a document, in order, whether a reader must
// see them or not: the language of code may be lost on a surface, but not here.
func everything(d *doc.Document) string {
	var out strings.Builder
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			if v.Type() == reflect.TypeFor[string]() {
				out.WriteString(v.String())
				out.WriteByte('\n')
			}
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(d.Blocks))
	return out.String()
}

// soup draws fragments in any order, with numbered words between them.
func soup(fragments []string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		words := 0
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			if rapid.IntRange(0, 2).Draw(t, "word") == 0 {
				fmt.Fprintf(&b, "q%dx", words)
				words++
			} else {
				b.WriteString(rapid.SampledFrom(fragments).Draw(t, "fragment"))
			}
		}
		return b.String()
	})
}

var markdownFragments = []string{
	" ", " ", "\n", "\n", "\n\n", "*", "**", "***", "_", "__", "`", "``", "```", "\n```\n", "\n~~~\n", "~~", "~", "||", "|", "[", "]", "](", "(", ")", "![",
	"[^1]", "\n[^1]: ", "#", "\n# ", "\n> ", "\n- ", "\n- [ ] ", "\n1. ", "\n7) ", "    ", "  ", "\t", "\n---\n", "\n===\n", "\n|-|-|\n", "|\n|", "$", "$$", "\n$$\n", `\`, `\(`, `\)`, `\[`, `\]`,
	"&amp;", "&", "<", ">", "！", "，", "「", "」", "é", "\u200d", "\u202e", "\r", "http://", "www.", "@", ".", ":", "!", "> [!NOTE]", "\n    ",
}

var htmlFragments = []string{
	" ", "\n", "\n\n", "<b>", "</b>", "<i>", "</i>", "<em>", "</em>", "<p>", "</p>", "<div align=center>", "</div>", "<ul>", "</ul>", "<ol start=\"3\">", "</ol>",
	"<li>", "</li>", "<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "<details>", "</details>", "<details open>", "<summary>", "</summary>",
	"<pre>", "</pre>", "<code>", "</code>", "<kbd>", "</kbd>", "<a href=\"u\">", "</a>", "<a>", "<br>", "<br/>", "<hr>", "<h1>", "</h1>", "<h3>", "</h3>", "<blockquote>", "</blockquote>",
	"<sub>", "</sub>", "<sup>", "</sup>", "<span>", "</span>", "<script>", "</script>", "<x>", "<!-- -->", "-->", "<", ">", "**", "_", "`", "\n- ", "\n> ", "\n```\n", "[", "](u)", "<img src=\"s\">", "<picture>",
}

func TestNoWordIsLost(t *testing.T) {
	for _, kind := range []struct {
		name      string
		fragments []string
	}{{"markdown", markdownFragments}, {"html", htmlFragments}} {
		t.Run(kind.name, rapid.MakeCheck(func(t *rapid.T) {
			source := soup(kind.fragments).Draw(t, "source")
			d, err := Markdown(source)
			if err != nil {
				t.Fatal(err)
			}
			check(t, source, d)
			for _, g := range d.Diagnostics {
				if g.Code == "empty_code" {
					return // the language of no code
				}
			}
			have := everything(d)
			for i := range strings.Count(source, "q") {
				word := fmt.Sprintf("q%dx", i)
				if strings.Contains(source, word) && !strings.Contains(have, word) {
					t.Fatalf("%s is lost in %q", word, dump(d))
				}
			}
		}))
	}
}

// An author draws well-formed markdown and notes which letters and digits a
// reader must see, in order.
type author struct {
	t     *rapid.T
	out   strings.Builder
	want  strings.Builder
	words int
}

func (a *author) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(a.t, label) }

func (a *author) word() string {
	a.words++
	return fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"alpha", "beta", "gamma", "日本", "naïve", "snake_case", "x"}).Draw(a.t, "word"), a.words)
}

// write writes s and wants its letters and digits to be seen.
func (a *author) write(s string) { a.out.WriteString(s); a.want.WriteString(s) }

func (a *author) mark(s string) { a.out.WriteString(s) }

func (a *author) inlines(depth int) {
	for i := range 1 + a.pick("inlines", 4) {
		if i > 0 {
			a.mark(" ")
		}
		a.inline(depth)
	}
}

func (a *author) around(before, after string, depth int) {
	a.mark(before)
	a.inlines(depth - 1)
	a.mark(after)
}

func (a *author) inline(depth int) {
	n := 16
	if depth <= 0 {
		n = 7
	}
	switch a.pick("inline", n) {
	case 0, 1, 2:
		a.write(a.word())
	case 3:
		a.mark("`")
		a.write(a.word() + " * < " + a.word())
		a.mark("`")
	case 4:
		a.mark("$")
		a.write("a_" + a.word())
		a.mark("$")
	case 5:
		a.write("Vec<" + a.word() + ">")
	case 6:
		a.write(`\` + "*" + a.word())
	case 7:
		a.around("**", "**", depth)
	case 8:
		a.around("*", "*", 0)
	case 9:
		a.around("~~", "~~", depth)
	case 10:
		a.around("||", "||", 0)
	case 11:
		a.around("<b>", "</b>", depth)
	case 12:
		a.around("<u>", "</u>", 0)
	case 13:
		a.mark("[")
		a.write(a.word())
		a.mark("](")
		a.write("https://example.com/" + fmt.Sprint(a.words))
		a.mark(")")
	case 14:
		a.mark("![")
		a.write(a.word())
		a.mark("](")
		a.write("https://example.com/i" + fmt.Sprint(a.words) + "png")
		a.mark(")")
	case 15:
		a.mark("<kbd>")
		a.write(a.word())
		a.mark("</kbd><br>")
	}
}

func (a *author) block(indent string, depth int) {
	n := 9
	if depth <= 0 {
		n = 6
	}
	a.mark(indent)
	switch a.pick("block", n) {
	case 0, 1:
		a.write(a.word())
		a.mark(" ")
		a.inlines(2)
		a.mark("\n" + indent)
		a.write(a.word())
	case 2:
		a.mark("## ")
		a.inlines(2)
	case 3:
		a.mark("```go\n" + indent)
		a.write(a.word() + " **")
		a.mark("\n" + indent)
		a.write("<b>" + a.word())
		a.mark("\n" + indent + "```")
	case 4:
		a.mark("| ")
		a.inlines(0)
		a.mark(" | ")
		a.write(a.word())
		a.mark(" |\n" + indent + "|---|:-:|\n" + indent + "| ")
		a.write(a.word())
		a.mark(" | ")
		a.write(a.word())
		a.mark(" | ")
		a.write(a.word())
	case 5:
		a.mark("$$\n" + indent)
		a.write(a.word())
		a.mark("\n" + indent + "$$")
	case 6:
		a.mark("- ")
		a.inlines(1)
		a.mark("\n")
		a.block(indent+"  ", depth-1)
		a.mark("\n" + indent + "- ")
		a.inlines(1)
	case 7:
		a.mark("> ")
		a.inlines(1)
		if indent == "" {
			a.mark("\n> > ")
			a.write(a.word())
		}
	case 8:
		if indent != "" {
			a.write(a.word())
			break
		}
		a.mark("<details><summary>")
		a.inlines(1)
		a.mark("</summary>\n\n")
		a.block("", depth-1)
		a.mark("\n\n</details>")
	}
	a.mark("\n\n")
}

func lettersAndDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func TestAllThatWasWrittenIsVisibleInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &author{t: t}
		for range 1 + a.pick("blocks", 4) {
			a.block("", 2)
		}
		source := a.out.String()
		d, err := Markdown(source)
		if err != nil {
			t.Fatal(err)
		}
		check(t, source, d)
		var seen strings.Builder
		for _, b := range d.Blocks {
			for s := range doc.Visible(b) {
				seen.WriteString(s)
			}
		}
		want, have := lettersAndDigits(a.want.String()), lettersAndDigits(seen.String())
		rest := have
		for _, r := range want {
			i := strings.IndexRune(rest, r)
			if i < 0 {
				t.Fatalf("%q is lost\nwant %s\nhave %s\n%s", r, want, have, dump(d))
			}
			rest = rest[i+len(string(r)):]
		}
	})
}
