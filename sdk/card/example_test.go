package card_test

import (
	"context"
	"fmt"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A tree says what a card holds; its blocks are what every text surface shows.
func ExampleTree_Blocks() {
	tree := card.Of(card.Section{Title: "Nightly build"},
		card.New(card.Metric{Label: "Coverage", Value: card.Float(87.5), Unit: "%", Change: "+1.2"}),
		card.New(card.Timeline{Items: []card.Event{
			{Label: "Compile", Status: card.Done},
			{Label: "Test", Status: card.InProgress, Detail: "41 of 44"},
		}}),
	)
	low := tree.Blocks("1", card.Options{})
	for _, b := range low.Blocks {
		fmt.Println(b.BlockID(), b.Kind())
	}
	r, err := layout.Render(context.Background(), surface.RenderRequest{
		Doc: &doc.Document{Version: doc.SchemaVersion, Blocks: low.Blocks},
	}, dialect.PlainText)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Chunks[0].Text)
	// Output:
	// 1.1 heading
	// 1.2 paragraph
	// 1.3 list
	// Nightly build
	// -------------
	//
	// Coverage: 87.5 % (+1.2)
	//
	// - ✓ Compile (done)
	// - ◐ Test (in progress)
	//   41 of 44
}
