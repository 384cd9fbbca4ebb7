package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/go-hclog"
)

func (k *kept) Templates(context.Context) ([]Template, error) {
	k.lock.Lock()
	defer k.lock.Unlock()
	return slices.Clone(k.templates), nil
}

func (k *kept) Propose(_ context.Context, p TemplateProposal) (Template, error) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if p.Format == "" {
		return Template{}, &Error{Kind: Invalid, What: "it is empty"}
	}
	t := Template{ID: p.ID, Revision: p.Revision, Format: p.Format, Origin: "proposal"}
	k.templates = append(k.templates, t)
	return t, nil
}

func (k *kept) ActOnTemplate(_ context.Context, do TemplateAction, id string, revision int) (Template, error) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.acted = append(k.acted, fmt.Sprintf("%s %s %d", do, id, revision))
	return Template{ID: id, Revision: revision, Active: do == Activate}, nil
}

func TestTemplates(t *testing.T) {
	f := &fake{}
	c := Local(Handler(f, hclog.NewNullLogger()))
	if all, err := c.Templates(t.Context()); err != nil || all == nil || len(all) != 0 {
		t.Errorf("none: %v, %v", all, err)
	}
	if p, err := c.Propose(t.Context(), TemplateProposal{ID: "a.b", Revision: 3, Format: "<{body}>"}); err != nil || p.Format != "<{body}>" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := c.Propose(t.Context(), TemplateProposal{ID: "x"}); !errors.Is(err, Invalid) {
		t.Errorf("%v", err)
	}
	if one, err := c.Template(t.Context(), "a.b"); err != nil || len(one) != 1 || one[0].Revision != 3 {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := c.Template(t.Context(), ".."); !errors.Is(err, NotFound) || err.Error() != `there is no template ".."; known are a.b` {
		t.Errorf("%v", err)
	}
	for _, do := range TemplateActions {
		if got, err := c.ActOnTemplate(t.Context(), do, "a.b", 3); err != nil || got.ID != "a.b" || got.Active != (do == Activate) {
			t.Errorf("%s: %+v, %v", do, got, err)
		}
	}
	for _, do := range []TemplateAction{Activate, Reject} {
		if _, err := c.ActOnTemplate(t.Context(), do, "a.b", 0); !errors.Is(err, Invalid) {
			t.Errorf("%s without a revision: %v", do, err)
		}
	}
	if !slices.Equal(f.acted, []string{"activate a.b 3", "deactivate a.b 0", "reject a.b 3"}) {
		t.Errorf("%q", f.acted)
	}
}
