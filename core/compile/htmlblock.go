package compile

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

type htmlKind uint8

const (
	htmlMarkup  htmlKind = iota // from a block tag to a blank line
	htmlDetails                 // from <details>, </details> or <summary> to the end of that line or of the summary
	htmlComment                 // from "<!--" to the line with "-->"
	htmlRaw                     // from <pre>, <script>, <style> or <textarea> to the end tag
)

// An htmlNode is a block of HTML.
type htmlNode struct {
	leafNode
	kind htmlKind
	end  string // end tag of htmlRaw, without brackets
	done bool
}

var kindHTML = ast.NewNodeKind("MarkupBlock")

func (*htmlNode) Kind() ast.NodeKind              { return kindHTML }
func (n *htmlNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// An htmlBlockParser opens a block for HTML that is known and for what is known
// to be raw. Differences from CommonMark, which all show more of what was
// meant: any other tag begins a paragraph; raw blocks and comments that never
// end are no blocks; a fence, heading, list, quote or table row ends a block; and
// <details> is a line of its own, so that markdown can follow without a blank
// line.
type htmlBlockParser struct{}

func (htmlBlockParser) Trigger() []byte             { return []byte{'<'} }
func (htmlBlockParser) CanInterruptParagraph() bool { return true }
func (htmlBlockParser) CanAcceptIndentedLine() bool { return false }

func (htmlBlockParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	pos := pc.BlockOffset()
	if pos < 0 {
		return nil, parser.NoChildren
	}
	line, seg := reader.PeekLine()
	rest := line[pos:]
	st := stateOf(pc)
	at := seg.Start + pos - seg.Padding
	n := &htmlNode{}
	if bytes.HasPrefix(rest, []byte("<!--")) {
		if at > st.lastCommentEnd() {
			return nil, parser.NoChildren
		}
		n.kind = htmlComment
		if end := commentEnd(string(rest), 0); end >= 0 {
			if !util.IsBlank(rest[end:]) {
				return nil, parser.NoChildren // a paragraph that begins with a comment
			}
			n.done = true
		}
		n.take(reader)
		return n, parser.NoChildren
	}
	name := blockTagName(rest)
	if name == "" {
		return nil, parser.NoChildren
	}
	switch act := tagActs[name]; {
	case act == actPre || name == "script" || name == "style" || name == "textarea":
		if rest[1] == '/' || at > st.lastEndTag(name) {
			return nil, parser.NoChildren
		}
		n.kind, n.end = htmlRaw, name
	case act == actDetails || act == actSummary:
		n.kind = htmlDetails
	case !act.block():
		return nil, parser.NoChildren
	}
	n.line(rest)
	n.take(reader)
	return n, parser.NoChildren
}

func (htmlBlockParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*htmlNode)
	line, _ := reader.PeekLine()
	if n.done || (n.kind == htmlMarkup || n.kind == htmlDetails) && (util.IsBlank(line) || plainlyMarkdown(line)) {
		return parser.Close
	}
	if n.kind == htmlComment {
		n.done = bytes.Contains(line, []byte("-->"))
	} else {
		n.line(line)
	}
	n.take(reader)
	return parser.Continue | parser.NoChildren
}

func (htmlBlockParser) Close(ast.Node, text.Reader, parser.Context) {}

// line looks at one more line and notes whether it is the last one.
func (n *htmlNode) line(line []byte) {
	switch n.kind {
	case htmlRaw:
		_, end := indexEndTag(string(line), n.end)
		n.done = end >= 0
	case htmlDetails:
		if n.end == "" && bytes.Contains(bytes.ToLower(line), []byte("<summary")) {
			n.end = "summary"
		}
		if n.end == "" {
			n.done = true
		} else {
			_, end := indexEndTag(string(line), n.end)
			n.done = end >= 0
		}
	}
}

// blockTagName returns the lower-case name of the tag at the start of line if
// the name ends as names do, else "".
func blockTagName(line []byte) string {
	i := 1
	if i < len(line) && line[i] == '/' {
		i++
	}
	start := i
	for i < len(line) && isAlnum(line[i]) {
		i++
	}
	if i == start || i-start > len("blockquote") {
		return ""
	}
	if i < len(line) {
		switch c := line[i]; {
		case c == '>' || c == ' ' || c == '\t' || c == '\n':
		case c == '/' && i+1 < len(line) && line[i+1] == '>':
		default:
			return ""
		}
	}
	return strings.ToLower(string(line[start:i]))
}

// plainlyMarkdown reports whether line, in the midst of HTML, can only be meant
// as markdown: models leave out the blank line that CommonMark asks for.
func plainlyMarkdown(line []byte) bool {
	switch line[0] {
	case '`', '~':
		return len(line) > 2 && line[1] == line[0] && line[2] == line[0]
	case '#':
		i := 1
		for i < len(line) && i < 7 && line[i] == '#' {
			i++
		}
		return i < len(line) && line[i] == ' '
	case '-', '*', '>', '|':
		return len(line) > 1 && line[1] == ' '
	case '1':
		return len(line) > 2 && line[1] == '.' && line[2] == ' '
	}
	return false
}

// lastCommentEnd returns the offset of the last "-->" of the source, or -1.
func (st *state) lastCommentEnd() int {
	if st.commentEnd == -2 {
		st.commentEnd = strings.LastIndex(st.text, "-->")
	}
	return st.commentEnd
}

// lastEndTag returns the offset of the last end tag of that name, or -1.
func (st *state) lastEndTag(name string) int {
	if at, ok := st.rawEnds[name]; ok {
		return at
	}
	last := -1
	for i := 0; ; {
		at, end := indexEndTag(st.text[i:], name)
		if at < 0 {
			break
		}
		last = i + at
		i += end
	}
	if st.rawEnds == nil {
		st.rawEnds = make(map[string]int)
	}
	st.rawEnds[name] = last
	return last
}
