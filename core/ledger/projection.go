package ledger

import (
	"iter"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// An Entry is a message that is real output.
type Entry struct {
	ID      EntryID
	Turn    TurnID // zero: outside a turn
	Time    time.Time
	Kind    surface.Kind // what MessageKind says, or what it stands for
	Message *Message
}

// Projected reports what kind of real output m is, and whether it is any: it has
// no Control, and a kind that may go out. Without a MessageKind the role decides:
// a user's text is [surface.User], a tool's [surface.ToolResult], an assistant's
// or a worker's [surface.Assistant]; what the system role says without a kind is
// meant for the model.
func (m *Message) Projected() (surface.Kind, bool) {
	kind := m.MessageKind
	if kind == "" {
		switch m.Role {
		case User:
			kind = surface.User
		case Tool:
			kind = surface.ToolResult
		case Assistant, Worker:
			kind = surface.Assistant
		}
	}
	switch kind {
	case surface.Assistant, surface.TaskSummary, surface.Alert, surface.Approval, surface.Progress, surface.ToolResult, surface.User:
		return kind, m.Control == ""
	}
	return kind, false
}

// Messages gives the messages of one session that are real output, in order:
// those that [Message.Projected] admits, less the drafts. A draft is the last
// answer in a turn before a control that [Control.Retries], if a later answer
// follows in the same turn and no message of a user stands between. Answers are
// messages of the assistant role that are an answer or a summary; one before the
// last, such as a word between two tool calls, is no draft.
//
// An entry is given as soon as it cannot become a draft any more. Messages stops
// behind the first error of records.
func Messages(records iter.Seq2[Record, error]) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		p := projection{answers: make(map[TurnID]*pending), yield: yield}
		for r, err := range records {
			if err != nil {
				if p.settleAll() {
					yield(Entry{}, err)
				}
				return
			}
			if !p.take(&r) {
				return
			}
		}
		p.settleAll()
	}
}

// A projection holds entries back from the first on that may be a draft.
type projection struct {
	held    []*pending
	answers map[TurnID]*pending // the last answer of each turn that is open
	yield   func(Entry, error) bool
}

type pending struct {
	Entry
	open   bool // it may be a draft
	nudged bool // a control asked for it again
	draft  bool
}

// take reports whether to go on.
func (p *projection) take(r *Record) bool {
	switch b := r.Body.(type) {
	case *Turn:
		p.settle(r.Turn)
	case *Message:
		p.message(r, b)
	}
	return p.flush()
}

func (p *projection) message(r *Record, m *Message) {
	if m.Control.Retries() {
		if last := p.answers[r.Turn]; last != nil {
			last.nudged = true
		}
	}
	kind, ok := m.Projected()
	if !ok {
		return
	}
	e := &pending{Entry: Entry{ID: r.ID(), Turn: r.Turn, Time: r.Time, Kind: kind, Message: m}}
	switch {
	case m.Role == User:
		for turn := range p.answers {
			p.settle(turn)
		}
	case m.Role == Assistant && (kind == surface.Assistant || kind == surface.TaskSummary):
		if last := p.answers[r.Turn]; last != nil {
			last.draft = last.nudged
			p.settle(r.Turn)
		}
		e.open = true
		p.answers[r.Turn] = e
	}
	p.held = append(p.held, e)
}

// settle ends the wait for what becomes of a turn's last answer.
func (p *projection) settle(turn TurnID) {
	if last := p.answers[turn]; last != nil {
		last.open = false
		delete(p.answers, turn)
	}
}

func (p *projection) settleAll() bool {
	for turn := range p.answers {
		p.settle(turn)
	}
	return p.flush()
}

// flush gives what is settled and reports whether to go on.
func (p *projection) flush() bool {
	for len(p.held) > 0 && !p.held[0].open {
		e := p.held[0]
		p.held = p.held[1:]
		if !e.draft && !p.yield(e.Entry, nil) {
			return false
		}
	}
	return true
}
