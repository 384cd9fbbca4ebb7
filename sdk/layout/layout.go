package layout

import (
	"context"
	"fmt"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Blocks lists the kinds of block that [Render] lays out itself. The others are
// lowered first.
func Blocks() []doc.Kind {
	return []doc.Kind{
		doc.KindHeading, doc.KindParagraph, doc.KindList, doc.KindTable, doc.KindQuote,
		doc.KindCode, doc.KindDiff, doc.KindCallout, doc.KindCitations, doc.KindMedia, doc.KindRule,
	}
}

// Renderer returns a [surface.Renderer] that calls [Render] with d. It is all
// the renderer that a surface with one of the dialects needs.
func Renderer(d dialect.Dialect) surface.Renderer {
	return surface.RendererFunc(func(ctx context.Context, r surface.RenderRequest) (surface.Rendering, error) {
		return Render(ctx, r, d)
	})
}

// Render lays the document of r out in d, within the limit of r.Profile, and
// lists the actions of r, if any, by number on the last chunk.
//
// It is pure. It returns ctx.Err() soon after ctx is done, and an error for a
// limit below [surface.MinLimit]; there is no other error.
func Render(ctx context.Context, r surface.RenderRequest, d dialect.Dialect) (surface.Rendering, error) {
	lim := r.Profile.Limit
	if lim.Max > 0 && lim.Max < surface.MinLimit {
		return surface.Rendering{}, fmt.Errorf("layout: a limit of %d is too small to write in: the smallest is %d", lim.Max, surface.MinLimit)
	}
	if err := ctx.Err(); err != nil {
		return surface.Rendering{}, err
	}
	m := borrow()
	defer m.giveBack()
	w := newWalk(r, d, m)
	document := doc.Lower(r.Doc, doc.Support{Version: doc.SchemaVersion, Blocks: Blocks()})
	w.blocks(document.Blocks, 0)
	w.actions(r.Actions)
	c := newCutter(w, lim, m)
	err := c.run(ctx)
	m.keep(w, c)
	if err != nil {
		return surface.Rendering{}, err
	}
	return surface.Rendering{Chunks: c.chunks, Notes: w.sortedNotes()}, nil
}
