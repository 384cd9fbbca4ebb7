package doc

import (
	"slices"
	"unicode/utf8"
)

// Limits bound what [Parse] takes. A field that is zero means its default.
type Limits struct {
	MaxBytes int // of the JSON; default 16 MiB
	MaxDepth int // of blocks and inlines within each other; default 192
	MaxNodes int // blocks, inlines, items, rows, cells and diagnostics together; default 500,000
}

// The defaults of [Limits]. What the compiler makes of one message stays below
// them, with room for what [Lower] adds.
const (
	DefaultMaxBytes = 16 << 20
	DefaultMaxDepth = 192
	DefaultMaxNodes = 500_000
)

func (l Limits) orDefault() Limits {
	if l.MaxBytes == 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	if l.MaxDepth == 0 {
		l.MaxDepth = DefaultMaxDepth
	}
	if l.MaxNodes == 0 {
		l.MaxNodes = DefaultMaxNodes
	}
	return l
}

// Parse reads a document from the JSON that [Append] writes. It is the one way
// in for such bytes: what it returns keeps every promise of the types of this
// package, and its error is a [*ParseError].
//
// It takes members in any order and passes over those that it does not know, so
// that a later version can add some. It refuses what Append cannot have meant:
// kinds, levels, tones and alignments outside the vocabulary, ids that are
// malformed, used twice or not below the block that they stand in, links within
// links, "safe" on an unsafe scheme, newlines in text, members given twice. An
// escaped surrogate without its other half is read as U+FFFD.
//
// For canonical b, Append of the document gives b again. The document's strings
// share memory with a copy of b, not with b.
func Parse(b []byte, lim Limits) (*Document, error) {
	lim = lim.orDefault()
	p := parser{lim: lim}
	if len(b) > lim.MaxBytes {
		p.fail(ErrTooLarge, "")
		return nil, p.failure()
	}
	if !utf8.Valid(b) {
		p.fail(ErrSyntax, "not UTF-8")
		return nil, p.failure()
	}
	p.s = string(b)
	d := p.document()
	if p.peek(); p.err == nil && p.i < len(p.s) {
		p.fail(ErrSyntax, "more behind the document")
	}
	if p.err == nil && p.disorder && !p.unique() {
		p.fail(ErrInvalid, "an id occurs twice")
	}
	if p.err != nil {
		return nil, p.failure()
	}
	return d, nil
}

// UnmarshalJSON is [Parse] with the default limits.
func (d *Document) UnmarshalJSON(b []byte) error {
	got, err := Parse(b, Limits{})
	if err != nil {
		return err
	}
	*d = *got
	return nil
}

// A parser builds a document. Nodes and slices come from slabs: a document is
// kept or dropped as a whole.
type parser struct {
	scanner
	lim   Limits
	nodes int
	depth int
	link  bool // within a link
	ahead int  // bytes read in search of a type that does not come first

	ids      []ID
	disorder bool // an id is not greater than the one before

	blockStack  []Block
	inlineStack []Inline
	blockSlab   slab[Block]
	inlineSlab  slab[Inline]
	texts       slab[Text]
	paragraphs  slab[Paragraph]
	strongs     slab[Strong]
	emphases    slab[Emphasis]
	spans       slab[CodeSpan]
	links       slab[Link]
	breaks      slab[Break]
}

// A slab hands out memory from large pieces.
type slab[T any] struct{ free []T }

func (s *slab[T]) new() *T { return &s.take(1)[0] }

