package host

import (
	"context"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// A Pack is one skill pack that was found, usable or not.
type Pack struct {
	Info   skill.Info // of a broken one the id at least: the folder's name if nothing better is known
	Path   string     // of the binary; empty for some broken ones
	SHA256 string     // of the binary, as the manifest says
	Dir    string     // the plugin's folder
	Err    error      // why it is broken, an *Error; else nil

	Key      Key    // that it is called by
	Manifest []byte // the bytes of its manifest
}

// Packs lists the skill packs that were found, sorted by id, with broken ones
// behind the one that is used. The caller owns the slice. It starts nothing.
func (h *Host) Packs() []Pack {
	var out []Pack
	for _, s := range h.listing() {
		b := s.bundle()
		if b.Kind != hostapi.KindSkill {
			continue
		}
		p := Pack{Info: b.Pack, Path: b.Path, SHA256: b.SHA256, Dir: b.Dir, Key: s.key, Manifest: b.Manifest}
		p.Info.ID, p.Info.Version = b.Info.ID, b.Info.Version
		if e := s.why(); e != nil { // a nil *Error is no nil error
			p.Err = e
		}
		out = append(out, p)
	}
	return out
}

// Lower has a pack make the tree of a card. It has the time, the second attempt and
// the errors of [Host.Render]. A tree that is none of the host's primitives is of
// the kind Contract.
func (h *Host) Lower(ctx context.Context, pack Key, in skill.Input) (card.Tree, error) {
	var t card.Tree
	err := h.askPack(ctx, pack, call{"lower", "while it lowered a card", func(ctx context.Context, c *hostapi.Client) (err error) {
		t, err = c.Lower(ctx, in)
		return err
	}})
	if err != nil {
		return card.Tree{}, err
	}
	return t, nil
}

// CheckCard has a pack say what is wrong with a payload, by paths from it; nothing:
// it is fine. Otherwise it is like Lower.
func (h *Host) CheckCard(ctx context.Context, pack Key, in skill.Input) ([]*card.ProblemError, error) {
	var found []*card.ProblemError
	err := h.askPack(ctx, pack, call{"check_card", "while it checked a card", func(ctx context.Context, c *hostapi.Client) (err error) {
		found, err = c.CheckCard(ctx, in)
		return err
	}})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func (h *Host) askPack(ctx context.Context, k Key, c call) error {
	s, e := h.at(c.op, hostapi.KindSkill, k)
	if e != nil {
		return e
	}
	if _, err := h.call(ctx, s, c); err != nil {
		return err
	}
	return nil
}
