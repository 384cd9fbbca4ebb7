// Package doc is the closed vocabulary of what an answer can say: fifteen kinds
// of block, nine kinds of inline, and nothing else.
//
// The host owns the vocabulary. Renderers and skill packs classify into it and
// never extend it, so every surface can be held to showing all of it.
//
// Invariants:
//
//   - A [Document] is immutable once built. Its strings may share memory with
//     Source, so keeping one block alive may keep the whole source alive.
//   - Every block has an [ID] that is unique in its document and says where the
//     block stands.
//   - [Append] and [Parse] are the one codec. Parse is the one way in for bytes
//     that somebody else wrote; what it returns is bounded and well formed.
//   - [Visible] is normative: it lists what a reader must be able to see.
//
// The package knows no markdown and no surface.
package doc

// SchemaVersion is the version of the wire form that [Append] writes. It rises
// only when a reader of the former version would be wrong.
const SchemaVersion = 1

// An ID names a block by its place: "3.2.1" is the first block of the second
// item of the third block. Children that [Lower] makes stand below the block
// that they were made from.
type ID string

// A Document is one compiled answer.
//
// The zero value is an empty document of an unknown version. A Document and
// everything below it is immutable and safe for concurrent readers.
type Document struct {
	Version     int          // wire version, SchemaVersion for documents made here
	Source      string       // exact bytes of the markdown, valid UTF-8 or not
	Blocks      []Block      // in reading order
	Diagnostics []Diagnostic // what the compiler has to say about the source
}

// Severity grades a [Diagnostic].
type Severity string

// The severities, mildest first.
const (
	Info    Severity = "info"    // nothing was lost; worth knowing
	Warning Severity = "warning" // shown in another way than was asked for
	Error   Severity = "error"   // a stage failed and another took its place
)

// A Diagnostic says what a stage did differently from what the source asked
// for. It never carries message text.
type Diagnostic struct {
	Code     string   `json:"code"`               // stable, snake_case, for programs
	Severity Severity `json:"severity,omitempty"` // empty means Info
	Block    ID       `json:"block,omitempty"`    // empty: the whole document
	Message  string   `json:"message,omitempty"`  // one sentence for a person
}
