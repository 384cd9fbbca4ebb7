package core

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// addresses are the schemas of surfaces' addresses, compiled once.
type addresses struct {
	mu    sync.Mutex
	known map[string]*jsonschema.Schema // nil: it cannot be compiled
}

// check holds the address of a target against what its surface says of addresses.
func (a *addresses) check(s Surface, t surface.Target) error {
	if len(s.info.Address) == 0 {
		return nil
	}
	schema := a.schema(s.info.Address)
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

func (a *addresses) schema(text []byte) *jsonschema.Schema {
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
	const name = "vak:address"
	var s *jsonschema.Schema
	if err := c.AddResource(name, bytes.NewReader(text)); err == nil {
		s, _ = c.Compile(name)
	}
	a.known[string(text)] = s
	return s
}
