package control

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// A Template is one that somebody wrote, whether it is used or not.
type Template struct {
	ID       string `json:"id"`
	Revision int    `json:"revision"`
	Origin   string `json:"origin"` // builtin, proposal, project or user
	Format   string `json:"format"`
	About    string `json:"about,omitempty"`

	Active     bool     `json:"active"`               // answers are put into this one where its id is wanted
	Overridden string   `json:"overridden,omitempty"` // origin of the one that takes its place
	Problem    string   `json:"problem,omitempty"`    // why it cannot be used
	Warning    string   `json:"warning,omitempty"`    // what is wrong with it although it is used
	UsedBy     []string `json:"used_by,omitempty"`    // who wants the id

	Proposed time.Time `json:"proposed,omitzero"` // of a proposal
}

// A TemplateProposal asks for a template to be kept until it is activated.
type TemplateProposal struct {
	ID       string `json:"id"`
	Revision int    `json:"revision,omitempty"` // 0: the next one
	Format   string `json:"format"`
}

// A TemplateAction is what can be done to a proposal.
type TemplateAction string

// The actions.
const (
	Activate   TemplateAction = "activate"
	Deactivate TemplateAction = "deactivate"
	Reject     TemplateAction = "reject"
)

// TemplateActions are all of them.
var TemplateActions = []TemplateAction{Activate, Deactivate, Reject}

// A templateRevision says which revision somebody has read.
type templateRevision struct {
	Revision int `json:"revision,omitempty"`
}

func (a *api) routeTemplates(mux *http.ServeMux) {
	b := a.backend
	a.route(mux, "/v1/templates", get(func(r *http.Request) (any, error) {
		all, err := b.Templates(r.Context())
		if all == nil {
			all = []Template{}
		}
		return all, err
	}), post(maxBody, func(r *http.Request) (any, error) {
		var p TemplateProposal
		if err := body(r, &p); err != nil {
			return nil, err
		}
		return b.Propose(r.Context(), p)
	}))
	a.route(mux, "/v1/templates/{id}", get(func(r *http.Request) (any, error) {
		return a.templates(r.Context(), r.PathValue("id"))
	}))
	for _, do := range TemplateActions {
		a.route(mux, "/v1/templates/{id}/"+string(do), post(maxBody, func(r *http.Request) (any, error) {
			var of templateRevision
			if do != Deactivate {
				if err := body(r, &of); err != nil {
					return nil, err
				}
				if of.Revision < 1 {
					return nil, &Error{Kind: Invalid, What: "no revision is named", Mend: "name the one that was read"}
				}
			}
			return b.ActOnTemplate(r.Context(), do, r.PathValue("id"), of.Revision)
		}))
	}
}

// templates are those of an id.
func (a *api) templates(ctx context.Context, id string) ([]Template, error) {
	all, err := a.backend.Templates(ctx)
	if err != nil {
		return nil, err
	}
	var out []Template
	var known []string
	for _, t := range all {
		if t.ID == id {
			out = append(out, t)
		}
		if len(known) == 0 || known[len(known)-1] != t.ID {
			known = append(known, t.ID)
		}
	}
	if out == nil {
		return nil, &Error{Kind: NotFound, What: fmt.Sprintf("there is no template %.80q", id), Mend: "known are " + listed(known)}
	}
	return out, nil
}

// Templates lists the templates, by id, and of an id first the one that goes before
// the others.
func (c *Client) Templates(ctx context.Context) (t []Template, err error) {
	return t, c.get(ctx, "/v1/templates", &t)
}

// Template lists the templates of one id.
func (c *Client) Template(ctx context.Context, id string) (t []Template, err error) {
	return t, c.get(ctx, "/v1/templates/"+escape(id), &t)
}

// Propose has a template kept until it is activated.
func (c *Client) Propose(ctx context.Context, p TemplateProposal) (t Template, err error) {
	return t, c.ask(ctx, answerTime, "POST", "/v1/templates", p, &t)
}

// ActOnTemplate does an action to a proposal, and returns what it is then. All but
// Deactivate need the revision that was read.
func (c *Client) ActOnTemplate(ctx context.Context, do TemplateAction, id string, revision int) (t Template, err error) {
	return t, c.ask(ctx, answerTime, "POST", "/v1/templates/"+escape(id)+"/"+string(do), templateRevision{revision}, &t)
}
