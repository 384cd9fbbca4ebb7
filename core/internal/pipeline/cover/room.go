package cover

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// What may be added to a document, in characters that are seen. Each figure is
// about twice what package layout adds, as others have habits of their own: of all
// that is tested, it uses 0.43 of the room that they give at most, on any surface
// and within any limit from 64 on. That is for a table as lines whose header is
// longer than its cells; prose uses next to nothing.
const (
	roomAnswer  = 200 // once: a line above the answer, or below it
	roomChunk   = 12  // for a chunk: "(12/34)"
	roomBlock   = 8   // for a block: a sign before it
	roomLine    = 2   // for a line, and again for each quote or list around it: their marks
	roomCode    = 6   // for a line of code: its number and a bar
	roomItem    = 8   // for an item: a bullet and a box, or the full stop of a number
	roomStyle   = 8   // for a style: markers that did not become markup
	roomSpoiler = 20  // for a spoiler: the word, and brackets
	roomLink    = 20  // for an address: "(", ")", and "[12]" in its place and again before it in a list
	roomPicture = 48  // for a picture: a sign, what it is and how large
	roomCallout = 24  // for a callout: the word for its tone
	roomCell    = 4   // for a cell: borders, or a colon
	roomRule    = 120 // for a line from one side to the other
	roomAction  = 60  // for an action beside its verb: its number, and until when

	maxDeep = 16 // containers whose marks stand before a line, at most
)

// A room is what a block accounts for, in characters that are seen.
type room struct {
	own   int // what it must show
	more  int // what may stand around that
	again int // what each further chunk that it reaches into may say once more
	spans int // its inlines, cells and lines, each of which may take markup of its own
	bytes int // what it must show with its space, and the space that fills the cells of a grid
}

// furnish works out the room of b, but for what it must show. deep is how many
// containers stand around it, grid how wide a table may be.
func (b *block) furnish(deep, grid int) {
	line := roomLine * (1 + min(deep, maxDeep))
	b.more, b.again = roomBlock+line, roomBlock+line
	switch d := b.Block.(type) {
	case *doc.Heading:
		b.more += roomRule
		b.inlines(d.Inlines, line)
	case *doc.Paragraph:
		b.inlines(d.Inlines, line)
	case *doc.Callout:
		b.more += roomCallout
		b.inlines(d.Title, line)
	case *doc.Code:
		b.more += roomLink + weigh(d.Language)
		b.lines(d.Text, line+roomCode)
	case *doc.Diff:
		b.more += roomLink
		b.lines(d.Text, line+roomCode)
	case *doc.Diagram:
		b.more += roomLink + weigh(d.DiagramKind)
		b.lines(d.Source, line+roomCode)
	case *doc.RawMarkdown:
		b.lines(d.Markdown, line)
	case *doc.Structured:
		b.more += roomPicture + weigh(d.FallbackMarkdown)
		b.lines(d.Output, line+roomCode)
	case *doc.Media:
		b.more += 2*roomPicture + weigh(d.MediaType)
	case *doc.ArtifactRef:
		b.more += 2*roomPicture + weigh(d.ArtifactKind)
	case *doc.Citations:
		b.more += len(d.Items) * (roomLink + line)
		b.spans += len(d.Items)
	case *doc.Rule:
		b.more += roomRule
	case *doc.Table:
		b.table(d, line, grid)
	}
}

// table makes room for borders, for the header before each row, whole, and for
// the line below it.
func (b *block) table(d *doc.Table, line, grid int) {
	before := b.more
	columns, header := len(d.Header), 0
	for _, c := range d.Header {
		b.inlines(c, line)
		for p := range doc.InlineParts(c) {
			header += weigh(p.Text)
		}
	}
	header += b.more - before // an address in it has brackets in each row
	for _, row := range d.Rows {
		columns = max(columns, len(row))
		for _, c := range row {
			b.inlines(c, line)
		}
	}
	rule := max(roomRule, 2*grid) + 2*roomCell*columns
	b.more += rule + len(d.Rows)*(header+line+roomCell*columns)
	b.again += header + rule
	b.spans += len(d.Rows) * columns
	b.bytes += len(d.Rows) * grid
}

// lines makes room before each line of s.
func (b *block) lines(s string, line int) {
	n := strings.Count(s, "\n") + 1
	b.more += n * line
	b.spans += n
}

// inlines makes room around each of ins.
func (b *block) inlines(ins []doc.Inline, line int) {
	b.spans += len(ins)
	for _, in := range ins {
		switch in := in.(type) {
		case *doc.Break:
			b.more += line
		case *doc.CodeSpan:
			b.more += roomStyle
		case *doc.Strong:
			b.more += roomStyle
			b.inlines(in.Children, line)
		case *doc.Emphasis:
			b.more += roomStyle
			b.inlines(in.Children, line)
		case *doc.Strikethrough:
			b.more += roomStyle
			b.inlines(in.Children, line)
		case *doc.Spoiler:
			b.more += roomSpoiler
			b.again += min(roomSpoiler, max(0, roomBlock+line+roomSpoiler-b.again)) // it is one that is open at a cut
			b.inlines(in.Children, line)
		case *doc.Link:
			b.address(in.Href, in.Bare())
			b.inlines(in.Children, line)
		case *doc.Image:
			b.more += roomPicture
			b.address(in.Src, true)
		}
	}
}

// address makes room around an address, for a notice in the place of one that
// holds data, and where it need not be seen for itself.
func (b *block) address(s string, spare bool) {
	b.more += roomLink
	if mediaType, _, data := doc.DataURI(s); data {
		b.more += roomPicture + weigh(mediaType)
	} else if spare {
		b.more += weigh(s)
	}
}

// reply is the room for what a reader can answer with, as a list and as buttons.
func reply(as []surface.Action) int {
	n := 0
	for i := range as {
		n += 2*weigh(as[i].Verb) + roomAction
	}
	return n
}

// weigh returns how many characters of s are seen. Space and what shows nothing
// do not count.
func weigh[T string | []byte](s T) int {
	n := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c > ' ' && c != 0x7f {
				n++
			}
			i++
			continue
		}
		size := 1
		switch c {
		case 0xc2, 0xd8, 0xe1, 0xe2, 0xe3, 0xef: // all that do not count start with one of these
			if k := ignorable(s[i:]); k > 0 {
				n, size = n-1, k
			}
		}
		if c >= 0xc0 {
			n++
		}
		i += size
	}
	return n
}
