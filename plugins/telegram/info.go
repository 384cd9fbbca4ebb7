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

// plugin is the surface: one profile, rendered as Telegram's HTML, and a bot that
// sends it.
func plugin() surface.Plugin {
	return surface.Plugin{
		Info: surface.Info{
			ID:         "telegram",
			Version:    version,
			DocVersion: doc.SchemaVersion,
			Blocks:     layout.Blocks(),
			Profiles: []surface.Profile{{
				Surface: "telegram",
				Dialect: dialect.TelegramHTML.Name(),
				// A message is 4096 UTF-16 units after its entities are parsed.
				// Beyond 100 entities, or about 9,000 bytes of them, markup is
				// dropped without a word; the request itself stays below 32 KiB.
				Limit: surface.Limit{
					Max: 4096, Unit: surface.UTF16, Of: surface.Visible,
					MaxBytes: 32_768, MaxEntities: 100, MaxEntityBytes: 9_000,
				},
				Can:  surface.Capabilities{Code: true, Links: true, AccessiblePlain: true},
				Grid: 40, // what a phone shows of a pre block without scrolling
			}},
			Account: json.RawMessage(accountSchema),
			Address: json.RawMessage(addressSchema),
		},
		Renderer:     layout.Renderer(dialect.TelegramHTML),
		NewTransport: open,
	}
}
