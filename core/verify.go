package core

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// maxNative is the size in bytes of the largest native form of a chunk.
const maxNative = 64 << 10

// A fault is a rule that a rendering breaks. It holds no text of the message.
type fault struct{ text string }

func (f *fault) Error() string { return f.text }

func faultf(format string, args ...any) *fault { return &fault{fmt.Sprintf(format, args...)} }

// wellFormed checks what must hold in every dialect.
func wellFormed(d *doc.Document, r surface.Rendering) error {
	if len(r.Chunks) == 0 && visible(d) {
		return faultf("the rendering is empty")
	}
	for i, c := range r.Chunks {
		for _, s := range []string{c.Text, c.Plain} {
			switch {
			case !utf8.ValidString(s):
				return faultf("chunk %d is not valid UTF-8", i+1)
			case strings.ContainsFunc(s, forbidden):
				return faultf("chunk %d holds a control character", i+1)
			case strings.TrimSpace(s) == "":
				return faultf("chunk %d is blank", i+1)
			}
		}
		if n := c.Native; n != nil && (len(n.JSON) > maxNative || !json.Valid(n.JSON)) {
			return faultf("the native form of chunk %d is not JSON of at most 64 KiB", i+1)
		}
	}
	for _, n := range r.Notes {
		if !code(n.Reason) {
			return faultf("a note has no valid reason")
		}
	}
	for _, n := range r.Diagnostics {
		if !code(n.Code) || len(n.Message) > 500 || strings.ContainsFunc(n.Message, unicode.IsControl) {
			return faultf("a diagnostic is not well formed")
		}
	}
	return nil
}

// forbidden reports whether r may not stand in a chunk.
func forbidden(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }

// code reports whether s is a short snake_case word.
func code(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// within checks the size of chunk i (from 0) against l.
func within(size dialect.Size, l surface.Limit, i int) error {
	for _, b := range []struct {
		what     string
		got, max int
	}{
		{string(l.Unit), units(size, l), l.Max},
		{"bytes", size.Sent.Bytes, l.MaxBytes},
		{"entities", size.Entities, l.MaxEntities},
		{"entity bytes", size.EntityBytes, l.MaxEntityBytes},
	} {
		if b.max > 0 && b.got > b.max {
			return faultf("chunk %d has %d %s and the limit is %d", i+1, b.got, b.what, b.max)
		}
	}
	return nil
}

// units is size in the unit that l counts.
func units(size dialect.Size, l surface.Limit) int {
	n := size.Sent
	if l.Of == surface.Visible {
		n = size.Visible
	}
	switch l.Unit {
	case surface.UTF16:
		return n.UTF16
	case surface.Byte:
		return n.Bytes
	}
	return n.Codepoints
}
