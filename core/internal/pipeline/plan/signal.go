package plan

import (
	"slices"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// The signals that structure, tool calls and provenance give by themselves. Others
// come from the signals that skills define, whose keywords, tools and types add to
// these, too.
const (
	Tabular      = "tabular"         // a table, or lines of fields with tabs between them
	TableData    = "table_data"      // a table
	Diff         = "diff"            // a diff, or the header of a hunk in code
	Artifact     = "artifact"        // a reference to a document
	Approval     = "approval"        // it is an approval
	Action       = "action"          // it has actions to choose from
	Terminal     = "terminal"        // a command was run
	CommandExec  = "command_exec"    // a command was run
	Tests        = "tests"           // a test runner was run
	PassFail     = "pass_fail"       // and told by its exit what came of it
	InWorkspace  = "workspace"       // it belongs to a workspace
	InSession    = "session"         // it belongs to a session
	FromSurface  = "surface"         // it was asked for on a surface
	surfaceGroup = FromSurface + "." // and on which one: surface.telegram
)

// given lists them, but for those that name a surface.
func given() []string {
	return []string{
		Tabular, TableData, Diff, Artifact, Approval, Action, Terminal, CommandExec, Tests, PassFail,
		InWorkspace, InSession, FromSurface,
	}
}

// Facts are what signals are read from. All of it is optional.
type Facts struct {
	Document *doc.Document
	Cards    []string // semantic types of cards that belong to the answer and are not in Document
	Tools    []ToolCall

	Kind    surface.Kind // of the delivery
	Actions int          // how many it has

	Workspace bool   // it belongs to one
	Session   bool   // it belongs to one
	Surface   string // where it was asked for, as "telegram"
}

// A ToolCall is what is known of one call of a tool.
type ToolCall struct {
	Name     string
	Command  string   // that a shell ran
	ExitCode *int     // of Command; nil: not known
	Declares []string // signals that the tool says its use gives, as presents_cards
}

// A SignalContext are the signals of an answer by where they come from. Each is a
// set in ascending order.
type SignalContext struct {
	Text       []string `json:"text_signals"` // words, structure and cards
	Tools      []string `json:"tool_signals"`
	Provenance []string `json:"provenance_signals"`
}

// All is the union, in ascending order. The caller owns it.
func (s SignalContext) All() []string {
	return sorted(slices.Concat(s.Text, s.Tools, s.Provenance))
}

// sorted makes of names a set in ascending order, which is never nil.
func sorted(names []string) []string {
	if names == nil {
		return []string{}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Signals are the signals of an answer. The work is linear in its size, whatever
// the number of keywords.
func (p *Planner) Signals(f Facts) SignalContext {
	w := walker{p: p, scan: p.words.scan(), signals: make(set, p.names.words())}
	if f.Document != nil {
		w.tabbed = tabbedLines(f.Document.Source)
		w.blocks(f.Document.Blocks)
	}
	for _, name := range f.Cards {
		w.card(name)
	}
	w.add(Approval, f.Kind == surface.Approval)
	w.add(Action, f.Actions > 0)
	for keyword := range w.scan.found.all() {
		for _, id := range p.keywords[keyword] {
			w.signals.add(id)
		}
	}
	out := SignalContext{Text: []string{}, Provenance: []string{}}
	for id := range w.signals.all() {
		out.Text = append(out.Text, p.names.of[id])
	}
	out.Text = sorted(out.Text)
	out.Tools = sorted(p.tools.signals(f.Tools))
	for _, of := range []struct {
		name string
		is   bool
	}{{InWorkspace, f.Workspace}, {InSession, f.Session}, {FromSurface, f.Surface != ""}, {surfaceGroup + f.Surface, named(f.Surface)}} {
		if of.is {
			out.Provenance = append(out.Provenance, of.name)
		}
	}
	out.Provenance = sorted(out.Provenance)
	return out
}

// maxName bounds the names of signals, recipes and types, in bytes.
const maxName = 128

// named reports whether s is a name: small letters, digits and . _ -
func named(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c == '.', c == '-':
		default:
			return false
		}
	}
	return s != "" && len(s) <= maxName
}
