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

// plugin is the surface: one profile, rendered as Slack's mrkdwn, and a bot that
// posts it.
func plugin() surface.Plugin {
	return surface.Plugin{
		Info: surface.Info{
			ID:         "slack",
			Version:    version,
			DocVersion: doc.SchemaVersion,
			Blocks:     layout.Blocks(),
			Profiles: []surface.Profile{{
				Surface: "slack",
				Dialect: dialect.SlackMrkdwn.Name(),
				// Slack cuts text above 4000 characters; an edit takes fewer, and
				// counts bytes.
				Limit:     surface.Limit{Max: 3900, Unit: surface.Codepoint, Of: surface.Sent},
				EditLimit: surface.Limit{Max: 3800, Unit: surface.Byte, Of: surface.Sent},
				Can:       surface.Capabilities{Code: true, Links: true, AccessiblePlain: true},
				Grid:      80,
			}},
			Account: json.RawMessage(accountSchema),
			Address: json.RawMessage(addressSchema),
		},
		Renderer:     layout.Renderer(dialect.SlackMrkdwn),
		NewTransport: open,
	}
}
