package main

import (
	"encoding/json"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// version is the version of this plugin.
const version = "0.1.0"

// plugin is the surface: one profile without limits, rendered as GitHub's
// markdown. What is delivered is the packet; the rendering is the text in it.
func plugin() surface.Plugin {
	return surface.Plugin{
		Info: surface.Info{
			ID:         "webhook",
			Version:    version,
			DocVersion: doc.SchemaVersion,
			Blocks:     layout.Blocks(),
			Profiles: []surface.Profile{{
				Surface: "webhook",
				Dialect: dialect.GFM.Name(),
				Can: surface.Capabilities{
					StructuredBlocks: true, Tables: true, Code: true, Links: true, Actions: true, Media: true,
					Color: true, Interactive: true, FileReferences: true, AccessiblePlain: true,
				},
				Delivers: "packet",
			}},
			Account: json.RawMessage(accountSchema),
			Address: json.RawMessage(addressSchema),
		},
		Renderer:     layout.Renderer(dialect.GFM),
		NewTransport: open,
	}
}
