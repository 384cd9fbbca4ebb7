package oracle

import (
	"fmt"
	"math/bits"
	"strings"

	"pgregory.net/rapid"
)

// Generated makes n documents out of every construct, nested in every other,
// from one word to some 30 KB. The same n gives the same documents.
func Generated(n int) []Document {
	gen := rapid.Custom(document)
	docs := make([]Document, n)
	for i := range docs {
		docs[i] = Document{fmt.Sprintf("generated-%d", i), gen.Example(i)}
	}
	return docs
}

var words = []string{
	"plain", "snake_case_name", "two*stars", "__init__", "a~b~c", "~/bin", "C++", "x<y>z", "AT&T", "&amp;", "&nope;",
	"100%", "#1", "#hash", "@name", "@everyone", "@types/node", "<@U012>", "<!here>", "/start", "it's", "\"quoted\"", "“curly”",
	"中文", "标签：", "日本語の文", "안녕하세요", "עברית", "العربية", "क्षि", "e\u0301", "👍🏽", "👩‍👩‍👧‍👦", "🎩", "1️⃣", "⚠️", "𝒳",
	"[brackets]", "(parens)", "a|b", "a||b", "back\\slash", "tick`tick", "-", "+", ">", "1.", "2)", "¯\\_(ツ)_/¯", "$HOME", "$5", "=",
	"file.txt", "v1.2.3", "12:30:45", ":smile:", "e.g.", "—", "…", "\u00a0", "zero\u200bwidth", "trailing\\", "***", "___", "~~",
	"supercalifragilisticexpialidocious", "0123456789abcdef0123456789abcdef",
}

var targets = []string{
	"https://example.com", "https://example.com/a_b_c/d*e", "http://example.org/?q=1&r=2#frag", "https://example.com/(paren)",
	"https://example.com/%20space", "https://例え.jp/パス", "https://example.com/a~b|c", "https://example.com/" + strings.Repeat("long/", 30),
	"mailto:a@example.com", "tel:+123", "#anchor", "../rel/path.md", "javascript:alert(1)", "ftp://example.com/x", "vance:/notes/a.md",
	"https://user@example.com:8080/x;y=1,2", "HTTPS://EXAMPLE.com/Case",
}

func document(t *rapid.T) string {
	g := &generator{t: t}
	if g.chance(10) {
		return g.word()
	}
	var b strings.Builder
	for range []int{1, 2, 3, 5, 8, 20, 60}[g.int(0, 6)] {
		block := g.block(3)
		if b.Len()+len(block) > 30_000 {
			break
		}
		b.WriteString(block + "\n\n")
	}
	return b.String()
}

type generator struct{ t *rapid.T }

// int is a number from lo to hi, all equally likely. It is put together from
// coin tosses, because rapid draws numbers and samples near the beginning far
// more often, which suits shrinking and would leave most of the words unused.
func (g *generator) int(lo, hi int) int {
	n := 0
	for range bits.Len(uint(hi-lo)) + 3 {
		n <<= 1
		if coin.Draw(g.t, "coin") {
			n++
		}
	}
	return lo + n%(hi-lo+1)
}

var coin = rapid.Bool()

func (g *generator) chance(oneIn int) bool { return g.int(1, oneIn) == 1 }
func (g *generator) word() string          { return g.pick(words...) }
func (g *generator) href() string          { return g.pick(targets...) }

func (g *generator) pick(from ...string) string { return from[g.int(0, len(from)-1)] }

// hostile is text that no list of words foresees.
func (g *generator) hostile() string {
	runes := []rune("ab *_~`|<>&[]()!\\#-+.:;'\"/@$=^%中。👍\u00e9\u2060\t")
	var b strings.Builder
	for range g.int(1, 40) {
		b.WriteRune(runes[g.int(0, len(runes)-1)])
	}
	return b.String()
}

// inline is running text in one line; deep bounds the nesting.
func (g *generator) inline(deep int) string {
	var parts []string
	for range g.int(1, 8) {
		parts = append(parts, g.span(deep))
	}
	sep := " "
	if g.chance(6) {
		sep = "" // marks beside letters
	}
	return strings.Join(parts, sep)
}

