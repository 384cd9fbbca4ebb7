package compile

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A footnote is one definition. Number is its place among the references, from
// 1, or 0 as long as nothing refers to it.
type footnote struct {
	node   *footnoteNode
	number int
}

// A footnoteNode is the container of what a footnote says.
type footnoteNode struct{ ast.BaseBlock }

var kindFootnote = ast.NewNodeKind("FootnoteDefinition")

func (*footnoteNode) Kind() ast.NodeKind              { return kindFootnote }
func (n *footnoteNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// A footnoteParser opens a footnote at "[^label]:". Definitions are taken at
// the top level only; elsewhere they are text.
type footnoteParser struct{}

func (footnoteParser) Trigger() []byte             { return []byte{'['} }
func (footnoteParser) CanInterruptParagraph() bool { return true }
func (footnoteParser) CanAcceptIndentedLine() bool { return false }

func (footnoteParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	pos := pc.BlockOffset()
	if pos < 0 || parent.Kind() != ast.KindDocument {
		return nil, parser.NoChildren
	}
	line, _ := reader.PeekLine()
	label, n := footnoteLabel(line[pos:])
	if n == 0 || pos+n >= len(line) || line[pos+n] != ':' {
		return nil, parser.NoChildren
	}
	node := &footnoteNode{}
	stateOf(pc).addFootnote(string(label), node)
	rest := line[pos+n+1:]
	if util.IsBlank(rest) {
		reader.AdvanceToEOL()
		return node, parser.NoChildren
	}
	reader.Advance(pos + n + 1 + util.TrimLeftSpaceLength(rest))
	return node, parser.HasChildren
}

func (footnoteParser) Continue(_ ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, _ := reader.PeekLine()
	if util.IsBlank(line) {
		reader.AdvanceToEOL()
		return parser.Continue | parser.HasChildren
	}
	pos, padding := util.IndentPosition(line, reader.LineOffset(), 4)
	if pos < 0 {
		return parser.Close
	}
	reader.AdvanceAndSetPadding(pos, padding)
	return parser.Continue | parser.HasChildren
}

func (footnoteParser) Close(ast.Node, text.Reader, parser.Context) {}

// footnoteLabel reads "[^label]" at the start of s and returns the label and
// the length of it all, 0 if there is none.
func footnoteLabel[S string | []byte](s S) (label S, n int) {
	if len(s) < 4 || s[0] != '[' || s[1] != '^' {
		return label, 0
	}
	for i := 2; i < len(s); i++ {
		switch s[i] {
		case ']':
			if i == 2 {
				return label, 0
			}
			return s[2:i], i + 1
		case '[', ' ', '\t', '\n':
			return label, 0
		}
	}
	return label, 0
}

// addFootnote keeps a definition. The first one of a label counts; others have
// no reference and are shown behind those that have.
func (st *state) addFootnote(label string, node *footnoteNode) {
	f := &footnote{node: node}
	st.footnotes = append(st.footnotes, f)
	key := strings.ToLower(label)
	if st.footnoteKey == nil {
		st.footnoteKey = make(map[string]*footnote)
	}
	if st.footnoteKey[key] == nil {
		st.footnoteKey[key] = f
	}
}
