package plan

import (
	"slices"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A Decision says what shows one block.
//
//	Renderer            the block
//	telegram:native     the surface's renderer has a form of its own for it
//	telegram:lowered    the surface's renderer shows it as something simpler
//	core                a card: the skill of this id makes its tree, which the surface shows or which is lowered to blocks
//	builtin:generic     a card that no skill could lower; the fallback, and never a default
type Decision struct {
	Block    doc.ID   `json:"block"`
	Kind     doc.Kind `json:"kind"`
	Renderer string   `json:"renderer"`
	Why      string   `json:"why"` // one of the reasons of this package
}

// The renderers that are none of a surface or a skill.
const (
	Generic = "builtin:generic" // of a block
	Native  = "markdown:native" // as a summary: all blocks come from markdown
	Mixed   = "mixed"           // as a summary: there is more than one
)

// Why a block is shown by what shows it, for people to read.
const (
	WhyForm      = "the surface has a form of its own for it"
	WhyTables    = "the surface has no tables; it becomes aligned text or a list"
	WhyCode      = "the surface has no code; it becomes text"
	WhyMedia     = "the surface shows no media; it becomes a link"
	WhyReference = "the surface cannot open documents; it becomes a reference"
	WhyDiagram   = "the surface draws no diagrams; it becomes text"
	WhyUnknown   = "the renderer does not know this kind of block; it is lowered to some that it knows"
	WhyTree      = "the surface shows the tree that the skill makes of the card"
	WhyText      = "the surface has no cards; what the skill makes of it is lowered to blocks"
	WhyNoOwner   = "no skill owns the card; its members are shown as they are"
	WhyNoTree    = "the skill could not lower the card; its members are shown as they are"
)

// A resolution decides block by block what shows an answer.
type resolution struct {
	in        Input
	types     *finding // which takes note of the types that occur
	generic   map[doc.ID]bool
	decisions []Decision
	unlisted  int

	cards     bool
	one, many string // the renderer, and another one where there is
}

// blocks decides on bs. Blocks within others are part of those, but for cards.
func (r *resolution) blocks(bs []doc.Block, top bool) {
	for _, b := range bs {
		r.types.carries(carries(b))
		if s, ok := b.(*doc.Structured); ok {
			r.card(s)
		} else if top {
			r.block(b)
		}
		switch b := b.(type) {
		case *doc.List:
			for i := range b.Items {
				r.blocks(b.Items[i].Blocks, false)
			}
		case *doc.Quote:
			r.blocks(b.Blocks, false)
		case *doc.Callout:
			r.blocks(b.Blocks, false)
		case *doc.Citations:
			for i := range b.Items {
				r.blocks(b.Items[i].Blocks, false)
			}
		}
	}
}

func (r *resolution) card(b *doc.Structured) {
	r.cards = true
	c := owner(b)
	r.types.carries(c.Type)
	d := Decision{Block: b.ID, Kind: doc.KindStructured, Renderer: c.Skill}
	switch {
	case c.Skill == "":
		d.Renderer, d.Why = Generic, WhyNoOwner
	case r.generic[b.ID]:
		d.Renderer, d.Why = Generic, WhyNoTree
	case r.in.Profile.Can.StructuredBlocks:
		d.Why = WhyTree
	default:
		d.Why = WhyText
	}
	r.add(d)
}

func (r *resolution) block(b doc.Block) {
	d := Decision{Block: b.BlockID(), Kind: b.Kind(), Why: r.why(b.Kind())}
	if d.Why == WhyForm {
		d.Renderer = r.in.Renderer.ID + ":native"
	} else {
		d.Renderer = r.in.Renderer.ID + ":lowered"
	}
	r.add(d)
}

// why is how a kind of block gets on the surface.
func (r *resolution) why(k doc.Kind) string {
	can := r.in.Profile.Can
	for _, of := range []struct {
		kind doc.Kind
		can  bool
		why  string
	}{
		{doc.KindTable, can.Tables, WhyTables},
		{doc.KindCode, can.Code, WhyCode},
		{doc.KindDiff, can.Code, WhyCode},
		{doc.KindMedia, can.Media, WhyMedia},
		{doc.KindArtifactRef, can.FileReferences, WhyReference},
		{doc.KindDiagram, can.StructuredBlocks, WhyDiagram},
	} {
		if k == of.kind && !of.can {
			return of.why
		}
	}
	if !slices.Contains(r.in.Renderer.Blocks, k) {
		return WhyUnknown
	}
	return WhyForm
}

func (r *resolution) add(d Decision) {
	switch {
	case r.one == "":
		r.one = d.Renderer
	case d.Renderer != r.one:
		r.many = d.Renderer
	}
	if len(r.decisions) == MaxDecisions {
		r.unlisted++
		return
	}
	r.decisions = append(r.decisions, d)
}

// summary is [Native] where no block is a card, else the one renderer of all
// blocks, or [Mixed].
func (r *resolution) summary() string {
	switch {
	case !r.cards:
		return Native
	case r.many != "":
		return Mixed
	}
	return r.one
}
