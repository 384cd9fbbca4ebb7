package core

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Why tells why an answer looks as it does on one target.
type Why struct {
	SchemaVersion int `json:"schema_version"` // of what was decided

	Target string `json:"target"`
	Job    string `json:"job,omitempty"`   // of which it is told
	Entry  string `json:"entry,omitempty"` // of the ledger, that holds the answer

	Recipe    Recipe           `json:"recipe"`
	Signals   Signals          `json:"signals"`
	Matched   []string         `json:"matched_signals"`         // those that the recipe names
	Types     []string         `json:"matched_types,omitempty"` // of cards, that it names
	Rejected  []RejectedRecipe `json:"rejected"`                // best first, ten at most
	Renderers []BlockRenderer  `json:"renderers"`               // in the order of the document
	Unlisted  int              `json:"renderers_unlisted,omitempty"`
	Summary   string           `json:"summary"` // markdown:native, one renderer, or mixed
	Epoch     uint64           `json:"epoch"`
	Renderer  packet.Renderer  `json:"renderer"` // what rendered the messages
	Template  *packet.Template `json:"template,omitempty"`
	Said      []doc.Diagnostic `json:"diagnostics,omitempty"`
}

// A Recipe names a recipe.
type Recipe struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// Signals are the facts about an answer that recipes go by, by where they come
// from.
type Signals struct {
	Text       []string `json:"text_signals"` // words, structure and cards
	Tools      []string `json:"tool_signals"`
	Provenance []string `json:"provenance_signals"`
}

// A RejectedRecipe is one that was not taken.
type RejectedRecipe struct {
	Recipe  Recipe   `json:"recipe"`
	Reason  string   `json:"reason"`            // for people
	Missing []string `json:"missing,omitempty"` // the signals, or else the types, that are not there
}

// A BlockRenderer is what shows one block: "telegram:native", "telegram:lowered",
// the id of a skill, or "builtin:generic".
type BlockRenderer struct {
	Block    doc.ID   `json:"block"`
	Kind     doc.Kind `json:"kind"`
	Renderer string   `json:"renderer"`
	Why      string   `json:"why"`
}

// Why renders the answer for one target and tells why it looks so. Errors are those
// of [Answer.Render].
func (a *Answer) Why(ctx context.Context, t surface.Target) (Why, error) {
	if t.Surface == "" {
		return Why{}, &Error{Kind: ErrTarget, What: "a target names no surface", Mend: "set its Surface"}
	}
	out, err := a.show(ctx, t)
	runtime.KeepAlive(a) // as in Render
	if err != nil {
		return Why{}, err
	}
	w := newWhy(kept(out.plan))
	w.Target, w.Entry, w.Renderer, w.Template, w.Said = t.String(), a.entry, out.by, out.template, out.diagnostics
	return w, nil
}

// newWhy reads what plan.Plan writes.
func newWhy(b json.RawMessage) (w Why) {
	if json.Unmarshal(b, &w) != nil || w.Recipe.ID == "" {
		w = Why{SchemaVersion: plan.SchemaVersion, Recipe: Recipe{ID: plan.Basic}}
	}
	return w
}

// WhyEntry tells of a message of a ledger why it looks as it does on some surfaces;
// none: on all that there are. Where it was rendered before, it is told as it was
// decided then, once for each target; else as it would be, in the epoch of its turn.
// Errors are of kind ErrReadOnly, ErrSession, ErrNotFound, ErrDraft,
// ErrUnknownSurface or ErrStore.
func (c *Core) WhyEntry(ctx context.Context, entry ledger.EntryID, surfaces ...string) ([]Why, error) {
	s, err := c.Session(ctx, entry.Session)
	if err != nil {
		return nil, err
	}
	r, err := s.Entry(ctx, entry.Seq)
	if err != nil {
		return nil, err
	}
	m, ok := r.Body.(*ledger.Message)
	if !ok {
		return nil, &Error{Kind: ErrDraft, What: fmt.Sprintf("entry %s is a %s and no message", entry, r.Body.Kind()), Mend: "\"vak ledger show " + entry.Session + "\" lists the entries"}
	}
	at, err := s.epochOf(ctx, r.Turn)
	if err != nil {
		return nil, err
	}
	if len(surfaces) == 0 {
		for _, s := range at.surfaces {
			if s.Err == nil {
				surfaces = append(surfaces, s.ID)
			}
		}
	}
	before, err := s.presentations(ctx, entry)
	if err != nil {
		return nil, err
	}
	kind := m.MessageKind
	if kind == "" && m.Role == ledger.User {
		kind = surface.User
	}
	defer c.use(at)()
	var a *Answer // made where something was not shown yet: packs may have to check its cards
	out := make([]Why, 0, len(surfaces))
	for _, id := range surfaces {
		if _, ok := at.surface(id); !ok {
			return nil, c.unknown(id)
		}
		if told := c.whyBefore(ctx, before, id); len(told) > 0 {
			out = append(out, told...)
			continue
		}
		if a == nil {
			if a, err = (desk{c}).prepare(ctx, s, at, entry, r.Turn, kind, func() (*ledger.Message, error) { return m, nil }); err != nil {
				return nil, err
			}
			a.deck.recall(before)
		}
		w, err := a.Why(ctx, surface.Target{Surface: id})
		if err != nil {
			return nil, err
		}
		w.Target = id
		out = append(out, w)
	}
	return out, nil
}

