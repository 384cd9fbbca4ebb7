package core_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// What is configured or installed while an agent works on an answer counts for its
// next turn. This one keeps to what it began with.
func ExampleTurn_Render() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	c, err := core.Open(ctx, core.Config{Home: home, NoControl: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	session, err := c.Session(ctx, "support-42")
	if err != nil {
		fmt.Println(err)
		return
	}
	begin := func() *core.Turn {
		turn, err := session.Begin(ctx, core.TurnOptions{})
		if err != nil {
			fmt.Println(err)
		}
		return turn
	}

	before := begin()
	narrow := "[surfaces.log]\nmax = 64\n"
	if err := os.WriteFile(filepath.Join(home, "vak.toml"), []byte(narrow), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := c.Reload(ctx); err != nil { // it would be seen two seconds later anyway
		fmt.Println(err)
		return
	}
	after := begin()
	draft := core.Draft{Markdown: "One paragraph that is a good deal longer than the sixty-four characters of a narrow log."}
	for _, turn := range []*core.Turn{before, after} {
		packets, err := turn.Render(ctx, draft, surface.Target{Surface: "log"})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("epoch %d: %d message(s)\n", turn.Epoch().Number, len(packets[0].Chunks))
	}
	// Output:
	// epoch 1: 1 message(s)
	// epoch 2: 2 message(s)
}
