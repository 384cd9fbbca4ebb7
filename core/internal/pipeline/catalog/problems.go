package catalog

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed-1ae66336/vak/sdk/card"
)

// maxListed is how many problems an [Invalid] lists.
const maxListed = 20

// A leaf is a keyword that failed, at a place, with no closer cause.
type leaf struct {
	at      []string // of the value
	keyword string
	schema  map[string]any // that the keyword stands in; nil: not known
	value   any            // that it failed at
	either  []leaf         // of anyOf and oneOf: the first of each branch
}

// problems puts into words what the library found, most useful first: what is
// missing, members that there are none of, wrong kinds of value, the rest; then in
// the order of the payload.
func (s *schema) problems(e *jsonschema.ValidationError, v any) error {
	leaves := s.leaves(nil, e, v)
	// A payload of 10,000 wrong rows has as many leaves; only the first are wanted.
	best := make([]leaf, 0, maxListed+1)
	for _, l := range leaves {
		i, _ := slices.BinarySearchFunc(best, l, compareLeaves)
		if i < maxListed {
			best = slices.Insert(best, i, l)
			best = best[:min(len(best), maxListed)]
		}
	}
	out := &Invalid{More: len(leaves) - len(best)}
	seen := map[card.ProblemError]bool{}
	for _, l := range best {
		for _, p := range l.words() {
			if p.Path = "/payload" + p.Path; seen[p] {
				continue
			}
			seen[p] = true
			if len(out.Problems) == maxListed {
				out.More++
				continue
			}
			out.Problems = append(out.Problems, &p)
		}
	}
	return out
}

// leaves lists the keywords of e that have no closer cause.
func (s *schema) leaves(out []leaf, e *jsonschema.ValidationError, v any) []leaf {
	l := s.leaf(e, v)
	if l.keyword == "anyOf" || l.keyword == "oneOf" {
		return append(out, s.branches(l, e.Causes, v)...)
	}
	for _, c := range e.Causes {
		out = s.leaves(out, c, v)
	}
	if len(e.Causes) == 0 {
		out = append(out, l)
	}
	return out
}

// branches chooses among alternatives that all failed: the one that went deepest
// into the value is what was meant. Where none went into it, they stand as one.
func (s *schema) branches(l leaf, causes []*jsonschema.ValidationError, v any) []leaf {
	var best []leaf
	deepest := len(l.at)
	for _, c := range causes {
		branch := s.leaves(nil, c, v)
		if len(branch) == 0 {
			continue
		}
		l.either = append(l.either, branch[0])
		shallow := len(branch[0].at)
		for _, b := range branch {
			shallow = min(shallow, len(b.at))
		}
		if shallow > deepest {
			best, deepest = branch, shallow
		}
	}
	if best != nil {
		return best
	}
	return []leaf{l}
}

func (s *schema) leaf(e *jsonschema.ValidationError, v any) leaf {
	l := leaf{at: split(e.InstanceLocation)}
	where, at, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	path := split(at)
	if len(path) > 0 {
		l.keyword = path[len(path)-1]
		if where == schemaName {
			l.schema, _ = find(s.source, path[:len(path)-1]).(map[string]any)
		}
		if l.keyword == "additionalProperties" || l.keyword == "unevaluatedProperties" {
			l.value = find(v, l.at)
			return l
		}
		if find(s.source, path) == false { // a schema that takes nothing is a keyword by its place only
			l.keyword = ""
		}
	}
	l.value = find(v, l.at)
	return l
}

// split is the elements of a pointer as the library writes it.
func split(pointer string) []string {
	if pointer == "" || pointer == "/" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, p := range parts {
		if strings.ContainsAny(p, "%~") {
			if u, err := url.PathUnescape(p); err == nil {
				p = u
			}
			parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
		}
	}
	return parts
}

// find is the value at a place within v, nil if there is none.
func find(v any, at []string) any {
	for _, p := range at {
		switch in := v.(type) {
		case map[string]any:
			v = in[p]
		case []any:
			n, err := strconv.Atoi(p)
			if err != nil || n < 0 || n >= len(in) {
				return nil
			}
			v = in[n]
		default:
			return nil
		}
	}
	return v
}

func compareLeaves(a, b leaf) int {
	if d := usefulness(a.keyword) - usefulness(b.keyword); d != 0 {
		return d
	}
	for i := range min(len(a.at), len(b.at)) {
		if a.at[i] == b.at[i] {
			continue
		}
		m, err1 := strconv.Atoi(a.at[i])
		n, err2 := strconv.Atoi(b.at[i])
		if err1 == nil && err2 == nil {
			return m - n
		}
		return strings.Compare(a.at[i], b.at[i])
	}
	if d := len(a.at) - len(b.at); d != 0 {
		return d
	}
	return strings.Compare(a.keyword, b.keyword)
}

func usefulness(keyword string) int {
	switch keyword {
	case "required", "dependentRequired", "minProperties":
		return 0
	case "additionalProperties", "unevaluatedProperties", "propertyNames":
		return 1
	case "type", "enum", "const", "anyOf", "oneOf":
		return 2
	}
	return 3
}

