package core

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/catalog"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// A knowledge is what is known of cards and of recipes: what is built in, and some
// skill packs. It is immutable, and made when an answer first needs it. Epochs with
// the same packs share one.
type knowledge struct {
	packs []packAt
	made  func() *knowledge // nil: there are no packs

	cards   *catalog.Catalog
	plans   *plan.Planner
	without map[host.Key]error // why a pack is not part of it
}

// A packAt is a skill pack, and the plugin that it is in.
type packAt struct {
	key  host.Key
	info skill.Info
}

func (k *knowledge) catalog() *catalog.Catalog {
	if k.made == nil {
		return builtinCatalog()
	}
	return k.made().cards
}

func (k *knowledge) planner() *plan.Planner {
	if k.made == nil {
		return builtinPlanner()
	}
	return k.made().plans
}

// hasPacks reports whether there are any besides what is built in.
func (k *knowledge) hasPacks() bool { return k.made != nil }

// refused are the packs that are not used though they could run.
func (k *knowledge) refused() map[host.Key]error {
	if k.made == nil {
		return nil
	}
	return k.made().without
}

// open reads a card out of a text.
func (k *knowledge) open(envelope []byte) (card.Output, error) { return k.catalog().Open(envelope) }

// knowledgeOf is what is known with some packs.
func (c *Core) knowledgeOf(packs []packAt) *knowledge {
	if now := c.current.Load(); now != nil && slices.EqualFunc(now.know.packs, packs, func(a, b packAt) bool { return a.key == b.key }) {
		return now.know
	}
	k := &knowledge{packs: packs}
	if len(packs) > 0 {
		k.made = sync.OnceValue(func() *knowledge { return c.study(packs) })
	}
	return k
}

// study adds packs to what is built in: one that cannot be added costs the others
// nothing.
func (c *Core) study(packs []packAt) *knowledge {
	k := &knowledge{packs: packs, without: map[host.Key]error{}}
	all := make([]skill.Pack, len(packs))
	for i, p := range packs {
		all[i] = c.remote(p)
	}
	var before []*catalog.Catalog // whose schemas need not be compiled again
	if last := c.studied.Load(); last != nil {
		before = append(before, last)
	}
	cards, errs := builtinCatalog().WithEach(all, before...)
	for i, err := range errs {
		if err != nil {
			p := packs[i]
			k.without[p.key] = err
			c.log.Warn("skill pack is not used", "plugin", p.info.ID, "version", p.info.Version, "dir", p.key.Dir, "reason", err.Error())
		}
	}
	plans, err := plan.New(plan.Config{Recipes: cards.Recipes(), Signals: cards.Signals()})
	if err != nil { // the catalog takes none of which this can come
		c.log.Error("the recipes of skill packs cannot be used", "cause", err)
		plans = builtinPlanner()
	}
	c.studied.Store(cards)
	k.cards, k.plans = cards, plans
	return k
}

// remote is a pack whose functions are calls of its process.
func (c *Core) remote(at packAt) skill.Pack {
	i := at.info
	p := skill.Pack{ID: i.ID, Version: i.Version, Recipes: i.Recipes, Signals: i.Signals}
	for _, t := range i.Types {
		own := skill.Type{Name: t.Name, Schema: t.Schema, Example: t.Example, Lower: func(ctx context.Context, in skill.Input) (card.Tree, error) {
			return c.host.Lower(ctx, at.key, in)
		}}
		if t.Checks {
			own.Check = func(ctx context.Context, in skill.Input) error { return c.checkCard(ctx, at.key, in) }
		}
		p.Types = append(p.Types, own)
	}
	return p
}

// checkCard has a pack check a card that its schema takes. A pack that fails has
// found nothing: that is no fault of the card, and is told where it is lowered.
func (c *Core) checkCard(ctx context.Context, pack host.Key, in skill.Input) error {
	found, err := c.host.CheckCard(ctx, pack, in)
	if err != nil {
		return nil // the host has logged it
	}
	errs := make([]error, len(found))
	for i, p := range found {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// packCause is what became of a call to a pack, without a word of its author's.
func packCause(e *host.Error) string {
	switch e.Kind {
	case host.Failed:
		return "its code returned an error"
	case host.Panic:
		return "its code panicked"
	}
	return cause(e)
}
