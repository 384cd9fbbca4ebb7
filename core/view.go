package core

import (
	"github.com/seed-1ae66336/vak/core/internal/builtin"
	"github.com/seed-1ae66336/vak/core/internal/escape"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/template"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A view is the document of an answer as one target shows it, in the template that
// the target wants. A template that cannot be used costs a diagnostic and nothing
// else.
type view struct {
	doc      *doc.Document
	template *packet.Template // nil: none was used
	said     []doc.Diagnostic
	notes    []surface.Note // of what is not there
	generic  []doc.ID       // cards that no skill could lower
}

// A choice is a template that is used whatever targets want.
type choice struct{ compiled *template.Template } // nil: none

// WithTemplate is the answer in a template of which the format is given, whatever
// its targets want; an empty format is no template. It is for trying one. The error
// is of kind ErrTemplate and says where the format is wrong.
func (a *Answer) WithTemplate(id string, revision int, format string) (*Answer, error) {
	out := *a
	out.of, out.choice = a, &choice{}
	if format == "" {
		return &out, nil
	}
	t, err := template.Compile(id, revision, format)
	if err != nil {
		return nil, &Error{Kind: ErrTemplate, What: "the template " + id + " cannot be used: " + err.Error()}
	}
	out.choice.compiled = t
	return &out, nil
}

// CheckTemplate says what is wrong with a format: an error of kind ErrTemplate with
// line, column and what to do, or nil.
func CheckTemplate(format string) error {
	if _, err := template.Compile("", 0, format); err != nil {
		return &Error{Kind: ErrTemplate, What: err.Error()}
	}
	return nil
}

// templated reports whether answers of a kind are put into templates. Kinds with
// content of their own have their own form.
func templated(k surface.Kind) bool {
	return k == surface.Assistant || k == surface.TaskSummary || k == surface.User
}

// viewFor is the answer as t shows it.
func (a *Answer) viewFor(t surface.Target) view {
	v := view{doc: a.documentFor(t.Surface)}
	if !templated(a.kind) {
		return v
	}
	chosen, said := a.templateFor(t)
	v.said = said
	if chosen == nil {
		return v
	}
	d, err := contain("template", func() (*doc.Document, error) { return chosen.Apply(v.doc, a.valuesFor(t.Surface)), nil })
	if err != nil {
		a.core.log.Error("a template failed", "template", chosen.ID, "cause", cause(err), "stack", stack(err))
		v.said = append(v.said, templateFailed(chosen.ID, cause(err)))
		return v
	}
	if d != v.doc {
		v.doc, v.template = d, &packet.Template{ID: chosen.ID, Revision: chosen.Revision}
	}
	return v
}

// templateFor is the template for what goes to t, nil for none, and what is to be
// said where the one that it wants cannot be used.
func (a *Answer) templateFor(t surface.Target) (*template.Template, []doc.Diagnostic) {
	if a.choice != nil {
		return a.choice.compiled, nil
	}
	id := a.at.lookOf(t).template
	if id == "" {
		return nil, nil
	}
	u, known := a.at.templates[id]
	switch {
	case !known:
		return nil, []doc.Diagnostic{{Code: "template_missing", Severity: doc.Warning, Message: "There is no active template " + id + "; the answer goes without one."}}
	case u.compiled == nil:
		return nil, []doc.Diagnostic{templateFailed(id, u.why)}
	}
	return u.compiled, nil
}

func templateFailed(id, why string) doc.Diagnostic {
	return doc.Diagnostic{Code: "template_failed", Severity: doc.Error, Message: "The answer goes without template " + id + ": " + why + "."}
}

// valuesFor is what the slots are filled with. The log shows what it would obey.
func (a *Answer) valuesFor(id string) template.Values {
	v := template.Values{Title: a.metadata["title"], Metadata: a.metadata}
	if id != builtin.LogID {
		return v
	}
	v.Title = escape.Runes(v.Title, obeyed)
	v.Metadata = make(map[string]string, len(a.metadata))
	for key, value := range a.metadata {
		v.Metadata[key] = escape.Runes(value, obeyed)
	}
	return v
}
