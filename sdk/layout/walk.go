package layout

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A walk lays a document out as tokens.
type walk struct {
	d       dialect.Dialect
	profile surface.Profile
	nested  bool // the dialect nests blocks as markdown does
	live    bool

	toks    []token
	cons    []dialect.Construct
	ids     []doc.ID
	repeats map[int32][2]int32 // tokens to write again when a construct is opened again

	parent int32
	block  int32
	styles uint16 // kinds of style that are open
	lists  int    // lists around
	quotes int    // quotes around
	label  bool   // in the label of a link
	cell   bool   // in a table of pipes
	flat   bool   // a line must not end here: headings, labels, keys

	maxLink   int // longest address that is written as a link, 0 for any
	maxNested int // deepest nesting that is shown
	maxLine   int // longest line under a heading

	notes map[noteKey]int
}

type noteKey struct {
	block  doc.ID
	reason string
}

func newWalk(r surface.RenderRequest, d dialect.Dialect, m *memory) *walk {
	w := &walk{d: d, profile: r.Profile, nested: d.Name() == dialect.GFM.Name(), parent: -1, block: -1, maxNested: 12, maxLine: 60,
		live: r.Profile.Mentions == "live", toks: m.toks, cons: m.cons, ids: m.ids}
	if most := r.Profile.Limit.Max; most > 0 {
		// What is opened again in every chunk must leave room to say something.
		w.maxLink = most / 4
		w.maxNested = min(w.maxNested, most/16)
		w.maxLine = min(w.maxLine, most/8)
	}
	if n := r.Profile.Limit.MaxEntityBytes; n > 0 {
		w.maxLink = min(w.maxLink, n/4)
	}
	return w
}

func (w *walk) note(reason string) {
	if reason == "" || w.block < 0 {
		return
	}
	w.noteAt(w.ids[w.block], reason)
}

func (w *walk) noteAt(id doc.ID, reason string) {
	if w.notes == nil {
		w.notes = make(map[noteKey]int)
	}
	w.notes[noteKey{id, reason}]++
}

func (w *walk) sortedNotes() []surface.Note {
	if len(w.notes) == 0 {
		return nil
	}
	order := make(map[doc.ID]int, len(w.ids))
	for i, id := range w.ids {
		order[id] = i
	}
	notes := make([]surface.Note, 0, len(w.notes))
	for k, n := range w.notes {
		notes = append(notes, surface.Note{Block: k.block, Disposition: surface.AsFallback, Reason: k.reason, Count: n})
	}
	slices.SortFunc(notes, func(a, b surface.Note) int {
		return cmp.Or(cmp.Compare(order[a.Block], order[b.Block]), cmp.Compare(a.Reason, b.Reason))
	})
	return notes
}

// The makers of tokens.

func (w *walk) open(c dialect.Construct) int32 {
	w.cons = append(w.cons, c)
	return w.openToken(token{kind: openToken, con: int32(len(w.cons) - 1)})
}

func (w *walk) indent(s string) int32 {
	return w.openToken(token{kind: openToken, con: -1, text: s})
}

func (w *walk) openToken(t token) int32 {
	t.parent = w.parent
	w.parent = int32(len(w.toks))
	w.toks = append(w.toks, t)
	return w.parent
}

func (w *walk) close(open int32) {
	w.toks[open].end = int32(len(w.toks))
	w.parent = w.toks[open].parent
}

func (w *walk) text(s string, ctx dialect.Context) {
	if s != "" {
		w.toks = append(w.toks, token{kind: textToken, ctx: ctx, text: s, parent: w.parent, block: w.block})
	}
}

func (w *walk) mark(c dialect.Construct) {
	w.cons = append(w.cons, c)
	w.toks = append(w.toks, token{kind: markToken, con: int32(len(w.cons) - 1), parent: w.parent, block: w.block})
}

func (w *walk) line(hard bool) {
	w.toks = append(w.toks, token{kind: lineToken, hard: hard, parent: w.parent})
}

// stay ends a line that the next one must follow in the same chunk.
func (w *walk) stay() {
	w.line(false)
	w.toks[len(w.toks)-1].keep = true
}

func (w *walk) gap(depth int, blank bool) {
	w.toks = append(w.toks, token{kind: gapToken, depth: uint8(min(depth, maxDepth)), blank: blank, parent: w.parent})
}

// enter makes id the block that content belongs to.
func (w *walk) enter(id doc.ID) {
	w.ids = append(w.ids, id)
	w.block = int32(len(w.ids) - 1)
}

