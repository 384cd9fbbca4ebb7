package hostapi

import (
	"errors"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// decodeRendering reads exactly one rendering. It is package encoding/json's
// Unmarshal for this one type, in half of its time, which was a fifth of a whole
// call, the rendering included. Names are matched exactly; members that it does
// not know are ignored. Errors quote nothing.
func decodeRendering(b []byte) (surface.Rendering, error) {
	if !utf8.Valid(b) {
		return surface.Rendering{}, errors.New("not valid UTF-8")
	}
	d := decoder{b: b}
	r := d.rendering()
	if d.space(); d.err == nil && d.i < len(d.b) {
		d.bad()
	}
	if d.err != nil {
		return surface.Rendering{}, d.err
	}
	return r, nil
}

func (d *decoder) rendering() (r surface.Rendering) {
	d.object("rendering", func(name string) {
		switch name {
		case "chunks":
			r.Chunks = nil
			d.array("chunks", func() { r.Chunks = append(r.Chunks, d.chunk()) }, func() { r.Chunks = []surface.Chunk{} })
		case "notes":
			r.Notes = nil
			d.array("notes", func() {
				var n surface.Note
				d.reflected("notes", &n)
				r.Notes = append(r.Notes, n)
			}, func() { r.Notes = []surface.Note{} })
		case "diagnostics":
			r.Diagnostics = nil
			d.array("diagnostics", func() {
				var g doc.Diagnostic
				d.reflected("diagnostics", &g)
				r.Diagnostics = append(r.Diagnostics, g)
			}, func() { r.Diagnostics = []doc.Diagnostic{} })
		default:
			d.raw()
		}
	})
	return r
}

func (d *decoder) chunk() (c surface.Chunk) {
	d.object("chunks", func(name string) {
		switch name {
		case "text":
			d.text("chunks.text", &c.Text)
		case "plain":
			d.text("chunks.plain", &c.Plain)
		case "blocks":
			c.Blocks = nil
			d.array("chunks.blocks", func() {
				var id string
				d.text("chunks.blocks", &id)
				c.Blocks = append(c.Blocks, doc.ID(id))
			}, func() { c.Blocks = []doc.ID{} })
		case "native":
			c.Native = nil
			d.reflected("chunks.native", &c.Native)
		default:
			d.raw()
		}
	})
	return c
}