// whyBefore tells how an entry was shown on a surface, the last time for each target.
func (c *Core) whyBefore(ctx context.Context, before []*ledger.Presentation, id string) []Why {
	last := map[string]Why{}
	for _, p := range before {
		if t, err := surface.ParseTarget(p.Target); err != nil || t.Surface != id {
			continue
		}
		w, err := c.WhyJob(ctx, p.Job)
		if err != nil { // it is kept for 30 days
			w = whyOf(p)
		}
		last[p.Target] = w
	}
	out := make([]Why, 0, len(last))
	for _, target := range slices.Sorted(maps.Keys(last)) {
		out = append(out, last[target])
	}
	return out
}

// epochOf is the epoch of a turn; of what is of none, the current one.
func (s *Session) epochOf(ctx context.Context, turn ledger.TurnID) (*snapshot, error) {
	if turn.IsZero() {
		return s.core.current.Load(), nil
	}
	if at := s.core.leases.turn(turn); at != nil {
		return at, nil
	}
	r, err := s.Entry(ctx, turn.Seq)
	if err != nil {
		return nil, err
	}
	begun, ok := r.Body.(*ledger.Turn)
	if !ok {
		return nil, &Error{Kind: ErrStore, What: "entry " + r.ID().String() + " does not begin a turn", Mend: "see \"vak ledger verify\""}
	}
	return s.core.epochOf(begun.Epoch), nil
}

// WhyJob tells why a job looks as it does, as it was decided when it was rendered.
// Errors are of kind ErrReadOnly, ErrNotFound, ErrJobState for one that was not
// rendered yet, or ErrStore.
func (c *Core) WhyJob(ctx context.Context, id string) (Why, error) {
	if c.store == nil {
		return Why{}, errReadOnly()
	}
	s, r, err := c.outbox.Content(ctx, id)
	if err != nil {
		return Why{}, jobError(err)
	}
	if r == nil || len(r.Plan) == 0 {
		return Why{}, &Error{Kind: ErrJobState, What: "job " + id + " was not rendered yet", Mend: "\"vak why --entry " + s.Source.String() + "\" tells how it would be"}
	}
	w := newWhy(r.Plan)
	w.Target, w.Job, w.Entry = s.Target.String(), id, s.Source.String()
	w.Renderer, w.Template, w.Said = r.Renderer, r.Template, r.Diagnostics
	return w, nil
}

// plan decides which recipe suits the answer on a surface, and what shows each
// block. v still has its cards.
func (a *Answer) plan(v view, s Surface) plan.Plan {
	p, err := contain("planning", func() (plan.Plan, error) {
		return a.deck.know.planner().Plan(plan.Input{
			Document: v.doc, Signals: a.signals(),
			Surface: s.ID, Epoch: a.at.Number, Profile: s.Profile, Renderer: plan.Renderer{ID: s.ID, Blocks: s.info.Blocks},
		}), nil
	})
	if err != nil {
		a.core.log.Error("planning failed", "cause", cause(err), "stack", stack(err))
		return plan.Plan{SchemaVersion: plan.SchemaVersion, Recipe: plan.Ref{ID: plan.Basic}}
	}
	return p
}

// facts are what signals are read from.
func (a *Answer) facts() plan.Facts {
	f := plan.Facts{Document: a.doc, Kind: a.kind, Actions: len(a.actions), Session: a.entry != ""}
	for _, t := range a.tools {
		f.Tools = append(f.Tools, plan.ToolCall{Name: t.Name, Command: t.command(), ExitCode: t.ExitCode, Declares: t.Declares})
	}
	return f
}

// command is what a shell ran.
func (t ToolUse) command() string {
	if t.Command != "" {
		return t.Command
	}
	var said struct {
		Command string `json:"command"`
	}
	if len(t.Arguments) > maxArguments || json.Unmarshal(t.Arguments, &said) != nil {
		return ""
	}
	return said.Command
}

// maxArguments bounds the arguments in which a command is looked for.
const maxArguments = 64 << 10

// used is what a ledger holds of a call and of what came of it, if that is there.
func used(call *ledger.ToolCall, result *ledger.ToolResult) ToolUse {
	t := ToolUse{Name: call.Name, Arguments: call.Arguments}
	if result == nil {
		return t
	}
	t.Result, t.Failed = result.Content, !result.OK
	if len(result.JSON) == 0 {
		return t
	}
	var said struct {
		ExitCode *int     `json:"exit_code"`
		Declares []string `json:"declares"`
	}
	if json.Unmarshal(result.JSON, &said) == nil {
		t.ExitCode, t.Declares = said.ExitCode, said.Declares
	}
	if t.Result == "" {
		t.Result = string(result.JSON)
	}
	return t
}

// mostKept is the number of blocks of which a job keeps what shows them.
const mostKept = 256

// kept is a plan as a job keeps it.
func kept(p plan.Plan) json.RawMessage {
	if n := len(p.Renderers) - mostKept; n > 0 {
		p.Renderers, p.Unlisted = p.Renderers[:mostKept], p.Unlisted+n
	}
	b, err := json.Marshal(p)
	if err != nil {
		return nil // all of it is texts and numbers
	}
	return b
}

// planned is the plan that a job keeps. Jobs of earlier versions have none.
func planned(b json.RawMessage) (p plan.Plan, ok bool) {
	return p, len(b) > 0 && json.Unmarshal(b, &p) == nil
}