// blocks lays siblings out. depth is how many containers stand around them.
func (w *walk) blocks(bs []doc.Block, depth int) {
	var before doc.Block
	for _, b := range bs {
		if before != nil {
			w.between(before, b, depth)
		}
		w.one(b, depth)
		before = b
	}
}

// between parts two siblings.
func (w *walk) between(a, b doc.Block, depth int) {
	blank := true
	keep := false
	if h, ok := a.(*doc.Heading); ok {
		keep = true
		blank = w.tight(h)&dialect.TightAfter == 0
	}
	if h, ok := b.(*doc.Heading); ok && w.tight(h)&dialect.TightBefore != 0 {
		blank = false
	}
	if w.lists > 0 && !w.nested {
		switch b.(type) {
		case *doc.Paragraph:
			_, after := a.(*doc.Paragraph)
			blank = blank && after
		default:
			blank = false
		}
	}
	if _, ok := b.(*doc.List); ok && w.lists > 0 {
		_, after := a.(*doc.Paragraph)
		blank = blank && !after
	}
	w.gap(depth, blank)
	w.toks[len(w.toks)-1].keep = keep
}

func (w *walk) tight(h *doc.Heading) dialect.Tight {
	s, _ := w.d.Syntax(dialect.Construct{Kind: dialect.Heading, Level: h.Level}, 0, 0)
	return s.Tight
}

func (w *walk) one(b doc.Block, depth int) {
	switch b := b.(type) {
	case *doc.Heading:
		w.enter(b.ID)
		w.heading(b)
	case *doc.Paragraph:
		w.enter(b.ID)
		w.inlines(b.Inlines)
	case *doc.List:
		w.list(b, depth)
	case *doc.Table:
		w.enter(b.ID)
		w.table(b, depth)
	case *doc.Quote:
		w.enter(b.ID)
		w.quote(nil, b.Blocks, depth)
	case *doc.Callout:
		w.enter(b.ID)
		w.quote(b.Title, b.Blocks, depth)
	case *doc.Code:
		w.enter(b.ID)
		if b.Filename != "" {
			w.text(b.Filename, dialect.InText)
			w.line(false)
		}
		w.code(b.Language, b.Text)
	case *doc.Diff:
		w.enter(b.ID)
		w.code("diff", b.Text)
	case *doc.Citations:
		w.citations(b, depth)
	case *doc.Media:
		w.enter(b.ID)
		w.image(&doc.Image{Src: b.Source, Alt: b.Alt, Safe: doc.SafeURL(b.Source)})
		if b.Caption != "" {
			w.line(false)
			w.text(b.Caption, dialect.InText)
		}
	case *doc.Rule:
		w.toks = append(w.toks, token{kind: ruleToken, parent: w.parent})
	}
}

func (w *walk) heading(b *doc.Heading) {
	level := b.Level
	if (w.lists > 0 || w.quotes > 1) && !w.nested {
		level = 6 // no platform has headings in lists or in inner quotes
	}
	o := w.open(dialect.Construct{Kind: dialect.Heading, Level: level})
	from := len(w.toks)
	flat := w.flat
	w.flat = true
	if w.syntax(o).Bold {
		w.ornament(dialect.Strong, b.Inlines)
	} else {
		w.inlines(b.Inlines)
	}
	w.flat = flat
	w.close(o)
	width := 0
	for i := range w.toks[from:] {
		width += textWidth(w.toks[from+i].text)
	}
	w.cons[w.toks[o].con].Run = min(max(width, 1), w.maxLine)
}

// syntax is the syntax of the construct that opens at o, without regard to what
// stands around it.
func (w *walk) syntax(o int32) dialect.Syntax {
	s, _ := w.d.Syntax(w.cons[w.toks[o].con], 0, 0)
	return s
}

func (w *walk) quote(title []doc.Inline, bs []doc.Block, depth int) {
	o := int32(-1)
	if w.quotes < w.maxNested {
		o = w.open(dialect.Construct{Kind: dialect.Quote, Level: w.quotes})
	}
	w.quotes++
	lists := w.lists
	w.lists = 0
	if len(title) > 0 {
		flat := w.flat
		w.flat = true
		w.ornament(dialect.Strong, title)
		w.flat = flat
		if len(bs) > 0 {
			w.gap(depth+1, false)
			w.toks[len(w.toks)-1].keep = true
		}
	}
	w.blocks(bs, depth+1)
	w.lists = lists
	w.quotes--
	if o >= 0 {
		w.close(o)
	}
}

