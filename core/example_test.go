package core_test

import (
	"context"
	"fmt"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Without plugins there is the built-in log. With Config.Plugins set, the other
// surfaces render in processes of their own.
func ExampleCore_Render() {
	ctx := context.Background()
	c, err := core.Open(ctx, core.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	packets, err := c.Render(ctx, core.Draft{Markdown: "**Done**: see [the log](https://example.com/log)."}, surface.Target{Surface: "log"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range packets {
		fmt.Println(p.Surface, len(p.Chunks), p.Coverage.Basis)
		fmt.Println(p.Chunks[0].Text)
	}
	// Output:
	// log 1 verified
	// Done: see the log (https://example.com/log).
}
