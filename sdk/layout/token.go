package layout

import (
	"github.com/seed-1ae66336/vak/sdk/dialect"
)

// A tokenKind says what a token is.
type tokenKind uint8

const (
	textToken tokenKind = iota // something to read
	markToken                  // a bullet, a number, a task state: stays with what follows
	openToken                  // a construct opens; it ends at the token end
	lineToken                  // a line ends within a block
	gapToken                   // a block ends and a sibling follows
	ruleToken                  // a thematic break
)

// A token is one step of the walk. Text and mark tokens are content; the others
// only take effect when content follows, so that nothing empty is ever written.
type token struct {
	kind   tokenKind
	ctx    dialect.Context // text: where it stands
	only   sinks           // content: the forms that show it; zero means both
	depth  uint8           // gap: how many containers stand around it
	blank  bool            // gap: with a blank line
	keep   bool            // gap, line: what precedes must not end a chunk
	hard   bool            // line: the author ended it
	quiet  bool            // open: no note is due where it cannot stand
	atomic bool            // text: not to be cut
	parent int32           // the innermost construct around it, -1 for none
	con    int32           // open, mark: index of the construct, -1 for an indentation
	end    int32           // open: the first token behind it
	block  int32           // content: index of the block it belongs to
	text   string          // text, or the indentation that an open token adds to lines
}

// sinks is a set of the two forms of a chunk.
type sinks uint8

const (
	inText sinks = 1 << iota
	inPlain
)

func (t *token) content() bool { return t.kind <= markToken }

// in reports whether the form k shows the content t.
func (t *token) in(k int) bool { return t.only == 0 || t.only&(1<<k) != 0 }
