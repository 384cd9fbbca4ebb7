package oracle

import (
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A node is one construct of a document that has to show in the foreign tree.
type node struct {
	kind  string // strong, emphasis, strike, spoiler, code, pre, quote, link, image, heading
	style Style  // what its text has to look like
	block doc.ID
	href  string // link, image: where it leads
	lang  string // pre
	label bool   // link, image: it has a label of its own
}

// A piece is a part of the document's text with the nodes around it. Pieces are
// what [doc.Parts] lists, in the same order.
type piece struct {
	text  string
	role  doc.Role
	block doc.ID
	cell  int
	nodes []int // indices of the nodes around the text, outermost first
}

// An expectation is what a document demands of any screen.
type expectation struct {
	nodes  []node
	pieces []piece
	hrefs  map[string]bool // addresses that the document mentions
	data   []string        // media types of pictures that data: addresses hold
}

func expect(d *doc.Document) *expectation {
	w := &walker{e: &expectation{hrefs: map[string]bool{}}}
	w.blocks(d.Blocks)
	return w.e
}

type walker struct {
	e     *expectation
	stack []int
	block doc.ID
	cell  int
}

// within calls f inside of a new node.
func (w *walker) within(n node, f func()) {
	n.block = w.block
	w.e.nodes = append(w.e.nodes, n)
	w.stack = append(w.stack[:len(w.stack):len(w.stack)], len(w.e.nodes)-1)
	f()
	w.stack = w.stack[:len(w.stack)-1]
}

func (w *walker) add(role doc.Role, text string) {
	if text == "" {
		return
	}
	if role == doc.RoleTarget {
		w.e.hrefs[text] = true
	}
	w.e.pieces = append(w.e.pieces, piece{text: text, role: role, block: w.block, cell: w.cell, nodes: w.stack})
}

func (w *walker) target(href string) {
	if _, _, data := doc.DataURI(href); !data {
		w.add(doc.RoleTarget, href)
	}
}

func (w *walker) blocks(bs []doc.Block) {
	for _, b := range bs {
		w.visit(b)
	}
}

func (w *walker) visit(b doc.Block) {
	outer := w.block
	w.block = b.BlockID()
	defer func() { w.block = outer }()
	switch b := b.(type) {
	case *doc.Heading:
		w.within(node{kind: "heading", style: Strong}, func() { w.inlines(b.Inlines, nil) })
	case *doc.Paragraph:
		w.inlines(b.Inlines, nil)
	case *doc.List:
		for i, it := range b.Items {
			if b.Ordered {
				w.add(doc.RoleNumber, strconv.Itoa(b.Start+i))
			}
			w.add(doc.RoleTask, it.Task.Mark())
			w.blocks(it.Blocks)
		}
	case *doc.Table:
		w.cell = 0
		for _, row := range append([][]doc.Cell{b.Header}, b.Rows...) {
			for _, c := range row {
				w.cell++
				w.inlines(c, nil)
			}
		}
		w.cell = 0
	case *doc.Quote:
		w.within(node{kind: "quote", style: Quote}, func() { w.blocks(b.Blocks) })
	case *doc.Callout:
		w.within(node{kind: "quote", style: Quote}, func() {
			w.within(node{kind: "heading", style: Strong}, func() { w.inlines(b.Title, nil) })
			w.blocks(b.Blocks)
		})
	case *doc.Code:
		w.add(doc.RoleText, b.Filename)
		w.within(node{kind: "pre", style: Pre, lang: b.Language}, func() { w.add(doc.RoleText, b.Text) })
	case *doc.Diff:
		w.within(node{kind: "pre", style: Pre, lang: "diff"}, func() { w.add(doc.RoleText, b.Text) })
	case *doc.Diagram:
		w.add(doc.RoleText, b.Source)
	case *doc.Citations:
		for _, it := range b.Items {
			w.add(doc.RoleText, it.Label)
			w.add(doc.RoleText, it.Title)
			w.target(it.URL)
			w.blocks(it.Blocks)
		}
	case *doc.Media:
		w.image(b.Alt, b.Source, nil)
		w.add(doc.RoleText, b.Caption)
	case *doc.ArtifactRef:
		w.add(doc.RoleText, b.Text)
		w.add(doc.RoleText, b.Caption)
		w.target(b.Path)
	case *doc.Structured:
		w.add(doc.RoleText, b.Output)
	case *doc.RawMarkdown:
		w.add(doc.RoleText, b.Markdown)
	}
}

// inlines walks ins. Inside a label, later collects the addresses of pictures,
// which are told after the label's own.
func (w *walker) inlines(ins []doc.Inline, later *[]string) {
	for _, in := range ins {
		switch in := in.(type) {
		case *doc.Text:
			w.add(doc.RoleText, in.Text)
		case *doc.CodeSpan:
			w.within(node{kind: "code", style: Code}, func() { w.add(doc.RoleText, in.Text) })
		case *doc.Strong:
			w.within(node{kind: "strong", style: Strong}, func() { w.inlines(in.Children, later) })
		case *doc.Emphasis:
			w.within(node{kind: "emphasis", style: Emphasis}, func() { w.inlines(in.Children, later) })
		case *doc.Strikethrough:
			w.within(node{kind: "strike", style: Strike}, func() { w.inlines(in.Children, later) })
		case *doc.Spoiler:
			w.within(node{kind: "spoiler", style: Spoiler}, func() { w.inlines(in.Children, later) })
		case *doc.Link:
			w.link(in)
		case *doc.Image:
			w.image(in.Alt, in.Src, later)
		}
	}
}

func (w *walker) link(l *doc.Link) {
	w.e.hrefs[l.Href] = true
	var after []string
	label := func() {
		w.inlines(l.Children, &after)
		if len(l.Children) == 0 || !l.Bare() {
			w.target(l.Href)
		}
	}
	if web(l.Href) {
		w.within(node{kind: "link", style: Link, href: l.Href, label: !l.Bare()}, label)
	} else {
		label()
	}
	for _, src := range after {
		if _, _, data := doc.DataURI(src); data || src == l.Href {
			continue // shown once, or not at all
		}
		w.target(src)
	}
}

func (w *walker) image(alt, src string, later *[]string) {
	w.e.hrefs[src] = true
	if media, _, ok := doc.DataURI(src); ok {
		w.e.data = append(w.e.data, media)
	}
	show := func() {
		w.add(doc.RoleText, alt)
		if later == nil && alt != src {
			w.target(src)
		}
	}
	switch {
	case later != nil: // a link cannot hold a link: the address is told as text
		if alt != src {
			*later = append(*later, src)
		}
		show()
	case web(src):
		w.within(node{kind: "image", style: Link, href: src, label: alt != ""}, show)
	default:
		show()
	}
}

// web reports whether every platform makes a link of href.
func web(href string) bool {
	scheme, rest, ok := strings.Cut(href, "://")
	return ok && rest != "" && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
