// Command shout is a surface of a dozen lines, for tests of package sdktest.
package main

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func main() {
	surface.Serve(surface.Plugin{
		Info: surface.Info{
			ID: "shout", Version: "1.0.0", DocVersion: doc.SchemaVersion,
			Profiles: []surface.Profile{{Surface: "shout", Dialect: "plain"}},
		},
		Renderer: surface.RendererFunc(func(_ context.Context, r surface.RenderRequest) (surface.Rendering, error) {
			var out surface.Rendering
			for _, b := range r.Doc.Blocks {
				for s := range doc.Visible(b) {
					if s == "environment" {
						s = strconv.Itoa(len(os.Environ()))
					}
					s = strings.ToUpper(s)
					out.Chunks = append(out.Chunks, surface.Chunk{Text: s, Plain: s, Blocks: []doc.ID{b.BlockID()}})
				}
			}
			return out, nil
		}),
	})
}
