package effort

import (
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

// Shallow reports whether a schema, as encoding/json decodes it, nests no deeper than
// a validator can bear. It is to be asked before the schema is compiled, which for
// some thousand levels takes minutes.
func Shallow(schema any) bool { return shallow(schema, maxDepth) }

func shallow(v any, left int) bool {
	if left == 0 {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if !shallow(e, left-1) {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if !shallow(e, left-1) {
				return false
			}
		}
	}
	return true
}

// Bounded reports whether holding v, as encoding/json decodes it, to s is bounded work.
// It is false, too, where the parts of s go round in a circle, or refer to what only the
// way to them tells ($dynamicRef to a $dynamicAnchor).
func Bounded(s *jsonschema.Schema, v any) bool {
	w := walk{done: map[at]int{}}
	root := w.node(v)
	w.most = base + perValue*w.values
	return w.steps(s, root) <= w.most
}

// A node is a value, with those in it.
type node struct {
	members map[string]*node
	names   *node // stands for each of the members' names
	items   []*node
}

// at is a part of a schema that is looked at for a value.
type at struct {
	schema *jsonschema.Schema
	value  *node
}

type walk struct {
	values int
	most   int
	done   map[at]int // steps below; those that are being counted: too many
}

func (w *walk) node(v any) *node {
	w.values++
	n := &node{}
	switch v := v.(type) {
	case map[string]any:
		n.members, n.names = make(map[string]*node, len(v)), &node{}
		for k, e := range v {
			n.members[k] = w.node(e)
		}
	case []any:
		n.items = make([]*node, len(v))
		for i, e := range v {
			n.items[i] = w.node(e)
		}
	}
	return n
}

// steps are at most those that it takes to hold n to s: nothing is found to be wrong,
// or right, before all has been looked at. They are more than most where they are too
// many.
func (w *walk) steps(s *jsonschema.Schema, n *node) int {
	if s == nil {
		return 0
	}
	key := at{s, n}
	if known, ok := w.done[key]; ok {
		return known
	}
	w.done[key] = w.most + 1
	sum := 1 + len(s.Enum)/choices
	add := func(steps int) { sum = min(sum+steps, w.most+1) }
	here := func(all ...*jsonschema.Schema) {
		for _, part := range all {
			add(w.steps(part, n))
		}
	}
	if s.RecursiveRef != nil || s.DynamicRef != nil && s.DynamicRef.DynamicAnchor != "" {
		add(w.most + 1)
	}
	here(s.Ref, s.DynamicRef, s.Not, s.If, s.Then, s.Else)
	here(s.AllOf...)
	here(s.AnyOf...)
	here(s.OneOf...)
	for _, part := range s.DependentSchemas {
		here(part)
	}
	for _, part := range s.Dependencies {
		here(asSchema(part))
	}
	if len(n.members) > 0 {
		w.members(s, n, add)
	}
	if len(n.items) > 0 {
		w.items(s, n, add)
	}
	w.done[key] = sum
	return sum
}

func (w *walk) members(s *jsonschema.Schema, n *node, add func(int)) {
	add(len(n.members) * len(s.PatternProperties) / patterns)
	add(w.steps(s.PropertyNames, n.names) * len(n.members))
	for name, member := range n.members {
		add(w.steps(s.Properties[name], member))
		for _, part := range s.PatternProperties { // as if it matched
			add(w.steps(part, member))
		}
		add(w.steps(asSchema(s.AdditionalProperties), member))
		add(w.steps(s.UnevaluatedProperties, member))
	}
}

func (w *walk) items(s *jsonschema.Schema, n *node, add func(int)) {
	if s.UniqueItems {
		add(min(len(n.items), 1<<20) * min(len(n.items), 1<<20) / (2 * pairs))
	}
	listed, _ := s.Items.([]*jsonschema.Schema)
	for i, item := range n.items {
		if i < len(s.PrefixItems) {
			add(w.steps(s.PrefixItems[i], item))
		}
		if i < len(listed) {
			add(w.steps(listed[i], item))
		}
		for _, part := range []*jsonschema.Schema{asSchema(s.Items), asSchema(s.AdditionalItems), s.Items2020, s.Contains, s.UnevaluatedItems} {
			add(w.steps(part, item))
		}
	}
}

// asSchema is what may be a schema or something else.
func asSchema(v any) *jsonschema.Schema {
	s, _ := v.(*jsonschema.Schema)
	return s
}
