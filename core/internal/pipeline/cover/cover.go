package cover

import (
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// What says what is wrong with a rendering.
type What string

// What can be wrong.
const (
	MissingText   What = "missing_text"   // text is not there, or not in order
	MissingTarget What = "missing_target" // an address is neither printed nor behind its label
	MissingNumber What = "missing_number" // the number of an ordered item
	MissingTask   What = "missing_task"   // the state of a task
	MissingCell   What = "missing_cell"   // a table cell is not there as a whole
	WrongChunk    What = "wrong_chunk"    // text is there, in a chunk that does not name the block
	UnknownBlock  What = "unknown_block"  // a chunk names a block that is not in the document, or out of order
	PlainLost     What = "plain_lost"     // the plain form lacks something
	TooLong       What = "too_long"       // a chunk exceeds a limit of the profile
	PlainTooLong  What = "plain_too_long" // its plain form does
	EmptyChunk    What = "empty_chunk"    // a chunk shows nothing
	InvalidUTF8   What = "invalid_utf8"   // a chunk is not valid UTF-8
	Control       What = "control"        // a chunk holds a control character
	Excess        What = "excess"         // it shows much that is not in the document
	TooCostly     What = "too_costly"     // the text repeats itself so much that checking it was given up
)

// A Loss is one thing that is wrong with a rendering. It carries no text.
type Loss struct {
	Block doc.ID // empty for what concerns a chunk
	Chunk int    // index of the chunk for what concerns one, else -1
	What  What
}

// maxLosses bounds a report; one loss is enough to refuse a rendering.
const maxLosses = 64

// A Report is the outcome of a check. A rendering with a loss is not sent.
type Report struct {
	Coverage packet.Coverage
	Losses   []Loss
	Sizes    []dialect.Size // of each chunk's text, measured by the dialect
}

// Check compares rendering r of d with what d must show. d is the document that
// the renderer was given. k is the dialect of p, nil when core knows none of
// that name: then the plain form is checked and the basis is claimed. actions are
// those that the renderer was given and may list.
func Check(d *doc.Document, p surface.Profile, r surface.Rendering, k dialect.Dialect, actions ...surface.Action) Report {
	c := checker{profile: p, actions: reply(actions), blocks: index(d, p.Grid), report: Report{Coverage: packet.Coverage{Basis: packet.Verified}}}
	c.collect(d)
	if c.form(p, r, k) {
		c.locate(r.Chunks)
		if k == nil {
			c.report.Coverage.Basis = packet.Claimed
			c.compare(dialect.PlainText, r.Chunks, plainOf, "")
		} else {
			c.compare(k, r.Chunks, textOf, "")
			if !samePlain(k, r.Chunks) {
				c.compare(dialect.PlainText, r.Chunks, plainOf, PlainLost)
			}
		}
		c.crowd(len(r.Chunks))
	} else if k == nil {
		c.report.Coverage.Basis = packet.Claimed
	}
	c.report.Coverage.Blocks = c.dispositions(d, p, r.Notes)
	return c.report
}

type checker struct {
	profile surface.Profile
	actions int // the room for them, in characters
	blocks  []block
	parts   []part
	full    float64 // how many chunks as full as can be those of the rendering would fill
	report  Report
}

// A part is a doc.Part with its block as an index.
type part struct {
	text  string
	block int
	role  doc.Role
}

// collect lists the parts of d. A table is one part: it is compared as a whole.
func (c *checker) collect(d *doc.Document) {
	at := finder{blocks: c.blocks}
	for _, b := range d.Blocks {
		for p := range doc.Parts(b) {
			i := at.find(p.Block)
			if i < 0 {
				continue // not possible: parts and index walk the same tree
			}
			if !shows(p.Text) {
				continue
			}
			n := weigh(p.Text)
			c.blocks[i].visible = true
			c.blocks[i].own += n
			c.blocks[i].bytes += len(p.Text)
			if p.Cell > 0 {
				c.blocks[i].more += n / 4 // borders beside each line of a long cell
				if n := len(c.parts); n == 0 || c.parts[n-1].block != i || c.parts[n-1].role != roleTable {
					c.parts = append(c.parts, part{block: i, role: roleTable})
				}
				continue
			}
			if n := len(c.parts); p.Role == doc.RoleTarget && n > 0 && c.parts[n-1] == (part{text: p.Text, block: i}) {
				continue // its label shows it: that of a picture, or code
			}
			c.parts = append(c.parts, part{text: p.Text, block: i, role: p.Role})
		}
	}
	for i := len(c.blocks) - 1; i >= 0; i-- {
		if b := &c.blocks[i]; b.visible && b.parent >= 0 {
			c.blocks[b.parent].visible = true
		}
	}
}

// roleTable marks the part that stands for a whole table.
const roleTable doc.Role = 255

func (c *checker) lose(l Loss) {
	if len(c.report.Losses) < maxLosses {
		c.report.Losses = append(c.report.Losses, l)
	}
}

func textOf(c *surface.Chunk) string  { return c.Text }
func plainOf(c *surface.Chunk) string { return c.Plain }

// samePlain reports whether the plain form need not be checked on its own.
func samePlain(k dialect.Dialect, chunks []surface.Chunk) bool {
	if k != dialect.PlainText {
		return false
	}
	for i := range chunks {
		if chunks[i].Plain != chunks[i].Text {
			return false
		}
	}
	return true
}

// compare reads every chunk back and looks for every part. Where as is not
// empty, all that is missing counts as that.
func (c *checker) compare(k dialect.Dialect, chunks []surface.Chunk, of func(*surface.Chunk) string, as What) {
	h := readBack(k, chunks, of)
	for i := range chunks {
		if h.blank(h.start[i], h.start[i+1]) {
			c.lose(Loss{Chunk: i, What: EmptyChunk})
		}
	}
	m := newMatcher(h, c.blocks)
	if m.run(c.parts); len(m.losses) == 0 {
		c.excess(&h)
		return
	}
	local := newMatcher(h, c.blocks)
	local.near = true
	local.run(c.parts)
	if len(local.losses) == 0 {
		local.losses = m.losses
	}
	last := Loss{Chunk: -2}
	for _, l := range local.losses {
		if as != "" && l.What != TooCostly {
			l.What = as
		}
		if l != last {
			c.lose(l)
		}
		last = l
	}
}
