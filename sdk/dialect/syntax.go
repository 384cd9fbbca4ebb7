package dialect

import "strings"

// A Context is what kind of text an escape stands in.
type Context uint8

// The contexts.
const (
	InText  Context = iota // running text
	InLabel                // the label of a link
	InCode                 // a code span
	InFence                // a block of code
	InURL                  // an address that stands for itself
)

// A Position is where a piece of text stands.
type Position struct {
	In        Context
	LineStart bool // nothing but a line prefix stands before it on its line
	Before    rune // the rune written before it, 0 at the start of a line
	After     rune // the rune that a reader sees next, 0 at the end of a line or not known
	Live      bool // names may notify: the profile says mentions "live"
}

// A Construct is one piece of markup.
type Construct struct {
	Kind  ConstructKind
	Level int    // Heading: 1 to 6. Quote, Bullet: how many of the kind stand around it
	Arg   string // Link, Image: the address. Fence: the language. Number: the number. TaskMark: "open" or "done"
	Label string // Link, Image: the visible label
	Form  string // Link, Image: Links of the profile
	Safe  bool   // Link, Image: the address may be opened at a touch
	Part  bool   // Link: another piece of the same link follows; show no address yet

	// What stands inside, on the line on which the construct opens. Filled in
	// for dialects that are [Contextual]; for CodeSpan and Fence, for all.
	First, Last rune  // the first and the last rune
	Text        Marks // marker characters in running text
	Raw         Marks // marker characters in code and in addresses, which cannot be escaped
	Run         int   // the longest run of backticks in CodeSpan or Fence
	Runs        Runs  // all of them
}

// A ConstructKind names a [Construct].
type ConstructKind uint8

// The constructs. Those up to Spoiler are styles: they change how text looks
// and may be dropped without losing a word.
const (
	Strong ConstructKind = iota
	Emphasis
	Strikethrough
	Spoiler

	CodeSpan
	Link
	Image
	Heading
	Quote
	Fence

	// Marks, which hold nothing: their text is Syntax.Open.
	Bullet
	Number
	TaskMark
	Rule
	HardBreak // what ends a line that the author ended
)

// Style reports whether k is a style.
func (k ConstructKind) Style() bool { return k <= Spoiler }

// Marks is a set of marker characters.
type Marks uint8

// The marker characters.
const (
	Star Marks = 1 << iota
	Stars
	Underscore
	Tilde
	Tildes
	Bars
	Tick
	Hash
)

// Scan returns the marker characters in s.
func Scan(s string) Marks {
	var m Marks
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*':
			m |= Star
			if i+1 < len(s) && s[i+1] == '*' {
				m |= Stars
			}
		case '_':
			m |= Underscore
		case '~':
			m |= Tilde
			if i+1 < len(s) && s[i+1] == '~' {
				m |= Tildes
			}
		case '|':
			if i+1 < len(s) && s[i+1] == '|' {
				m |= Bars
			}
		case '`':
			m |= Tick
		case '#':
			m |= Hash
		}
	}
	return m
}

// Runs is a set of lengths of runs of backticks: bit n stands for n of them, bit
// 0 for 16 and more.
type Runs uint16

// ScanRuns returns the runs of backticks in s, and the length of the longest.
func ScanRuns(s string) (all Runs, longest int) {
	for {
		i := strings.IndexByte(s, '`')
		if i < 0 {
			return all, longest
		}
		n := 1
		for i+n < len(s) && s[i+n] == '`' {
			n++
		}
		longest = max(longest, n)
		if n > 15 {
			n = 0
		}
		all |= 1 << n
		s = s[i+max(n, 1):]
		s = strings.TrimLeft(s, "`")
	}
}

// Syntax is the markup of one construct. The zero value is a construct that
// shows as nothing.
type Syntax struct {
	Open   string
	Close  string
	Line   string // what every line inside starts with
	Reopen string // what opens it again in the next chunk; empty: Open

	Lines   bool // it cannot cross a line: it is closed and opened again at each
	Outside bool // it cannot stand in a quote: lines inside get no quote prefix
	Flush   bool // lines inside get no indentation and no Soft prefix
	Soft    bool // Line is an ornament
	Alone   bool // it cannot stand in a style: styles are closed around it
	NoCode  bool // no code can stand in it

	Tail bool // Close stands at the end of the construct only, not at a cut

	Label     bool // text inside is escaped InLabel
	URL       bool // text inside is escaped InURL
	Bold      bool // a heading that is written as strong text
	Underline byte // a heading that is underlined with this character
	Tight     Tight
	Why       string // where the construct cannot stand: the reason, for a note; empty: none is due
}

// Tight says on which sides a heading stands without a blank line.
type Tight uint8

// The sides.
const (
	TightBefore Tight = 1 << iota
	TightAfter
)
