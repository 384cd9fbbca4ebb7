package lower

import (
	"bytes"
	"encoding/json"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Face is what a card looks like.
type Face struct {
	Output card.Output
	Tree   card.Tree
	Hidden bool // the tree does not say every scalar of the payload
}

// NewFace is the face of a card whose tree is known.
func NewFace(o card.Output, t card.Tree) *Face {
	if n, ok := card.ContextNode(o.Context); ok {
		t = card.Of(card.Stack{}, t.Root, n)
	}
	return &Face{Output: o, Tree: t, Hidden: len(card.Unshown(o.Payload, t)) > 0}
}

// An Appendix says when the whole payload follows a card as JSON.
type Appendix string

// The appendices.
const (
	Auto   Appendix = ""       // where the card does not show all of it, and it fits
	Always Appendix = "always" // where it fits
	Never  Appendix = "never"
)

// Options say for what cards are lowered.
type Options struct {
	Width    int // columns of fixed-width text; 0: not known
	Locale   string
	Appendix Appendix
	Fits     func(text string) bool // whether a block of code has room in one message
	Entry    string                 // of the ledger, that holds the answer; empty: it is in none
}

// reason is why something is not there: it is in the ledger.
const reason = "in_ledger"

// Cards returns d with every card as blocks that every renderer knows, and what is
// to be noted of them. face is asked once for every card; where it has none the
// card stays.
func Cards(d *doc.Document, face func(*doc.Structured) *Face, o Options) (*doc.Document, []surface.Note) {
	l := &lowerer{face: face, o: o}
	blocks, changed := rewrite(d.Blocks, l.card)
	if !changed {
		return d, nil
	}
	out := *d
	out.Blocks = blocks
	return &out, l.notes
}

type lowerer struct {
	face  func(*doc.Structured) *Face
	o     Options
	notes []surface.Note
}

func (l *lowerer) card(b *doc.Structured, _ bool) ([]doc.Block, bool) {
	f := l.face(b)
	if f == nil {
		return nil, false
	}
	low := f.Tree.Blocks(b.ID, card.Options{Width: l.o.Width, Locale: l.o.Locale})
	blocks := low.Blocks
	hidden := f.Hidden || low.Partial // there is more than the reader sees
	id := b.ID.Child(len(blocks) + 1)
	if l.o.Appendix == Always || l.o.Appendix == Auto && hidden {
		var whole bytes.Buffer
		if json.Compact(&whole, f.Output.Payload) == nil && whole.Len() > 0 {
			if text := indented(whole.Bytes()); l.o.Fits == nil || l.o.Fits(text) {
				return append(blocks, &doc.Code{ID: id, Language: "json", Text: text}), true
			}
		}
	}
	if !hidden {
		return blocks, true
	}
	l.notes = append(l.notes, surface.Note{Block: id, Disposition: surface.Omitted, Reason: reason})
	says := "Not all of this card is shown here."
	if l.o.Entry != "" {
		says = "Not all of this card is shown here; the rest is in the ledger, entry " + l.o.Entry + "."
	}
	return append(blocks, &doc.Paragraph{ID: id, Inlines: []doc.Inline{&doc.Emphasis{Children: []doc.Inline{&doc.Text{Text: says}}}}}), true
}
