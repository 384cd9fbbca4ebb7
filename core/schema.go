package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed-1ae66336/vak/core/internal/config"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/effort"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// schemas are those that plugins give, compiled once.
type schemas struct {
	mu    sync.Mutex
	known map[string]*jsonschema.Schema // nil: it cannot be compiled
}

// address holds the address of a target against what its surface says of them.
func (a *schemas) address(s Surface, t surface.Target) error {
	if len(s.info.Address) == 0 {
		return nil
	}
	schema := a.compiled(s.info.Address)
	if schema == nil {
		return nil // the platform will say what it thinks of the address
	}
	if schema.Validate(t.Address) != nil {
		return &Error{
			Kind: ErrTarget, What: fmt.Sprintf("%.80q is no address of the surface %s", t.Address, s.ID),
			Mend: "\"vak plugin inspect " + s.ID + "\" tells what one looks like",
		}
	}
	return nil
}

// compiled is a schema, nil for one that cannot be used.
func (a *schemas) compiled(text []byte) *jsonschema.Schema {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s, ok := a.known[string(text)]; ok {
		return s
	}
	if a.known == nil || len(a.known) >= 1000 { // surfaces come and go, but not so many
		a.known = map[string]*jsonschema.Schema{}
	}
	c := jsonschema.NewCompiler()
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("a schema refers to %s and may not", url)
	}
	const name = "vak:schema"
	var s *jsonschema.Schema
	var source any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&source) == nil && effort.Compiles(source) && c.AddResource(name, bytes.NewReader(text)) == nil {
		s, _ = c.Compile(name)
	}
	if s != nil && !effort.Bounded(s, "") {
		s = nil
	}
	a.known[string(text)] = s
	return s
}

// A finding is what a schema has against a value, and where. It holds no value.
type finding struct {
	path []string
	what string
}

// account holds the settings of an account against its surface's schema. A
// reference to a secret may stand for anything, and where the schema says
// writeOnly nothing else may.
func (a *schemas) account(s Surface, settings []byte) []finding {
	if len(s.info.Account) == 0 {
		return []finding{{what: "the surface " + s.ID + " takes no account"}}
	}
	var v any
	if err := json.Unmarshal(settings, &v); err != nil {
		return []finding{{what: "it is no JSON"}}
	}
	var out []finding
	if schema := a.compiled(s.info.Account); schema != nil && effort.Bounded(schema, v) {
		if e, ok := errors.AsType[*jsonschema.ValidationError](schema.Validate(v)); ok {
			out = findings(out, e, v)
		}
	}
	return append(out, openly(s.info.Account, v)...)
}

// findings are those of e that have no closer cause and are not about a reference.
func findings(out []finding, e *jsonschema.ValidationError, v any) []finding {
	for _, c := range e.Causes {
		out = findings(out, c, v)
	}
	if len(e.Causes) > 0 {
		return out
	}
	f := finding{what: complaint(e)}
	at := v
	for _, p := range strings.Split(strings.TrimPrefix(e.InstanceLocation, "/"), "/") {
		if p == "" {
			continue
		}
		p = unescapePointer.Replace(p)
		f.path = append(f.path, p)
		switch in := at.(type) {
		case map[string]any:
			at = in[p]
		case []any:
			if n, err := strconv.Atoi(p); err == nil && n >= 0 && n < len(in) {
				at = in[n]
			}
		}
	}
	if text, ok := at.(string); ok && config.Reference(text) {
		return out
	}
	return append(out, f)
}

// complaint is what a schema's keyword has to say, without the value.
func complaint(e *jsonschema.ValidationError) string {
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	switch keyword {
	case "required", "additionalProperties", "type", "enum", "const", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems":
		what, _, _ := strings.Cut(e.Message, " but found ") // what was written stands behind it
		return what
	}
	return "it does not fit the surface's schema (" + keyword + ")"
}

// openly finds values that are written openly where the schema wants a reference.
func openly(schema []byte, v any) []finding {
	var root any
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	w := secretWalk{root: root}
	w.walk([]any{root}, v, nil, false)
	return w.found
}

// A secretWalk follows a value along its schema, to what is writeOnly.
type secretWalk struct {
	root  any
	found []finding
}

// walk looks at v, which all of schemas are about.
func (w *secretWalk) walk(schemas []any, v any, path []string, secret bool) {
	if len(path) > maxSchemaDepth {
		return
	}
	var nodes []map[string]any
	for _, s := range schemas {
		nodes = w.flat(nodes, s, 0)
	}
	for _, n := range nodes {
		hidden, _ := n["writeOnly"].(bool)
		secret = secret || hidden
	}
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			var of []any
			for _, n := range nodes {
				known, _ := n["properties"].(map[string]any)
				if s, ok := known[k]; ok {
					of = append(of, s)
				} else {
					of = append(of, n["additionalProperties"])
				}
				patterns, _ := n["patternProperties"].(map[string]any)
				of = slices.AppendSeq(of, maps.Values(patterns)) // whichever it matches: rather one too many
			}
			w.walk(of, v[k], append(slices.Clip(path), k), secret)
		}
	case []any:
		var of []any
		for _, n := range nodes {
			of = append(of, n["items"], n["additionalItems"])
			for _, list := range []string{"items", "prefixItems"} {
				each, _ := n[list].([]any)
				of = append(of, each...)
			}
		}
		for i := range v {
			w.walk(of, v[i], append(slices.Clip(path), strconv.Itoa(i)), secret)
		}
	case nil:
	default:
		text, ok := v.(string)
		if secret && !(ok && config.Reference(text)) {
			w.found = append(w.found, finding{path: path, what: "a secret is not written here; write it as env:NAME or file:PATH"})
		}
	}
}

// maxSchemaDepth bounds how deep a value or a schema is followed.
const maxSchemaDepth = 16

// flat appends s and what it says of the same value by other schemas.
func (w *secretWalk) flat(nodes []map[string]any, s any, depth int) []map[string]any {
	n, ok := s.(map[string]any)
	if !ok || depth > maxSchemaDepth || len(nodes) > 1000 {
		return nodes
	}
	nodes = append(nodes, n)
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := n[k].([]any)
		for _, one := range list {
			nodes = w.flat(nodes, one, depth+1)
		}
	}
	for _, k := range []string{"if", "then", "else"} {
		nodes = w.flat(nodes, n[k], depth+1)
	}
	if ref, ok := n["$ref"].(string); ok && strings.HasPrefix(ref, "#") {
		at := w.root
		for _, p := range strings.Split(ref, "/")[1:] {
			in, _ := at.(map[string]any)
			at = in[unescapePointer.Replace(p)]
		}
		nodes = w.flat(nodes, at, depth+1)
	}
	return nodes
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// masked is the settings of an account for somebody to look at: references, and
// "(set)" for every other text. Which of them are secrets is not for core to tell:
// the address of a webhook may be one.
func masked(settings json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(settings, &v) != nil {
		return json.RawMessage(`"(set)"`)
	}
	b, err := json.Marshal(mask(v))
	if err != nil {
		return json.RawMessage(`"(set)"`)
	}
	return b
}

func mask(v any) any {
	switch v := v.(type) {
	case string:
		if !config.Reference(v) && v != "" {
			return "(set)"
		}
	case map[string]any:
		for k := range v {
			v[k] = mask(v[k])
		}
	case []any:
		for i := range v {
			v[i] = mask(v[i])
		}
	}
	return v
}
