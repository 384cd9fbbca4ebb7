package core

import (
	"context"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/lower"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A shelved is an answer that nobody wants delivered, but which may hold cards of
// skill packs.
type shelved struct {
	session *Session
	entry   ledger.EntryID
	turn    ledger.TurnID
	at      *snapshot // pinned
	kind    surface.Kind
	message *ledger.Message
}

// maxShelved is the number of answers that wait for their cards to be lowered.
const maxShelved = 1000

// shelve has the cards of an answer that is delivered nowhere lowered, so that it can
// be shown later without the packs of today. It waits for nobody.
func (c *Core) shelve(s shelved) {
	if !templated(s.kind) || !s.at.know.hasPacks() || !s.at.pin() {
		return
	}
	select {
	case c.shelf <- s:
	default:
		s.at.unpin()
		c.log.Warn("too many answers wait for their cards to be lowered; these will need their skill packs", "entry", s.entry.String())
	}
}

// lowerShelved lowers what was shelved, until ctx ends.
func (c *Core) lowerShelved(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-c.shelf:
			if err := c.lowerOne(ctx, s); err != nil && ctx.Err() == nil {
				c.log.Error("what skill packs made of an answer cannot be kept", "entry", s.entry.String(), "cause", err)
			}
			s.at.unpin()
		}
	}
}

func (c *Core) lowerOne(ctx context.Context, s shelved) error {
	a, err := desk{c}.prepare(ctx, s.session, s.at, s.entry, s.turn, s.kind, func() (*ledger.Message, error) { return s.message, nil })
	if err != nil {
		return err
	}
	lower.Cards(a.doc, func(b *doc.Structured) *lower.Face {
		a.deck.face(ctx, b)
		return nil // nothing is shown
	}, lower.Options{})
	p := &ledger.Presentation{Entry: s.entry, Epoch: s.at.Number}
	made := a.deck.trees(p)
	if len(p.Trees) == 0 || ctx.Err() != nil {
		return nil
	}
	if err := s.session.keep(ctx, s.turn, p); err != nil {
		return err
	}
	a.deck.kept(made)
	return nil
}
