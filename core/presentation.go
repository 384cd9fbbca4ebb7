package core

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/card"
)

// maxTrees bounds the trees that one record holds, in bytes. What has no room is
// named by its hash alone, and is lowered anew by whoever needs it.
const maxTrees = 4 << 20

// present writes down how a job was rendered, and what skill packs made of its
// cards, so that nobody needs them to show it again. Nothing waits for it. A record
// that cannot be written, or that a crash comes before, costs that and nothing else.
func (c *Core) present(ctx context.Context, s *outbox.Submission, a *Answer, out shown) {
	p := presentationOf(a, out)
	p.Entry, p.Target, p.Job = s.Source, s.Target.String(), s.Job
	p.ProfileDigest = a.at.lookOf(s.Target).digest
	made := a.deck.trees(p)
	session, err := c.Session(ctx, s.Source.Session)
	if err == nil {
		err = session.keep(ctx, s.Turn, p)
	}
	if err != nil {
		c.log.Error("how a job was rendered cannot be kept", "job", s.Job, "cause", err)
		return
	}
	a.deck.kept(made)
}

// presentationOf is a plan as a ledger keeps it: what shows each block is a list of
// the record's own.
func presentationOf(a *Answer, out shown) *ledger.Presentation {
	p := &ledger.Presentation{Epoch: a.at.Number}
	if t := out.template; t != nil {
		p.TemplateRevision = t.ID + "@" + strconv.Itoa(t.Revision)
	}
	how := out.plan
	for _, d := range how.Renderers[:min(len(how.Renderers), mostKept)] {
		kind, _ := json.Marshal(d.Kind)
		why, _ := json.Marshal(d.Why)
		p.Renderers = append(p.Renderers, ledger.BlockRenderer{Block: d.Block, Renderer: d.Renderer, Extra: ledger.Extra{{Name: "kind", Value: kind}, {Name: "why", Value: why}}})
	}
	how.Unlisted += len(how.Renderers) - len(p.Renderers)
	how.Renderers = []plan.Decision{}
	p.Plan, _ = json.Marshal(how) // texts and numbers
	return p
}

// whyOf is what a record says of one target.
func whyOf(p *ledger.Presentation) Why {
	w := newWhy(p.Plan)
	w.Target, w.Job, w.Entry = p.Target, p.Job, p.Entry.String()
	w.Renderers = make([]BlockRenderer, 0, len(p.Renderers))
	for _, r := range p.Renderers {
		b := BlockRenderer{Block: r.Block, Renderer: r.Renderer}
		for _, m := range r.Extra {
			switch m.Name {
			case "kind":
				json.Unmarshal(m.Value, (*string)(&b.Kind))
			case "why":
				json.Unmarshal(m.Value, &b.Why)
			}
		}
		w.Renderers = append(w.Renderers, b)
	}
	return w
}

// presentations are the records of how an entry was shown, in their order.
func (s *Session) presentations(ctx context.Context, entry ledger.EntryID) ([]*ledger.Presentation, error) {
	var out []*ledger.Presentation
	for b, err := range s.core.store.Read(ctx, s.id, entry.Seq+1) {
		if err != nil {
			return nil, storeError(err)
		}
		if !bytes.Contains(b, []byte(`"kind":"presentation"`)) {
			continue
		}
		r, err := ledger.Parse(b)
		if err != nil {
			continue // of whatever: the answer itself can be read
		}
		if p, ok := r.Body.(*ledger.Presentation); ok && p.Entry == entry {
			out = append(out, p)
		}
	}
	return out, nil
}

// A madeTree is what a skill pack made of a card, as a ledger keeps it.
type madeTree struct {
	card ledger.Hash // of the envelope
	tree []byte
}

// builtinSkill is the id of the skill that is a part of vak.
const builtinSkill = "core"

// newMade is nil for a tree of a built-in skill, which needs nobody to be made again.
func newMade(o card.Output, skill string, t card.Tree) *madeTree {
	if skill == builtinSkill {
		return nil
	}
	envelope, err := card.AppendOutput(nil, o)
	if err != nil {
		return nil
	}
	b, err := t.Append(nil)
	if err != nil {
		return nil
	}
	return &madeTree{ledger.HashOf(envelope), b}
}

// trees adds to a record what packs have made of the cards of k, and returns what
// the record holds whole.
func (k *deck) trees(p *ledger.Presentation) (whole []ledger.Hash) {
	k.mu.Lock()
	defer k.mu.Unlock()
	room := maxTrees
	for _, f := range k.faces {
		if f.made == nil {
			continue
		}
		t := ledger.Tree{Card: f.made.card, SHA256: ledger.HashOf(f.made.tree)}
		if !k.inLedger[t.Card] && len(f.made.tree) <= room {
			t.Tree = f.made.tree
			room -= len(f.made.tree)
			whole = append(whole, t.Card)
		}
		p.Trees = append(p.Trees, t)
	}
	slices.SortFunc(p.Trees, func(a, b ledger.Tree) int { return bytes.Compare(a.Card[:], b.Card[:]) })
	return whole
}

// kept says that a ledger holds the trees of cards.
func (k *deck) kept(made []ledger.Hash) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.inLedger == nil {
		k.inLedger = map[ledger.Hash]bool{}
	}
	for _, h := range made {
		k.inLedger[h] = true
	}
}

// recall has the cards of k look as a ledger says they did, so that no pack is
// asked for it.
func (k *deck) recall(shown []*ledger.Presentation) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range shown {
		for _, t := range p.Trees {
			if len(t.Tree) == 0 || t.Card.IsZero() || ledger.HashOf(t.Tree) != t.SHA256 {
				continue
			}
			if tree, err := card.ParseTree(t.Tree); err == nil {
				if k.recalled == nil {
					k.recalled = map[ledger.Hash]card.Tree{}
				}
				k.recalled[t.Card] = tree
			}
		}
	}
}

// before is the tree of a card that a ledger holds. The caller holds k.mu.
func (k *deck) before(o card.Output) (card.Tree, bool) {
	if len(k.recalled) == 0 {
		return card.Tree{}, false
	}
	envelope, err := card.AppendOutput(nil, o)
	if err != nil {
		return card.Tree{}, false
	}
	t, ok := k.recalled[ledger.HashOf(envelope)]
	return t, ok
}
