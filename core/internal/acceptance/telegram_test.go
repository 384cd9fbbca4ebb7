package acceptance

import (
	"regexp"
	"strings"
	"testing"
)

// readTelegram reads a message as the Bot API's HTML mode does, and complains of
// whatever the server would refuse or drop without a word: tags that it does not
// know, wrong nesting, characters that are not escaped, styles around code, code
// in links, quotes in quotes, links that it does not take.
func readTelegram(s string) reading {
	var r reading
	type open struct {
		name string
		at   int // runs before it
		size int // bytes of text before it
	}
	var stack []open
	var st style
	href, lang := "", ""
	seenText := 0
	inside := func(name string) bool {
		for _, o := range stack {
			if o.name == name {
				return true
			}
		}
		return false
	}
	put := func(t string) {
		seenText += len(t)
		r.add(t, st, href, lang)
	}
	for s != "" {
		i := strings.IndexAny(s, "<>&")
		if i < 0 {
			put(s)
			break
		}
		put(s[:i])
		s = s[i:]
		switch s[0] {
		case '>':
			r.wrong("a > that is not escaped")
			put(">")
			s = s[1:]
			continue
		case '&':
			m := telegramEntity.FindString(s)
			if m == "" {
				r.wrong("a & that is not escaped: %.12q", s)
				m = "&"
				put(m)
			} else {
				put(map[string]string{"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": `"`}[m])
			}
			s = s[len(m):]
			continue
		}
		m := telegramTag.FindStringSubmatch(s)
		if m == nil {
			r.wrong("no tag of Telegram's: %.30q", s)
			put("<")
			s = s[1:]
			continue
		}
		s = s[len(m[0]):]
		if name := m[1]; name != "" { // an end
			if len(stack) == 0 || stack[len(stack)-1].name != name {
				r.wrong("</%s> closes nothing", name)
				continue
			}
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if o.size == seenText {
				r.wrong("an empty <%s>", name)
			} else if strings.TrimSpace(textFrom(r.runs, o.at)) == "" {
				r.wrong("nothing but blanks in <%s>", name)
			}
			if name == "blockquote" && strings.HasSuffix(r.text(), "\n") {
				r.wrong("a newline before </blockquote>")
			}
			switch name {
			case "a":
				href = ""
			case "pre":
				lang = ""
			}
			st &^= telegramStyle[name]
			if name == "code" && inside("pre") {
				if !strings.HasPrefix(s, "</pre>") {
					r.wrong("code does not fill pre")
				}
				st |= pre
			}
			continue
		}
		name := m[2]
		if inside(name) {
			r.wrong("<%s> inside of <%s>", name, name)
		}
		switch {
		case name == "code" && inside("pre"):
			if m[3] == "" {
				r.wrong("code without a language in pre")
			}
			if stack[len(stack)-1].size != seenText {
				r.wrong("code does not fill pre")
			}
			lang = m[3]
		case inside("code"), inside("pre"):
			r.wrong("<%s> inside of code", name)
		case m[3] != "":
			r.wrong("a language outside of pre")
		case (name == "code" || name == "pre") && inside("a"):
			r.wrong("code inside of a link")
		case (name == "code" || name == "pre") && st&(bold|italic|struck|underlined|spoiler) != 0:
			r.wrong("code inside of a style")
		case name == "blockquote" && (st&^quoted != 0 || href != ""):
			r.wrong("a quote inside of a style")
		case name == "a":
			href = telegramUnescape.Replace(m[4])
			if !telegramHref.MatchString(href) {
				r.wrong("Telegram does not take the address %.60q", href)
			}
		}
		if name == "a" && href == "" {
			r.wrong("a link without an address")
		}
		st |= telegramStyle[name]
		stack = append(stack, open{name, len(r.runs), seenText})
	}
	if len(stack) > 0 {
		r.wrong("<%s> is not closed", stack[len(stack)-1].name)
	}
	for _, n := range r.runs {
		if n.style&(code|pre) == 0 && n.href == "" {
			if m := telegramMention.FindString(n.text); m != "" {
				r.wrong("%.40q notifies whoever bears the name", m)
			}
		}
		if n.style&pre != 0 && strings.Contains(n.text, "\t") {
			r.wrong("a tab, which the server turns into one space")
		}
	}
	return r
}

func textFrom(runs []run, at int) string {
	var sb strings.Builder
	for _, n := range runs[max(0, at-1):] {
		sb.WriteString(n.text)
	}
	return sb.String()
}

var (
	telegramEntity   = regexp.MustCompile(`^&(?:lt|gt|amp|quot);`)
	telegramTag      = regexp.MustCompile(`^<(?:/(b|i|u|s|code|pre|a|blockquote|tg-spoiler)|(b|i|u|s|code|pre|a|blockquote|tg-spoiler)(?: class="language-([^"<>& ]+)"| href="([^"<>]*)")?)>`)
	telegramHref     = regexp.MustCompile(`(?i)^(?:https?://(?:[^/?#]*@)?[^/?#@.]+(?:\.[^/?#.]+)+\.?(?:[/?#]|$)|tg://)`)
	telegramMention  = regexp.MustCompile(`(?:^|[^\pL\pN_/])@[A-Za-z0-9_]{2,}`)
	telegramUnescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`)
	telegramStyle    = map[string]style{
		"b": bold, "i": italic, "u": underlined, "s": struck, "tg-spoiler": spoiler, "code": code, "pre": pre, "blockquote": quoted,
	}
)

func TestReadTelegram(t *testing.T) {
	for _, c := range []struct {
		in   string
		good bool
		why  string
	}{
		{`<b>a</b> &lt;x&gt; &amp;amp; "q"`, true, "what is escaped is text"},
		{`<pre><code class="language-go">x</code></pre>`, true, "a language fills its pre"},
		{`<blockquote>a<b>b</b> <a href="https://e.com/?a&amp;b">l</a></blockquote>`, true, "quotes hold styles and links"},
		{`<b><i>a</b></i>`, false, "overlap"},
		{`<b>a`, false, "not closed"},
		{`<b></b>a`, false, "empty"},
		{`<b><code>a</code></b>`, false, "the style is dropped"},
		{`<a href="https://e.com">a <code>b</code></a>`, false, "the code is dropped"},
		{`<a href="http://localhost/x">a</a>`, false, "the link is dropped"},
		{`<a href="mailto:a@b.c">a</a>`, false, "it becomes another address"},
		{`<blockquote>a<blockquote>b</blockquote></blockquote>`, false, "merged away"},
		{"<blockquote>a\n</blockquote>", false, "an empty line in the quote"},
		{`a < b`, false, "a bare <"},
		{`a > b`, false, "a bare >"},
		{`a & b`, false, "a bare &"},
		{`a &apos; b`, false, "not decoded"},
		{`<br/>`, false, "no such tag"},
		{`<p>x</p>`, false, "no such tag"},
		{`ping @someone`, false, "a live mention"},
		{"ping @\u2060someone, ann@example.org", true, "no live mention"},
	} {
		if r := readTelegram(c.in); (len(r.problems) == 0) != c.good {
			t.Errorf("%s (%s): %q", c.in, c.why, r.problems)
		}
	}
	r := readTelegram(`<b>a</b> <a href="https://e.com/?a&amp;b">l</a>&lt;`)
	if got := r.reach(); got != "a l (https://e.com/?a&b)<" {
		t.Errorf("got %q", got)
	}
}
