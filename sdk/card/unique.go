package card

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// unique reports the first member of an object in b that has the name of an
// earlier one: a decoder keeps the last of them and loses the others without a
// word. folded says of which objects, by how deep they are (from 0), the names are
// told apart as package json does for structs, without regard to case. b is valid
// JSON, or the decoder says what it is; path is where it stands.
func unique(b []byte, path string, folded func(depth int) bool) error {
	if !json.Valid(b) {
		return nil
	}
	type open struct {
		names int             // where its names begin
		many  map[string]bool // its names, where they are many
		name  string          // the last of them
		array bool
		index int
	}
	var stack []open
	var names []string
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			stack = append(stack, open{names: len(names), array: b[i] == '['})
		case '}', ']':
			names = names[:stack[len(stack)-1].names]
			stack = stack[:len(stack)-1]
		case ',':
			if top := &stack[len(stack)-1]; top.array {
				top.index++
			}
		case '"':
			end, escaped := i+1, false
			for ; b[end] != '"'; end++ {
				if b[end] == '\\' {
					escaped = true
					end++
				}
			}
			text := b[i : end+1]
			i = end
			after := bytes.TrimLeft(b[end+1:], " \t\r\n")
			if len(after) == 0 || after[0] != ':' {
				continue
			}
			name := string(text[1 : len(text)-1])
			if escaped && json.Unmarshal(text, &name) != nil {
				return nil
			}
			top := &stack[len(stack)-1]
			same := name
			if folded(len(stack) - 1) {
				same = fold(name)
			}
			twice := top.many[same]
			if top.many == nil {
				for _, n := range names[top.names:] {
					twice = twice || n == same
				}
			}
			names = append(names, same)
			top.name = name
			if twice {
				for _, o := range stack {
					if o.array {
						o.name = strconv.Itoa(o.index)
					}
					path = Pointer(path, o.name)
				}
				return &ProblemError{ErrInvalid, path, "expected once; there is an earlier member of that name"}
			}
			if top.many != nil {
				top.many[same] = true
			} else if len(names)-top.names > 16 {
				top.many = map[string]bool{}
				for _, n := range names[top.names:] {
					top.many[n] = true
				}
			}
		}
	}
	return nil
}

// everywhere is where all objects are structs.
func everywhere(int) bool { return true }

// fold is the same for names that package json takes for one field of a struct.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		for {
			next := unicode.SimpleFold(r)
			if next <= r {
				return next // the smallest of those that differ in case only
			}
			r = next
		}
	}, name)
}
