package core

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/config"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/template"
)

// A Template is one that somebody wrote, whether it is used or not. Of the same id
// there may be several; [Core.Templates] tells which of them answers are put into.
type Template struct {
	ID       string         `json:"id"`
	Revision int            `json:"revision"`
	Origin   TemplateOrigin `json:"origin"`
	Format   string         `json:"format"`
	About    string         `json:"about,omitempty"` // what it is for, of built-in ones

	Active     bool           `json:"active"`               // answers are put into this one where its id is wanted
	Overridden TemplateOrigin `json:"overridden,omitempty"` // where the one is from that takes its place
	Problem    string         `json:"problem,omitempty"`    // why it cannot be used
	Warning    string         `json:"warning,omitempty"`    // what is wrong with it although it is used
	UsedBy     []string       `json:"used_by,omitempty"`    // "target ops", "surface slack", "policy": who wants the id

	Proposed time.Time `json:"proposed,omitzero"` // when, of a proposal
}

// A TemplateOrigin says who wrote a template.
type TemplateOrigin string

// The origins. Of the same id each goes before those above it.
const (
	TemplateBuiltIn  TemplateOrigin = "builtin"
	TemplateProposal TemplateOrigin = "proposal" // of an agent; it has to be activated
	TemplateProject  TemplateOrigin = "project"  // in the output.toml of a trusted project
	TemplateUser     TemplateOrigin = "user"     // in the user's own configuration
)

// maxProposals bounds what agents may propose.
const maxProposals = 64

// maxRevision bounds revisions, so that they are whole numbers everywhere.
const maxRevision = 1 << 31

var templateID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Templates lists all templates that there are, by id, and of an id first the one
// that goes before the others. The caller owns the slice.
func (c *Core) Templates(ctx context.Context) ([]Template, error) {
	set := c.templateSet()
	rows := slices.Clone(set.rows)
	wanted := c.wanted()
	for i := range rows {
		if rows[i].Active {
			rows[i].UsedBy = wanted[rows[i].ID]
		}
	}
	return rows, nil
}

// wanted tells who wants which template.
func (c *Core) wanted() map[string][]string {
	now := c.configured.Load()
	out := map[string][]string{}
	add := func(id, who string) {
		if id != "" && id != config.NoTemplate {
			out[id] = append(out[id], who)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now.targets)) {
		add(now.templateFor(now.targets[name].Surface, now.targets[name]), "target "+name)
	}
	for _, id := range slices.Sorted(maps.Keys(now.file.Surfaces)) {
		add(now.file.Surfaces[id].Template, "surface "+id)
	}
	add(now.file.Policy.Template, "policy")
	return out
}

// ProposeTemplate keeps a template that nothing is put into before somebody has
// activated it. It is for agents: what they write is compiled, bounded, and shown
// to a person first. The revision has to be higher than that of every earlier
// proposal of the id; 0 is the next one. A proposal takes the place of those of
// its id that were not activated. Errors are of kind ErrTemplate, ErrConflict,
// ErrReadOnly or ErrHome.
func (c *Core) ProposeTemplate(ctx context.Context, id string, revision int, format string) (Template, error) {
	if !templateID.MatchString(id) || id == config.NoTemplate {
		return Template{}, &Error{Kind: ErrTemplate, What: fmt.Sprintf("a template cannot have the id %.80q", id), Mend: "use a letter or digit, then up to 63 of A-Z, a-z, 0-9, '.', '_' and '-'"}
	}
	if revision < 0 || revision > maxRevision {
		return Template{}, &Error{Kind: ErrTemplate, What: fmt.Sprintf("a template cannot have revision %d", revision), Mend: "use 1 or more"}
	}
	if _, err := template.Compile(id, revision, format); err != nil {
		return Template{}, &Error{Kind: ErrTemplate, What: "the template " + id + " cannot be used: " + err.Error()}
	}
	return c.changeTemplates(ctx, id, func(k *keptTemplates) (int, error) {
		seen := k.seen(id, ownerAgent)
		switch {
		case revision == 0:
			revision = seen.Revision + 1
		case revision <= seen.Revision:
			return 0, &Error{Kind: ErrConflict, What: fmt.Sprintf("template %s was proposed with revision %d already", id, seen.Revision), Mend: fmt.Sprintf("use %d or more", seen.Revision+1)}
		}
		k.proposals = slices.DeleteFunc(k.proposals, func(p proposal) bool { return p.ID == id && !p.Active })
		if len(k.proposals) >= maxProposals {
			return 0, &Error{Kind: ErrTemplate, What: fmt.Sprintf("there are %d proposals already", maxProposals), Mend: "reject or deactivate some, see \"vak template list\""}
		}
		k.proposals = append(k.proposals, proposal{ID: id, Revision: revision, Format: format, Proposed: time.Now().UTC().Truncate(time.Second)})
		k.see(id, ownerAgent, revision, digestOf(format))
		return revision, nil
	})
}

