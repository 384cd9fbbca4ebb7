package bundle

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Schema is the JSON Schema of plugin.json.
//
//go:embed plugin.schema.json
var Schema string

// Compiled on first use: a host without plugins does not pay for it.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.CompileString("vak:plugin.schema.json", Schema)
})

// maxFindings bounds what is told of one manifest.
const maxFindings = 3

// conforms holds a manifest against the schema. Its error names each place by
// its JSON pointer and its line.
func conforms(b []byte) error {
	if !utf8.Valid(b) {
		return errors.New("not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		at := d.InputOffset()
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = e.Offset
		}
		return fmt.Errorf("not valid JSON at byte %d, in line %d", at, line(b, at))
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("not valid JSON: more follows at byte %d, in line %d", d.InputOffset(), line(b, d.InputOffset()))
	}
	if m, ok := v.(map[string]any); ok { // before the schema, which knows one version only
		if n, ok := m["schema_version"].(json.Number); ok {
			if version, err := n.Int64(); err == nil && version > 1 {
				return fmt.Errorf("/schema_version: %d is newer than this vak; update vak", version)
			}
		}
	}
	s, err := compiled()
	if err != nil {
		return err
	}
	err = s.Validate(v)
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		found := leaves(nil, invalid)
		more := ""
		if n := len(found) - maxFindings; n > 0 {
			found, more = found[:maxFindings], fmt.Sprintf(" (and %d more)", n)
		}
		lines := make([]string, len(found))
		for i, f := range found { // few, since each line is looked for
			lines[i] = fmt.Sprintf("%s: %s (line %d)", f.at, f.message, lineOf(b, strings.TrimSuffix(f.at, "/")))
		}
		return errors.New(strings.Join(lines, "; ") + more)
	}
	return err
}

// line is the number of the line in which a byte stands.
func line(b []byte, at int64) int { return 1 + bytes.Count(b[:min(at, int64(len(b)))], []byte("\n")) }

// A finding is a place, as a JSON pointer, and what is wrong there.
type finding struct{ at, message string }

// leaves lists the findings that have no closer cause.
func leaves(out []finding, e *jsonschema.ValidationError) []finding {
	if len(e.Causes) == 0 {
		at := e.InstanceLocation
		if at == "" {
			at = "/"
		}
		if found := (finding{at, e.Message}); !slices.Contains(out, found) {
			out = append(out, found)
		}
		return out
	}
	for _, c := range e.Causes {
		out = leaves(out, c)
	}
	return out
}
