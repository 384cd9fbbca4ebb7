package ledger

import (
	"encoding/json"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Turn begins or ends a turn.
type Turn struct {
	Phase  Phase
	Epoch  uint64 // that the turn pins
	Digest string // of the epoch
	Key    string // the caller's idempotency key; optional
	Status Status // how it ended; empty at its begin
	Reason string // why it ended so; optional
}

// A Phase is one end of a turn.
type Phase string

// The phases.
const (
	Begin Phase = "begin"
	End   Phase = "end"
)

// A Status is how a turn ended.
type Status string

// The statuses.
const (
	Complete  Status = "complete"
	Partial   Status = "partial" // cut short: a crash, or text that broke off
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Message is a text that somebody wrote.
type Message struct {
	Role        Role
	Markdown    string            // exact
	MessageKind surface.Kind      // what its delivery is; empty: what Projected says for the role
	Payload     json.RawMessage   // typed content of an alert, an approval, a progress or a tool result; optional
	Control     Control           // why the runtime wrote it; empty: it is real
	Metadata    map[string]string // title and others; UTF-8
}

// A Role is who wrote a message.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
	Worker    Role = "worker"
)

// A Control is the purpose of a text that the runtime wrote and put into the
// conversation. It is set where the text is made and never found out from its
// words. The list is open: any snake_case word.
type Control string

// The controls that this package knows of.
const (
	RepairNudge       Control = "repair_nudge"       // asks for the answer again, as it was faulty
	PresentationCheck Control = "presentation_check" // asks for the answer again, as a card
	StopGuard         Control = "stop_guard"
)

// Retries reports whether c asks for the answer again, so that the one before it
// was a draft.
func (c Control) Retries() bool { return c == RepairNudge || c == PresentationCheck }

// ToolCall is a call that a model made.
type ToolCall struct {
	CallID    string
	Name      string
	Arguments json.RawMessage // all of them
}

// ToolResult is what a tool answered.
type ToolResult struct {
	CallID  string
	Name    string
	OK      bool
	Content string          // exact
	JSON    json.RawMessage // structured content; optional
}

// Activity is something that happened beside the conversation. It is never part
// of what a model gets to read.
type Activity struct {
	What   What
	Detail string
	Data   json.RawMessage
}

// What is what happened. The list is open: any snake_case word.
type What string

// What this package knows of.
const (
	ApprovalRequested What = "approval_requested"
	ApprovalAnswered  What = "approval_answered"
	Retry             What = "retry"
	RouteFallback     What = "route_fallback"
	Diagnostic        What = "diagnostic"
	Completion        What = "completion"
	Compaction        What = "compaction" // of the context; removes nothing here
	Delivery          What = "delivery"
)

// Presentation says how an item was shown on one target, so that it can be shown so
// again without the plugins that did it.
type Presentation struct {
	Entry            EntryID // what is shown
	Item             string  // of the timeline
	Target           string  // that it was rendered for; empty: none, its cards were only lowered
	Job              string  // that it was rendered for; optional
	Epoch            uint64  // whose plugins, profiles and templates it was rendered with
	Plan             json.RawMessage
	Renderers        []BlockRenderer
	TemplateRevision string
	ProfileDigest    string // of the profile as overridden
	Trees            []Tree
}

// A BlockRenderer names what rendered one block.
type BlockRenderer struct {
	Block    doc.ID
	Renderer string
	Extra    Extra
}

// A Tree is a render tree that a skill pack made of a card.
type Tree struct {
	Card   Hash            // of the card's envelope, in its canonical form; zero in records of earlier versions
	SHA256 Hash            // of the tree
	Tree   json.RawMessage // empty: the same as that of an earlier record
	Extra  Extra
}

// Kind returns [KindTurn].
func (*Turn) Kind() Kind { return KindTurn }

// Kind returns [KindMessage].
func (*Message) Kind() Kind { return KindMessage }

// Kind returns [KindToolCall].
func (*ToolCall) Kind() Kind { return KindToolCall }

// Kind returns [KindToolResult].
func (*ToolResult) Kind() Kind { return KindToolResult }

// Kind returns [KindActivity].
func (*Activity) Kind() Kind { return KindActivity }

// Kind returns [KindPresentation].
func (*Presentation) Kind() Kind { return KindPresentation }

func (*Turn) sealed()         {}
func (*Message) sealed()      {}
func (*ToolCall) sealed()     {}
func (*ToolResult) sealed()   {}
func (*Activity) sealed()     {}
func (*Presentation) sealed() {}
