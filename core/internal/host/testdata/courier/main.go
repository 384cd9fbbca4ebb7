// Command courier is a surface for tests of delivery: its transport posts every
// part as JSON to the loopback address in its settings, and tells what came of it
// by the status of the answer. On demand it misbehaves.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// stderr is the real one: serving replaces os.Stderr.
var stderr = os.Stderr

func main() {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if len(os.Args) > 1 && os.Args[1] == "linger" {
		time.Sleep(time.Minute) // bounds the harm of a test that fails to end it
		return
	}
	surface.Serve(surface.Plugin{
		Info: surface.Info{
			ID: name, Version: "1.0.0", DocVersion: doc.SchemaVersion, Blocks: layout.Blocks(),
			Profiles: []surface.Profile{{
				Surface: name, Dialect: dialect.PlainText.Name(), Grid: 60,
				Limit: surface.Limit{Max: 500, Unit: surface.Codepoint},
				Can:   surface.Capabilities{AccessiblePlain: true},
			}},
			Account: json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"},"token":{"type":"string"},"mode":{"type":"string"}},"required":["url"]}`),
		},
		Renderer:     surface.RendererFunc(render),
		NewTransport: open,
	})
}

// render renders plain; "dial ADDRESS" and "environ" say what a renderer can do
// and see.
func render(ctx context.Context, r surface.RenderRequest) (surface.Rendering, error) {
	if len(r.Doc.Blocks) == 1 {
		for s := range doc.Visible(r.Doc.Blocks[0]) {
			if address, ok := strings.CutPrefix(s, "dial "); ok {
				said := "connected"
				if c, err := net.DialTimeout("tcp", address, time.Second); err != nil {
					said = err.Error()
				} else {
					c.Close()
				}
				return surface.Rendering{Chunks: []surface.Chunk{{Text: said, Plain: said, Blocks: []doc.ID{"1"}}}}, nil
			}
			break
		}
	}
	return layout.Render(ctx, r, dialect.PlainText)
}

// settings are those of an account.
type settings struct {
	URL   string `json:"url"`   // where parts are posted to
	Token string `json:"token"` // goes with every part
	Mode  string `json:"mode"`  // how to misbehave; empty: not at all
}

func open(_ context.Context, a surface.Account) (surface.Transport, error) {
	var s settings
	if err := json.Unmarshal(a.Settings, &s); err != nil || s.URL == "" {
		return nil, &surface.DeliveryError{Class: surface.Permanent, Code: "settings", Hint: "give it a url"}
	}
	switch s.Mode {
	case "exit_configure":
		fmt.Fprintln(stderr, "no luck with "+s.Token)
		os.Exit(3)
	case "refuse":
		return nil, fmt.Errorf("%s is not my token", s.Token)
	case "chatty": // writes to its log what it must not
		fmt.Fprintln(stderr, "my token is "+s.Token)
		fmt.Fprintf(stderr, `{"@level":"warn","@message":"token %s","token":%q}`+"\n", s.Token, s.Token)
	}
	if path, ok := strings.CutPrefix(s.Mode, "given "); ok { // a file, which says the same as a variable
		if b, err := os.ReadFile(path); err != nil || string(b) != os.Getenv("VAK_TEST_GRANTED") {
			return nil, fmt.Errorf("the file and the variable are not the same: %v", err)
		}
	}
	return &courier{settings: s}, nil
}

// misbehave does what the mode says before a part is posted.
func misbehave(mode string) {
	switch mode {
	case "hang":
		select {}
	case "stderr_5mb":
		line := strings.Repeat("z", 1023) + "\n"
		for range 5 << 10 {
			io.WriteString(stderr, line)
		}
	case "grandchild": // which holds the log open, if it can be started at all
		c := exec.Command(os.Args[0], "linger")
		c.Stderr = stderr
		if err := c.Start(); err != nil {
			fmt.Fprintln(stderr, "no grandchild: "+err.Error())
		}
	case "panic":
		panic("what was said")
	}
}
