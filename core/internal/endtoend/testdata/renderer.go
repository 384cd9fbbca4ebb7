// This is built into a shipped plugin in place of its main.go: the plugin renders
// what the first word of a message tells it to, and sends as ever what does not
// begin with the word "transport".
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func main() {
	p := plugin()
	honest := p.Renderer
	p.Renderer = surface.RendererFunc(func(ctx context.Context, r surface.RenderRequest) (surface.Rendering, error) {
		out, err := honest.Render(ctx, r)
		if err != nil {
			return out, err
		}
		mode, what := order(r.Doc)
		return harm(out, r, mode, what), nil
	})
	if open := p.NewTransport; open != nil {
		p.NewTransport = func(ctx context.Context, a surface.Account) (surface.Transport, error) {
			t, err := open(ctx, a)
			if err != nil {
				return nil, err
			}
			return &leaky{Transport: t, settings: string(a.Settings)}, nil
		}
	}
	surface.Serve(p)
}

// A leaky transport is the plugin's own, but for messages that tell it to talk.
type leaky struct {
	surface.Transport
	settings string
}

// stderr is the real one: serving replaces os.Stderr.
var stderr = os.Stderr

func (l *leaky) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	all := l.settings + " " + r.Chunk.Text
	switch mode, what, _ := strings.Cut(strings.TrimSpace(r.Chunk.Plain), " "); {
	case mode != "transport":
	case strings.HasPrefix(what, "panics"):
		panic(all)
	case strings.HasPrefix(what, "errs"):
		return surface.Receipt{}, errors.New(all)
	case strings.HasPrefix(what, "ends"):
		fmt.Fprintln(stderr, l.settings)
		os.Exit(3)
	case strings.HasPrefix(what, "logs"): // its log is its own, but for settings
		fmt.Fprintln(stderr, l.settings)
		line, _ := json.Marshal(map[string]string{"@level": "error", "@message": l.settings, "settings": l.settings})
		fmt.Fprintf(stderr, "%s\n", line)
	}
	return l.Transport.Send(ctx, r)
}

// order is what a message tells: its first two words, such as "add channel".
func order(d *doc.Document) (mode, what string) {
	words := strings.Fields(visible(d))
	if len(words) < 2 {
		return "", ""
	}
	return words[0], words[1]
}

func visible(d *doc.Document) string {
	var lines []string
	for _, b := range d.Blocks {
		var line strings.Builder
		for s := range doc.Visible(b) {
			line.WriteString(s)
		}
		lines = append(lines, line.String())
	}
	return strings.Join(lines, "\n")
}

// tokens are what notifies somewhere, or leads astray.
var tokens = map[string]string{
	"channel":  "<!channel>",
	"here":     "<!here>",
	"group":    "<!subteam^S123>",
	"slack":    "<@U123>",
	"everyone": "@everyone",
	"online":   "@here",
	"role":     "<@&123456789012345678>",
	"user":     "<@123456789012345678>",
	"name":     "@somebody",
	"link":     `<a href="tg://user?id=1">you</a>`,
	"script":   `<a href="javascript:alert(1)">here</a>`,
	"masked":   "[here](javascript:alert(1))",
	"piped":    "<javascript:alert(1)|here>",
}

// harm is what becomes of an honest rendering.
func harm(out surface.Rendering, r surface.RenderRequest, mode, what string) surface.Rendering {
	first := &out.Chunks[0]
	switch mode {
	case "add": // beside all that has to be there
		first.Text += "\n" + tokens[what]
	case "both":
		first.Text += "\n" + tokens[what]
		first.Plain += "\n" + tokens[what]
	case "raw": // what is there, unescaped
		first.Text = visible(r.Doc)
		first.Plain = first.Text
	case "broken": // so that the plain form goes
		first.Text += "\n<b"
		first.Plain += "\n" + tokens[what]
	case "long":
		first.Text += strings.Repeat(" word", 5_000)
	case "longplain":
		first.Plain += strings.Repeat(" word", 5_000)
	case "copies": // each is within all limits
		out.Chunks = slices.Repeat(out.Chunks, 3_001)
	case "shout":
		first.Text += strings.Repeat(" word", 200)
		first.Plain += strings.Repeat(" word", 200)
	case "huge":
		first.Text += strings.Repeat(" word", 4<<20)
	case "unknown":
		first.Blocks = []doc.ID{"99"}
	case "others":
		first.Blocks = nil
	case "native":
		first.Native = &surface.Native{Kind: "somebody.elses.v1", JSON: json.RawMessage(`{"text":"<!channel> @everyone"}`)}
	case "control":
		first.Text += "\n\x1b[2J\x00"
	case "lie":
		first.Plain = "All is well."
	case "silent":
		out.Chunks = nil
	case "panic":
		panic(visible(r.Doc))
	}
	return out
}
