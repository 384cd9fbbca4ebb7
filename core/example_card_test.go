package core_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A card in a fence is shown in a form for people, and it can be told why it looks
// so.
func ExampleAnswer_Why() {
	c, err := core.Open(context.Background(), core.Config{ReadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	a, err := c.Prepare(core.Draft{Markdown: "```vak\n" +
		`{"semantic_type": "test.report", "payload": {"tests": [{"name": "TestTotal", "status": "passed"}]}}` +
		"\n```"})
	if err != nil {
		log.Fatal(err)
	}
	w, err := a.Why(context.Background(), surface.Target{Surface: "log"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Recipe.ID, "for the signals", w.Matched, "and the types", w.Types)
	fmt.Println(w.Renderers[0].Renderer, "shows block", w.Renderers[0].Block)
	// Output:
	// coding.test_report for the signals [pass_fail tests] and the types [test.report]
	// core shows block 1
}
