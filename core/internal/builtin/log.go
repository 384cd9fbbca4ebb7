// Package builtin holds what ships inside core: the surface "log", plain text
// for a terminal or a file.
package builtin

import (
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// LogID is the id of [Log].
const LogID = "log"

// Log is the surface of an operator's log: plain text, no limit, tables as
// grids up to 100 columns. It runs in process, through the same layout as
// every plugin.
func Log() surface.Plugin {
	return surface.Plugin{
		Info: surface.Info{
			ID:         LogID,
			Version:    "1.0.0",
			DocVersion: doc.SchemaVersion,
			Blocks:     layout.Blocks(),
			Profiles: []surface.Profile{{
				Surface: LogID,
				Dialect: dialect.PlainText.Name(),
				Can:     surface.Capabilities{Code: true, AccessiblePlain: true},
				Grid:    100,
			}},
		},
		Renderer: layout.Renderer(dialect.PlainText),
	}
}
