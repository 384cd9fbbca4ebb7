package cover

import (
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Reasons that follow from a document and a profile. Others come from the notes
// of the renderer.
const (
	reasonGrid       = "grid"           // a table as aligned text
	reasonList       = "list"           // a table as "header: value" lines
	reasonCode       = "code"           // code as ordinary text
	reasonLinks      = "links"          // addresses printed
	reasonMedia      = "media"          // a picture, video or sound as its address
	reasonStructured = "structured"     // a card as its source
	reasonDiagram    = "diagram"        // a diagram as its source
	reasonReference  = "file_reference" // a document as its address
	reasonDataURI    = "data_uri"       // a picture that is in the message itself
	reasonComment    = "comment"
	reasonEmpty      = "empty"
	reasonLedger     = "in_ledger"
)

// dispositions says of every block how it reached the reader: what the block
// needs against what the profile has, then what the renderer notes, in that
// order. A note cannot raise a disposition, and omits only what is in the ledger.
//
//	table                    Tables, else fallback(grid), or list where the profile has no grids
//	code, diff               Code, else fallback(code)
//	structured               StructuredBlocks, else fallback(structured)
//	diagram                  StructuredBlocks, else fallback(diagram)
//	media, images in text    Media, else fallback(media); data: addresses: data_uri
//	artifact_ref             FileReferences, else fallback(file_reference)
//	links in text            Links, else fallback(links)
//	nothing to see           omitted(comment), omitted(data_uri) or omitted(empty)
//	others                   native
func (c *checker) dispositions(d *doc.Document, p surface.Profile, notes []surface.Note) []packet.Block {
	out := make([]packet.Block, len(c.blocks))
	for i := range c.blocks {
		b := &c.blocks[i]
		out[i] = packet.Block{ID: b.id, Kind: b.Kind(), Disposition: surface.AsNative}
		reason := lesser(b.Block, p)
		switch {
		case !b.visible && b.Kind() != doc.KindRule && reason == reasonDataURI:
			out[i].Disposition, out[i].Reason = surface.Omitted, reasonDataURI
		case !b.visible && b.Kind() != doc.KindRule:
			out[i].Disposition, out[i].Reason = surface.Omitted, reasonEmpty
		case reason != "":
			out[i].Disposition, out[i].Reason = surface.AsFallback, reason
		}
	}
	at := finder{blocks: c.blocks}
	for _, n := range notes {
		i := at.anywhere(n.Block)
		if i < 0 || n.Disposition == surface.AsNative {
			continue
		}
		b := &out[i]
		switch {
		case n.Disposition == surface.Omitted:
			if n.Reason == reasonLedger { // what else is omitted was computed above
				b.Disposition, b.Reason = surface.Omitted, reasonLedger
			}
		case b.Disposition == surface.AsNative, b.Disposition == surface.AsFallback && (b.Reason == reasonGrid || b.Reason == reasonLinks):
			// What a renderer says is more exact than what a profile implies.
			b.Disposition, b.Reason = surface.AsFallback, n.Reason
		}
	}
	return c.comments(d, out)
}

// comments marks what consists of a comment of the author, and adds those that
// have no block left.
func (c *checker) comments(d *doc.Document, out []packet.Block) []packet.Block {
	at := finder{blocks: c.blocks}
	for _, g := range d.Diagnostics {
		if g.Code != reasonComment {
			continue
		}
		if i := at.anywhere(g.Block); i < 0 {
			out = append(out, packet.Block{ID: g.Block, Kind: doc.KindRawMarkdown, Disposition: surface.Omitted, Reason: reasonComment})
		} else if !c.blocks[i].visible {
			out[i].Disposition, out[i].Reason = surface.Omitted, reasonComment
		}
	}
	return out
}

// lesser is the reason for which p shows b in a lesser form, or "".
func lesser(b doc.Block, p surface.Profile) string {
	switch b := b.(type) {
	case *doc.Table:
		switch {
		case p.Can.Tables:
		case p.Tables == "list" || p.Grid == 0:
			return reasonList
		default:
			return reasonGrid
		}
	case *doc.Code, *doc.Diff:
		if !p.Can.Code {
			return reasonCode
		}
	case *doc.Structured:
		if !p.Can.StructuredBlocks {
			return reasonStructured
		}
	case *doc.Diagram:
		if !p.Can.StructuredBlocks {
			return reasonDiagram
		}
	case *doc.ArtifactRef:
		if !p.Can.FileReferences {
			return reasonReference
		}
	case *doc.Media:
		return inText([]doc.Inline{&doc.Image{Src: b.Source}}, p)
	case *doc.Heading:
		return inText(b.Inlines, p)
	case *doc.Paragraph:
		return inText(b.Inlines, p)
	case *doc.Callout:
		return inText(b.Title, p)
	case *doc.Citations:
		for _, it := range b.Items {
			if it.URL != "" && !p.Can.Links {
				return reasonLinks
			}
		}
	}
	return ""
}

// inText is the reason for which p shows ins in a lesser form, or "".
func inText(ins []doc.Inline, p surface.Profile) string {
	reason := ""
	for _, in := range ins {
		r := ""
		switch in := in.(type) {
		case *doc.Strong:
			r = inText(in.Children, p)
		case *doc.Emphasis:
			r = inText(in.Children, p)
		case *doc.Strikethrough:
			r = inText(in.Children, p)
		case *doc.Spoiler:
			r = inText(in.Children, p)
		case *doc.Image:
			if _, _, data := doc.DataURI(in.Src); data && !p.Can.Media {
				return reasonDataURI
			}
			if in.Src != "" && !p.Can.Media {
				r = reasonMedia
			}
		case *doc.Link:
			if r = inText(in.Children, p); r == "" && !p.Can.Links && !in.Bare() {
				r = reasonLinks
			}
		}
		if r == reasonDataURI {
			return r
		}
		if reason == "" {
			reason = r
		}
	}
	return reason
}
