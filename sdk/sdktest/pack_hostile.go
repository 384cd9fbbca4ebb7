package sdktest

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"
)

// marker is a word in hostile texts that no pack says by itself.
const marker = "zqxjmarker"

// mostPayloads bounds what is made of one example.
const mostPayloads = 2000

// hostileTexts are what texts of an example are replaced by, with what it is.
var hostileTexts = []struct{ what, text string }{
	{"an empty text", ""},
	{"blanks", " \t \u00a0"},
	{"a word", marker},
	{"markup", marker + " **a** _b_ `c` ```d``` <b>e</b> </pre> &lt; [f](javascript:g) <@U1> @everyone |h| # i"},
	{"control and direction characters", marker + "\x00\x1b[31m\u202e\u2066\u200b\ufeff\ufffd"},
	{"lines", marker + strings.Repeat("\n", 3000) + "end"},
	{"a long text", marker + strings.Repeat("long ", 20_000)},
	{"a long word", marker + strings.Repeat("x", mostCharacters)},
	{"composed characters", marker + strings.Repeat("👩‍👩‍👧‍👦e\u0301\u0302漢", 500)},
	{"slashes and spaces", strings.Repeat("/ ", 200) + marker},
	{"digits", strings.Repeat("9", 400)},
}

var hostileNumbers = []json.Number{"0", "-1", "0.5", "-0", "1e15", "1e300", "9223372036854775808", "123456789012345678901234567890"}

// The longest texts and lists that are tried.
const (
	mostCharacters = 100_000
	mostElements   = 1000
)

// A hostile is a payload that is made of an example.
type hostile struct {
	what    string // was done to the example
	payload any
	word    string // that stands in it, and that no pack says by itself
}

// hostilePayloads are made of an example: one place after the other, and all of its
// texts at once. takes reports whether the schema takes a payload: texts and lists
// that are bounded are tried at their bounds, too.
func hostilePayloads(example any, takes func(any) bool) iter.Seq[hostile] {
	return func(yield func(hostile) bool) {
		n := 0
		more := func(h hostile) bool {
			n++
			return n <= mostPayloads && yield(h)
		}
		for _, h := range hostileTexts {
			if !more(hostile{h.what + " everywhere", replaceTexts(example, h.text), marker}) {
				return
			}
		}
		alter(example, "", spot{takes, more})
	}
}

// replaceTexts is v with every text replaced.
func replaceTexts(v any, text string) any {
	switch v := v.(type) {
	case string:
		return text
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = replaceTexts(e, text)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[k] = replaceTexts(e, text)
		}
		return out
	}
	return v
}

// A spot is where an example is altered. Both functions are given what stands there.
type spot struct {
	takes func(any) bool     // the schema takes the payload then
	yield func(hostile) bool // false: it is enough
}

// within is a spot in p, where put says what stands in p then.
func (p spot) within(put func(any) any) spot {
	return spot{
		func(v any) bool { return p.takes(put(v)) },
		func(h hostile) bool {
			h.payload = put(h.payload)
			return p.yield(h)
		},
	}
}

// most is the largest n of which the schema takes what of makes, up to limit; 0 where
// it takes that, or none.
func (p spot) most(limit int, of func(n int) any) int {
	if p.takes(of(limit)) || !p.takes(of(1)) {
		return 0
	}
	return sort.Search(limit, func(n int) bool { return !p.takes(of(n + 1)) })
}

// alter yields v with one place changed at a time, until yield has enough, which it
// reports. v itself stays as it is.
func alter(v any, path string, at spot) bool {
	switch v := v.(type) {
	case string:
		for _, h := range hostileTexts {
			if !at.yield(hostile{h.what + " at " + path, h.text, marker}) {
				return false
			}
		}
		if same := shaped(v); same != v && !at.yield(hostile{"a text of the same form at " + path, same, same}) {
			return false
		}
		for _, c := range []string{"x", "漢"} {
			repeated := func(n int) any { return strings.Repeat(c, n) }
			if n := at.most(mostCharacters, repeated); n > 0 && !at.yield(hostile{fmt.Sprintf("%d times %q at %s", n, c, path), repeated(n), marker}) {
				return false
			}
		}
	case json.Number:
		for _, n := range hostileNumbers {
			if !at.yield(hostile{n.String() + " at " + path, n, marker}) {
				return false
			}
		}
	case bool:
		return at.yield(hostile{"the opposite at " + path, !v, marker})
	case []any:
		if !at.yield(hostile{"an empty list at " + path, []any{}, marker}) {
			return false
		}
		if len(v) > 0 {
			repeated := func(n int) any { return slices.Repeat(v[:1], n) }
			for _, n := range []int{mostElements, at.most(mostElements, repeated)} {
				if n > 0 && !at.yield(hostile{fmt.Sprintf("%d elements at %s", n, path), repeated(n), marker}) {
					return false
				}
			}
		}
		for i, e := range v {
			if !alter(e, path+"/…", at.within(func(e any) any {
				c := slices.Clone(v)
				c[i] = e
				return c
			})) {
				return false
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			less := maps.Clone(v)
			delete(less, k)
			if !at.yield(hostile{"without " + path + "/" + k, less, marker}) {
				return false
			}
			if !alter(v[k], path+"/"+k, at.within(func(e any) any {
				c := maps.Clone(v)
				c[k] = e
				return c
			})) {
				return false
			}
		}
	}
	return true
}

// shaped is a text with other letters and digits in the same places: what a pattern
// takes in place of s, as a day that there is not. Short ones stay as they are, since
// a pack may well say them by itself.
func shaped(s string) string {
	if len(s) < 6 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9':
			return '9'
		case 'a' <= r && r <= 'z':
			return 'z'
		case 'A' <= r && r <= 'Z':
			return 'Z'
		}
		return r
	}, s)
}
