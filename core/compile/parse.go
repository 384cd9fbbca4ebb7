package compile

import (
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blockParser is goldmark with the block constructs that vak knows. Inlines are
// left to package-own code: see [inliner]. A goldmark parser may be shared.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(bounded{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(bounded{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(footnoteParser{}, 850),
			util.Prioritized(mathBlockParser{}, 860),
			util.Prioritized(htmlBlockParser{}, 900),
			util.Prioritized(paragraphParser{parser.NewParagraphParser()}, 1000),
		),
		parser.WithInlineParsers(util.Prioritized(postpone{}, 100)),
		parser.WithParagraphTransformers(
			util.Prioritized(definitionTransformer{}, 100),
			util.Prioritized(tableTransformer{}, 200),
		),
	)
})

// parse finds the blocks of st.text. If goldmark panics, ok is false and what it
// had finished is in st.root.
func (st *state) parse() (root ast.Node, ok bool) {
	pc := parser.NewContext()
	pc.Set(stateKey, st)
	defer func() {
		if recover() != nil {
			root, ok = st.root, false
		}
	}()
	return blockParser().Parse(text.NewReader(st.source), parser.WithContext(pc)), true
}

// postpone is the one inline parser that goldmark gets. It takes every leaf as a
// whole, so that goldmark does not look at its bytes one by one: the builder
// does, when it knows all definitions and footnotes.
type postpone struct{}

func (postpone) Trigger() []byte {
	return []byte(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
}

func (postpone) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	block.SetPosition(parent.Lines().Len(), text.NewSegment(-1, -1))
	// One node serves all leaves, since nobody reads it.
	return &stateOf(pc).rest
}

// A paragraphParser notes the document node, for the case that goldmark panics.
type paragraphParser struct{ parser.BlockParser }

func (p paragraphParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if st := stateOf(pc); st.root == nil {
		st.root = parent.OwnerDocument()
	}
	return p.BlockParser.Open(parent, reader, pc)
}

// A bounded parser opens containers up to a depth. What would nest deeper is
// taken as it stands, to the end of the container around it.
type bounded struct{ parser.BlockParser }

func (b bounded) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	// Only items may stand in a list; the parser of lists knows that.
	if _, ok := parent.(*ast.List); ok || containers(parent) < maxContainers {
		return b.BlockParser.Open(parent, reader, pc)
	}
	n := &overflowNode{}
	n.take(reader)
	return n, parser.NoChildren
}

func (b bounded) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	if st := stateOf(pc); !st.spend(1) {
		st.leave(reader)
		return parser.Close
	}
	if n, ok := node.(*overflowNode); ok {
		n.take(reader)
		return parser.Continue | parser.NoChildren
	}
	return b.BlockParser.Continue(node, reader, pc)
}

// leave ends the parse at the current line: goldmark sees the end of the source.
func (st *state) leave(reader text.Reader) {
	line, seg := reader.Position()
	if seg.Start < len(st.text) {
		st.cut = strings.LastIndexByte(st.text[:seg.Start], '\n') + 1
		reader.AdvanceToEOL() // forgets the line that was looked at
		reader.SetPosition(line, text.NewSegment(len(st.text), len(st.text)))
	}
}

func (b bounded) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	if _, ok := node.(*overflowNode); !ok {
		b.BlockParser.Close(node, reader, pc)
	}
}

// A leafNode is a block whose lines nobody parses for inlines in goldmark.
type leafNode struct{ ast.BaseBlock }

func (*leafNode) IsRaw() bool { return true }

func (n *leafNode) take(reader text.Reader) {
	_, seg := reader.PeekLine()
	n.Lines().Append(seg)
	reader.AdvanceToEOL()
}

// An overflowNode holds the lines of what nests too deeply.
type overflowNode struct{ leafNode }

var kindOverflow = ast.NewNodeKind("Overflow")

func (*overflowNode) Kind() ast.NodeKind              { return kindOverflow }
func (n *overflowNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// leaf returns the lines of a block as one string, which shares memory with the
// source if the lines stand together there.
func (st *state) leaf(lines *text.Segments) string { return st.join(lines, 0, lines.Len()) }

func (st *state) join(lines *text.Segments, from, to int) string {
	if from >= to {
		return ""
	}
	first, stop, size := lines.At(from), 0, 0
	together := true
	for i := from; i < to; i++ {
		s := lines.At(i)
		if s.Padding != 0 || i > from && s.Start != stop {
			together = false
		}
		stop = s.Stop
		size += s.Padding + s.Stop - s.Start
	}
	if together {
		return st.text[first.Start:stop]
	}
	buf := make([]byte, 0, size+1)
	for i := from; i < to; i++ {
		s := lines.At(i)
		for range s.Padding {
			buf = append(buf, ' ')
		}
		buf = append(buf, st.text[s.Start:s.Stop]...)
		// The last line of the source has no newline, and may be followed here.
		if i+1 < to && len(buf) > 0 && buf[len(buf)-1] != '\n' {
			buf = append(buf, '\n')
		}
	}
	return string(buf)
}
