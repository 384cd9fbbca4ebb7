// Command board is a surface that posts every part to the address in its account.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

var version = "1.0.0" // another one is linked in

func main() {
	surface.Serve(surface.Plugin{
		Info: surface.Info{
			ID: "board", Version: version, DocVersion: doc.SchemaVersion, Blocks: layout.Blocks(),
			Profiles: []surface.Profile{{
				Surface: "board", Dialect: dialect.PlainText.Name(), Grid: 60,
				Limit: surface.Limit{Max: 2000, Unit: surface.Codepoint}, Can: surface.Capabilities{AccessiblePlain: true},
			}},
			Account: json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"}},"required":["url"]}`),
		},
		Renderer: layout.Renderer(dialect.PlainText),
		NewTransport: func(_ context.Context, a surface.Account) (surface.Transport, error) {
			var t transport
			return t, json.Unmarshal(a.Settings, &t)
		},
	})
}

type transport struct{ URL string }

// Send implements [surface.Transport].
func (t transport) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	at := t.URL + "?job=" + url.QueryEscape(r.Job)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(r.Chunk.Text))
	if err != nil {
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Permanent, Code: "address"}
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Unknown, Code: "no_answer"}
	}
	answer.Body.Close()
	return surface.Receipt{Refs: []surface.Ref{{ID: "m"}}}, nil
}
