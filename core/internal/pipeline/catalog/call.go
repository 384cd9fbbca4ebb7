package catalog

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// The members that stand beside a payload, and those of a context.
var (
	besidePayload = []string{"semantic_type", "schema_version", "skill_id", "skill_version", "context", "payload"}
	ofContext     = []string{"domain", "as_of", "comparison_basis", "period", "evidence"}
)

// A member is one of an object, unread.
type member struct {
	name  string
	value json.RawMessage
}

// Call reads the arguments of a tool. A tool that hands over a shape of card takes
// {semantic_type, …members of the payload}, or {semantic_type, payload: {…}};
// semantic_type may be missing where the shape has one type, and must be one of the
// shape's. The arguments, or the result, of any other tool are an envelope, as
// [Catalog.Open] reads it.
//
// The paths in its error are from the root of the arguments as they were written:
// /rows/3/age for members beside semantic_type, /payload/rows/3/age for those of a
// payload.
func (c *Catalog) Call(tool string, arguments []byte) (card.Output, error) {
	types, ok := c.tools[tool]
	if !ok {
		return c.Open(arguments)
	}
	if len(arguments) > card.MaxPayload+card.MaxPayload/16 {
		return card.Output{}, invalid(card.ErrTooLarge, "", "a card may have 1 MB")
	}
	members, ok := membersOf(arguments)
	if !ok {
		return card.Output{}, invalid(card.ErrSyntax, "", "expected a JSON object; it is malformed, or cut off")
	}
	typ, problem := typeOf(members, types)
	if problem != nil {
		return card.Output{}, problem
	}
	rest := slices.DeleteFunc(slices.Clone(members), func(m member) bool { return m.name == "semantic_type" })
	var whole, payload []byte
	whole = doc.AppendString([]byte(`{"semantic_type":`), typ)
	flat := !envelopes(rest)
	for _, m := range rest {
		if !flat || m.name == "schema_version" || m.name == "context" && isContext(m.value) {
			whole = appendMember(append(whole, ','), m)
			continue
		}
		if len(payload) > 0 {
			payload = append(payload, ',')
		}
		payload = appendMember(payload, m)
	}
	if flat {
		whole = append(append(append(whole, `,"payload":{`...), payload...), '}')
	}
	o, err := c.Open(append(whole, '}'))
	if err != nil && flat {
		for _, p := range Problems(err) { // they are Open's own, made for this call
			p.Path = strings.TrimPrefix(p.Path, "/payload")
		}
	}
	return o, err
}

// Tools are the tools that hand over a shape of card, by name, with the types of
// each. The caller owns what it gets.
func (c *Catalog) Tools() map[string][]string {
	out := make(map[string][]string, len(c.tools))
	for name, types := range c.tools {
		out[name] = slices.Clone(types)
	}
	return out
}

// typeOf is the type that a call is of.
func typeOf(members []member, types []string) (string, error) {
	const path = "/semantic_type"
	typ, given := "", 0
	for _, m := range members {
		if m.name == "semantic_type" {
			given++
			if json.Unmarshal(m.value, &typ) != nil {
				return "", invalid(card.ErrInvalid, path, "expected a text")
			}
		}
	}
	oneOf := "expected one of " + strings.Join(types, ", ")
	if len(types) == 1 {
		oneOf = "expected " + types[0] + ", or nothing"
	}
	switch {
	case given > 1:
		return "", invalid(card.ErrInvalid, path, "expected it once")
	case given == 0 && len(types) == 1:
		return types[0], nil
	case given == 0:
		return "", invalid(card.ErrInvalid, path, oneOf+"; it is missing")
	case !slices.Contains(types, typ):
		return "", invalid(card.ErrInvalid, path, oneOf)
	}
	return typ, nil
}

// envelopes reports whether members are a payload with what stands beside one.
func envelopes(members []member) bool {
	has := false
	for _, m := range members {
		if !slices.Contains(besidePayload, m.name) {
			return false
		}
		has = has || m.name == "payload"
	}
	return has
}

// isContext reports whether a value has members of a context and no others. A
// payload may have a member of that name, too.
func isContext(value json.RawMessage) bool {
	members, ok := membersOf(value)
	return ok && len(members) > 0 && !slices.ContainsFunc(members, func(m member) bool { return !slices.Contains(ofContext, m.name) })
}

func appendMember(dst []byte, m member) []byte {
	return append(append(doc.AppendString(dst, m.name), ':'), m.value...)
}

// membersOf reads an object one level deep.
func membersOf(b []byte) ([]member, bool) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var out []member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := member{}
		m.name, _ = name.(string)
		if d.Decode(&m.value) != nil {
			return nil, false
		}
		out = append(out, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, false
	}
	return out, len(bytes.TrimSpace(b[d.InputOffset():])) == 0
}