// ActivateTemplate has answers put into a proposal from now on, wherever its id is
// wanted and no project or user has a template of that id. The revision says which
// one was read, so that no other is activated. Errors are of kind ErrNotFound,
// ErrConflict, ErrReadOnly or ErrHome.
func (c *Core) ActivateTemplate(ctx context.Context, id string, revision int) (Template, error) {
	return c.changeTemplates(ctx, id, func(k *keptTemplates) (int, error) {
		if _, err := k.proposal(id, revision); err != nil {
			return 0, err
		}
		for i := range k.proposals {
			if p := &k.proposals[i]; p.ID == id {
				p.Active = p.Revision == revision
			}
		}
		return revision, nil
	})
}

// DeactivateTemplate has answers put into a proposal no longer. It stays one.
// Errors are of kind ErrNotFound, ErrReadOnly or ErrHome.
func (c *Core) DeactivateTemplate(ctx context.Context, id string) (Template, error) {
	return c.changeTemplates(ctx, id, func(k *keptTemplates) (int, error) {
		for i := range k.proposals {
			if p := &k.proposals[i]; p.ID == id && p.Active {
				p.Active = false
				return p.Revision, nil
			}
		}
		return 0, &Error{Kind: ErrNotFound, What: fmt.Sprintf("no proposal %.80q is active", id), Mend: "\"vak template list\" shows them"}
	})
}

// RejectTemplate throws a proposal away that is not active. Errors are of kind
// ErrNotFound, ErrConflict, ErrReadOnly or ErrHome.
func (c *Core) RejectTemplate(ctx context.Context, id string, revision int) error {
	_, err := c.changeTemplates(ctx, id, func(k *keptTemplates) (int, error) {
		p, err := k.proposal(id, revision)
		if err != nil {
			return 0, err
		}
		if p.Active {
			return 0, &Error{Kind: ErrConflict, What: fmt.Sprintf("revision %d of template %s is active", revision, id), Mend: "deactivate it first"}
		}
		k.proposals = slices.DeleteFunc(k.proposals, func(p proposal) bool { return p.ID == id && p.Revision == revision })
		return 0, nil
	})
	return err
}

// changeTemplates does one change to what is kept of templates, and tells what the
// proposal is then whose revision do returns.
func (c *Core) changeTemplates(ctx context.Context, id string, do func(*keptTemplates) (int, error)) (Template, error) {
	if c.hold == nil {
		return Template{}, errReadOnly()
	}
	row, err := c.changeKept(id, do)
	if err != nil {
		return Template{}, err
	}
	return row, c.reconcile(ctx, true)
}

// changeKept is changeTemplates for the file.
func (c *Core) changeKept(id string, do func(*keptTemplates) (int, error)) (Template, error) {
	t := &c.templates
	t.mu.Lock()
	defer t.mu.Unlock()
	c.keptLocked()
	if t.kept.newer {
		return Template{}, &Error{Kind: ErrHome, What: "the file " + c.templatesPath() + " is of a newer vak", Mend: "use that one"}
	}
	next := t.kept.clone()
	revision, err := do(next)
	if err != nil {
		return Template{}, err
	}
	if err := next.write(c.templatesPath()); err != nil {
		return Template{}, &Error{Kind: ErrHome, What: "cannot keep the template: the file " + c.templatesPath() + " cannot be written", Mend: "check the space and the permissions of the home", Err: err}
	}
	t.kept = next
	for _, row := range c.resolveTemplates().rows {
		if row.ID == id && row.Origin == TemplateProposal && row.Revision == revision {
			return row, nil
		}
	}
	return Template{}, nil
}

