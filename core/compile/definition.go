package compile

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A definition is a link reference definition, "[label]: href "title"".
type definition struct {
	pos                int    // where the paragraph that it stands in begins
	key                string // what references are compared with
	label, href, title string
	used               bool
}

// comment reports whether d is the old trick for a comment, "[//]: # (text)".
func (d *definition) comment() bool {
	return d.label == "//" || d.href == "#" || d.href == "" || strings.EqualFold(d.label, "comment")
}

// maxLabel is how long a label may be, by CommonMark.
const maxLabel = 999

// A definitionTransformer takes definitions from the start of a paragraph.
type definitionTransformer struct{}

func (definitionTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	if lines.Len() == 0 {
		return
	}
	first := lines.At(0)
	first = first.TrimLeftSpace(reader.Source())
	if first.IsEmpty() || reader.Source()[first.Start] != '[' {
		return
	}
	st := stateOf(pc)
	s := st.leaf(lines)
	pos, taken := 0, 0
	for {
		d, n := readDefinition(s[pos:])
		if n == 0 {
			break
		}
		taken += strings.Count(s[pos:pos+n], "\n")
		if pos += n; pos == len(s) && s[pos-1] != '\n' {
			taken++
		}
		d.pos = first.Start
		st.define(d)
	}
	switch {
	case taken == 0:
	case pos >= len(s):
		node.Parent().RemoveChild(node.Parent(), node)
	default:
		lines.SetSliced(taken, lines.Len())
	}
}

// define keeps d; the first definition of a label counts.
func (st *state) define(d *definition) {
	st.definitions = append(st.definitions, d)
	if st.definedKey == nil {
		st.definedKey = make(map[string]*definition)
	}
	if st.definedKey[d.key] == nil {
		st.definedKey[d.key] = d
	}
}

// readDefinition reads one definition at the start of s, to the end of its last
// line, and returns its length, 0 if there is none.
func readDefinition(s string) (*definition, int) {
	i := skipSpaces(s, 0)
	label, n := linkLabel(s[i:])
	if n == 0 || i+n >= len(s) || s[i+n] != ':' || label[0] == '^' {
		return nil, 0
	}
	i = skipToWord(s, i+n+1)
	href, n := linkDestination(s[i:])
	if n == 0 {
		return nil, 0
	}
	i += n
	d := &definition{
		key:   util.ToLinkReference([]byte(label)),
		label: cleanWord(strings.TrimSpace(unescape(label))),
		href:  cleanWord(unescape(href)),
	}
	end := lineEnd(s, i)
	t := skipToWord(s, i)
	if t > i { // a title stands apart from the destination
		if title, n := linkTitle(s[t:]); n > 0 {
			if e := lineEnd(s, t+n); e >= 0 {
				d.title = cleanWord(unescape(title))
				return d, e
			}
		}
	}
	if end < 0 {
		return nil, 0
	}
	return d, end
}

// lineEnd returns the offset behind the line end at i, or -1 if something other
// than space stands before it.
func lineEnd(s string, i int) int {
	i = skipSpaces(s, i)
	switch {
	case i == len(s):
		return i
	case s[i] == '\n':
		return i + 1
	}
	return -1
}

func skipSpaces(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

// skipToWord skips space and one line end at most; blank lines do not occur
// within paragraphs.
func skipToWord(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n') {
		i++
	}
	return i
}

// linkLabel reads "[label]" at the start of s: not blank, no bracket within.
func linkLabel(s string) (label string, n int) {
	if len(s) == 0 || s[0] != '[' {
		return "", 0
	}
	blank := true
	for i := 1; i < len(s) && i <= maxLabel+1; i++ {
		switch s[i] {
		case ']':
			if blank {
				return "", 0
			}
			return s[1:i], i + 1
		case '[':
			return "", 0
		case '\\':
			i++
			blank = false
		case ' ', '\t', '\n':
		default:
			blank = false
		}
	}
	return "", 0
}

// maxParens is how deep parentheses may nest in a destination. A bound makes
// each look at a destination cost no more than that many destinations.
const maxParens = 32

// linkDestination reads a destination at the start of s, in angle brackets or
// without, and returns it as written. A destination may be empty in brackets.
func linkDestination(s string) (href string, n int) {
	if len(s) > 0 && s[0] == '<' {
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '>':
				return s[1:i], i + 1
			case '<', '\n':
				return "", 0
			case '\\':
				i++
			}
		}
		return "", 0
	}
	depth := 0
	i := 0
loop:
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c <= ' ' || c == 0x7f:
			break loop
		case c == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			i++
		case c == '(':
			if depth++; depth > maxParens {
				return "", 0
			}
		case c == ')':
			if depth == 0 {
				break loop
			}
			depth--
		}
	}
	if depth != 0 {
		return "", 0
	}
	return s[:i], i
}

// linkTitle reads a title with its quotes at the start of s.
func linkTitle(s string) (title string, n int) {
	if len(s) < 2 {
		return "", 0
	}
	end := s[0]
	switch end {
	case '"', '\'':
	case '(':
		end = ')'
	default:
		return "", 0
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == end:
			return s[1:i], i + 1
		case c == '(' && end == ')':
			return "", 0
		case c == '\\':
			i++
		}
	}
	return "", 0
}
