// Command poster is a surface that sends, for tests of package sdktest.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// poster asks for what it is to do by the method.
type poster struct {
	URL    string `json:"url"`
	Token  string `json:"token"`
	Talks  bool   `json:"talks"` // about its token
	client *send.Client
}

func (p *poster) ask(ctx context.Context, method, path, text string) error {
	if p.Talks {
		fmt.Fprintln(os.Stderr, "the token is", p.Token)
	}
	_, err := p.client.Do(ctx, send.Request{Method: method, URL: p.URL + path, Body: []byte(text)})
	return err
}

func (p *poster) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	return surface.Receipt{}, p.ask(ctx, "POST", "/"+r.Target.Address, r.Chunk.Text)
}

func (p *poster) Edit(ctx context.Context, ref surface.Ref, r surface.SendRequest) (surface.Receipt, error) {
	return surface.Receipt{}, p.ask(ctx, "PATCH", "/"+r.Target.Address+"/"+ref.ID, r.Chunk.Text)
}

func (p *poster) Delete(ctx context.Context, t surface.Target, ref surface.Ref) error {
	return p.ask(ctx, "DELETE", "/"+t.Address+"/"+ref.ID, "")
}

func main() {
	surface.Serve(surface.Plugin{
		Info: surface.Info{
			ID: "poster", Version: "1.0.0", DocVersion: doc.SchemaVersion,
			Profiles: []surface.Profile{{Surface: "poster", Dialect: "plain"}},
		},
		Renderer: layout.Renderer(dialect.PlainText),
		NewTransport: func(_ context.Context, a surface.Account) (surface.Transport, error) {
			p := &poster{client: send.New(send.Config{})}
			if err := json.Unmarshal(a.Settings, p); err != nil || p.URL == "" {
				return nil, &surface.DeliveryError{Class: surface.Permanent, Code: "url"}
			}
			return p, nil
		},
	})
}
