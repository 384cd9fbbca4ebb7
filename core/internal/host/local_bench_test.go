package host

import (
	"testing"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// BenchmarkWireForm is a 4 KB render with all that the wire asks for, encoding
// and decoding on both sides, and without the wire.
func BenchmarkWireForm(b *testing.B) {
	dir := b.TempDir()
	install(b, dir, built.telegram, "telegram")
	h := open(b, Config{Places: Places{Dirs: []string{dir}}})
	info := h.byID["telegram"].found.Info
	d := doc.Lower(answer(b, 4<<10), doc.Support{Version: doc.SchemaVersion, Blocks: layout.Blocks()})
	req := surface.RenderRequest{Doc: d, Profile: info.Profiles[0], Kind: surface.Assistant}
	c := hostapi.Local(surface.Plugin{Info: info, Renderer: layout.Renderer(dialect.TelegramHTML)}, nil)
	for b.Loop() {
		if _, err := c.Render(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}
