package control

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Backend is what the API shows and does. Its methods may be called
// concurrently. Errors are of type *Error, or become one of kind Internal whose
// cause is logged and not told.
type Backend interface {
	Status(ctx context.Context) Status
	Plugins() []Plugin // sorted by id; of equal ids the one in use is first, and its renderer before its transports
	Restart(ctx context.Context, id string) error
	Reload(ctx context.Context) (Epoch, error)    // takes over what has changed on disk
	Doctor(ctx context.Context, full bool) Report // full reads every session as well

	Deliver(ctx context.Context, d Delivery) (Accepted, error)
	Jobs(ctx context.Context, f JobFilter) iter.Seq2[Job, error] // live ones by target in their order, then finished ones, the latest first
	Job(ctx context.Context, id string) (Job, error)
	History(ctx context.Context, id string) ([]JobEvent, error)
	Packet(ctx context.Context, id string) (packet.Packet, error)
	Act(ctx context.Context, a Action, id string) (Job, error)
	Targets(ctx context.Context) ([]Target, error)
	WhyJob(ctx context.Context, id string) (Why, error)
	WhyEntry(ctx context.Context, e ledger.EntryID, surfaces []string) ([]Why, error) // none: all

	Templates(ctx context.Context) ([]Template, error) // by id, and of an id first the one that goes before the others
	Propose(ctx context.Context, p TemplateProposal) (Template, error)
	ActOnTemplate(ctx context.Context, do TemplateAction, id string, revision int) (Template, error)

	Sessions(ctx context.Context) ([]Session, error)
	Records(ctx context.Context, session string, from ledger.Seq) iter.Seq2[[]byte, error] // none of a session that is not there
}

// Status is the process that answers.
type Status struct {
	Version  string    `json:"version"`
	PID      int       `json:"pid"`
	Started  time.Time `json:"started_at"`
	Home     string    `json:"home,omitempty"`
	Held     bool      `json:"held"` // whether it holds the home; if not it only reads
	Control  string    `json:"control,omitempty"`
	Platform string    `json:"platform"` // linux/amd64
	Go       string    `json:"go"`
	Plugins  int       `json:"plugins"`
	Epoch    uint64    `json:"epoch,omitempty"` // that turns go by which begin now; 0: none was kept

	// ReadOnly says that nothing new is taken: this process holds no home, or the
	// journal cannot be written. Why says what hinders it, where something does.
	ReadOnly bool   `json:"read_only"`
	Why      string `json:"why,omitempty"`

	// The live jobs, by state.
	PendingJobs int `json:"pending_jobs"`
	SendingJobs int `json:"sending_jobs"`
	HeldJobs    int `json:"held_jobs"`
}

// A Plugin is all that is known of a plugin.
type Plugin struct {
	ID         string            `json:"id"`
	Version    string            `json:"version"`
	Kind       string            `json:"kind"`              // surface or skill
	Role       string            `json:"role"`              // render, transport or skill: what its process is for
	Account    string            `json:"account,omitempty"` // that a transport sends for; empty: the default one
	State      State             `json:"state"`
	PID        int               `json:"pid,omitempty"`
	Started    time.Time         `json:"started_at,omitzero"` // of the process
	Restarts   int               `json:"restarts"`            // processes after the first
	Failures   int               `json:"failures"`            // in the last ten minutes; five are too many
	NextTry    time.Time         `json:"next_try,omitzero"`   // while it backs off
	Path       string            `json:"path,omitempty"`      // of the binary; empty: built in
	SHA256     string            `json:"sha256,omitempty"`    // of the binary, as its manifest says
	FirstParty bool              `json:"first_party"`         // ships with this vak
	Sandbox    string            `json:"sandbox,omitempty"`   // level of the process, or what one would get
	Error      *Fault            `json:"error,omitempty"`     // the last thing that went wrong
	DocVersion int               `json:"doc_version,omitempty"`
	Blocks     []doc.Kind        `json:"blocks,omitempty"`
	Profiles   []surface.Profile `json:"profiles,omitempty"` // the first is the default
	Types      []string          `json:"types,omitempty"`    // of card, that a skill pack owns

	// Current says that what begins now goes by it. Where it does not, Turns are those
	// that still hold it, sorted; it goes once none does and nothing else needs it.
	Current bool     `json:"current"`
	Turns   []string `json:"turns,omitempty"`
}