func (g *generator) span(deep int) string {
	if deep == 0 {
		return g.word()
	}
	switch g.int(1, 16) {
	case 1:
		return "**" + g.inline(deep-1) + "**"
	case 2:
		return "*" + g.inline(deep-1) + "*"
	case 3:
		return "_" + g.inline(deep-1) + "_"
	case 4:
		return "~~" + g.inline(deep-1) + "~~"
	case 5:
		return "||" + g.inline(deep-1) + "||"
	case 6:
		return "`" + g.word() + "`"
	case 7:
		return "`` " + g.word() + " ` " + g.word() + " ``"
	case 8:
		return "[" + g.inline(deep-1) + "](<" + g.href() + ">)"
	case 9:
		return "![" + g.word() + "](<" + g.href() + ">)"
	case 10:
		return g.pick(targets[:8]...)
	case 11:
		return "$" + g.pick("x_1", "a*b", "\\frac{1}{2}") + "$"
	case 12:
		return g.pick("<b>bold</b>", "<br>", "<unset>", "<!-- c -->", "<code>x</code>", "</i>")
	case 13:
		return g.hostile()
	default:
		return g.word()
	}
}

func (g *generator) text(deep int) string {
	lines := []string{g.inline(deep)}
	for g.chance(3) && len(lines) < 6 {
		lines = append(lines, g.inline(deep))
	}
	return strings.Join(lines, "\n")
}

func (g *generator) block(deep int) string {
	if deep == 0 {
		return g.text(1)
	}
	switch g.int(1, 16) {
	case 1:
		return strings.Repeat("#", g.int(1, 6)) + " " + g.inline(2)
	case 2, 3:
		return g.list(deep)
	case 4:
		return prefix(g.nested(deep), "> ", "> ")
	case 5:
		kind := g.pick("NOTE", "WARNING", "TIP")
		return "> [!" + kind + "]\n" + prefix(g.nested(deep), "> ", "> ")
	case 6, 7:
		return g.fence()
	case 8, 9:
		return g.table()
	case 10:
		return "---"
	case 11:
		return "![" + g.inline(0) + "](<" + g.href() + ">)"
	case 12:
		// One long run of words, longer than any chunk.
		return strings.Repeat(g.inline(2)+" ", g.int(2, 120))
	case 13:
		label := fmt.Sprintf("n%d", g.int(1, 1_000_000))
		return g.inline(1) + "[^" + label + "]\n\n[^" + label + "]: " + g.inline(1)
	default:
		return g.text(3)
	}
}

func (g *generator) nested(deep int) string {
	var blocks []string
	for range g.int(1, 3) {
		blocks = append(blocks, g.block(deep-1))
	}
	return strings.Join(blocks, "\n\n")
}

func (g *generator) list(deep int) string {
	ordered, task := g.chance(2), g.chance(4)
	from := g.int(0, 12)
	var items []string
	for i := range g.int(1, 6) {
		mark := "- "
		if ordered {
			mark = fmt.Sprintf("%d. ", from+i)
		}
		body := g.text(2)
		if g.chance(3) {
			body += "\n\n" + g.nested(deep)
		}
		indent := strings.Repeat(" ", len(mark))
		if task {
			mark += g.pick("[ ] ", "[x] ")
		}
		items = append(items, prefix(body, mark, indent))
	}
	return strings.Join(items, "\n")
}

func (g *generator) fence() string {
	lang := g.pick("", "go", "js", "python", "c++", "diff", "sh title=\"run.sh\"")
	mark := g.pick("```", "~~~", "````")
	var b strings.Builder
	for range g.int(0, 40) {
		line := strings.ReplaceAll(g.inline(0), mark, "")
		b.WriteString(strings.Repeat("  ", g.int(0, 3)) + line + "\n")
	}
	return mark + lang + "\n" + b.String() + mark
}

func (g *generator) table() string {
	columns := g.int(1, 5)
	row := func() string {
		var b strings.Builder
		for range columns {
			b.WriteString("| " + strings.ReplaceAll(strings.ReplaceAll(g.inline(1), "|", "\\|"), "\n", " ") + " ")
		}
		return b.String() + "|\n"
	}
	out := row() + strings.Repeat("|---", columns) + "|\n"
	for range g.int(0, 8) {
		out += row()
	}
	return strings.TrimSuffix(out, "\n")
}

// prefix puts first before the first line of s and rest before the others.
func prefix(s, first, rest string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		if i == 0 {
			lines[i] = first + lines[i]
		} else {
			lines[i] = rest + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}
