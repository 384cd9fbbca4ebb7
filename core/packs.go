package core

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/catalog"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// A knowledge is what is known of cards and of recipes: what is built in, and the
// skill packs that were found. It is immutable; an answer keeps the one that it was
// prepared with. It is made when an answer first needs it.
type knowledge struct {
	key  string            // of the packs that it was made of
	made func() *knowledge // nil: there are no packs

	cards   *catalog.Catalog
	plans   *plan.Planner
	without map[string]error // why a pack is not part of it, by its folder
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

// refused are the packs that are not used though they could run, by their folder.
func (k *knowledge) refused() map[string]error {
	if k.made == nil {
		return nil
	}
	return k.made().without
}

// open reads a card out of a text.
func (k *knowledge) open(envelope []byte) (card.Output, error) { return k.catalog().Open(envelope) }

// knows is what is known now.
func (c *Core) knows() *knowledge { return c.known.Load() }

// learn takes in the packs that the host has found, if they are others than before.
func (c *Core) learn() {
	var usable []host.Pack
	var key strings.Builder
	for _, p := range c.host.Packs() { // by id
		if p.Err == nil {
			usable = append(usable, p)
			key.WriteString(p.Dir + "\x00" + p.Info.ID + "\x00" + p.Info.Version + "\x00" + p.SHA256 + "\x00")
		}
	}
	if old := c.known.Load(); old != nil && old.key == key.String() {
		return
	}
	k := &knowledge{key: key.String()}
	if len(usable) > 0 {
		k.made = sync.OnceValue(func() *knowledge { return c.study(usable) })
	}
	c.known.Store(k)
}

// study adds packs to what is built in, one by one: one that cannot be added costs
// the others nothing.
func (c *Core) study(packs []host.Pack) *knowledge {
	k := &knowledge{cards: builtinCatalog(), plans: builtinPlanner(), without: map[string]error{}}
	for _, p := range packs {
		more, err := k.cards.With(c.remote(p.Info))
		plans := k.plans
		if err == nil && len(p.Info.Recipes)+len(p.Info.Signals) > 0 {
			plans, err = plan.New(plan.Config{Recipes: more.Recipes(), Signals: more.Signals()})
		}
		if err != nil {
			k.without[p.Dir] = err
			c.log.Warn("skill pack is not used", "plugin", p.Info.ID, "version", p.Info.Version, "dir", p.Dir, "reason", err.Error())
			continue
		}
		k.cards, k.plans = more, plans
	}
	return k
}

// remote is a pack whose functions are calls of its process.
func (c *Core) remote(i skill.Info) skill.Pack {
	p := skill.Pack{ID: i.ID, Version: i.Version, Recipes: i.Recipes, Signals: i.Signals}
	for _, t := range i.Types {
		own := skill.Type{Name: t.Name, Schema: t.Schema, Example: t.Example, Lower: func(ctx context.Context, in skill.Input) (card.Tree, error) {
			return c.host.Lower(ctx, i.ID, in)
		}}
		if t.Checks {
			own.Check = func(ctx context.Context, in skill.Input) error { return c.checkCard(ctx, i.ID, in) }
		}
		p.Types = append(p.Types, own)
	}
	return p
}

// checkCard has a pack check a card that its schema takes. A pack that fails has
// found nothing: that is no fault of the card, and is told where it is lowered.
func (c *Core) checkCard(ctx context.Context, pack string, in skill.Input) error {
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