// An Epoch names all that turns go by which begin now.
type Epoch struct {
	Number uint64    `json:"epoch"` // grows with every change; 0: it was not kept
	Digest string    `json:"digest"`
	At     time.Time `json:"at,omitzero"`
}

// A Fault is what went wrong with a plugin.
type Fault struct {
	Kind    string    `json:"kind"`             // for programs
	Source  string    `json:"source,omitempty"` // host, plugin or downstream
	Message string    `json:"message"`
	Hint    string    `json:"hint,omitempty"`
	Tail    string    `json:"tail,omitempty"` // end of the process's standard error
	At      time.Time `json:"at,omitzero"`
}

func (f *Fault) String() string {
	if f == nil {
		return ""
	}
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + "; " + f.Hint
}

// A State is what a plugin does at the moment.
type State string

// The states.
const (
	Builtin     State = "builtin"
	Stopped     State = "stopped"
	Starting    State = "starting"
	Ready       State = "ready"
	Draining    State = "draining"
	BackingOff  State = "backing_off"
	Quarantined State = "quarantined"
	Broken      State = "broken"
)

// States is every state with what it means and what an operator does about it:
// the one table that the command line and the runbook have it from.
var States = []struct {
	State State
	Means string
	Mend  string
}{
	{Builtin, "part of vak itself, no process", "nothing to do"},
	{Stopped, "no process; one starts when it is first needed", "nothing to do"},
	{Starting, "a process is on its way", "nothing to do; it takes five seconds at most"},
	{Ready, "a process serves calls", "nothing to do"},
	{Draining, "a process finishes what it has, then ends", "nothing to do; it is stopped by force where it takes too long"},
	{BackingOff, "processes failed; the next try comes after a pause that grows to 30 s", "see the last error; \"vak plugin restart ID\" tries at once"},
	{Quarantined, "five failures in ten minutes; no process is started, answers go out plain", "mend what the last error says, then \"vak plugin restart ID\""},
	{Broken, "it cannot be used; nothing is started, answers go out plain and cards of a pack as they were written", "mend what the error says, then \"vak plugin restart ID\""},
}

// Means says what state s is.
func (s State) Means() string { return s.row(0) }

// Mend says what to do about a plugin in state s.
func (s State) Mend() string { return s.row(1) }

func (s State) row(i int) string {
	for _, r := range States {
		if r.State == s {
			return [...]string{r.Means, r.Mend}[i]
		}
	}
	return [...]string{"this vak does not know the state", "update the vak command"}[i]
}

// A Report is the result of every check of a doctor.
type Report struct {
	OK     bool    `json:"ok"` // no check failed
	Checks []Check `json:"checks"`
}

// A Check is the result of one check.
type Check struct {
	Name   string  `json:"name"`
	Result Verdict `json:"result"`
	What   string  `json:"what"`           // what was found
	Mend   string  `json:"mend,omitempty"` // what to do about it, where it is not fine
}

// A Verdict is how a check ended.
type Verdict string

// The verdicts.
const (
	Fine Verdict = "ok"
	Warn Verdict = "warn"
	Fail Verdict = "fail"
)

// Add appends a check and keeps OK true to its meaning.
func (r *Report) Add(name string, v Verdict, what, mend string) {
	if len(r.Checks) == 0 {
		r.OK = true
	}
	r.OK = r.OK && v != Fail
	if v == Fine {
		mend = ""
	}
	r.Checks = append(r.Checks, Check{Name: name, Result: v, What: what, Mend: mend})
}

// Replace puts checks in the place of the first of those with the names, and drops
// the others; at the end, where there is none.
func (r *Report) Replace(checks []Check, names ...string) {
	old := r.Checks
	*r = Report{}
	put := func() {
		for _, c := range checks {
			r.Add(c.Name, c.Result, c.What, c.Mend)
		}
		checks = nil
	}
	for _, c := range old {
		if slices.Contains(names, c.Name) {
			put()
			continue
		}
		r.Add(c.Name, c.Result, c.What, c.Mend)
	}
	put()
}
