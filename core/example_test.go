package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Without plugins there is the built-in log. With Config.Plugins set, the other
// surfaces render in processes of their own.
func ExampleCore_Render() {
	ctx := context.Background()
	c, err := core.Open(ctx, core.Config{ReadOnly: true}) // it only renders, so it needs no home
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

// A program that holds a home shows its plugins to the vak command, and to whom
// it gives Handler.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "home")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	c, err := core.Open(ctx, core.Config{Home: dir, NoControl: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	_, err = core.Open(ctx, core.Config{Home: dir})
	fmt.Println(errors.Is(err, core.ErrHeld))
	// Output: true
}

// Handler answers what the control socket answers.
func ExampleCore_Handler() {
	c, err := core.Open(context.Background(), core.Config{ReadOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/plugins/log", nil))
	var p struct{ ID, State string }
	fmt.Println(w.Code, json.Unmarshal(w.Body.Bytes(), &p), p.ID, p.State)
	// Output: 200 <nil> log builtin
}
