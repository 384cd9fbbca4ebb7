package dialect

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func all() []Dialect {
	return []Dialect{TelegramHTML, SlackMrkdwn, DiscordMarkdown, GFM, PlainText}
}

// pieces are what texts are made of: words of several scripts, and every
// character that one of the dialects gives a meaning to.
var pieces = []string{
	"word", "a_b", "x*y", "**", "*", "_", "__", "~", "~~", "|", "||", "`", "``", "```", "\\", "<", ">", "&", "&amp;", "&lt;",
	"[", "]", "(", ")", "](", "!", "![", "#", "# ", "## ", "-", "- ", "-# ", "> ", ">>> ", "1. ", "12) ", "+ ", "=", "@everyone", "@here",
	"@types", "<@123>", "<!channel>", "<#C1>", "<https://e.com|x>", "https://e.com/a_b*c", "<b>", "</b>", "\"", "'", "’", "“",
	" ", "  ", ".", ",", ":", ";", "/", "中文", "，", "。", "한글", "é", "👨‍👩‍👧", "1️⃣", "$", "$x$", "<t:1>", "</cmd:1>", "¯\\_(ツ)_/¯",
}

func drawText(t *rapid.T) string {
	n := rapid.IntRange(1, 8).Draw(t, "n")
	var sb strings.Builder
	for range n {
		sb.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
	}
	return sb.String()
}

// plainly is b without the characters that dialects put in against markup, and
// without blanks, which readers fold.
func plainly(b string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\u2060', '\u200b', '\u200d', ' ', '\u200a':
			return -1
		}
		return r
	}, b)
}

func TestEscapedTextIsReadBack(t *testing.T) {
	for _, d := range all() {
		t.Run(d.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := drawText(t)
				got := d.Visible(nil, d.Escape(nil, s, Position{LineStart: true}))
				if plainly(string(got)) != plainly(s) {
					t.Fatalf("%q was written as %q and read as %q", s, d.Escape(nil, s, Position{LineStart: true}), got)
				}
			})
		})
	}
}

// In two pieces, as the walk writes text that styles part.
func TestEscapedPiecesAreReadBack(t *testing.T) {
	for _, d := range all() {
		t.Run(d.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a, b := drawText(t), drawText(t)
				after, _ := utf8.DecodeRuneInString(b)
				before, _ := utf8.DecodeLastRuneInString(a)
				out := d.Escape(nil, a, Position{LineStart: true, After: after})
				out = d.Escape(out, b, Position{Before: before, LineStart: strings.TrimLeft(a, " ") == ""})
				if got := d.Visible(nil, out); plainly(string(got)) != plainly(a+b) {
					t.Fatalf("%q + %q was written as %q and read as %q", a, b, out, got)
				}
			})
		})
	}
}

func TestConstructsAreReadBack(t *testing.T) {
	const url = "https://example.com/a_b*c?d=e&f=(g)"
	for _, d := range all() {
		t.Run(d.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := strings.TrimSpace(drawText(t))
				if s == "" {
					return
				}
				kind := rapid.SampledFrom([]ConstructKind{Strong, Emphasis, Strikethrough, Spoiler, CodeSpan, Link, Image, Fence}).Draw(t, "kind")
				c := Construct{Kind: kind, Safe: true, Text: Scan(s)}
				c.Runs, c.Run = ScanRuns(s)
				c.First, _ = utf8.DecodeRuneInString(s)
				c.Last, _ = utf8.DecodeLastRuneInString(s)
				at := Position{In: InText}
				switch kind {
				case CodeSpan:
					at.In = InCode
				case Fence:
					at.In = InFence
				case Link, Image:
					c.Arg, c.Label = url, s
				}
				syn, ok := d.Syntax(c, 0, ' ')
				if !ok {
					return
				}
				if syn.Label {
					at.In = InLabel
				}
				at.LineStart = syn.Open == ""
				at.Before, _ = utf8.DecodeLastRuneInString(syn.Open)
				out := append([]byte(nil), syn.Open...)
				out = d.Escape(out, s, at)
				out = append(out, syn.Close...)
				if kind != Fence {
					out = append(out, " end"...)
				}
				got := string(d.Visible(nil, out))
				for _, want := range []string{s, url}[:1+btoi(kind == Link || kind == Image)] {
					if !strings.Contains(plainly(got), plainly(want)) {
						t.Fatalf("%q in %q was read as %q", want, out, got)
					}
				}
			})
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestMeasureIsAdditive(t *testing.T) {
	for _, d := range all() {
		t.Run(d.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := d.Escape(nil, drawText(t), Position{})
				b := d.Escape(nil, drawText(t), Position{})
				syn, _ := d.Syntax(Construct{Kind: Link, Arg: "https://example.com/?a=1&b=\"2\"", Label: "x"}, 0, 0)
				whole := append(append(append(append([]byte(nil), a...), syn.Open...), b...), syn.Close...)
				sum := d.Measure(a).Add(d.Measure([]byte(syn.Open))).Add(d.Measure(b)).Add(d.Measure([]byte(syn.Close)))
				if got := d.Measure(whole); got != sum {
					t.Fatalf("%q measures %+v in one, %+v in pieces", whole, got, sum)
				}
			})
		})
	}
}

