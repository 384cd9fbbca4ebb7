package dialect

// A Context is what kind of text an escape stands in.
type Context uint8

// The contexts.
const (
	InText  Context = iota // running text
	InLabel                // the label of a link
	InCode                 // a code span
	InFence                // a block of code
	InURL                  // the address of a link
)

// A Position is where a piece of text stands.
type Position struct {
	In        Context
	LineStart bool // nothing but a line prefix stands before it on its line
	Before    rune // the rune written before it, 0 at the start of a line
	After     rune // the rune that will follow it, 0 at the end of a line or not known
	Live      bool // names may notify: the profile says mentions "live"
}

// A Construct is one piece of markup around text.
type Construct struct {
	Kind  ConstructKind
	Level int    // Heading: 1 to 6. Quote: how many stand around it
	Arg   string // Link: the address. Fence: the language
	Text  string // CodeSpan, Fence: the content, for delimiters that must be longer than it
	Label string // Link: the visible label, for rules on what it may hold
	Form  string // Link: the profile's Links
}

// A ConstructKind names a [Construct].
type ConstructKind uint8

// The constructs.
const (
	Strong ConstructKind = iota
	Emphasis
	Strikethrough
	Spoiler
	CodeSpan
	Link
	Heading
	Quote
	Fence
)

// Syntax is the markup of one construct.
type Syntax struct {
	Open   string
	Close  string
	Line   string // what every line inside starts with
	Reopen string // what opens it again in the next chunk; empty: Open
	Lines  bool   // it cannot cross a line: close and reopen it at each
}
