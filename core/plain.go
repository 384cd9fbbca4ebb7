package core

import (
	"context"
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// PlainRenderer is the renderer id of what core rendered itself because the
// surface's own renderer did not.
const PlainRenderer = "core/plain"

// plain renders the answer without any plugin. said is what led here. It fails
// only with ctx: if even the plain layout breaks a rule, the source itself is
// cut to size.
func (a *Answer) plain(ctx context.Context, p surface.Profile, v view, said []doc.Diagnostic) (shown, error) {
	p = plainProfile(p)
	p.Can.Actions = false // what core makes has no buttons
	out, err := contain("plain", func() (shown, error) {
		d := doc.Lower(a.frame.around(v.doc, false), doc.Support{Version: doc.SchemaVersion, Blocks: layout.Blocks()})
		r, err := layout.Render(ctx, surface.RenderRequest{Doc: d, Profile: p, Kind: a.kind}, dialect.PlainText)
		if err != nil {
			return shown{}, err
		}
		r.Notes = append(r.Notes, v.notes...)
		out, err := check(d, p, r, dialect.PlainText)
		out.template = v.template
		return out, err
	})
	if err != nil {
		if ctx.Err() != nil {
			return shown{}, ctx.Err()
		}
		a.core.log.Error("the plain layout failed", "surface", p.Surface, "cause", cause(err), "stack", stack(err))
		said = append(said, doc.Diagnostic{Code: "plain_failed", Severity: doc.Error, Message: "The answer is shown as its source: " + cause(err) + "."})
		out = verbatim(a.whole(), p.Limit)
	}
	out.by = packet.Renderer{ID: PlainRenderer}
	out.diagnostics = append(said, out.diagnostics...)
	return out, nil
}

// plainProfile is p for plain text: the platform's sizes stay, its markup goes.
// A grid needs a fixed-width font, which only a surface that is plain anyway
// is known to have.
func plainProfile(p surface.Profile) surface.Profile {
	if p.Dialect != dialect.PlainText.Name() {
		p.Grid = 0
	}
	p.Dialect = dialect.PlainText.Name()
	p.Limit.MaxEntities, p.Limit.MaxEntityBytes = 0, 0
	return p
}

// verbatim shows source, cut to size between grapheme clusters. It uses nothing
// that can have failed before: neither the tree nor a dialect.
func verbatim(source string, l surface.Limit) shown {
	d := asSource(source, "source_shown")
	var out shown
	out.coverage.Basis = packet.Claimed
	var ids []doc.ID
	for _, b := range d.Blocks {
		ids = append(ids, b.BlockID())
		out.coverage.Blocks = append(out.coverage.Blocks, packet.Block{ID: b.BlockID(), Kind: b.Kind(), Disposition: surface.AsFallback, Reason: "source_shown"})
	}
	for text := range cuts(printable(source), l) {
		out.chunks = append(out.chunks, packet.Chunk{
			Index: len(out.chunks), Text: text, Plain: text,
			Units: cover.Units(sizeOf(text), l), Bytes: len(text), Blocks: ids,
		})
	}
	return out
}

// cuts yields s in pieces within l that are not blank.
func cuts(s string, l surface.Limit) func(func(string) bool) {
	fits := func(n dialect.Size) bool {
		return (l.Max == 0 || cover.Units(n, l) <= l.Max) && (l.MaxBytes == 0 || n.Sent.Bytes <= l.MaxBytes)
	}
	return func(yield func(string) bool) {
		var piece []byte
		var size dialect.Size
		flush := func() bool {
			text := string(piece)
			piece, size = piece[:0], dialect.Size{}
			return strings.TrimSpace(text) == "" || yield(text)
		}
		add := func(part string) bool {
			n := sizeOf(part)
			if !fits(size.Add(n)) && !flush() {
				return false
			}
			piece, size = append(piece, part...), size.Add(n)
			return true
		}
		for it := graphemes.FromString(s); it.Next(); {
			if part := it.Value(); fits(sizeOf(part)) {
				if !add(part) {
					return
				}
				continue
			}
			for _, r := range it.Value() { // one cluster of hundreds of marks
				if !add(string(r)) {
					return
				}
			}
		}
		flush()
	}
}

// sizeOf measures text that has no markup.
func sizeOf(s string) dialect.Size {
	c := dialect.Count{Bytes: len(s)}
	for _, r := range s {
		c.Codepoints++
		c.UTF16++
		if r > 0xffff {
			c.UTF16++
		}
	}
	return dialect.Size{Visible: c, Sent: c}
}

// printable is s as it may stand in a chunk.
func printable(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r < ' ' && r != '\n' && r != '\t', r == 0x7f:
			return '\uFFFD'
		}
		return r
	}, s)
}
