package builtin

import (
	"context"
	"encoding/json"

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
//
// It sends into files below dir, which is made when it is first needed: the
// address ADDRESS is the file ADDRESS.log. Empty, it renders only.
func Log(dir string) surface.Plugin {
	p := surface.Plugin{
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
	if dir != "" {
		files := &files{dir: dir, open: openLog}
		p.Info.Address = json.RawMessage(`{"type":"string","pattern":"` + addressForm + `"}`)
		p.NewTransport = func(context.Context, surface.Account) (surface.Transport, error) { return files, nil }
	}
	return p
}
