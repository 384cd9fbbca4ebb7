package core

import (
	"context"

	"github.com/seed-1ae66336/vak/core/internal/control"
)

func apiTemplate(t Template) control.Template {
	return control.Template{
		ID: t.ID, Revision: t.Revision, Origin: string(t.Origin), Format: t.Format, About: t.About,
		Active: t.Active, Overridden: string(t.Overridden), Problem: t.Problem, Warning: t.Warning, UsedBy: t.UsedBy, Proposed: t.Proposed,
	}
}

// Templates implements [control.Backend].
func (b backend) Templates(ctx context.Context) ([]control.Template, error) {
	all, err := b.core.Templates(ctx)
	out := make([]control.Template, len(all))
	for i, t := range all {
		out[i] = apiTemplate(t)
	}
	return out, apiError(err)
}

// Propose implements [control.Backend].
func (b backend) Propose(ctx context.Context, p control.TemplateProposal) (control.Template, error) {
	t, err := b.core.ProposeTemplate(ctx, p.ID, p.Revision, p.Format)
	return apiTemplate(t), apiError(err)
}

// ActOnTemplate implements [control.Backend].
func (b backend) ActOnTemplate(ctx context.Context, do control.TemplateAction, id string, revision int) (control.Template, error) {
	var t Template
	var err error
	switch do {
	case control.Activate:
		t, err = b.core.ActivateTemplate(ctx, id, revision)
	case control.Deactivate:
		t, err = b.core.DeactivateTemplate(ctx, id)
	default:
		t = Template{ID: id, Revision: revision, Origin: TemplateProposal}
		err = b.core.RejectTemplate(ctx, id, revision)
	}
	return apiTemplate(t), apiError(err)
}
