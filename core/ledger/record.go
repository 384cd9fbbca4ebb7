package ledger

import (
	"encoding/json"
	"time"
)

// Version is the version of records that [Append] writes.
const Version = 1

// The bounds of what [Parse] takes.
const (
	MaxLine    = 32 << 20 // bytes of a line, without its newline
	MaxDepth   = 64       // objects and arrays within each other, the record included
	MaxMembers = 64       // members of an object that the format knows, entries of metadata; inside values that are kept as JSON there may be any number
	MaxItems   = 250_000  // renderers or trees of a presentation
)

// A Record is one entry of a session's ledger.
type Record struct {
	Session string    // see CheckSession
	Seq     Seq       // from 1
	Time    time.Time // UTC, in milliseconds; Append leaves out what is finer
	Turn    TurnID    // of this session; the record that begins it names itself; zero: outside a turn
	Prev    Hash      // of the line before; zero for the first record alone
	Body    Body
	Extra   Extra // members that this version does not know, in the order in which they came
}

// ID is the id of r.
func (r *Record) ID() EntryID { return EntryID{Session: r.Session, Seq: r.Seq} }

// Extra are members of an object that a later version has added.
type Extra []Member

// A Member is a name and its value.
type Member struct {
	Name  string
	Value json.RawMessage
}

// A Kind says what a record is about.
type Kind string

// The kinds.
const (
	KindTurn         Kind = "turn"
	KindMessage      Kind = "message"
	KindToolCall     Kind = "tool_call"
	KindToolResult   Kind = "tool_result"
	KindActivity     Kind = "activity"
	KindPresentation Kind = "presentation"
)

// A Body is what a record says: [*Turn], [*Message], [*ToolCall], [*ToolResult],
// [*Activity], [*Presentation] or [*Unknown].
//
// Strings are exact: where one is not UTF-8, its line holds the repaired text
// and, as name_b64, the bytes. JSON values are kept as they are but for the
// space between their tokens; one that is not valid JSON, or nests too deeply,
// is written as a JSON string that holds its text. An empty one is left out.
type Body interface {
	Kind() Kind
	sealed()
}

// Unknown is the body of a record of a newer [Version], or of a kind that is
// newer than this package.
type Unknown struct {
	Name Kind            // its kind
	JSON json.RawMessage // the exact line, which Append writes again, whatever the record's other fields say
}

// Kind returns the kind that the record gives itself.
func (u *Unknown) Kind() Kind { return u.Name }

func (*Unknown) sealed() {}
