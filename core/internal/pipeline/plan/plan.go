package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// SchemaVersion is that of the wire form of [Plan].
const SchemaVersion = 1

// An Input is an answer on its way to one target.
type Input struct {
	Document *doc.Document
	Cards    []string // as in [Facts]
	Signals  SignalContext

	Surface  string          // the id of the target's surface
	Profile  surface.Profile // as it is in force for the target
	Renderer Renderer
	Generic  []doc.ID // structured blocks whose skill could not lower them

	Epoch uint64
}

// A Renderer is what is known of the renderer of a target.
type Renderer struct {
	ID     string     // "telegram", or "core/plain"
	Blocks []doc.Kind // that it understands; core lowers the others
}

// A Plan says how an answer is shown on one target, and why. The zero value is
// none.
type Plan struct {
	SchemaVersion int           `json:"schema_version"`
	Recipe        Ref           `json:"recipe"`
	Signals       SignalContext `json:"signals"`
	Matched       []string      `json:"matched_signals"`         // those that the recipe names
	Types         []string      `json:"matched_types,omitempty"` // of cards, that it names
	Rejected      []Candidate   `json:"rejected"`                // best first, at most [MaxRejected]
	Renderers     []Decision    `json:"renderers"`               // in the order of the document, at most [MaxDecisions]
	Unlisted      int           `json:"renderers_unlisted,omitempty"`
	Summary       string        `json:"summary"`
	Epoch         uint64        `json:"epoch"`
}

// The bounds of a [Plan].
const (
	MaxRejected  = 10
	MaxDecisions = 4096
)

// A Ref names a recipe.
type Ref struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

func compareRefs(a, b Ref) int {
	return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.Version, b.Version))
}

// A Candidate is a recipe that was not taken.
type Candidate struct {
	Recipe  Ref      `json:"recipe"`
	Reason  string   `json:"reason"`            // for people
	Missing []string `json:"missing,omitempty"` // the signals, or else the types, that are not there; in ascending order
}

// Plan plans. It is a function of in, in whatever order the lists in it come.
func (p *Planner) Plan(in Input) Plan {
	f := finding{
		p:       p,
		signals: p.names.in(in.Signals.Text, in.Signals.Tools, in.Signals.Provenance),
		types:   make(set, p.types.words()),
		surface: in.Surface,
	}
	r := resolution{in: in, types: &f, generic: map[doc.ID]bool{}}
	for _, name := range in.Cards {
		f.carries(name)
	}
	for _, id := range in.Generic {
		r.generic[id] = true
	}
	if in.Document != nil {
		r.blocks(in.Document.Blocks, true)
	}
	best := f.match()
	out := Plan{
		SchemaVersion: SchemaVersion,
		Recipe:        p.recipes[best].Ref,
		Signals: SignalContext{
			Text:       sorted(slices.Clone(in.Signals.Text)),
			Tools:      sorted(slices.Clone(in.Signals.Tools)),
			Provenance: sorted(slices.Clone(in.Signals.Provenance)),
		},
		Matched:   sorted(p.append(nil, p.recipes[best].signals)),
		Types:     p.typesOf(best),
		Rejected:  f.rejected(best),
		Renderers: r.decisions,
		Unlisted:  r.unlisted,
		Summary:   r.summary(),
		Epoch:     in.Epoch,
	}
	if out.Renderers == nil {
		out.Renderers = []Decision{}
	}
	return out
}

// Intended is the best recipe but [Basic] by signals alone, whatever cards there are
// and for whatever surface, with its primary types. It reports false where there is
// none. The caller owns the types.
func (p *Planner) Intended(s SignalContext) (recipe Ref, types []string, ok bool) {
	signals := p.names.in(s.Text, s.Tools, s.Provenance)
	best := len(p.recipes)
	for id := range signals.all() {
		for _, e := range p.first[id] {
			if int(e.recipe) >= best {
				break
			}
			if signals.has(e.second) && signals.hasAll(p.recipes[e.recipe].signals) {
				best = int(e.recipe)
				break
			}
		}
	}
	if best == len(p.recipes) {
		return Ref{}, nil, false
	}
	return p.recipes[best].Ref, p.typesOf(uint32(best)), true
}

// typesOf are the primary types of a recipe, in ascending order.
func (p *Planner) typesOf(recipe uint32) (types []string) {
	for _, t := range p.recipes[recipe].types {
		types = append(types, p.types.of[t])
	}
	slices.Sort(types)
	return types
}
