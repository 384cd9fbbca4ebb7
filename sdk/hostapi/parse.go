package hostapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Bounds of what a plugin may answer. A document has at most 200,000 nodes, so
// an honest rendering of one stays below them.
const (
	MaxChunks      = 200_000
	MaxNotes       = 200_000
	MaxDiagnostics = 10_000
	MaxNative      = 64 << 10 // bytes of one chunk's native form

	maxInfo     = 1 << 20
	maxFeatures = 64
	maxWord     = 64   // bytes of a code, a reason, a native kind
	maxMessage  = 1024 // bytes of a diagnostic's message
)

// ParseInfo reads the canonical JSON of an Info and validates it. Fields that it
// does not know are ignored.
func ParseInfo(b []byte) (surface.Info, error) {
	if len(b) > maxInfo {
		return surface.Info{}, fmt.Errorf("%d bytes, want at most %d", len(b), maxInfo)
	}
	var i surface.Info
	if err := decode(b, &i); err != nil {
		return surface.Info{}, err
	}
	if err := i.Validate(); err != nil {
		return surface.Info{}, err
	}
	return i, nil
}

// ParseRendering reads the JSON of a Rendering and validates it: text is UTF-8
// without control characters but newline and tab, ids are ids, words are words,
// and all of it is bounded. Its errors carry no message text.
func ParseRendering(b []byte) (surface.Rendering, error) {
	if len(b) > MaxMessage {
		return surface.Rendering{}, fmt.Errorf("%d bytes, want at most %d", len(b), MaxMessage)
	}
	r, err := decodeRendering(b)
	if err != nil {
		return surface.Rendering{}, err
	}
	if err := validRendering(r); err != nil {
		return surface.Rendering{}, err
	}
	return r, nil
}

// decode reads exactly one JSON value. Package encoding/json would replace what
// is not UTF-8, so that is refused first, and the text of its errors may quote
// the input, so it is dropped.
func decode(b []byte, into any) error {
	if !utf8.Valid(b) {
		return errors.New("not valid UTF-8")
	}
	err := json.Unmarshal(b, into)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("field %q has the wrong type", e.Field)
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not valid JSON at byte %d", e.Offset)
	}
	if err != nil {
		return errors.New("not valid JSON")
	}
	return nil
}

func validRendering(r surface.Rendering) error {
	switch {
	case len(r.Chunks) > MaxChunks:
		return fmt.Errorf("%d chunks, want at most %d", len(r.Chunks), MaxChunks)
	case len(r.Notes) > MaxNotes:
		return fmt.Errorf("%d notes, want at most %d", len(r.Notes), MaxNotes)
	case len(r.Diagnostics) > MaxDiagnostics:
		return fmt.Errorf("%d diagnostics, want at most %d", len(r.Diagnostics), MaxDiagnostics)
	}
	for i, c := range r.Chunks {
		if err := validChunk(c); err != nil {
			return fmt.Errorf("chunks[%d].%w", i, err)
		}
	}
	for i, n := range r.Notes {
		if err := validNote(n); err != nil {
			return fmt.Errorf("notes[%d].%w", i, err)
		}
	}
	for i, d := range r.Diagnostics {
		if err := validDiagnostic(d); err != nil {
			return fmt.Errorf("diagnostics[%d].%w", i, err)
		}
	}
	return nil
}

func validChunk(c surface.Chunk) error {
	if c.Text == "" {
		return errors.New("text: empty")
	}
	if i := control(c.Text); i >= 0 {
		return fmt.Errorf("text: control character %#02x at byte %d", c.Text[i], i)
	}
	if c.Plain == "" {
		return errors.New("plain: empty")
	}
	if i := control(c.Plain); i >= 0 {
		return fmt.Errorf("plain: control character %#02x at byte %d", c.Plain[i], i)
	}
	for j, id := range c.Blocks {
		if !id.Valid() {
			return fmt.Errorf("blocks[%d]: not a block id", j)
		}
	}
	if c.Native == nil {
		return nil
	}
	if !word(c.Native.Kind) {
		return errors.New("native.kind: want a word such as slack.rich_text.v1")
	}
	if n := len(c.Native.JSON); n == 0 || n > MaxNative {
		return fmt.Errorf("native.json: %d bytes, want 1 to %d", n, MaxNative)
	}
	return nil
}

func validNote(n surface.Note) error {
	if !n.Block.Valid() {
		return errors.New("block: not a block id")
	}
	switch n.Disposition {
	case surface.AsNative, surface.AsFallback, surface.Omitted:
	default:
		return errors.New("disposition: want native, fallback or omitted")
	}
	if !word(n.Reason) {
		return errors.New("reason: want a word in snake_case")
	}
	if n.Count < 0 {
		return errors.New("count: negative")
	}
	return nil
}

func validDiagnostic(d doc.Diagnostic) error {
	if !word(d.Code) {
		return errors.New("code: want a word in snake_case")
	}
	switch d.Severity {
	case "", doc.Info, doc.Warning, doc.Error:
	default:
		return errors.New("severity: want info, warning or error")
	}
	if d.Block != "" && !d.Block.Valid() {
		return errors.New("block: not a block id")
	}
	if len(d.Message) > maxMessage {
		return fmt.Errorf("message: %d bytes, want at most %d", len(d.Message), maxMessage)
	}
	if i := control(d.Message); i >= 0 {
		return fmt.Errorf("message: control character %#02x at byte %d", d.Message[i], i)
	}
	return nil
}

// control finds the first control character that no message may hold, or -1.
func control(s string) int {
	for i := range len(s) {
		if c := s[i]; (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f {
			return i
		}
	}
	return -1
}

// word reports whether s is a machine-readable word.
func word(s string) bool {
	if s == "" || len(s) > maxWord {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || 'z' < c) && (c < '0' || '9' < c) && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return true
}
