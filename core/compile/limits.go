package compile

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
)

// The bounds of one compilation. What does not fit is kept as raw markdown,
// with a reason; only a source over MaxSource is refused.
const (
	MaxSource = 4 << 20 // bytes of markdown
	MaxDepth  = 64      // of blocks within blocks, and again of inlines within inlines
	MaxNodes  = 200_000 // blocks, inlines, items and rows together
	MaxCells  = 200_000 // cells of all tables, and at most 20 for each byte of source
)

// Depth is shared out between those who nest blocks, so that none of them has to
// know what the others did: containers of markdown, and containers of HTML.
const (
	maxContainers = 48
	maxFrames     = MaxDepth - 1 - maxContainers
)

// The reasons that a raw_markdown block gives.
const (
	reasonDepth  = "nests deeper than 64 levels"
	reasonNodes  = "more than 200000 nodes"
	reasonCells  = "more table cells than the limit"
	reasonWork   = "too much work for its size"
	reasonParser = "the markdown parser failed here"
)

// maxDiagnostics bounds what a document says about itself.
const maxDiagnostics = 500

// stateKey finds the state of a compilation in goldmark's context.
var stateKey = parser.NewContextKey()

// A state is one compilation, seen by the block parsers and by the builder.
type state struct {
	text   string // what is parsed: the source without what a block may not hold
	source []byte // the same bytes, as goldmark wants them

	root        ast.Node // the document node, as soon as a block is in it
	work        int      // what is left of the work budget
	cut         int      // where the parse ended, because the budget was spent, or the end of the text
	commentEnd  int      // offset of the last "-->" in text, or -1
	rawEnds     map[string]int
	footnotes   []*footnote
	footnoteKey map[string]*footnote
	definitions []*definition
	definedKey  map[string]*definition
	rest        ast.Text // stands in for all inlines while goldmark parses blocks
}

// workFor is the work budget. A step is a container that a line goes through:
// goldmark remembers each of them. Everything else is linear by itself, so only
// input that is nothing but nesting spends the budget, such as forty lists
// around tens of thousands of blank lines.
func workFor(size int) int { return 1<<18 + size }

func newState(text string) *state {
	return &state{text: text, source: []byte(text), work: workFor(len(text)), cut: len(text), commentEnd: -2}
}

func stateOf(pc parser.Context) *state { return pc.Get(stateKey).(*state) }

// spend takes n steps from the budget and reports whether any are left.
func (st *state) spend(n int) bool {
	st.work -= n
	return st.work >= 0
}

// containers counts the containers around what is put into parent.
func containers(parent ast.Node) int {
	n := 0
	for p := parent; p != nil; p = p.Parent() {
		switch p.(type) {
		case *ast.List, *ast.Blockquote, *footnoteNode:
			n++
		}
	}
	return n
}
