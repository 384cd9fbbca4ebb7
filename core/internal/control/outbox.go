package control

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Delivery is an answer for targets. With a session it completes a turn of it;
// without one it belongs to no turn.
type Delivery struct {
	// Markdown is the text. One that is not UTF-8 travels as MarkdownB64 instead.
	Markdown    string `json:"markdown,omitempty"`
	MarkdownB64 []byte `json:"markdown_b64,omitempty"`

	// Kind is assistant, task_summary or user; empty: that of the typed content,
	// of which there is at most one, else assistant.
	Kind       surface.Kind    `json:"kind,omitempty"`
	Alert      json.RawMessage `json:"alert,omitempty"`       // {severity}
	Approval   json.RawMessage `json:"approval,omitempty"`    // {options: [{id, verb, data}], expires_at}
	Progress   json.RawMessage `json:"progress,omitempty"`    // {done, total}
	ToolResult json.RawMessage `json:"tool_result,omitempty"` // {tool, ok}

	// Metadata is what templates can show beside the text, "title" and others: up to
	// 32 entries of up to 4 KiB.
	Metadata map[string]string `json:"metadata,omitempty"`

	Deliveries []To   `json:"deliveries"`
	Session    string `json:"session,omitempty"`
	TurnKey    string `json:"turn_key,omitempty"` // of the turn that it completes; needs a session

	// Key is of the request, up to 200 bytes: the same request again does nothing
	// and is answered as the first was. For who does not know what became of one.
	Key string `json:"key,omitempty"`
}

// A To is one target of a [Delivery].
type To struct {
	Target  string `json:"target"`
	ID      string `json:"id,omitempty"`      // of the job; empty: one is made
	Cadence string `json:"cadence,omitempty"` // immediate, on_completion or digest
	Urgency string `json:"urgency,omitempty"` // ambient, normal or interrupt
}

// Accepted is what became of a [Delivery].
type Accepted struct {
	Entry    string `json:"entry,omitempty"` // of the answer, where it is of a session
	Jobs     []Job  `json:"jobs"`            // in the order of the deliveries
	Repeated bool   `json:"repeated"`        // all of it had been accepted before
}

// A Job is one answer on its way to one target.
type Job struct {
	ID       string    `json:"id"`
	Target   string    `json:"target"`
	Kind     string    `json:"kind"`
	State    JobState  `json:"state"`
	Reason   string    `json:"reason,omitempty"` // why it is held or dead, as in Reasons
	Parked   bool      `json:"parked,omitempty"` // held because it cannot go, not because it shall not
	Due      time.Time `json:"due,omitzero"`
	Attempts int       `json:"attempts"`
	Sent     int       `json:"sent"`
	Parts    int       `json:"parts"` // 0: not rendered yet
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
}

// A JobState is what a job does.
type JobState string

// The states.
const (
	Pending    JobState = "pending"
	Sending    JobState = "sending"
	Held       JobState = "held"
	Delivered  JobState = "delivered"
	DeadLetter JobState = "dead_letter"
	Discarded  JobState = "discarded"
)

// JobStates are all of them, the live ones first.
var JobStates = []JobState{Pending, Sending, Held, Delivered, DeadLetter, Discarded}

// Live reports whether there is still something to do.
func (s JobState) Live() bool { return s == Pending || s == Sending || s == Held }

// Settled reports whether nothing more happens to a job by itself: it arrived, was
// given up, or is kept back.
func (s JobState) Settled() bool { return !s.Live() || s == Held }

// A JobFilter chooses jobs. Its zero value chooses all that are live.
type JobFilter struct {
	States []JobState
	Target string // canonical text; empty: all
	Reason string // empty: all
}

// A JobPage is a part of a list of jobs.
type JobPage struct {
	Jobs []Job  `json:"jobs"`
	Next string `json:"next,omitempty"` // what to ask on with; empty: this was the last
}

// A JobEvent is one thing that happened to a job.
type JobEvent struct {
	Time time.Time       `json:"time"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body,omitempty"`
}

// A Target is where jobs go, with what waits for it.
type Target struct {
	Target  string    `json:"target"`
	Pending int       `json:"pending"`
	Sending int       `json:"sending"`
	Held    int       `json:"held"`
	Oldest  time.Time `json:"oldest,omitzero"`
	Until   time.Time `json:"until,omitzero"` // nothing goes before
	Why     string    `json:"why,omitempty"`  // it waits or is closed, as in Reasons
	Closed  bool      `json:"closed,omitempty"`
	Moved   string    `json:"moved,omitempty"` // where it is now
}

// An Action is what an operator can do to a job.
type Action string

// The actions.
const (
	ActRetry   Action = "retry"
	ActHold    Action = "hold"
	ActRelease Action = "release"
	ActDead    Action = "dead"
	ActDiscard Action = "discard"
)

// Actions are all of them with what they do and the states of the jobs that they
// are for where a filter names none: the one table of the API and the commands.
var Actions = []struct {
	Action Action
	Does   string
	Done   string // of a job
	States []JobState
}{
	{ActRetry, "send held jobs and dead letters now; parts that arrived are not sent again, and a closed target is opened", "goes again", []JobState{Held, DeadLetter}},
	{ActHold, "take jobs out of their lane until they are released", "is held", []JobState{Pending, Sending}},
	{ActRelease, "put held jobs at the end of their lane", "is released", []JobState{Held}},
	{ActDead, "make dead letters of jobs: they are given up, and can be sent again by retry", "is a dead letter", []JobState{Pending, Sending, Held}},
	{ActDiscard, "throw jobs away; their history stays for 30 days", "is discarded", []JobState{Pending, Sending, Held, DeadLetter}},
}

// states are those that a is for where nothing else is said; none: it is no action.
func (a Action) states() []JobState {
	for _, r := range Actions {
		if r.Action == a {
			return slices.Clone(r.States)
		}
	}
	return nil
}

// may reports whether a can be done to a job in state s.
func (a Action) may(s JobState) bool {
	if a == ActRetry && (s == Pending || s == Discarded) { // if it is asked for
		return true
	}
	return slices.Contains(a.states(), s)
}

// An ActRequest says what to do to all jobs of a filter.
type ActRequest struct {
	Action Action     `json:"action"`
	States []JobState `json:"state,omitempty"` // empty: those of Actions
	Target string     `json:"target,omitempty"`
	Reason string     `json:"reason,omitempty"`
	DryRun bool       `json:"dry_run,omitempty"` // only count
	Limit  int        `json:"limit,omitempty"`   // of jobs; 0 is MaxAct
}

// MaxAct bounds the jobs of one ActRequest.
const MaxAct = 10_000

// Acted is what became of an [ActRequest].
type Acted struct {
	Count int      `json:"count"` // of jobs that it was done to, or would be
	IDs   []string `json:"ids"`   // the first hundred of them
	More  bool     `json:"more"`  // others match too: the limit, or the time, was reached
}
