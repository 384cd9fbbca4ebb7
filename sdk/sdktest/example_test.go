package sdktest_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// shout is a surface of a dozen lines: everything in capitals, one message.
func shout(_ context.Context, r surface.RenderRequest) (surface.Rendering, error) {
	var words []string
	var ids []doc.ID
	for _, b := range r.Doc.Blocks {
		for s := range doc.Visible(b) {
			words = append(words, strings.ToUpper(s))
		}
		ids = append(ids, b.BlockID())
	}
	if len(words) == 0 {
		return surface.Rendering{}, nil
	}
	text := strings.Join(words, " ")
	return surface.Rendering{Chunks: []surface.Chunk{{Text: text, Plain: text, Blocks: ids}}}, nil
}

// A test renders with a surface as a host does. In a test function, Run takes
// the place of New, and Golden and Conformance do the rest.
func ExampleNew() {
	r, err := sdktest.New(surface.Plugin{
		Info: surface.Info{
			ID: "shout", Version: "1.0.0", DocVersion: doc.SchemaVersion,
			Profiles: []surface.Profile{{Surface: "shout", Dialect: "plain"}},
		},
		Renderer: surface.RendererFunc(shout),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	hello := &doc.Document{Blocks: []doc.Block{
		&doc.Paragraph{ID: "1", Inlines: []doc.Inline{&doc.Text{Text: "Hello,"}, &doc.Break{}, &doc.Text{Text: "there."}}},
	}}
	out, err := r.Render(context.Background(), surface.RenderRequest{Doc: hello})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(sdktest.Format(out, r.Info().Profiles[0]))
	// Output:
	// ┌ chunk 1 of 1: 13 codepoint sent, 13 bytes; blocks 1
	// │ HELLO, THERE.
	// └
}
