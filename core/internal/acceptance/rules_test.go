package acceptance

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// rules holds a rendering to what must hold of every rendering.
func rules(t failer, s *shown) {
	t.Helper()
	if s.by != s.on {
		t.Errorf("%s: rendered by %q", s.on, s.by)
	}
	for _, d := range s.said {
		if strings.HasPrefix(d.Code, "renderer_") || strings.HasSuffix(d.Code, "_failed") {
			t.Errorf("%s: diagnostic %s of block %q: %s", s.on, d.Code, d.Block, d.Message)
		}
	}
	for i := range s.chunks {
		chunkRules(t, s, i)
	}
	packing(t, s)
	whole(t, s)
}

// chunkRules is what must hold of each chunk alone.
func chunkRules(t failer, s *shown, i int) {
	t.Helper()
	c, r := &s.chunks[i], &s.read[i]
	for _, p := range r.problems {
		t.Errorf("%s: chunk %d: %s\n%.600q", s.on, i, p, c.Text)
	}
	for form, text := range map[string]string{"text": c.Text, "plain": c.Plain} {
		if !utf8.ValidString(text) {
			t.Errorf("%s: the %s of chunk %d is not UTF-8", s.on, form, i)
		}
		for _, r := range text {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Errorf("%s: the %s of chunk %d holds the control character %U", s.on, form, i, r)
			}
		}
	}
	if seen(r.text()) == "" || seen(c.Plain) == "" {
		t.Errorf("%s: chunk %d shows nothing: %q, %q", s.on, i, c.Text, c.Plain)
	}
	l := s.profile.Limit
	sent := r.text()
	if l.Of != surface.Visible {
		sent = c.Text
	}
	if n := units(sent, l.Unit); l.Max > 0 && n > l.Max {
		t.Errorf("%s: chunk %d is %d long, the limit is %d", s.on, i, n, l.Max)
	} else if n != c.Units && l.Max > 0 {
		t.Errorf("%s: chunk %d is %d long, the packet says %d", s.on, i, n, c.Units)
	}
	if n := units(c.Plain, l.Unit); l.Max > 0 && n > l.Max {
		t.Errorf("%s: the plain form of chunk %d is %d long, the limit is %d", s.on, i, n, l.Max)
	}
	if n := len(c.Text); l.MaxBytes > 0 && n > l.MaxBytes {
		t.Errorf("%s: chunk %d has %d bytes, the limit is %d", s.on, i, n, l.MaxBytes)
	}
	if n := entities(s, i); l.MaxEntities > 0 && n > l.MaxEntities {
		t.Errorf("%s: chunk %d has %d entities, the limit is %d", s.on, i, n, l.MaxEntities)
	}
	noStrayMarkers(t, s, i)
	noHelpers(t, s, i)
}

// units counts s as a platform does.
func units(s string, u surface.Unit) int {
	if u == surface.Byte {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n++
		if u == surface.UTF16 && r > 0xffff {
			n++
		}
	}
	return n
}

// entities counts the pieces of markup in a chunk for Telegram, where a language
// is part of its block of code.
func entities(s *shown, i int) int {
	if s.profile.Dialect != "html" {
		return 0
	}
	text := s.chunks[i].Text
	return strings.Count(text, "<") - strings.Count(text, "</") - strings.Count(text, "<code class=")
}

// noStrayMarkers compares how many marker characters a reader sees with how
// many there are in the plain form, which has no markup. A star too many is a
// style that does not work; a star too few is text that was taken for one.
func noStrayMarkers(t failer, s *shown, i int) {
	t.Helper()
	if s.profile.Dialect == "plain" || s.profile.Dialect == "markdown" {
		// What is plain has none. A style in GFM beside full-width punctuation
		// works where CJK is known and not in other readers.
		return
	}
	shows, plain := s.read[i].reach(), s.chunks[i].Plain
	for _, m := range "*_~`\\" {
		// An address may stand in one form behind a label and in the other in
		// text: it is counted once in each by reach, except where label and
		// address are the same.
		got, want := strings.Count(shows, string(m)), strings.Count(plain, string(m))
		if got != want {
			got -= repeated(&s.read[i], string(m))
		}
		if got != want {
			t.Errorf("%s: a reader sees %d of %q in chunk %d, the plain form has %d\n text %.600q\nplain %.600q", s.on, got, m, i, want, s.chunks[i].Text, plain)
			return
		}
	}
}

// repeated counts m in the addresses of links that are their own label.
func repeated(r *reading, m string) int {
	n := 0
	for i, one := range r.runs {
		if one.href != "" && (i+1 == len(r.runs) || r.runs[i+1].href != one.href) && (one.text == one.href || "http://"+one.text == one.href || "mailto:"+one.text == one.href || "tel:"+one.text == one.href) {
			n += strings.Count(one.href, m)
		}
	}
	return n
}