func TestTelegramHTML(t *testing.T) {
	d := TelegramHTML
	for _, tt := range []struct{ why, in, want string }{
		{"the four entities", `a < b > c & "d"`, "a &lt; b &gt; c &amp; &quot;d&quot;"},
		{"an apostrophe has no entity there", "it's", "it's"},
		{"a name would notify", "@types/node", "@\u2060types/node"},
		{"a lone sign notifies nobody", "a @ b", "a @ b"},
		{"nor does an e-mail address", "a@b.c", "a@b.c"},
		{"a tab would become one blank", "a\tb", "a    b"},
	} {
		if got := string(d.Escape(nil, tt.in, Position{})); got != tt.want {
			t.Errorf("%s: %q is %q, want %q", tt.why, tt.in, got, tt.want)
		}
	}
	for _, tt := range []struct {
		why, href string
		ok        bool
	}{
		{"a page", "https://example.com/x", true},
		{"telegram's own scheme", "tg://user?id=1", true},
		{"the server makes it a wrong address", "mailto:a@b.c", false},
		{"no dot in the host: the server drops it", "http://localhost:8080/", false},
		{"a place in a page", "#usage", false},
		{"a script", "javascript:alert(1)", false},
	} {
		if _, ok := d.Syntax(Construct{Kind: Link, Arg: tt.href, Label: "x"}, 0, 0); ok != tt.ok {
			t.Errorf("%s: a link to %s is %t", tt.why, tt.href, ok)
		}
	}
	got := d.Measure([]byte(`<pre><code class="language-go">a &lt; 😀</code></pre>`))
	if want := (Count{UTF16: 6, Codepoints: 5, Bytes: 8}); got.Visible != want || got.Entities != 1 {
		t.Errorf("measured %+v", got)
	}
}

func TestSlackMrkdwn(t *testing.T) {
	d := SlackMrkdwn
	for _, tt := range []struct{ why, in, want string }{
		{"three entities and no other", `<!channel> & "x" 'y'`, `&lt;!channel&gt; &amp; "x" 'y'`},
		{"a marker that could open", "*x* ~/bin", "\u2060*x* \u2060~/bin"},
		{"not within a word", "a*b*c snake_case", "a*b*c snake_case"},
		{"a quote at the start of a line, escaped or not", "> x", "\u2060&gt; x"},
	} {
		if got := string(d.Escape(nil, tt.in, Position{LineStart: true})); got != tt.want {
			t.Errorf("%s: %q is %q, want %q", tt.why, tt.in, got, tt.want)
		}
	}
	for _, tt := range []struct {
		why           string
		kind          ConstructKind
		before, after rune
		open, close   string
		ok            bool
	}{
		{"between blanks", Strong, ' ', ' ', "*", "*", true},
		{"a colon is no boundary behind code", CodeSpan, ' ', ':', "`", "`\u200a", true},
		{"but it is one behind bold", Strong, ' ', ':', "*", "*", true},
		{"beside a letter", Strong, ' ', 'x', "", "", false},
		{"beside a character of CJK", Emphasis, '。', 'く', "", "", false},
		{"beside a curly quote", Strong, '“', ' ', "", "", false},
	} {
		syn, ok := d.Syntax(Construct{Kind: tt.kind, First: 'a', Last: 'b'}, tt.before, tt.after)
		if ok != tt.ok || ok && (syn.Open != tt.open || syn.Close != tt.close) {
			t.Errorf("%s: %t %q %q", tt.why, ok, syn.Open, syn.Close)
		}
	}
	if syn, ok := d.Syntax(Construct{Kind: Link, Arg: "https://e.com", Label: "a|b"}, 0, 0); !ok || syn.Open != "" || syn.Close != " (<https://e.com>)" {
		t.Errorf("a label with a bar: %+v", syn)
	}
}

func TestDiscordMarkdown(t *testing.T) {
	d := DiscordMarkdown
	for _, tt := range []struct{ why, in, want string }{
		{"markers", "a*b_c`d", "a\\*b\\_c\\`d"},
		{"single ones are text", "~x~ a|b", "~x~ a|b"},
		{"a heading", "# x", "\\# x"},
		{"subtext", "-# x", "\\-# x"},
		{"four are no heading", "#### x", "#### x"},
		{"a number", "1. x", "1\\. x"},
		{"everyone", "@everyone", "\\@everyone"},
		{"a mention", "<@1>", "\\<@1>"},
		{"the shrug", `¯\_(ツ)_/¯`, `¯\\\_(ツ)\_/¯`},
	} {
		if got := string(d.Escape(nil, tt.in, Position{LineStart: true})); got != tt.want {
			t.Errorf("%s: %q is %q, want %q", tt.why, tt.in, got, tt.want)
		}
	}
	for _, tt := range []struct {
		why, label, form, want string
	}{
		{"the default", "docs", "angle", " (<https://e.com>)"},
		{"masked", "docs", "masked", "](<https://e.com>)"},
		{"a label like an address is shown raw", "https://f.com", "masked", " (<https://e.com>)"},
		{"a backslash in a label stays", "a*b", "masked", " (<https://e.com>)"},
		{"an emoji", "x 🎩", "masked", " (<https://e.com>)"},
		{"CJK is fine", "文档", "masked", "](<https://e.com>)"},
		{"with its preview", "docs", "bare", " (https://e.com)"},
	} {
		syn, _ := d.Syntax(Construct{Kind: Link, Arg: "https://e.com", Label: tt.label, Form: tt.form}, 0, 0)
		if syn.Close != tt.want {
			t.Errorf("%s: %q", tt.why, syn.Close)
		}
	}
	for lang, want := range map[string]string{"go": "go", "C++": "cpp", "c#": "cs", "x y": "", "objective-c": "objective-c"} {
		if got := discordLanguage(lang); got != want {
			t.Errorf("language %q is %q, want %q", lang, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, p := range pieces {
		f.Add(p + " " + p)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, d := range all() {
			d.Visible(nil, []byte(s)) // whatever a plugin sends is read without a panic
			d.Measure([]byte(s))
		}
	})
}