func (w *walk) list(b *doc.List, depth int) {
	level := w.lists
	w.lists++
	for i, it := range b.Items {
		if i > 0 {
			w.gap(depth, false)
		}
		if len(it.Blocks) > 0 {
			w.enter(firstLeaf(it.Blocks[0]))
		} else {
			w.enter(b.ID)
		}
		pad := 2
		switch {
		case b.Ordered:
			n := strconv.Itoa(b.Start + i)
			w.mark(dialect.Construct{Kind: dialect.Number, Arg: n})
			pad = len(n) + 2
		case it.Task == doc.NoTask || w.nested:
			w.mark(dialect.Construct{Kind: dialect.Bullet, Level: level})
		}
		if it.Task != doc.NoTask {
			w.mark(dialect.Construct{Kind: dialect.TaskMark, Arg: string(it.Task)})
		}
		if !w.nested {
			pad = 2
		}
		o := int32(-1)
		if level < w.maxNested {
			o = w.indent("                    "[:min(pad, 20)])
		}
		if len(it.Blocks) > 0 && w.ownLine(it.Blocks[0], it.Task != doc.NoTask) {
			w.line(false)
		}
		w.blocks(it.Blocks, depth+1)
		if o >= 0 {
			w.close(o)
		}
	}
	w.lists--
}

// ownLine reports whether b cannot start behind a mark. Where blocks nest, a
// list item may start with any block, but a task only with text.
func (w *walk) ownLine(b doc.Block, task bool) bool {
	switch b := b.(type) {
	case *doc.Quote, *doc.Callout, *doc.Diff, *doc.Table:
		return !w.nested || task
	case *doc.List:
		return w.nested && task
	case *doc.Code:
		return b.Filename == "" && (!w.nested || task)
	}
	return false
}

// firstLeaf returns the id of the first block in b that has text of its own.
func firstLeaf(b doc.Block) doc.ID {
	switch b := b.(type) {
	case *doc.List:
		if len(b.Items) > 0 && len(b.Items[0].Blocks) > 0 {
			return firstLeaf(b.Items[0].Blocks[0])
		}
	case *doc.Quote:
		if len(b.Blocks) > 0 {
			return firstLeaf(b.Blocks[0])
		}
	}
	return b.BlockID()
}

func (w *walk) code(language, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if m := w.profile.Limit.Max; m > 0 && len(language) > m/8 || !languageName(language) {
		language = ""
	}
	runs, longest := dialect.ScanRuns(text)
	o := w.open(dialect.Construct{Kind: dialect.Fence, Arg: language, Runs: runs, Run: longest})
	for first := true; ; first = false {
		line, rest, more := strings.Cut(text, "\n")
		if !first {
			w.line(false)
		}
		w.text(line, dialect.InFence)
		if !more {
			break
		}
		text = rest
	}
	w.close(o)
}

// languageName reports whether every platform takes s for the name of a language.
func languageName(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '_', c == '+', c == '.', c == '#', c == '-':
		default:
			return false
		}
	}
	return len(s) <= 40
}

func (w *walk) citations(b *doc.Citations, depth int) {
	// What stands below a title belongs to it, and not to the next one.
	loose := slices.ContainsFunc(b.Items, func(it doc.Citation) bool { return len(it.Blocks) > 0 && it.URL+it.Title != "" })
	for i, it := range b.Items {
		if i > 0 {
			w.gap(depth, loose)
		}
		w.enter(b.ID)
		w.text("["+it.Label+"] ", dialect.InText)
		o := w.indent("  ")
		w.lists++
		title := it.Title
		if it.URL != "" {
			var label []doc.Inline
			if title != "" {
				label = []doc.Inline{&doc.Text{Text: title}}
			}
			w.link(&doc.Link{Href: it.URL, Safe: doc.SafeURL(it.URL), Children: label})
		} else {
			w.text(title, dialect.InText)
		}
		switch {
		case len(it.Blocks) == 0:
		case it.URL != "" || title != "":
			w.gap(depth+1, false)
		case w.ownLine(it.Blocks[0], true):
			w.line(false)
		}
		w.blocks(it.Blocks, depth+1)
		w.lists--
		w.close(o)
	}
}

// actions lists what a reader can answer with, by number, until button presses
// can be received.
func (w *walk) actions(as []surface.Action) {
	for i, a := range as {
		w.gap(0, i == 0)
		if i > 0 {
			w.toks[len(w.toks)-1].keep = true
		}
		if w.block < 0 {
			w.enter("")
		}
		w.mark(dialect.Construct{Kind: dialect.Number, Arg: strconv.Itoa(i + 1)})
		w.text(a.Verb, dialect.InText)
		if !a.Expires.IsZero() {
			w.text(" (until "+a.Expires.UTC().Format("2006-01-02 15:04 UTC")+")", dialect.InText)
		}
	}
}
