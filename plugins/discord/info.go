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

// plugin is the surface: one profile, rendered as Discord's
// markdown, and a bot that posts it.
func plugin() surface.Plugin {
	return surface.Plugin{
		Info: surface.Info{
			ID:         "discord",
			Version:    version,
			DocVersion: doc.SchemaVersion,
			Blocks:     layout.Blocks(),
			Profiles: []surface.Profile{{
				Surface: "discord",
				Dialect: dialect.DiscordMarkdown.Name(),
				// Discord takes 2000 characters; the rest is room for a mark such
				// as "possible duplicate".
				Limit: surface.Limit{Max: 1900, Unit: surface.Codepoint, Of: surface.Sent},
				Can:   surface.Capabilities{Code: true, Links: true, AccessiblePlain: true},
				Links: "angle", // label (<address>): a masked link can show a false address
				Grid:  56,
			}},
			Account: json.RawMessage(accountSchema),
			Address: json.RawMessage(addressSchema),
		},
		Renderer:     layout.Renderer(dialect.DiscordMarkdown),
		NewTransport: open,
	}
}