// words are the problems that a leaf comes to, their paths from the payload.
func (l leaf) words() []card.ProblemError {
	path := ""
	for _, p := range l.at {
		path = element(path, p)
	}
	object, _ := l.value.(map[string]any)
	var out []card.ProblemError
	add := func(path, want string) {
		out = append(out, card.ProblemError{Kind: card.ErrInvalid, Path: path, Want: want})
	}
	switch l.keyword {
	case "required":
		for _, name := range missing(l.schema, object) {
			add(path, "expected "+quote(name)+"; it is missing")
		}
	case "additionalProperties", "unevaluatedProperties":
		properties, _ := l.schema["properties"].(map[string]any)
		names := slices.Sorted(maps.Keys(properties))
		for _, k := range slices.Sorted(maps.Keys(object)) {
			if _, ok := properties[k]; !ok && len(out) < maxListed {
				add(element(path, k), "there is no such member"+listing("; there are ", names))
			}
		}
	}
	if len(out) == 0 {
		add(path, "expected "+l.wanted())
	}
	return out
}

// missing are the members that a schema requires and an object has not.
func missing(schema, object map[string]any) []string {
	required, _ := schema["required"].([]any)
	var out []string
	for _, r := range required {
		if name, ok := r.(string); ok {
			if _, there := object[name]; !there {
				out = append(out, name)
			}
		}
	}
	return out
}

// wanted is what the keyword asks for, behind the word "expected".
func (l leaf) wanted() string {
	arg := l.schema[l.keyword]
	switch l.keyword {
	case "":
		return "nothing here"
	case "type":
		return kinds(arg)
	case "enum":
		if of, ok := arg.([]any); ok && len(of) <= 40 {
			return "one of" + listing(" ", scalars(of))
		}
	case "const":
		if of := scalars([]any{arg}); len(of) == 1 {
			return of[0]
		}
	case "required":
		return listingAnd(missing(l.schema, nil))
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return l.span()
	case "minLength":
		if plain(arg) == "1" {
			return "a text that is not empty"
		}
		return count(arg, "character") + " at least"
	case "maxLength":
		return count(arg, "character") + " at most"
	case "minItems":
		if plain(arg) == "1" {
			return "an element at least"
		}
		return count(arg, "element") + " at least"
	case "maxItems":
		return count(arg, "element") + " at most"
	case "minProperties":
		if plain(arg) == "1" {
			return "a member at least"
		}
		return count(arg, "member") + " at least"
	case "maxProperties":
		return count(arg, "member") + " at most"
	case "pattern":
		if p, ok := arg.(string); ok && len(p) <= 200 {
			return "a text that matches the pattern " + p
		}
	case "uniqueItems":
		return "elements that differ"
	case "anyOf", "oneOf":
		var each []string
		for _, e := range l.either {
			if w := e.wanted(); !slices.Contains(each, w) && len(each) < 8 {
				each = append(each, w)
			}
		}
		if len(each) > 0 {
			return strings.Join(each, " or ")
		}
	}
	if n, err := strconv.Atoi(l.keyword); err == nil && n >= 0 {
		return "what the schema of the type asks for"
	}
	return "what the keyword " + l.keyword + " of the schema asks for"
}

// span is the numbers between the bounds of a schema.
func (l leaf) span() string {
	low, high := l.schema["minimum"], l.schema["maximum"]
	switch {
	case l.keyword == "exclusiveMinimum":
		return "more than " + plain(l.schema[l.keyword])
	case l.keyword == "exclusiveMaximum":
		return "less than " + plain(l.schema[l.keyword])
	case low != nil && high != nil:
		return plain(low) + " to " + plain(high)
	case low != nil:
		return plain(low) + " or more"
	}
	return plain(high) + " or less"
}

// kinds puts what type asks for into words.
func kinds(arg any) string {
	names := map[string]string{
		"string": "a text", "number": "a number", "integer": "a whole number", "boolean": "true or false",
		"array": "an array", "object": "an object", "null": "null",
	}
	if one, ok := arg.(string); ok && names[one] != "" {
		return names[one]
	}
	many, _ := arg.([]any)
	var out []string
	for _, m := range many {
		if one, ok := m.(string); ok && names[one] != "" {
			out = append(out, names[one])
		}
	}
	if len(out) == 0 {
		return "another kind of value"
	}
	if n := len(out); n > 2 {
		return strings.Join(out[:n-1], ", ") + ", or " + out[n-1]
	}
	return strings.Join(out, " or ")
}

// scalars are the values of a schema that can be named in a line.
func scalars(of []any) []string {
	var out []string
	for _, v := range of {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case json.Number, bool, nil:
			out = append(out, plain(v))
		}
	}
	return out
}

// plain is a number, a truth value or null of a schema.
func plain(v any) string {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case nil:
		return "null"
	}
	return "another value"
}

// count is how many of something a schema asks for.
func count(n any, of string) string {
	s := plain(n)
	if s != "1" {
		of += "s"
	}
	return s + " " + of
}

func quote(name string) string { return `"` + name + `"` }

// listing joins names behind a word, nothing if there are none or very many.
func listing(word string, names []string) string {
	if len(names) == 0 || len(names) > 40 {
		return ""
	}
	return word + strings.Join(names, ", ")
}

func listingAnd(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quote(n)
	}
	return strings.Join(out, " and ")
}
