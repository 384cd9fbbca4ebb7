package compile

// A tokenKind says what a token is. Its fields mean different things by kind.
type tokenKind uint8

const (
	tokenText  tokenKind = iota // s[start:end]
	tokenStr                    // strs[a]
	tokenDelim                  // delims[a], and of the run s[start:end] is left
	tokenSoft                   // soft break
	tokenHard                   // hard break
	tokenCode                   // strs[a]
	tokenMath                   // strs[a]
	tokenOpen                   // opens what cont says
	tokenClose                  // closes it
	tokenAuto                   // link of the address strs[a], labelled strs[start]
	tokenImage                  // image conts[a] described by strs[start], from HTML
	tokenNote                   // reference to the footnote notes[a]
)

type token struct {
	kind       tokenKind
	cont       contKind // of tokenOpen and tokenClose
	edge       bool     // of these: a block of HTML, which begins and ends a line
	start, end int32
	a          int32 // of links and images: where they lead, conts[a]
}

// A target is where a link leads, or where an image is.
type target struct{ href, title string }

// A contKind says what a pair of delimiters, brackets or tags makes of the text
// between them.
type contKind uint8

const (
	contNone contKind = iota // its tags vanish
	contStrong
	contEmphasis
	contStrike
	contSpoiler
	contLink
	contImage
	contSuper
	contSub
)

var tagConts = [...]contKind{
	actStrong: contStrong, actEmphasis: contEmphasis, actStrike: contStrike,
	actSuper: contSuper, actSub: contSub, actLink: contLink, actSummary: contNone,
}

// An opener is a bracket or a start tag that may find its other half. As long as
// it has not, its token is text.
type opener struct {
	token   int32
	delim   int32 // the top of the list of delimiters before it
	prev    int32 // the next lower opener of its sort: bracket, or tag of that name
	content int32 // offset of what it encloses
	conts   int32 // of a link tag: its target
	tag     tagID // 0 for brackets
	cont    contKind
	edge    bool
	image   bool
	nested  bool // a bracket stands within
	dead    bool // found out to be literal
	guess   bool // unmatched, it holds to the end all the same
}
