package layout

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A cutter writes tokens into chunks.
type cutter struct {
	*walk
	memory       *memory
	dialects     [2]dialect.Dialect
	forms        int  // 1 where the dialect is plain itself
	contextual   bool // the syntax depends on what stands around
	breaksStyles bool // styles end with their line
	alone        bool // no style can stand around code
	bound        [2]bound
	limited      bool

	buf    [2][]byte
	listed []doc.ID // blocks of the chunk
	chunks []surface.Chunk

	start    int32 // the content token that the chunk starts with
	repeated int32 // the construct whose header this chunk has repeated
	least    int   // what this chunk must exceed, so that the former one has no room for it
	bare     bool  // this chunk is written without constructs: nothing else fits

	best  [maxDepth + 1]candidate // by the depth of the gap
	line  candidate
	glue  candidate // before the marks that the next content stays with
	texts []textMark

	noted   map[noteAt]bool
	pathBuf []int32
}

type noteAt struct {
	tok    int32
	reason string
}

// A cursor is a place in the run of tokens: off bytes into the text of tok.
type cursor struct {
	tok int32
	off int
}

// A candidate is a place where the chunk could be cut.
type candidate struct {
	ok   bool
	s    state
	next cursor
}

// A textMark is the state before a piece of text was written.
type textMark struct {
	s   state
	pre state // before what leads to the text was written, if it is the first piece of it
	at  cursor
	end int // where the piece ends in the text
}

func newCutter(w *walk, lim surface.Limit, m *memory) *cutter {
	c := &cutter{walk: w, memory: m, texts: m.texts, buf: m.buf, forms: 2, bound: bounds(lim), repeated: -1}
	c.dialects = [2]dialect.Dialect{w.d, dialect.PlainText}
	if w.d.Name() == dialect.PlainText.Name() {
		c.forms = 1
	}
	c.limited = c.bound[0].any()
	bold, _ := w.d.Syntax(dialect.Construct{Kind: dialect.Strong}, 0, 0)
	c.breaksStyles = bold.Lines
	_, c.contextual = w.d.(dialect.Contextual)
	code, _ := w.d.Syntax(dialect.Construct{Kind: dialect.CodeSpan}, 0, 0)
	c.alone = code.Alone
	return c
}

// note records that the construct that opens at tok is shown in a lesser form.
func (c *cutter) note(tok int32, reason string) {
	if reason == "" || reason == "code_style" && c.toks[tok].quiet {
		return
	}
	if c.noted == nil {
		c.noted = make(map[noteAt]bool)
	}
	if k := (noteAt{tok, reason}); !c.noted[k] {
		c.noted[k] = true
		for i := tok; int(i) < len(c.toks); i++ {
			if c.toks[i].content() && c.toks[i].block >= 0 {
				c.noteAt(c.ids[c.toks[i].block], reason)
				return
			}
		}
	}
}

// seen reports whether the construct at tok opened in an earlier chunk, and
// remembers that it has opened.
func (c *cutter) seen(tok int32) bool { return tok < c.start }

