// Command faulty is a surface that does what the text of the first paragraph
// says: every way of being wrong that core must survive.
package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func main() {
	surface.Serve(surface.Plugin{
		Info: surface.Info{
			ID: "faulty", Version: "0.0.1", DocVersion: doc.SchemaVersion, Blocks: layout.Blocks(),
			Profiles: []surface.Profile{{
				Surface: "faulty", Dialect: dialect.TelegramHTML.Name(),
				Limit: surface.Limit{Max: 200, Unit: surface.UTF16, Of: surface.Visible},
				Can:   surface.Capabilities{Code: true, Links: true, AccessiblePlain: true},
			}},
		},
		Renderer: surface.RendererFunc(render),
	})
}

func render(ctx context.Context, r surface.RenderRequest) (surface.Rendering, error) {
	out, err := layout.Render(ctx, r, dialect.TelegramHTML)
	if err != nil || len(r.Doc.Blocks) == 0 {
		return out, err
	}
	word := ""
	for s := range doc.Visible(r.Doc.Blocks[0]) {
		word, _, _ = strings.Cut(s, " ")
		break
	}
	c := &out.Chunks[0]
	switch word {
	case "fail":
		return out, errors.New("secret text of the message")
	case "panic":
		panic("secret text of the message")
	case "exit":
		os.Exit(3)
	case "hang":
		<-ctx.Done()
		return out, ctx.Err()
	case "lose":
		c.Text = strings.Replace(c.Text, "lose", "", 1)
	case "lose-plain":
		c.Plain = strings.Replace(c.Plain, "lose-plain", "", 1)
	case "swap":
		c.Text = strings.Replace(c.Text, "one two", "two one", 1)
	case "none":
		out.Chunks = nil
	case "blank":
		out.Chunks = append(out.Chunks, surface.Chunk{Text: " \n", Plain: " \n", Blocks: c.Blocks})
	case "markup":
		out.Chunks = append(out.Chunks, surface.Chunk{Text: "<b> </b>", Plain: "x", Blocks: c.Blocks})
	case "long":
		c.Text += strings.Repeat(" long", 100)
	case "control":
		c.Text += "\x1b[31m"
	case "cr":
		c.Plain += "\r"
	case "note":
		out.Notes = append(out.Notes, surface.Note{Block: "1", Disposition: surface.AsFallback, Reason: "Not a code!"})
	case "block":
		c.Blocks = []doc.ID{"99"}
	case "twice":
		out.Chunks = append(out.Chunks, *c)
	}
	return out, nil
}
