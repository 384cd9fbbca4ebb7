package card

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unshown returns the JSON pointers of the scalars of a payload that t does not
// say, in the order of the payload. A payload that is not JSON is unsaid as a
// whole: its pointer is "".
//
// A scalar is said by a property of the same value, each property by each scalar
// once: a text by a text, a number by a number that is written the same, or by a
// text that is that number. What no property is, is looked for as words within the
// texts that are left over, for a skill may make one sentence of several values.
// Null and the empty text say nothing and need not be said.
//
// The work is linear in the sizes of payload and tree: the search within texts ends
// after 64 MB, and so does the list after 1 MB of pointers. Whatever was not looked
// for counts as not said.
func Unshown(payload json.RawMessage, t Tree) []string {
	s, ok := scalars(payload)
	if !ok {
		return []string{""}
	}
	said := props{}
	said.node(t.Root, 1)
	var left []scalarAt
	for _, at := range s.all {
		if !said.take(at.value) {
			left = append(left, at)
		}
	}
	if len(left) == 0 {
		return nil
	}
	left = said.within(left)
	var out []string
	size := 0
	for _, at := range left {
		p := s.pointer(at.member)
		out = append(out, p)
		if size += len(p); size > maxPointers {
			break
		}
	}
	return out
}

const (
	maxPointers = 1 << 20  // bytes that Unshown returns
	maxSearch   = 64 << 20 // bytes that it looks through
)

// A scalarAt is a scalar of a payload, and which member or element it is.
type scalarAt struct {
	value  Scalar
	member int
}

// A member is a step of a path. The path itself is put together only where it is
// asked for: many long ones would outgrow the payload.
type member struct {
	parent int // -1: none
	name   string
	index  int // where there is no name
	array  bool
}

type payloadScalars struct {
	all     []scalarAt
	members []member
}

func (s *payloadScalars) pointer(at int) string {
	var steps []string
	for ; at >= 0; at = s.members[at].parent {
		m := s.members[at]
		if m.array {
			m.name = strconv.Itoa(m.index)
		}
		steps = append(steps, Pointer("", m.name))
	}
	slices.Reverse(steps)
	return strings.Join(steps, "")
}

// scalars lists the scalars of JSON that say something. The tokens of a
// json.Decoder would take three times as long.
func scalars(payload []byte) (*payloadScalars, bool) {
	if !json.Valid(payload) {
		return nil, false
	}
	s := &payloadScalars{}
	type open struct {
		member int
		array  bool
		next   int
		name   string
		named  bool
	}
	var stack []open
	// at is the place of the value that begins.
	at := func() int {
		n := len(stack)
		if n == 0 {
			return -1
		}
		top := &stack[n-1]
		s.members = append(s.members, member{top.member, top.name, top.next, top.array})
		top.next++
		top.named = false
		return len(s.members) - 1
	}
	for i := 0; i < len(payload); {
		switch c := payload[i]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		case '{', '[':
			stack = append(stack, open{member: at(), array: c == '['})
			i++
		case '}', ']':
			stack = stack[:len(stack)-1]
			i++
		case '"':
			end := textEnd(payload, i)
			text := unquoted(payload[i:end])
			i = end
			if n := len(stack); n > 0 && !stack[n-1].array && !stack[n-1].named {
				stack[n-1].name, stack[n-1].named = text, true
			} else if m := at(); text != "" {
				s.all = append(s.all, scalarAt{String(text), m})
			}
		default:
			end := i
			for end < len(payload) && strings.IndexByte(",]} \t\r\n", payload[end]) < 0 {
				end++
			}
			m := at()
			switch c {
			case 't', 'f':
				s.all = append(s.all, scalarAt{Bool(c == 't'), m})
			case 'n':
			default:
				s.all = append(s.all, scalarAt{Scalar{isNumber, string(payload[i:end])}, m})
			}
			i = end
		}
	}
	return s, true
}