// run writes all tokens.
func (c *cutter) run(ctx context.Context) error {
	at := cursor{}
	s := c.begin(at)
	for n := 1; ; n++ {
		at.tok = c.skip(at)
		if int(at.tok) >= len(c.toks) {
			break
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if next, cut := c.step(&s, &at); cut {
			at = next
			at.tok = c.skip(at)
			s = c.begin(at)
		}
	}
	c.finish(&s, int32(len(c.toks)))
	return ctx.Err()
}

// skip returns the first content token from at on.
func (c *cutter) skip(at cursor) int32 {
	for int(at.tok) < len(c.toks) && !c.toks[at.tok].content() {
		at.tok++
	}
	return at.tok
}

// begin starts a chunk.
func (c *cutter) begin(at cursor) state {
	c.buf[0], c.buf[1] = c.buf[0][:0], c.buf[1][:0]
	c.listed = nil
	c.start = c.skip(at)
	c.repeated = -1
	c.texts = c.texts[:0]
	for i := range c.best {
		c.best[i].ok = false
	}
	c.line.ok, c.glue.ok = false, false
	s := state{last: -1}
	for k := range c.forms {
		s.out[k].fresh, s.out[k].bol = true, true
	}
	return s
}

// step writes the content at the cursor and moves it on. If that passes a limit
// it cuts the chunk and returns where the next one starts.
func (c *cutter) step(s *state, at *cursor) (cursor, bool) {
	t := &c.toks[at.tok]
	before := *s
	if s.last != at.tok { // not a further piece of the same text
		sep := c.separator(max(s.last, c.start-1), at.tok)
		if s.last < 0 {
			sep = separator{rule: -1}
		}
		if c.limited && s.last >= 0 && sep.lines > 0 && !sep.keep {
			c.offer(&before, *at, sep)
		}
		if t.kind == markToken && !c.glue.ok {
			c.glue = candidate{ok: true, s: before, next: *at}
		}
		c.advance(s, at.tok, sep)
		s.last = at.tok
		c.list(s, t)
	}
	if t.kind == markToken {
		c.mark(s, at.tok)
		if c.limited && !c.fits(s) {
			return c.cut(before, *at), true
		}
		at.tok, at.off = at.tok+1, 0
		return cursor{}, false
	}
	piece := t.text[at.off:]
	if at.off > 0 && s.out[textForm].n == 0 || s.last >= 0 && !s.solid {
		piece = c.trimStart(s, t, piece)
	}
	off := len(t.text) - len(piece)
	end := len(t.text)
	if n := c.cap(); c.limited && len(piece) > n {
		for n > 0 && !utf8.RuneStart(piece[n]) {
			n--
		}
		piece = piece[:n]
		end = off + n
	}
	if c.limited {
		c.texts = append(c.texts, textMark{s: *s, pre: before, at: cursor{at.tok, off}, end: end})
	}
	if piece != "" {
		after := rune(0)
		if end < len(t.text) {
			after, _ = utf8.DecodeRuneInString(t.text[end:])
		} else if t.ctx == dialect.InText {
			after = c.next(at.tok)
		}
		c.text(s, at.tok, piece, after)
	}
	if c.limited && !c.fits(s) {
		return c.cut(before, cursor{at.tok, off}), true
	}
	c.glue.ok = false
	if end < len(t.text) {
		at.off = end
		return cursor{}, false
	}
	at.tok, at.off = at.tok+1, 0
	return cursor{}, false
}

// trimStart drops blanks that would start a chunk, except in code.
func (c *cutter) trimStart(s *state, t *token, piece string) string {
	if t.ctx != dialect.InText || s.solid {
		return piece
	}
	return strings.TrimLeft(piece, " \t")
}

// cap is the longest piece of text that is written at once, in bytes. A longer
// one cannot fit a chunk, and writing it in full for every chunk would take
// quadratic time.
func (c *cutter) cap() int {
	n := 1 << 16
	if m := c.bound[textForm].max; m > 0 {
		n = min(n, 4*m+4)
	}
	if m := c.bound[textForm].bytes; m > 0 {
		n = min(n, m+4)
	}
	return n
}

// list adds the block of t to the blocks of the chunk.
func (c *cutter) list(s *state, t *token) {
	if t.block < 0 || c.ids[t.block] == "" {
		return
	}
	id := c.ids[t.block]
	if s.blocks > 0 && c.listed[s.blocks-1] == id {
		return
	}
	c.listed = append(c.listed[:s.blocks], id)
	s.blocks++
}

// offer remembers that the chunk could be cut at the separator sep.
func (c *cutter) offer(s *state, next cursor, sep separator) {
	if !s.solid {
		return
	}
	if sep.gap {
		c.best[sep.depth] = candidate{ok: true, s: *s, next: next}
	} else {
		c.line = candidate{ok: true, s: *s, next: next}
	}
}

// finish closes the chunk that s is the end of and keeps it, if a reader can
// see anything in it. The next chunk starts with the token next.
func (c *cutter) finish(s *state, next int32) {
	if !s.solid {
		return
	}
	next = c.skip(cursor{tok: next})
	for k := range c.forms {
		c.buf[k] = c.buf[k][:s.out[k].n]
	}
	blanks := "\n" // those of code stay
	if c.toks[s.last].ctx == dialect.InText {
		blanks = " \n"
		// Beside a blank no marker closes.
		for k := range c.forms {
			c.buf[k] = bytes.TrimRightFunc(c.buf[k], unicode.IsSpace)
		}
	}
	c.least = 0
	if m := c.bound[textForm].max; m > 0 && !c.half(s) {
		t := s.total(textForm)
		c.least = m - c.bound[textForm].units(&t) - 2
	}
	for s.top != nil {
		c.closeTop(s, next < c.toks[s.top.tok].end)
	}
	ch := surface.Chunk{Text: strings.TrimRight(string(c.buf[textForm]), blanks), Blocks: c.listed[:s.blocks:s.blocks]}
	ch.Plain = ch.Text
	if c.forms > 1 {
		ch.Plain = strings.TrimRight(string(c.buf[plainForm]), blanks)
	}
	c.chunks = append(c.chunks, ch)
	c.bare = false
}

// cut ends the chunk at the best place before the content at over, which does
// not fit. before is the state before that content and what leads to it. It
// returns where the next chunk starts.
func (c *cutter) cut(before state, over cursor) cursor {
	for d := range c.best {
		if b := &c.best[d]; b.ok && c.half(&b.s) {
			return c.cutAt(b)
		}
	}
	if c.line.ok && c.half(&c.line.s) {
		return c.cutAt(&c.line)
	}
	kept := [2]string{string(c.buf[textForm]), string(c.buf[plainForm])}
	listed := slices.Clone(c.listed)
	for class := afterSentence; class <= afterCluster; class++ {
		if next, ok := c.cutText(class); ok {
			return next
		}
	}
	c.listed = listed
	for k := range c.forms {
		c.buf[k] = append(c.buf[k][:0], kept[k]...)
	}
	// Nothing leaves the chunk half full: take what leaves it fullest.
	if c.glue.ok && c.glue.s.solid {
		return c.cutAt(&c.glue)
	}
	if before.solid {
		b := candidate{s: before, next: over}
		return c.cutAt(&b)
	}
	if c.line.ok {
		return c.cutAt(&c.line)
	}
	for d := maxDepth; d >= 0; d-- {
		if c.best[d].ok {
			return c.cutAt(&c.best[d])
		}
	}
	if !c.bare {
		// What has to be opened leaves no room: this chunk goes without.
		c.bare = true
		return cursor{c.start, c.startOff()}
	}
	return c.force(over)
}

// startOff is how far into its first token the chunk started.
func (c *cutter) startOff() int {
	for i := range c.texts {
		if c.texts[i].at.tok == c.start {
			return c.texts[i].at.off
		}
	}
	return 0
}

func (c *cutter) cutAt(b *candidate) cursor {
	s := b.s
	c.finish(&s, b.next.tok)
	return b.next
}

// cutText cuts within text, behind the last sentence, word or cluster that
// leaves the chunk at least half full and within the limit.
func (c *cutter) cutText(class cutClass) (cursor, bool) {
	for i := len(c.texts) - 1; i >= 0; i-- {
		m := &c.texts[i]
		t := &c.toks[m.at.tok]
		if t.atomic {
			continue
		}
		hi := m.end
		if i == len(c.texts)-1 {
			hi = c.fill(m)
		}
		if class == afterSentence && t.ctx != dialect.InText {
			hi = m.at.off
		}
		k := lastBreak(t.text[m.at.off:], hi-m.at.off, class)
		if k > 0 {
			if next, ok := c.cutIn(m, m.at.off+k); ok {
				return next, true
			}
			if !c.half(&m.s) {
				return cursor{}, false // whatever comes before leaves it emptier still
			}
		}
		if i > 0 && !c.half(&m.s) {
			return cursor{}, false
		}
	}
	return cursor{}, false
}

// cutIn cuts the text of m at the offset end, if that leaves the chunk half full.
func (c *cutter) cutIn(m *textMark, end int) (cursor, bool) {
	s, t := m.s, &c.toks[m.at.tok]
	left, right := t.text[m.at.off:end], t.text[end:]
	if t.ctx == dialect.InText {
		left = strings.TrimRight(left, " ")
		right = strings.TrimLeft(right, " ")
	}
	if left == "" && m.pre.last != m.at.tok {
		s = m.pre // what opens for a blank would be left empty
	}
	for k := range c.forms {
		c.buf[k] = c.buf[k][:s.out[k].n]
	}
	if left != "" {
		c.list(&s, t)
		c.text(&s, m.at.tok, left, 0)
	}
	if !s.solid || !c.half(&s) || !c.fits(&s) {
		return cursor{}, false
	}
	next := cursor{m.at.tok, len(t.text) - len(right)}
	if right == "" {
		next = cursor{m.at.tok + 1, 0}
	}
	c.finish(&s, next.tok)
	return next, true
}

// fill returns how far the text of m fits the chunk.
func (c *cutter) fill(m *textMark) int {
	t := &c.toks[m.at.tok]
	s := m.s
	off := m.at.off
	for k := range c.forms {
		c.buf[k] = c.buf[k][:s.out[k].n]
	}
	for step := 128; step > 0; {
		end := min(off+step, m.end)
		for end < m.end && !utf8.RuneStart(t.text[end]) {
			end++
		}
		if end == off {
			break
		}
		after := rune(0)
		if end < len(t.text) {
			after, _ = utf8.DecodeRuneInString(t.text[end:])
		}
		try := s
		c.text(&try, m.at.tok, t.text[off:end], after)
		if c.fits(&try) {
			s, off = try, end
			if off == m.end {
				break
			}
			continue
		}
		for k := range c.forms {
			c.buf[k] = c.buf[k][:s.out[k].n]
		}
		if end-off <= utf8.UTFMax && step == 1 {
			break
		}
		step = max(step/8, 1)
		if step == 1 && end-off == 1 {
			break
		}
	}
	// What follows may change how a text is escaped, so that it takes more room
	// in one piece than in several.
	for off > m.at.off {
		for k := range c.forms {
			c.buf[k] = c.buf[k][:m.s.out[k].n]
		}
		try := m.s
		c.text(&try, m.at.tok, t.text[m.at.off:off], 0)
		if c.fits(&try) {
			break
		}
		for off--; off > m.at.off && !utf8.RuneStart(t.text[off]); {
			off--
		}
	}
	return off
}

// force cuts at the first place that fits at all, however bad.
func (c *cutter) force(over cursor) cursor {
	if len(c.texts) > 0 {
		m := &c.texts[len(c.texts)-1]
		t := &c.toks[m.at.tok]
		if hi := c.fill(m); hi > m.at.off {
			if k := lastCluster(t.text[m.at.off:], hi-m.at.off); k > 0 {
				s := m.s
				for k := range c.forms {
					c.buf[k] = c.buf[k][:s.out[k].n]
				}
				c.list(&s, t)
				c.text(&s, m.at.tok, t.text[m.at.off:m.at.off+k], 0)
				c.finish(&s, m.at.tok)
				return cursor{m.at.tok, m.at.off + k}
			}
		}
	}
	// A mark that is longer than the limit: no number has that many digits.
	return cursor{over.tok + 1, 0}
}
