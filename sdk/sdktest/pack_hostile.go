package sdktest

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
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
	{"a long word", marker + strings.Repeat("x", 100_000)},
	{"composed characters", marker + strings.Repeat("👩‍👩‍👧‍👦e\u0301\u0302漢", 500)},
	{"slashes and spaces", strings.Repeat("/ ", 200) + marker},
	{"digits", strings.Repeat("9", 400)},
}

var hostileNumbers = []json.Number{"0", "-1", "0.5", "-0", "1e15", "1e300", "9223372036854775808", "123456789012345678901234567890"}

// hostilePayloads are made of an example, with what was done to it: one place after
// the other, and all of its texts at once.
func hostilePayloads(example any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		n := 0
		more := func(what string, v any) bool {
			n++
			return n <= mostPayloads && yield(what, v)
		}
		for _, h := range hostileTexts {
			if !more(h.what+" everywhere", replaceTexts(example, h.text)) {
				return
			}
		}
		alter(example, "", more)
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

// alter yields v with one place changed at a time, until yield has enough, which it
// reports. v itself stays as it is.
func alter(v any, path string, yield func(string, any) bool) bool {
	switch v := v.(type) {
	case string:
		for _, h := range hostileTexts {
			if !yield(h.what+" at "+path, h.text) {
				return false
			}
		}
	case json.Number:
		for _, n := range hostileNumbers {
			if !yield(n.String()+" at "+path, n) {
				return false
			}
		}
	case bool:
		return yield("the opposite at "+path, !v)
	case []any:
		if !yield("an empty list at "+path, []any{}) {
			return false
		}
		if len(v) > 0 && !yield("1000 elements at "+path, slices.Repeat(v[:1], 1000)) {
			return false
		}
		for i, e := range v {
			if !alter(e, path+"/…", func(what string, e any) bool {
				c := slices.Clone(v)
				c[i] = e
				return yield(what, c)
			}) {
				return false
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			less := maps.Clone(v)
			delete(less, k)
			if !yield("without "+path+"/"+k, less) {
				return false
			}
			if !alter(v[k], path+"/"+k, func(what string, e any) bool {
				c := maps.Clone(v)
				c[k] = e
				return yield(what, c)
			}) {
				return false
			}
		}
	}
	return true
}