// noHelpers looks for characters without width that a dialect has put where
// somebody may copy them from: into code, addresses and words. A run of three
// backticks in code must be parted somehow.
func noHelpers(t failer, s *shown, i int) {
	t.Helper()
	for _, n := range s.read[i].runs {
		for _, h := range []string{"\u2060", "\u200b", "\u200a"} {
			if strings.Contains(s.source, h) || !strings.Contains(n.text+n.href, h) {
				continue
			}
			if strings.Contains(n.href, h) || n.href != "" && n.text == n.href {
				t.Errorf("%s: %U in the address %.80q", s.on, []rune(h)[0], n.href)
			}
			for rest := n.text; ; {
				before, after, ok := strings.Cut(rest, h)
				if !ok {
					break
				}
				switch {
				case n.style&(code|pre) != 0 && !(strings.HasSuffix(before, "``") && strings.HasPrefix(after, "`")):
					t.Errorf("%s: %U in the code %.80q", s.on, []rune(h)[0], n.text)
				case letter(last(before)) && letter(first(after)):
					t.Errorf("%s: %U in the word around %.20q", s.on, []rune(h)[0], after)
				}
				rest = after
			}
		}
	}
}

// packing holds that no two neighbours would fit in one chunk. The two parted by
// a blank line, with what was closed and opened again counted twice, are never
// shorter than what they would be as one.
func packing(t failer, s *shown) {
	t.Helper()
	l := s.profile.Limit
	if l.Max == 0 {
		if len(s.chunks) > 1 {
			t.Errorf("%s: %d chunks where there is no limit", s.on, len(s.chunks))
		}
		return
	}
	k, _ := dialect.ByName(s.profile.Dialect)
	for i := 1; i < len(s.chunks); i++ {
		a, b := &s.chunks[i-1], &s.chunks[i]
		size := k.Measure([]byte(a.Text)).Add(k.Measure([]byte(b.Text)))
		// A chunk may start without the indentation that its first line would
		// have behind the other: two columns for each level of a list.
		sep := 2
		if len(b.Blocks) > 0 {
			sep += strings.Count(string(b.Blocks[0]), ".")
		}
		fits := a.Units+b.Units+sep <= l.Max &&
			units(a.Plain, l.Unit)+units(b.Plain, l.Unit)+sep <= l.Max &&
			(l.MaxBytes == 0 || max(len(a.Text)+len(b.Text), len(a.Plain)+len(b.Plain))+sep <= l.MaxBytes) &&
			(l.MaxEntities == 0 || size.Entities <= l.MaxEntities) &&
			(l.MaxEntityBytes == 0 || size.EntityBytes <= l.MaxEntityBytes)
		if fits {
			t.Errorf("%s: chunks %d (%d long) and %d (%d) would fit in one of %d\n%.300q\n%.300q", s.on, i-1, a.Units, i, b.Units, l.Max, tail(a.Text, 300), b.Text)
		}
	}
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// whole looks for all that the document must show, in order, in what a reader
// can reach, and in the plain form. It is a second opinion on what core itself
// checks, with readers of its own.
func whole(t failer, s *shown) {
	t.Helper()
	var text, plain strings.Builder
	for i := range s.read {
		text.WriteString(s.read[i].reach() + border)
		plain.WriteString(s.chunks[i].Plain + border)
	}
	if s.on == "log" && strings.ContainsFunc(s.source, hidden) {
		return // the log shows such characters escaped
	}
	for form, hay := range map[string]string{"text": seen(text.String()), "plain": seen(plain.String())} {
		at := 0
		for _, b := range s.doc.Blocks {
			for p := range doc.Parts(doc.Lower(&doc.Document{Blocks: []doc.Block{b}}, lowered).Blocks[0]) {
				if p.Role == doc.RoleTask {
					continue
				}
				for _, w := range strings.Fields(p.Text) {
					w = seen(w)
					from := at
					if p.Cell > 0 {
						from = 0 // cells stand in any order
					}
					n := strings.Index(hay[from:], w)
					end := from + n + len(w)
					// What is closed and opened again at a cut may part a word.
					if k := parted(hay[from:], w); k > 0 && (n < 0 || from+k < end) {
						n, end = 0, from+k
					}
					if n < 0 {
						t.Errorf("%s: the %s lacks %.60q of block %s, or has it elsewhere", s.on, form, w, p.Block)
						return
					}
					if p.Cell == 0 {
						at = end
					}
				}
			}
		}
	}
}

// parted returns how far into hay the runes of w reach, with others between
// them where a chunk ends, or 0 where they do not.
func parted(hay, w string) int {
	at, over := 0, false
	for _, r := range w {
		n := strings.IndexRune(hay[at:], r)
		if n < 0 {
			return 0
		}
		over = over || at > 0 && strings.Contains(hay[at:at+n], border)
		at += n + utf8.RuneLen(r)
	}
	if !over {
		return 0
	}
	return at
}

// border stands between two chunks in what is compared.
const border = "\x01"

func hidden(r rune) bool {
	return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Cf, r)
}

var lowered = doc.Support{Version: doc.SchemaVersion, Blocks: layout.Blocks()}
