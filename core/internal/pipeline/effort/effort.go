package effort

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// The steps that are allowed: a part of a schema that is looked at for one value is a
// step, which takes some 4 µs. What people write takes a few for each value; a union
// of many types takes more.
const (
	base     = 50_000
	perValue = 64
)

// Of smaller things, so many are a step.
const (
	pairs    = 32 // of elements that have to be unique
	patterns = 16 // that names of members are held to
	choices  = 32 // of an enum
)

// maxDepth bounds how deep a schema nests; what people write has a tenth of it.
const maxDepth = 200

// The bounds of numbers. The library computes with exact fractions, which the
// number 1e999999999 would make gigabytes of.
const (
	maxDigits   = 100
	maxExponent = 400
)

// Number reports whether n is within the bounds of numbers: 100 characters, and an
// exponent of 400.
func Number(n json.Number) bool {
	if len(n) > maxDigits {
		return false
	}
	if i := strings.IndexAny(string(n), "eE"); i >= 0 {
		e, err := strconv.Atoi(string(n[i+1:]))
		return err == nil && e >= -maxExponent && e <= maxExponent
	}
	return true
}

// Compiles reports whether a schema, as encoding/json decodes it with its numbers as
// they were written, can be compiled in short time. For one that nests some thousand
// levels, or has a thousand numbers such as 1e999999, it takes minutes.
func Compiles(schema any) bool { return compiles(schema, maxDepth) }

func compiles(v any, left int) bool {
	if left == 0 {
		return false
	}
	switch v := v.(type) {
	case json.Number:
		return Number(v)
	case map[string]any:
		for _, e := range v {
			if !compiles(e, left-1) {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if !compiles(e, left-1) {
				return false
			}
		}
	}
	return true
}

// maxChain bounds the parts that are looked at within each other.
const maxChain = 50_000

// Bounded reports whether holding v, as encoding/json decodes it, to s is bounded work.
// It is false, too, where the parts of s go round in a circle, or refer to what only the
// way to them tells ($dynamicRef to a $dynamicAnchor).
func Bounded(s *jsonschema.Schema, v any) bool {
	w := walk{left: base + perValue*values(v)}
	w.part(s, v)
	return w.left >= 0
}

// values are v and those in it.
func values(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += values(e)
		}
	case []any:
		for _, e := range v {
			n += values(e)
		}
	}
	return n
}

// A walk goes where a validator goes at most, as if nothing were found to be wrong, or
// right, before all has been looked at. It ends once no steps are left.
type walk struct {
	left  int
	chain int
}

func (w *walk) part(s *jsonschema.Schema, v any) {
	if s == nil || w.left < 0 {
		return
	}
	w.left -= 1 + len(s.Enum)/choices
	if w.chain == maxChain || s.RecursiveRef != nil || s.DynamicRef != nil && s.DynamicRef.DynamicAnchor != "" {
		w.left = -1
		return
	}
	w.chain++
	defer func() { w.chain-- }()
	for _, one := range [...]*jsonschema.Schema{s.Ref, s.DynamicRef, s.Not, s.If, s.Then, s.Else} {
		w.part(one, v)
	}
	for _, all := range [...][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, one := range all {
			w.part(one, v)
		}
	}
	for _, one := range s.DependentSchemas {
		w.part(one, v)
	}
	for _, one := range s.Dependencies {
		w.part(asSchema(one), v)
	}
	switch v := v.(type) {
	case map[string]any:
		w.members(s, v)
	case []any:
		w.items(s, v)
	}
}

func (w *walk) members(s *jsonschema.Schema, v map[string]any) {
	w.left -= len(v) * len(s.PatternProperties) / patterns
	for name, member := range v {
		if w.left < 0 {
			return
		}
		w.part(s.PropertyNames, name)
		w.part(s.Properties[name], member)
		for _, one := range s.PatternProperties { // as if it matched
			w.part(one, member)
		}
		w.part(asSchema(s.AdditionalProperties), member)
		w.part(s.UnevaluatedProperties, member)
	}
}

func (w *walk) items(s *jsonschema.Schema, v []any) {
	if s.UniqueItems {
		w.left -= len(v) * len(v) / (2 * pairs)
	}
	listed, _ := s.Items.([]*jsonschema.Schema)
	for i, item := range v {
		if w.left < 0 {
			return
		}
		if i < len(s.PrefixItems) {
			w.part(s.PrefixItems[i], item)
		}
		if i < len(listed) {
			w.part(listed[i], item)
		}
		for _, one := range [...]*jsonschema.Schema{asSchema(s.Items), asSchema(s.AdditionalItems), s.Items2020, s.Contains, s.UnevaluatedItems} {
			w.part(one, item)
		}
	}
}

// asSchema is what may be a schema or something else.
func asSchema(v any) *jsonschema.Schema {
	s, _ := v.(*jsonschema.Schema)
	return s
}
