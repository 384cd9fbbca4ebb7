package template

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A mark is one slot of a format, or one end of a conditional.
type mark struct {
	kind markKind
	slot slot
	raw  string // as it is written

	line, column int

	code  bool // it stands in code and is no mark
	other int  // the other end of a conditional
	block bool // an end that stands on a line of its own
	in    []int
}

type markKind uint8

const (
	fill    markKind = iota // {slot}
	open                    // {?slot}
	closing                 // {/slot}
	unknown                 // looks like one of them and is none
)

// A slot is what can be filled in.
type slot struct {
	name string
	key  string // of metadata
}

// The names of slots.
const (
	title    = "title"
	body     = "body"
	source   = "source_markdown"
	count    = "block_count"
	metadata = "metadata"
)

// whole reports whether s is filled with blocks.
func (s slot) whole() bool { return s.name == body || s.name == source }

// A mark stands in the text as one character of a plane for private use, which no
// parser makes anything of. Formats may not hold these; what slots bring may, as
// it is not looked at.
const (
	firstRune = 0xf0000
	lastRune  = firstRune + 2*MaxNodes - 1
)

func runeOf(i int) rune { return rune(firstRune + i) }

// markAt is the mark that r stands for.
func markAt(r rune) (i int, ok bool) { return int(r) - firstRune, r >= firstRune && r <= lastRune }

// hasMark reports whether s holds a mark.
func hasMark(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { _, ok := markAt(r); return ok }) >= 0
}

// A text is a format in which marks are characters.
type text string

// plain is what is compiled to find out what is code.
func (t text) plain([]mark) string { return string(t) }

// lex finds the marks of a format. A backslash before a brace makes it a brace;
// that is left for the compiler, to which it means the same.
func lex(format string) ([]mark, text, error) {
	if err := tooLong(format); err != nil {
		return nil, "", err
	}
	format = strings.ReplaceAll(format, "\r\n", "\n")
	var marks []mark
	var out strings.Builder
	nodes, literal := 0, 0 // literal: characters since the last mark
	line, column, escaped := 1, 1, false
	for i := 0; i < len(format); {
		r, n := utf8.DecodeRuneInString(format[i:])
		if _, ok := markAt(r); ok {
			return nil, "", &Error{line, column, fmt.Sprintf("the character U+%X may not stand in a format", r), "leave it out"}
		}
		if r == '{' && !escaped {
			if m, ok := markFrom(format[i:]); ok {
				m.line, m.column = line, column
				if m.kind != closing {
					nodes++
				}
				if nodes > MaxNodes || len(marks) == 2*MaxNodes {
					return nil, "", tooMany(line, column)
				}
				out.WriteRune(runeOf(len(marks)))
				marks = append(marks, m)
				i, column, literal = i+len(m.raw), column+len(m.raw), 0
				continue
			}
		}
		if literal++; literal == 1 {
			nodes++
		}
		switch {
		case nodes > MaxNodes:
			return nil, "", tooMany(line, column)
		case literal > MaxLiteral:
			return nil, "", &Error{line, column, fmt.Sprintf("there are more than %d characters between two slots", MaxLiteral), "shorten the text"}
		}
		out.WriteString(format[i : i+n])
		i += n
		escaped = r == '\\' && !escaped
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	return marks, text(out.String()), nil
}

func tooMany(line, column int) error {
	return &Error{line, column, fmt.Sprintf("there are more than %d literals, slots and conditionals", MaxNodes), "make the template simpler"}
}

// markFrom reads the mark that s begins with. What has another form than all
// marks is text.
func markFrom(s string) (mark, bool) {
	m := mark{kind: fill, other: -1}
	i := 1
	if i < len(s) {
		switch s[i] {
		case '?':
			m.kind = open
			i++
		case '/':
			m.kind = closing
			i++
		}
	}
	start := i
	for i < len(s) && nameByte(s[i], i == start) {
		i++
	}
	if i == start || i == len(s) || s[i] != '}' {
		return m, false
	}
	m.raw = s[:i+1]
	var ok bool
	if m.slot, ok = slotOf(s[start:i]); !ok {
		m.kind = unknown
	}
	return m, true
}

func nameByte(c byte, first bool) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_':
		return true
	}
	return !first && ('0' <= c && c <= '9' || c == '.' || c == '-')
}

func slotOf(name string) (slot, bool) {
	if key, ok := strings.CutPrefix(name, metadata+"."); ok {
		return slot{metadata, key}, ValidKey(key)
	}
	switch name {
	case title, body, source, count:
		return slot{name: name}, true
	}
	return slot{}, false
}

// maxKey bounds a key of metadata in bytes.
const maxKey = 64

// ValidKey reports whether key can name an entry of metadata: a small letter, then
// up to 63 of a-z, 0-9, '_', '.' and '-'.
func ValidKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		if !('a' <= c && c <= 'z' || i > 0 && ('0' <= c && c <= '9' || c == '_' || c == '.' || c == '-')) {
			return false
		}
	}
	return key != "" && len(key) <= maxKey
}

// pair finds the two ends of each conditional and what stands within which.
func pair(marks []mark) error {
	var stack []int
	once := map[string]bool{}
	shown := false
	for i := range marks {
		m := &marks[i]
		if m.code {
			continue
		}
		m.in = nil
		switch m.kind {
		case unknown:
			return m.wrong("there is no slot "+m.raw, "use "+SlotNames+" (a key is a small letter, then up to 63 of a-z, 0-9, '_', '.', '-'), or write \\{ for a brace")
		case open:
			if len(stack) == MaxDepth {
				return m.wrong(fmt.Sprintf("more than %d conditionals stand within each other", MaxDepth), "")
			}
			stack = append(stack, i)
		case closing:
			if len(stack) == 0 {
				return m.wrong(m.raw+" closes nothing", "put {?"+m.raw[2:]+" before it")
			}
			top := stack[len(stack)-1]
			if marks[top].slot != m.slot {
				return m.wrong(fmt.Sprintf("%s stands within %s of line %d, which is still open", m.raw, marks[top].raw, marks[top].line), "close that one first, with {/"+marks[top].raw[2:])
			}
			marks[top].other, m.other = i, top
			stack = stack[:len(stack)-1]
		case fill:
			if m.slot.whole() {
				if once[m.slot.name] {
					return m.wrong(m.raw+" is there twice", "use it once")
				}
				once[m.slot.name] = true
				shown = shown || always(marks, stack)
			}
		}
		m.in = append([]int(nil), stack...)
	}
	if len(stack) > 0 {
		m := &marks[stack[len(stack)-1]]
		return m.wrong(m.raw+" is not closed", "put {/"+m.raw[2:]+" behind what it is about")
	}
	if !shown {
		return &Error{1, 1, "the template can leave the answer out", "put {body} or {source_markdown} into it, on a line of its own and outside every conditional"}
	}
	return nil
}

// always reports whether what stands within these conditionals is shown whenever
// the answer shows anything.
func always(marks []mark, in []int) bool {
	for _, i := range in {
		if !marks[i].slot.whole() {
			return false
		}
	}
	return true
}

func (m *mark) wrong(what, mend string) error { return &Error{m.line, m.column, what, mend} }
