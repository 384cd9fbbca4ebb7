package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/effort"
	"github.com/seed-1ae66336/vak/sdk/card"
)

// A schema is compiled, and also there as it was written: what a keyword asks for
// is put into words from that.
type schema struct {
	compiled *jsonschema.Schema
	source   any
}

// schemaName is what a schema is called while it is compiled.
const schemaName = "vak:schema"

// draft is the only one that a schema may declare.
const draft = "https://json-schema.org/draft/2020-12/schema"

// compile compiles a schema, or says what would mend it.
func compile(text json.RawMessage) (s *schema, why string) {
	// The library takes it for granted that patterns compile.
	defer func() {
		if recover() != nil {
			s, why = nil, "it cannot be compiled; look at its patterns"
		}
	}()
	switch {
	case len(text) == 0:
		return nil, "give the type the JSON Schema of its payload"
	case len(text) > maxSchema:
		return nil, "a schema may have 256 KB"
	}
	source, ok := decode(text)
	root, isObject := source.(map[string]any)
	if !ok || !isObject {
		return nil, "write it as one JSON object"
	}
	if d, ok := root["$schema"]; ok && d != draft && d != draft+"#" {
		return nil, "write it by the draft 2020-12"
	}
	says := false
	for _, k := range []string{"type", "properties", "$ref", "allOf", "anyOf", "oneOf"} {
		says = says || root[k] != nil
	}
	if !says {
		return nil, `say what the payload is; "type": "object" with "properties" is a start`
	}
	if !effort.Compiles(source) {
		return nil, "it nests too deep, or a number in it has more than 100 digits or an exponent over 400"
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	remote := false
	c.LoadURL = func(string) (io.ReadCloser, error) {
		remote = true
		return nil, errors.New("a schema refers to nothing outside of itself")
	}
	if err := c.AddResource(schemaName, bytes.NewReader(text)); err != nil {
		return nil, "it is not JSON"
	}
	compiled, err := c.Compile(schemaName)
	switch {
	case remote:
		return nil, "it refers to something outside of itself; write that into its $defs"
	case err != nil:
		return nil, "it does not follow the draft 2020-12"
	case !effort.Bounded(compiled, map[string]any{}):
		return nil, "it takes too long to hold a card to it; have its parts refer to each other in fewer ways, and not by $dynamicRef"
	}
	return &schema{compiled, source}, ""
}

// decode reads one value with its numbers as they were written.
func decode(b []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	return v, len(bytes.TrimSpace(b[d.InputOffset():])) == 0
}

// numbers finds a number out of bounds in v, and its pointer below path.
func numbers(v any, path string) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		return path, effort.Number(v)
	case []any:
		for i, e := range v {
			if _, isText := e.(string); isText {
				continue
			}
			if at, ok := numbers(e, ""); !ok {
				return path + "/" + strconv.Itoa(i) + at, false
			}
		}
	case map[string]any:
		for k, e := range v {
			if at, ok := numbers(e, ""); !ok {
				return element(path, k) + at, false
			}
		}
	}
	return "", true
}

// validate holds a payload to the schema. Paths in what it finds begin at the
// envelope.
func (s *schema) validate(payload json.RawMessage) (err error) {
	v, ok := decode(payload)
	if !ok {
		return invalid(card.ErrSyntax, "/payload", "expected JSON")
	}
	if at, ok := numbers(v, "/payload"); !ok {
		return invalid(card.ErrTooLarge, at, "expected a number of 100 digits at most, with an exponent of 400 at most")
	}
	defer func() {
		if recover() != nil {
			err = invalid(card.ErrInvalid, "/payload", "expected a payload that the schema of its type can be held to")
		}
	}()
	if !effort.Bounded(s.compiled, v) {
		return invalid(card.ErrTooLarge, "/payload", "expected a payload that can be held to the schema of its type in short time")
	}
	err = s.compiled.Validate(v)
	if e, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return s.problems(e, v)
	}
	if err != nil {
		return invalid(card.ErrInvalid, "/payload", "expected a payload that the schema of its type can be held to")
	}
	return nil
}

// maxElement bounds an element of a pointer, in bytes.
const maxElement = 80

// element is the pointer of a member below path, of a length that a line bears.
func element(path, member string) string {
	return path + short(card.Pointer("", member))
}

// short is a pointer whose elements are of a length that a line bears.
func short(pointer string) string {
	if len(pointer) <= maxElement {
		return pointer
	}
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		if len(p) > maxElement {
			parts[i] = strings.ToValidUTF8(p[:maxElement], "") + "…"
		}
	}
	return strings.Join(parts, "/")
}