func (s *slab[T]) take(n int) []T {
	if len(s.free) < n {
		// Each piece is twice the former, so that small documents stay small.
		s.free = make([]T, max(n, min(2*cap(s.free), 256), 8))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

// node counts one more node.
func (p *parser) node() {
	if p.nodes++; p.nodes > p.lim.MaxNodes {
		p.fail(ErrTooMany, "")
	}
}

func (p *parser) enter() {
	p.node()
	if p.depth++; p.depth > p.lim.MaxDepth {
		p.fail(ErrTooDeep, "")
	}
}

func (p *parser) document() *Document {
	d := &Document{}
	version := -1
	p.open('{')
	for n := 0; p.more(n, '}'); n++ {
		switch p.key() {
		case "schema_version":
			p.number(&version, "schema_version")
			if version > SchemaVersion {
				p.fail(ErrVersion, "newer than this program knows")
			}
		case "source_markdown":
			p.text(&d.Source, "source_markdown")
		case "blocks":
			p.blocks(&d.Blocks, "blocks")
		case "diagnostics":
			p.diagnostics(&d.Diagnostics)
		default:
			p.skip()
		}
	}
	if version < 1 {
		p.fail(ErrVersion, "no schema_version from 1")
	}
	d.Version = version
	return d
}

// text reads a string field and says in the path which.
func (p *parser) text(dst *string, field string) {
	if p.err == nil {
		if p.str(dst); p.err != nil {
			p.at(field, -1)
		}
	}
}

// list opens an array unless it is a second one for the same field.
func (p *parser) list(have bool) bool {
	if p.exact {
		p.skip()
		return false
	}
	if have {
		p.fail(ErrInvalid, "a field given twice")
		return false
	}
	p.open('[')
	return true
}

// kind reads the type of the object that has just been opened. It stands first
// in what Append writes; elsewhere it is looked for, within a bound, because
// tools that sort members are in use.
func (p *parser) kind() (kind string, members int) {
	start := p.i
	if p.peek() == '"' {
		if p.key() == "type" && !p.exact {
			kind, _ = p.word("type")
			return kind, 1
		}
		p.i = start
		for n := 0; p.more(n, '}'); n++ {
			if p.key() == "type" && !p.exact {
				kind, _ = p.word("type")
				break
			}
			p.skip()
		}
		if p.ahead += p.i - start; p.ahead > 1<<20+16*len(p.s) {
			p.fail(ErrTooDeep, "types that do not come first")
		}
	}
	if p.err == nil {
		p.i = start
	}
	return kind, 0
}

func (p *parser) unknown(kind string) {
	if kind == "" {
		p.fail(ErrUnknownKind, "no type")
		return
	}
	for i := range len(kind) {
		if c := kind[i]; len(kind) > 32 || c != '_' && (c < 'a' || 'z' < c) {
			kind = "" // it may be anything, and errors carry no message text
			break
		}
	}
	p.fail(ErrUnknownKind, kind)
}

// id reads the id of a block.
func (p *parser) id(dst *ID) {
	s, ok := p.word("id")
	if !ok {
		return
	}
	id := ID(s)
	switch {
	case *dst != "":
		p.fail(ErrInvalid, "a field given twice")
	case !id.Valid():
		p.fail(ErrInvalid, "malformed id")
	}
	p.at("id", -1)
	*dst = id
	if n := len(p.ids); n > 0 && id.Compare(p.ids[n-1]) <= 0 {
		p.disorder = true
	}
	p.ids = append(p.ids, id)
}

// below checks that the blocks in the given field stand below id.
func (p *parser) below(id ID, bs []Block, field string) {
	if p.err != nil {
		return
	}
	for i, b := range bs {
		if !b.BlockID().Below(id) {
			p.fail(ErrInvalid, "id not below that of the block around it")
			p.at(field, i)
			return
		}
	}
}

// unique reports whether no id occurs twice. Ids that rise all the way, as the
// compiler's do, need no such check.
func (p *parser) unique() bool {
	slices.Sort(p.ids)
	return len(slices.Compact(p.ids)) == len(p.ids)
}

func (p *parser) diagnostics(dst *[]Diagnostic) {
	if !p.list(*dst != nil) {
		return
	}
	for n := 0; p.more(n, ']'); n++ {
		p.node()
		var g Diagnostic
		p.open('{')
		for m := 0; p.more(m, '}'); m++ {
			switch p.key() {
			case "code":
				p.text(&g.Code, "code")
			case "severity":
				if s, ok := p.word("severity"); ok {
					g.Severity = Severity(s)
					if g.Severity != Info && g.Severity != Warning && g.Severity != Error {
						p.fail(ErrInvalid, "unknown severity")
					}
				}
			case "block":
				if s, ok := p.word("block"); ok {
					if g.Block = ID(s); !g.Block.Valid() {
						p.fail(ErrInvalid, "malformed id")
					}
				}
			case "message":
				p.text(&g.Message, "message")
			default:
				p.skip()
			}
		}
		p.at("diagnostics", n)
		*dst = append(*dst, g)
	}
}
