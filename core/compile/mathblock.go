package compile

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A mathNode is a displayed formula: "$$" or "\[" at the start of a line, and
// its other half at the end of that line or a later one, before a blank line.
// Lines hold the TeX alone.
type mathNode struct {
	leafNode
	closer string
	all    text.Segments // the lines with their delimiters, in case it is none
	closed bool
	broken bool // text follows the closer: it is a formula within a line
}

var kindMath = ast.NewNodeKind("MathBlock")

func (*mathNode) Kind() ast.NodeKind              { return kindMath }
func (n *mathNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type mathBlockParser struct{}

func (mathBlockParser) Trigger() []byte             { return []byte{'$', '\\'} }
func (mathBlockParser) CanInterruptParagraph() bool { return true }
func (mathBlockParser) CanAcceptIndentedLine() bool { return false }

func (mathBlockParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	pos := pc.BlockOffset()
	line, seg := reader.PeekLine()
	if pos < 0 || pos+2 > len(line) {
		return nil, parser.NoChildren
	}
	n := &mathNode{}
	switch string(line[pos : pos+2]) {
	case "$$":
		n.closer = "$$"
		if pos+2 < len(line) && line[pos+2] == '$' {
			return nil, parser.NoChildren
		}
	case `\[`:
		n.closer = `\]`
	default:
		return nil, parser.NoChildren
	}
	n.all.Append(seg)
	seg.Start += pos + 2 - seg.Padding
	seg.Padding = 0
	if i := formulaEnd(line[pos+2:], n.closer); i >= 0 {
		if util.IsBlank(line[pos+2:][:i]) || !util.IsBlank(line[pos+2:][i+2:]) {
			return nil, parser.NoChildren
		}
		seg.Stop = seg.Start + i
		n.closed = true
	}
	n.add(seg, reader)
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

func (mathBlockParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*mathNode)
	line, seg := reader.PeekLine()
	if n.closed || n.broken || util.IsBlank(line) {
		return parser.Close
	}
	n.all.Append(seg)
	if i := formulaEnd(line, n.closer); i >= 0 {
		n.closed = util.IsBlank(line[i+2:])
		n.broken = !n.closed
		seg.Stop = seg.Start + i - seg.Padding
	}
	n.add(seg, reader)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

// Close makes a paragraph of what turned out not to be a formula.
func (mathBlockParser) Close(node ast.Node, reader text.Reader, _ parser.Context) {
	n := node.(*mathNode)
	if n.closed && n.Lines().Len() > 0 {
		return
	}
	p := newParagraph(n.all.Sliced(0, n.all.Len()), reader.Source())
	p.SetBlankPreviousLines(n.HasBlankPreviousLines())
	n.Parent().ReplaceChild(n.Parent(), n, p)
}

func (n *mathNode) add(seg text.Segment, reader text.Reader) {
	if seg.Stop > seg.Start && !util.IsBlank(reader.Source()[seg.Start:seg.Stop]) {
		n.Lines().Append(seg)
	}
}

// formulaEnd finds closer in line, where a backslash takes the character behind
// it along.
func formulaEnd(line []byte, closer string) int {
	for i := 0; i+1 < len(line); i++ {
		switch {
		case line[i] == closer[0] && line[i+1] == closer[1]:
			return i
		case line[i] == '\\':
			i++
		}
	}
	return -1
}

// newParagraph is a paragraph of the given lines, trimmed as goldmark does.
func newParagraph(lines []text.Segment, source []byte) *ast.Paragraph {
	p := ast.NewParagraph()
	for i, l := range lines {
		l = l.TrimLeftSpace(source)
		if i == len(lines)-1 {
			l = l.TrimRightSpace(source)
		}
		p.Lines().Append(l)
	}
	if len(lines) > 0 {
		p.SetPos(lines[0].Start)
	}
	return p
}
