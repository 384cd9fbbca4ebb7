package core

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// maxNative is the size in bytes of the largest native form of a chunk.
const maxNative = 64 << 10

// A fault is a rule that a rendering breaks. It holds no text of the message.
type fault string

func (f fault) Error() string { return string(f) }

// wellFormed checks what a renderer says beside the text of its chunks, of
// which the packet and its readers take parts as they are.
func wellFormed(r surface.Rendering) error {
	for _, c := range r.Chunks {
		if n := c.Native; n != nil && (len(n.JSON) > maxNative || !json.Valid(n.JSON)) {
			return fault("a native form is not JSON of at most 64 KiB")
		}
	}
	for _, n := range r.Notes {
		if !code(n.Reason) {
			return fault("the reason of a note is not a word")
		}
	}
	for _, n := range r.Diagnostics {
		if !code(n.Code) || len(n.Message) > 500 || strings.ContainsFunc(n.Message, unicode.IsControl) {
			return fault("a diagnostic is not well formed")
		}
	}
	return nil
}

// code reports whether s is a short snake_case word.
func code(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}
