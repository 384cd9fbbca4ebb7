package compile

import (
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// Markdown compiles one answer. It depends on nothing but source, may be called
// from any number of goroutines, and never panics. The document keeps source
// exactly; strings in its blocks share memory with it where they can.
//
// The only error is a [*SizeError], for a source over [MaxSource]. Everything
// else that a person could call wrong is shown as it stands, where need be with
// a diagnostic.
func Markdown(source string) (*doc.Document, error) { return Compiler{}.Markdown(source) }

// A Compiler compiles markdown. The zero value knows no cards. It is safe for
// concurrent use if Open is.
type Compiler struct {
	// Open reads the envelope of a card and checks it, as the skill that owns its
	// type wants it. It is pure. Where it fails the card stays exact, as code, and a
	// diagnostic says why: its error holds no value of the card. Nil: nobody owns
	// any type.
	Open func(envelope []byte) (card.Output, error)

	// First is the number of the first block; 0 is 1.
	First int
}

// Markdown is the function [Markdown] for what c knows. A vak fence that c can
// open becomes a structured block, and so does a source that is one envelope and
// nothing else.
func (c Compiler) Markdown(source string) (*doc.Document, error) {
	if len(source) > MaxSource {
		return nil, &SizeError{Size: len(source), Limit: MaxSource}
	}
	d := &doc.Document{Version: doc.SchemaVersion, Source: source}
	text, did := doc.Clean(source)
	st := newState(text)
	b := &builder{st: st, fresh: true, maxCells: min(MaxCells, 20*len(source)), open: c.Open, first: max(c.First, 1) - 1}
	if did&doc.CleanedEncoding != 0 {
		b.note("encoding", doc.Info, "", "bytes that are not UTF-8 are shown as U+FFFD")
	}
	if did&doc.CleanedControls != 0 {
		b.note("control", doc.Info, "", "control characters are not shown")
	}
	if did&doc.CleanedBidi != 0 {
		b.note("bidi", doc.Info, "", "direction overrides are not shown")
	}
	if bare := b.bare(text); bare != nil {
		d.Blocks = []doc.Block{bare}
	} else {
		root, ok := st.parse()
		d.Blocks = b.document(root, ok)
	}
	b.settle(d.Blocks)
	d.Diagnostics = b.diags
	return d, nil
}
