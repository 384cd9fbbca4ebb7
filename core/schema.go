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
	if err := c.AddResource(name, bytes.NewReader(text)); err == nil {
		s, _ = c.Compile(name)
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
	if schema := a.compiled(s.info.Account); schema != nil {
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
		p = strings.NewReplacer("~1", "/", "~0", "~").Replace(p)
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
		return e.Message // they name keys and bounds, not what was written
	}
	return "it does not fit the surface's schema (" + keyword + ")"
}

// openly finds values that are written openly where the schema wants a reference.
func openly(schema []byte, v any) []finding {
	var of struct {
		Properties map[string]struct {
			WriteOnly bool `json:"writeOnly"`
		}
	}
	values, ok := v.(map[string]any)
	if json.Unmarshal(schema, &of) != nil || !ok {
		return nil
	}
	var out []finding
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if !of.Properties[k].WriteOnly {
			continue
		}
		all, ok := values[k].([]any)
		if !ok {
			all = []any{values[k]}
		}
		for _, one := range all {
			if text, ok := one.(string); ok && !config.Reference(text) {
				out = append(out, finding{path: []string{k}, what: "a secret is not written here, it is referred to: env:NAME or file:PATH"})
				break
			}
		}
	}
	return out
}
