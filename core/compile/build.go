package compile

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A builder makes a document of goldmark's blocks, in one walk in reading order.
type builder struct {
	st  *state
	mem memory
	inl inliner

	open  func([]byte) (card.Output, error)
	first int // blocks that come before those of this document

	fresh bool // nothing has been parsed for inlines

	stack []doc.Block // blocks of the containers that are being built
	row   []string

	nodes, cells, maxCells int
	stop                   string // why the walk ended early, if it did

	numbered []*footnote // in the order of first reference
	diags    []doc.Diagnostic
}

// A scope is a place where blocks are put: a document, an item, a quote.
type scope struct {
	prefix  string // of the ids
	n       int    // blocks so far
	extra   int    // containers of HTML around, see maxFrames
	details []details
	ignored int // <details> beyond the depth
}

func (sc *scope) next() doc.ID { return doc.ID(sc.prefix + strconv.Itoa(sc.n+1)) }

func (sc *scope) inner(id doc.ID) scope { return scope{prefix: string(id) + ".", extra: sc.extra} }

// around is the place itself: the id of a block, or of an item, or empty at the
// top. See settle.
func (sc *scope) around() doc.ID { return doc.ID(strings.TrimSuffix(sc.prefix, ".")) }

// count takes n nodes from what a document may have.
func (b *builder) count(n int) bool {
	if b.nodes += n; b.nodes > MaxNodes {
		b.halt(reasonNodes)
	}
	return b.stop == ""
}

func (b *builder) countCells(n int) bool {
	if b.cells += n; b.cells > b.maxCells {
		b.halt(reasonCells)
	}
	return b.stop == ""
}

func (b *builder) halt(reason string) {
	if b.stop == "" {
		b.stop = reason
	}
}

func (b *builder) stopped() bool { return b.stop != "" }

// note adds a diagnostic, once for each code and block.
func (b *builder) note(code string, severity doc.Severity, id doc.ID, message string) {
	d := doc.Diagnostic{Code: code, Severity: severity, Block: id, Message: message}
	if n := len(b.diags); n >= maxDiagnostics || n > 0 && b.diags[n-1] == d {
		return
	}
	b.diags = append(b.diags, d)
}

// disown gives the notes since from, about a block that shows nothing and is
// left out, to the place where it would have been.
func (b *builder) disown(from int, id doc.ID, sc *scope) {
	for i := from; i < len(b.diags); i++ {
		if g := &b.diags[i]; g.Block == id || g.Block.Below(id) {
			g.Block = sc.around()
		}
	}
}

// settle makes every note be about a block that there is: items are none, and a
// block may have been given up for a limit.
func (b *builder) settle(blocks []doc.Block) {
	if len(b.diags) == 0 {
		return
	}
	known := map[doc.ID]bool{"": true}
	collect(known, blocks)
	for i := range b.diags {
		g := &b.diags[i]
		for !known[g.Block] {
			g.Block = g.Block[:max(0, strings.LastIndexByte(string(g.Block), '.'))]
		}
	}
}

func collect(known map[doc.ID]bool, blocks []doc.Block) {
	for _, b := range blocks {
		known[b.BlockID()] = true
		switch b := b.(type) {
		case *doc.List:
			for i := range b.Items {
				collect(known, b.Items[i].Blocks)
			}
		case *doc.Quote:
			collect(known, b.Blocks)
		case *doc.Callout:
			collect(known, b.Blocks)
		case *doc.Citations:
			for i := range b.Items {
				collect(known, b.Items[i].Blocks)
			}
		}
	}
}

// put adds a block to sc. A nil block is one that shows nothing.
func (b *builder) put(sc *scope, block doc.Block) {
	if block == nil || b.stopped() {
		return
	}
	sc.n++
	b.stack = append(b.stack, block)
	b.count(1)
}

// take returns the blocks put since mark as a slice of its own.
func (b *builder) take(mark int) []doc.Block {
	n := len(b.stack) - mark
	if n <= 0 {
		return nil
	}
	out := b.mem.blocks.take(n)
	copy(out, b.stack[mark:])
	b.stack = b.stack[:mark]
	return out
}

