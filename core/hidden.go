package core

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/core/internal/builtin"
	"github.com/seed-1ae66336/vak/core/internal/escape"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// The compiler takes characters that a terminal would obey out of the document,
// as no chat surface can show them. Whoever reads a log has to see that they
// were there, so the log gets a document of its own, compiled from a source in
// which they are escaped. It is made only where there are any.

// documentFor is the document that the surface with this id shows, before anything
// is put around it.
func (a *Answer) documentFor(id string) *doc.Document {
	if id == builtin.LogID && a.escaped != nil {
		return a.escaped()
	}
	return a.doc
}

// escapedDocument makes the log's document when it is first asked for, or is
// nil if the source hides nothing.
func (a *Answer) escapedDocument(source string) func() *doc.Document {
	if !strings.ContainsFunc(source, obeyed) {
		return nil
	}
	return sync.OnceValue(func() *doc.Document {
		text := escape.Runes(source, obeyed)
		d, err := contain("compile", func() (*doc.Document, error) { return a.deck.compose(text) })
		if err != nil {
			return asSource(text, "compile_failed")
		}
		return d
	})
}

// obeyed reports whether r acts on the text around it instead of being shown.
func obeyed(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\r' && r != '\t'
	case r < utf8.RuneSelf:
		return r == 0x7f
	}
	return r >= 0x80 && r < 0xa0 || // C1 controls
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || // direction
		r == 0xfeff || r >= 0xe0000 && r <= 0xe001f
}
