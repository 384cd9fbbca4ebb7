package layout_test

import (
	"context"
	"fmt"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A surface with one of the dialects renders with one call. What does not fit
// one message goes on in the next, with everything closed and opened again.
func ExampleRender() {
	answer := &doc.Document{Version: doc.SchemaVersion, Blocks: []doc.Block{
		&doc.Heading{ID: "1", Level: 2, Inlines: []doc.Inline{&doc.Text{Text: "Result"}}},
		&doc.Paragraph{ID: "2", Inlines: []doc.Inline{
			&doc.Strong{Children: []doc.Inline{&doc.Text{Text: "All tests pass, and the build takes half of the time it took before the change."}}},
		}},
	}}
	r, err := layout.Render(context.Background(), surface.RenderRequest{
		Doc:     answer,
		Profile: surface.Profile{Limit: surface.Limit{Max: 70}},
	}, dialect.DiscordMarkdown)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, c := range r.Chunks {
		fmt.Printf("%d %v\n%s\n", i, c.Blocks, c.Text)
	}
	// Output:
	// 0 [1 2]
	// ## Result
	//
	// **All tests pass, and the build takes half of the time**
	// 1 [2]
	// **it took before the change.**
}