// textEnd is where the text ends that begins at i, in JSON.
func textEnd(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// unquoted is what a text of JSON says.
func unquoted(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b) {
		return string(b[1 : len(b)-1])
	}
	var s string
	if json.Unmarshal(b, &s) != nil {
		return ""
	}
	return s
}

// props are the values of the properties of a tree, and how often each occurs.
type props map[Scalar]int

func (s props) node(n Node, depth int) {
	if depth > MaxDepth {
		return
	}
	if p := byValue(n.Props); p != nil {
		s.value(reflect.ValueOf(p))
	}
	for _, c := range n.Children {
		s.node(c, depth+1)
	}
}

// value collects what v holds, but for style that no payload asks for.
func (s props) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Len() > 0 {
			s[String(v.String())]++
		}
	case reflect.Bool:
		s[Bool(v.Bool())]++
	case reflect.Int:
		s[Int(v.Int())]++
	case reflect.Slice:
		for i := range v.Len() {
			s.value(v.Index(i))
		}
	case reflect.Struct:
		if sc, ok := v.Interface().(Scalar); ok {
			if !sc.IsZero() {
				s[sc]++
			}
			return
		}
		for i := range v.NumField() {
			switch v.Type().Field(i).Name {
			case "Level", "Ordered", "Density", "Width", "Emphasis":
			default:
				s.value(v.Field(i))
			}
		}
	}
}

// take uses one occurrence of v up.
func (s props) take(v Scalar) bool {
	for _, as := range []Scalar{v, String(v.text)} {
		if s[as] > 0 && (as.kind == v.kind || v.kind == isNumber) {
			s[as]--
			return true
		}
	}
	return false
}

// within takes those of left away that are words of the texts that nothing has
// used up. Long ones come first, so that none is taken for a part of another, and
// what one has found is not found again.
func (s props) within(left []scalarAt) []scalarAt {
	var texts []string
	for v, n := range s {
		if v.kind == isString {
			for range n {
				texts = append(texts, v.text)
			}
		}
	}
	slices.Sort(texts)
	text := []byte(strings.Join(texts, "\x00"))
	order := make([]int, len(left))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(left[b].value.text), len(left[a].value.text)) })
	said := make([]bool, len(left))
	searched := 0
	for _, i := range order {
		if searched += len(text) + 1; searched > maxSearch {
			break
		}
		v := left[i].value
		if v.kind == isString || v.kind == isNumber {
			said[i] = use(text, []byte(v.text), &searched)
		}
		if !said[i] && v == String(string(InProgress)) { // as a status is read
			said[i] = use(text, []byte(InProgress.word()), &searched)
		}
	}
	out := left[:0]
	for i, at := range left {
		if !said[i] {
			out = append(out, at)
		}
	}
	return out
}

// use blanks the first occurrence of words in text that no letter or digit goes
// on, and reports whether there is one. It adds what it looks at to searched.
func use(text, words []byte, searched *int) bool {
	for from := 0; *searched <= maxSearch; {
		i := bytes.Index(text[from:], words)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(words)
		before, _ := utf8.DecodeLastRune(text[:i])
		first, _ := utf8.DecodeRune(words)
		last, _ := utf8.DecodeLastRune(words)
		after, size := utf8.DecodeRune(text[end:])
		// "1" is not in "1.5", nor in "-1".
		goesOn := func(a, b rune) bool { return wordRune(a) && wordRune(b) }
		decimal := unicode.IsDigit(last) && (after == '.' || after == ',') && end+size < len(text) && unicode.IsDigit(rune(text[end+size]))
		fraction := unicode.IsDigit(first) && (before == '.' || before == ',' || before == '-' || before == '−') && i > 0
		if !goesOn(before, first) && !goesOn(last, after) && !decimal && !fraction {
			for j := i; j < end; j++ {
				text[j] = 0
			}
			return true
		}
		from = i + 1
		*searched += len(words)
	}
	return false
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || unicode.IsDigit(r) || r == '_'
}
