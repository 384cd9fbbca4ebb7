package oracle

import (
	"strings"
	"unicode"
)

// A Style is a set of the ways in which a character is set off from its
// neighbours.
type Style uint16

// The styles. Heading is what only Discord has; everywhere else a heading is
// strong.
const (
	Strong Style = 1 << iota
	Emphasis
	Strike
	Spoiler
	Code
	Pre
	Quote
	Link
	Heading
)

var styleNames = []struct {
	s      Style
	letter byte
	name   string
}{
	{Strong, 'b', "strong"},
	{Emphasis, 'i', "emphasis"},
	{Strike, 's', "strike"},
	{Spoiler, 'o', "spoiler"},
	{Code, 'c', "code"},
	{Pre, 'p', "pre"},
	{Quote, 'q', "quote"},
	{Link, 'l', "link"},
	{Heading, 'h', "heading"},
}

func (s Style) String() string {
	var names []string
	for _, n := range styleNames {
		if s&n.s != 0 {
			names = append(names, n.name)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, "+")
}

// styleOf reads the letters that the parsers' scripts write. Letters that no
// construct of a document asks for (underline) are passed over.
func styleOf(letters string) Style {
	var s Style
	for i := range len(letters) {
		for _, n := range styleNames {
			if n.letter == letters[i] {
				s |= n.s
			}
		}
	}
	return s
}

// A Run is a piece of text that one set of styles covers.
type Run struct {
	Text  string `json:"t"`
	Marks string `json:"s"` // styles as letters
	Href  string `json:"href"`
	Lang  string `json:"lang"`
}

// A Reading is what a foreign parser sees in one chunk.
type Reading struct {
	Runs     []Run    `json:"runs"`
	Live     []string `json:"live"`   // tokens that would notify somebody or run something
	Faults   []string `json:"faults"` // what the platform would refuse, drop or show raw
	Entities int      `json:"-"`      // pieces of markup; Telegram only
}

// A Parser reads chunks the way that one platform does.
type Parser interface {
	Read(chunk string) (Reading, error)

	// Link writes a link to href in the way that needs the least of it. What
	// the parser makes of that says whether the platform has links to href.
	Link(href string) string
}

// links reports whether the platform of p makes a link that leads to href.
// TDLib makes none of http://localhost, for one, and no other text will do.
func links(p Parser, href string) bool {
	r, err := p.Read(p.Link(href))
	if err != nil {
		return false
	}
	for _, run := range r.Runs {
		if styleOf(run.Marks)&Link != 0 && sameAddress(run.Href, href) {
			return true
		}
	}
	return false
}

// A glyph is one character on the screen, with the way it looks. Space is not a
// glyph: platforms and renderers move it.
type glyph struct {
	r     rune
	style Style
	space bool   // space, a line or a chunk ends before it
	line  bool   // a line or a chunk ends before it
	used  bool   // the document asked for it
	added bool   // decoration that says nothing new
	href  string // where it leads, if Link
	lang  string // language, if Pre
	chunk int
}

// ignorable reports whether r can be neither seen nor missed: renderers put such
// characters where text would otherwise be read as markup, and platforms remove
// them.
func ignorable(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x180E, r == 0xFEFF,
		r >= 0x200B && r <= 0x200F, r >= 0x2028 && r <= 0x202E, r >= 0x2060 && r <= 0x206F,
		r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	// TDLib takes these marks out of every message.
	case r == 0x030A, r == 0x0333, r == 0x033F:
		return true
	}
	return unicode.Is(unicode.Cc, r) && !unicode.IsSpace(r)
}

func appendGlyphs(dst []glyph, chunk int, runs []Run) []glyph {
	space, line := true, true
	for _, run := range runs {
		style := styleOf(run.Marks)
		for _, r := range run.Text {
			if unicode.IsSpace(r) {
				space, line = true, line || r == '\n'
				continue
			}
			if ignorable(r) {
				continue
			}
			dst = append(dst, glyph{r: r, style: style, space: space, line: line, href: run.Href, lang: run.Lang, chunk: chunk})
			space, line = false, false
		}
	}
	return dst
}

// visible returns the characters of s that can be seen.
func visible(s string) []rune {
	rs := make([]rune, 0, len(s))
	for _, r := range s {
		if !unicode.IsSpace(r) && !ignorable(r) {
			rs = append(rs, r)
		}
	}
	return rs
}