// document builds all of root. ok says that goldmark came to the end.
func (b *builder) document(root ast.Node, ok bool) []doc.Block {
	sc := &scope{n: b.first}
	cut := b.st.cut
	if root != nil {
		for c := root.FirstChild(); c != nil; c = c.NextSibling() {
			mark, n := len(b.stack), sc.n
			if !ok && c.NextSibling() == nil {
				b.halt(reasonParser)
			}
			if !b.stopped() {
				b.block(sc, c)
			}
			if b.stopped() {
				if len(b.stack) > mark {
					b.stack = b.stack[:mark]
				}
				sc.n = min(n, sc.n)
				cut = b.st.lineStart(c)
				break
			}
		}
	} else {
		b.halt(reasonParser)
		cut = 0
	}
	if cut < len(b.st.text) {
		b.halt(reasonWork)
	}
	why := b.stop
	b.closeScope(sc)
	if why != "" {
		b.stop = ""
		b.nodes = 0 // what follows is bounded by itself
		b.rest(sc, cut, why)
	}
	b.citations(sc, cut)
	return b.take(0)
}

// rest keeps the source from cut on as it is.
func (b *builder) rest(sc *scope, cut int, why string) {
	id := sc.next()
	if raw := strings.TrimSpace(b.st.text[cut:]); raw != "" {
		b.put(sc, &doc.RawMarkdown{ID: id, Markdown: raw, Reason: why})
	}
	b.note("limit", doc.Warning, id, "the rest is shown as its source: "+why)
}

// lineStart is the offset of the line on which n begins.
func (st *state) lineStart(n ast.Node) int {
	pos := n.Pos()
	if n.Lines().Len() > 0 && n.Lines().At(0).Start < pos {
		pos = n.Lines().At(0).Start
	}
	pos = min(max(pos, 0), len(st.text))
	return strings.LastIndexByte(st.text[:pos], '\n') + 1
}

func (b *builder) blocks(sc *scope, first ast.Node) {
	for c := first; c != nil && !b.stopped(); c = c.NextSibling() {
		b.block(sc, c)
	}
}

func (b *builder) block(sc *scope, n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		b.paragraph(sc, b.st.leaf(n.Lines()))
	case *ast.Heading:
		b.heading(sc, n.Level, b.st.leaf(n.Lines()))
	case *ast.List:
		b.put(sc, b.list(sc, n))
	case *ast.Blockquote:
		b.quote(sc, n)
	case *ast.FencedCodeBlock:
		b.fence(sc, n)
	case *ast.CodeBlock:
		b.code(sc, "", b.st.leaf(n.Lines()))
	case *ast.ThematicBreak:
		b.put(sc, &doc.Rule{ID: sc.next()})
	case *tableNode:
		b.table(sc, n)
	case *mathNode:
		tex := strings.TrimSpace(b.st.leaf(n.Lines()))
		b.put(sc, &doc.Code{ID: sc.next(), Language: "math", Text: tex})
	case *htmlNode:
		b.markup(sc, n)
	case *overflowNode:
		b.overflow(sc, n)
	case *footnoteNode:
		// Footnotes stand at the end, see citations.
	}
}

func (b *builder) overflow(sc *scope, n *overflowNode) {
	raw := strings.TrimSpace(b.st.leaf(n.Lines()))
	if raw == "" {
		return
	}
	b.note("limit", doc.Warning, sc.next(), "shown as its source: "+reasonDepth)
	b.put(sc, &doc.RawMarkdown{ID: sc.next(), Markdown: raw, Reason: reasonDepth})
}

func (b *builder) paragraph(sc *scope, text string) {
	b.putInlines(sc, b.inlinesIn(sc, text))
}

// inlinesIn parses text for a block that is to be put into sc, and returns nil
// if it shows nothing.
func (b *builder) inlinesIn(sc *scope, text string) []doc.Inline {
	ins := b.inlines(text)
	shown := visible(ins)
	if b.inl.comment {
		b.inl.comment = false
		id := sc.around()
		if shown {
			id = sc.next()
		}
		b.comment(id)
	}
	if !shown {
		return nil
	}
	return ins
}

func (b *builder) comment(id doc.ID) {
	b.note("comment", doc.Info, id, "a comment is not shown")
}

// putInlines puts a paragraph, or what stands for one that is a single image or
// reference.
func (b *builder) putInlines(sc *scope, ins []doc.Inline) {
	if len(ins) == 0 {
		return
	}
	if len(ins) == 1 {
		if block := b.single(sc, ins[0]); block != nil {
			b.put(sc, block)
			return
		}
	}
	p := b.mem.paragraphs.new()
	p.ID, p.Inlines = sc.next(), ins
	b.put(sc, p)
}

func (b *builder) heading(sc *scope, level int, text string) {
	if ins := b.inlinesIn(sc, text); ins != nil {
		b.put(sc, &doc.Heading{ID: sc.next(), Level: level, Inlines: ins})
	}
}