// templateSet is what the templates come to with the configuration as it is now.
func (c *Core) templateSet() *templateSet {
	t := &c.templates
	if s := t.set.Load(); s != nil && s.conf == c.configured.Load() {
		return s
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c.keptLocked()
	return c.resolveTemplates()
}

// A templateSet is all templates, and by id the one that is used. It is immutable.
type templateSet struct {
	conf     *configured
	rows     []Template
	used     map[string]usable
	warnings []string
}

// usable is what there is of an id.
type usable struct {
	compiled *template.Template // nil: none can be used
	why      string             // of that
}

// resolveTemplates finds out which templates there are, and remembers the revisions
// of those in files. The caller holds the lock.
func (c *Core) resolveTemplates() *templateSet {
	t := &c.templates
	now := c.configured.Load()
	s := &templateSet{conf: now, used: map[string]usable{}}
	if t.kept.said != "" {
		s.warnings = append(s.warnings, t.kept.said)
	}
	kept := t.kept.clone()
	changed := false
	for _, id := range slices.Sorted(maps.Keys(now.file.Templates)) {
		of := now.file.Templates[id]
		row := Template{ID: id, Revision: of.Revision, Origin: TemplateUser, Format: of.Format}
		owner := ownerUser
		if of.Project {
			row.Origin, owner = TemplateProject, ownerProject+now.file.Problem([]string{"templates", id}, "", "").File
		}
		digest := digestOf(of.Format)
		switch seen := kept.seen(id, owner); {
		case row.Revision < seen.Revision:
			row.Problem = fmt.Sprintf("revision %d is lower than %d, which was used before; raise the revision", row.Revision, seen.Revision)
		case row.Revision == seen.Revision && seen.SHA256 != digest:
			row.Warning = fmt.Sprintf("the format has changed and the revision is still %d; raise the revision", row.Revision)
		case row.Revision > seen.Revision:
			kept.see(id, owner, row.Revision, digest)
			changed = true
		}
		s.add(row)
		if what := cmp.Or(s.used[id].why, row.Warning); what != "" {
			s.warnings = append(s.warnings, now.file.Problem([]string{"templates", id}, what, "").Error())
		}
	}
	for _, p := range slices.Backward(kept.proposals) {
		s.add(Template{ID: p.ID, Revision: p.Revision, Origin: TemplateProposal, Format: p.Format, Proposed: p.Proposed, Active: p.Active})
	}
	for _, b := range template.BuiltIn {
		s.add(Template{ID: b.ID, Revision: b.Revision, Origin: TemplateBuiltIn, Format: b.Text, About: b.About})
	}
	slices.SortStableFunc(s.rows, func(a, b Template) int { return strings.Compare(a.ID, b.ID) })
	s.warnings = append(s.warnings, c.choices(now, s)...)
	if changed && c.hold != nil && !kept.newer {
		if err := kept.write(c.templatesPath()); err != nil {
			c.log.Error("the revisions of templates cannot be kept", "cause", err)
		} else {
			t.kept = kept
		}
	}
	if old := t.set.Load(); old == nil || !slices.Equal(old.warnings, s.warnings) {
		for _, w := range s.warnings {
			c.log.Warn("a template is not as it should be", "cause", w)
		}
	}
	t.set.Store(s)
	return s
}

// add takes in one template, behind those that go before it. A proposal says by
// Active whether it was activated.
func (s *templateSet) add(row Template) {
	compiled, err := template.Compile(row.ID, row.Revision, row.Format)
	if err != nil {
		row.Problem = cmp.Or(row.Problem, err.Error())
	}
	candidate := row.Origin != TemplateProposal || row.Active
	row.Active = false
	if candidate {
		if _, taken := s.used[row.ID]; taken {
			row.Overridden = s.first(row.ID)
		} else if row.Problem != "" {
			s.used[row.ID] = usable{why: row.Problem}
		} else {
			s.used[row.ID], row.Active = usable{compiled: compiled}, true
		}
	}
	s.rows = append(s.rows, row)
}

// first is where the template is from that an id stands for.
func (s *templateSet) first(id string) TemplateOrigin {
	for _, row := range s.rows {
		if row.ID == id && (row.Active || row.Problem != "" && row.Overridden == "") {
			return row.Origin
		}
	}
	return ""
}

// format is that of the template which an id stands for.
func (s *templateSet) format(id string) string {
	for _, row := range s.rows {
		if row.ID == id && row.Active {
			return row.Format
		}
	}
	return ""
}

// choices tells which of the configuration's choices of a template mean nothing.
func (c *Core) choices(now *configured, s *templateSet) []string {
	var out []string
	look := func(id string, path ...string) {
		if id == "" || id == config.NoTemplate {
			return
		}
		if _, known := s.used[id]; known {
			return
		}
		what, mend := fmt.Sprintf("there is no template %q", id), "\"vak template list\" shows them"
		for _, row := range s.rows {
			if row.ID == id {
				what, mend = fmt.Sprintf("template %q is a proposal that is not active", id), "\"vak template activate "+id+"\", once you have read it"
			}
		}
		out = append(out, now.file.Problem(append(path, "template"), what, mend).Error())
	}
	look(now.file.Policy.Template, "policy")
	for _, id := range slices.Sorted(maps.Keys(now.file.Surfaces)) {
		look(now.file.Surfaces[id].Template, "surfaces", id)
	}
	for _, name := range slices.Sorted(maps.Keys(now.file.Targets)) {
		look(now.file.Targets[name].Policy.Template, "targets", name)
	}
	return out
}

// templateWarnings is what is wrong with templates and with the choice of them,
// one line each. None of it keeps an answer from going out.
func (c *Core) templateWarnings() []string { return slices.Clone(c.templateSet().warnings) }
