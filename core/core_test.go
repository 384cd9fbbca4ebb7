package core

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func TestMain(m *testing.M) {
	code := m.Run()
	binaries.Remove()
	os.Exit(code)
}

// open opens a Core with the shipped plugins and the faulty one.
func open(t *testing.T, c Config) *Core {
	t.Helper()
	beside := filepath.Dir(binaries.Build(t))
	c.ReadOnly = true
	c.Plugins = []string{filepath.Join(beside, "plugins"), filepath.Join(beside, "faulty")}
	core, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := core.Close(); err != nil {
			t.Error(err)
		}
	})
	return core
}

func targets(ids ...string) []surface.Target {
	out := make([]surface.Target, len(ids))
	for i, id := range ids {
		out[i].Surface = id
	}
	return out
}

const answer = "# Done\n\nAll **three** steps, see [the log](https://example.com/log).\n\n1. one\n2. two\n\n```go\nx := 1\n```\n"

func TestRender(t *testing.T) {
	c := open(t, Config{})
	ids := []string{"telegram", "slack", "discord", "webhook", "log"}
	packets, err := c.Render(t.Context(), Draft{Markdown: answer}, targets(ids...)...)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range packets {
		if p.Surface != ids[i] || p.Renderer.ID != ids[i] || p.Renderer.Version == "" {
			t.Errorf("packet %d is for %s, rendered by %+v", i, p.Surface, p.Renderer)
		}
		if p.Kind != surface.Assistant || p.Epoch != 0 || p.Recipe != "answer.basic" || p.FallbackMarkdown != answer {
			t.Errorf("%s: %+v", p.Surface, p)
		}
		if len(p.Chunks) != 1 || len(p.Coverage.Blocks) != 6 || p.Coverage.Basis != packet.Verified || len(p.Diagnostics) != 0 {
			t.Errorf("%s: %d chunks, coverage %+v, diagnostics %v", p.Surface, len(p.Chunks), p.Coverage, p.Diagnostics)
		}
		d, err := doc.Parse(bytes.TrimSuffix(bytes.TrimPrefix(p.Payload, []byte(`{"document":`)), []byte("}")), doc.Limits{})
		if err != nil || len(d.Blocks) != 4 {
			t.Errorf("%s: the payload is no document: %v", p.Surface, err)
		}
	}
}

// TestFaulty has a plugin do everything wrong. What a reader gets is whole,
// within the limit, and says why it is plain.
func TestFaulty(t *testing.T) {
	for _, f := range []struct {
		does, code, says string
	}{
		{"fail", "renderer_failed", "its renderer failed"},
		{"panic", "renderer_failed", "its renderer panicked"},
		{"exit", "renderer_failed", "its process ended"},
		{"hang", "renderer_failed", "it took too long"},
		{"lose", "renderer_missing_text", "text was lost"},
		{"lose-plain", "renderer_plain_lost", "plain form lost"},
		{"swap one two", "renderer_missing_text", "text was lost or moved"},
		{"none", "renderer_missing_text", "text was lost"},
		{"blank", "renderer_empty_chunk", "chunk 2: it shows nothing"},
		{"markup", "renderer_empty_chunk", "chunk 2: it shows nothing"},
		{"long", "renderer_too_long", "chunk 1: it exceeds the limit"},
		{"control", "renderer_failed", "its answer breaks the protocol"},
		{"cr", "renderer_failed", "its answer breaks the protocol"},
		{"note", "renderer_failed", "its answer breaks the protocol"},
		{"block", "renderer_unknown_block", "names a block"},
	} {
		t.Run(f.does, func(t *testing.T) {
			if f.does == "hang" && testing.Short() {
				t.Skip("two attempts of five seconds")
			}
			t.Parallel()
			c := open(t, Config{}) // a process of its own, since some end it
			packets, err := c.Render(t.Context(), Draft{Markdown: f.does + " secret &  more\n\nSecond paragraph."}, targets("faulty")...)
			if err != nil {
				t.Fatal(err)
			}
			p := packets[0]
			if p.Renderer.ID != PlainRenderer || p.Renderer.Version != "" {
				t.Errorf("rendered by %+v", p.Renderer)
			}
			if got, want := words(p), strings.Fields(f.does+" secret & more Second paragraph."); !slices.Equal(got, want) {
				t.Errorf("a reader gets %q, want %q", got, want)
			}
			said := false
			for _, d := range p.Diagnostics {
				said = said || d.Code == f.code && strings.Contains(d.Message, f.says) && d.Severity == doc.Error
				if strings.Contains(d.Message, "secret") {
					t.Errorf("a diagnostic holds text of the message: %q", d.Message)
				}
			}
			if !said {
				t.Errorf("the diagnostics are %+v", p.Diagnostics)
			}
		})
	}
}

// TestFaultyIsGood shows that the plugin is only wrong when it is asked to be.
func TestFaultyIsGood(t *testing.T) {
	packets, err := open(t, Config{}).Render(t.Context(), Draft{Markdown: "all is well"}, targets("faulty")...)
	if err != nil || packets[0].Renderer.ID != "faulty" {
		t.Errorf("%v, %+v", err, packets)
	}
}

func words(p packet.Packet) []string {
	var out []string
	for _, c := range p.Chunks {
		out = append(out, strings.Fields(c.Text)...)
	}
	return out
}

func TestUnknownSurface(t *testing.T) {
	packets, err := open(t, Config{}).Render(t.Context(), Draft{Markdown: strings.Repeat("word ", 1000)}, surface.Target{Surface: "nowhere", Address: "a/b:c d", Thread: "7", Account: "main"})
	if err != nil {
		t.Fatal(err)
	}
	p := packets[0]
	if p.Renderer.ID != PlainRenderer || len(p.Chunks) != 3 || p.Chunks[0].Units > 2000 || p.Diagnostics[0].Code != "unknown_surface" {
		t.Errorf("%d chunks, %+v, %+v", len(p.Chunks), p.Renderer, p.Diagnostics)
	}
	if p.Target != "nowhere:a%2Fb%3Ac%20d/7:main" {
		t.Errorf("the target is %q", p.Target)
	}
}

func TestEmpty(t *testing.T) {
	c := open(t, Config{})
	for _, source := range []string{"", " \n\n\t\n", "<!-- nothing to see -->"} {
		packets, err := c.Render(t.Context(), Draft{Markdown: source}, targets("telegram", "log", "nowhere")...)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range packets {
			if len(p.Chunks) != 0 || !slices.ContainsFunc(p.Diagnostics, func(d doc.Diagnostic) bool { return d.Code == "empty" }) {
				t.Errorf("%q on %s: %d chunks, %+v", source, p.Surface, len(p.Chunks), p.Diagnostics)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	c := open(t, Config{})
	for _, f := range []struct {
		why   string
		draft Draft
		to    surface.Target
		kind  ErrorKind
	}{
		{"one byte over the limit", Draft{Markdown: strings.Repeat("a", MaxSource+1)}, surface.Target{Surface: "log"}, ErrTooLarge},
		{"kinds that never go out", Draft{Markdown: "x", Kind: "system"}, surface.Target{Surface: "log"}, ErrDraft},
		{"an approval is more than a text", Draft{Markdown: "x", Kind: surface.Approval}, surface.Target{Surface: "log"}, ErrDraft},
		{"no surface", Draft{Markdown: "x"}, surface.Target{}, ErrTarget},
	} {
		_, err := c.Render(t.Context(), f.draft, f.to)
		if e, ok := errors.AsType[*Error](err); !errors.Is(err, f.kind) || !ok || e.Mend == "" {
			t.Errorf("%s: %v", f.why, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Render(ctx, Draft{Markdown: answer}, targets("telegram")...); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
	if _, err := Open(t.Context(), Config{ReadOnly: true, Plugins: []string{filepath.Join(t.TempDir(), "nowhere")}}); !errors.Is(err, ErrPlugins) {
		t.Errorf("a directory that is not there gives %v", err)
	}
	if _, err := Open(t.Context(), Config{ReadOnly: true, Surfaces: map[string]Settings{"nowhere": {}}}); !errors.Is(err, ErrUnknownSurface) {
		t.Errorf("settings for a surface that is not there give %v", err)
	}
}

// TestSame renders the same answer many times at once.
func TestSame(t *testing.T) {
	c := open(t, Config{})
	render := func() []byte {
		var b []byte
		packets, err := c.Render(t.Context(), Draft{Markdown: strings.Repeat(answer, 50)}, targets("telegram", "slack", "discord", "webhook", "log")...)
		if err != nil {
			t.Error(err)
		}
		for i := range packets {
			if b, err = packet.Append(b, &packets[i]); err != nil {
				t.Error(err)
			}
		}
		return b
	}
	first := render()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if !bytes.Equal(render(), first) {
				t.Error("the packets differ")
			}
		})
	}
	wg.Wait()
}

// TestLogEscapes shows what a terminal would obey where operators look.
func TestLogEscapes(t *testing.T) {
	packets, err := open(t, Config{}).Render(t.Context(), Draft{Markdown: "a\x00b\x07c \x1b[31mred\x1b[0m \u202efdp.exe\u2066"}, targets("log", "telegram")...)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := packets[0].Chunks[0].Text, `a\u0000b\u0007c \u001b[31mred\u001b[0m \u202efdp.exe\u2066`; strings.TrimSpace(got) != want {
		t.Errorf("the log shows %q, want %q", got, want)
	}
	for _, p := range packets {
		if p.Renderer.ID != p.Surface {
			t.Errorf("%s is rendered by %s: %+v", p.Surface, p.Renderer.ID, p.Diagnostics)
		}
		if strings.ContainsFunc(p.Chunks[0].Text, obeyed) {
			t.Errorf("%s gets %q", p.Surface, p.Chunks[0].Text)
		}
	}
}

// TestContained breaks the tree itself, so that both the renderer and the plain
// layout fail; the source is still delivered.
func TestContained(t *testing.T) {
	c := open(t, Config{})
	a, err := c.Prepare(Draft{Markdown: "**the** source\x1b\n" + strings.Repeat("wörter 👩‍💻 ", 100)})
	if err != nil {
		t.Fatal(err)
	}
	broken := *a.doc
	broken.Blocks = []doc.Block{(*doc.Paragraph)(nil)}
	a.doc, a.escaped = &broken, nil
	p, err := a.Render(t.Context(), surface.Target{Surface: "faulty"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(words(p), ""), "**the**source\uFFFD"+strings.Repeat("wörter👩‍💻", 100); got != want {
		t.Errorf("a reader gets %q", got)
	}
	for _, k := range p.Chunks {
		if k.Units > 200 {
			t.Errorf("a chunk has %d units", k.Units)
		}
	}
	if last := p.Diagnostics[len(p.Diagnostics)-1]; last.Code != "plain_failed" {
		t.Errorf("%+v", p.Diagnostics)
	}
}

func TestSettings(t *testing.T) {
	var every, one Settings
	for _, kv := range [][2]string{{"max", "500"}, {"unit", "byte"}, {"of", "sent"}, {"links", "masked"}, {"tables", "list"}, {"grid", "30"}, {"mentions", "live"}, {"max_bytes", "999"}, {"max_entities", "7"}} {
		if err := every.Set(kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	one.Set("max", "0")
	one.Set("mentions", "off")
	c := open(t, Config{Settings: every, Surfaces: map[string]Settings{"slack": one}})
	for _, w := range []struct {
		id, mentions string
		max          int
	}{{"discord", "live", 500}, {"slack", "", 0}} {
		s, err := c.Surface(w.id)
		if err != nil {
			t.Fatal(err)
		}
		got := s.Profile
		limit := surface.Limit{Max: w.max, Unit: surface.Byte, Of: surface.Sent, MaxBytes: 999, MaxEntities: 7, MaxEntityBytes: got.Limit.MaxEntityBytes}
		if got.Limit != limit || got.Links != "masked" || got.Tables != "list" || got.Mentions != w.mentions || got.Grid != 30 {
			t.Errorf("%s: %+v", w.id, got)
		}
	}
	for _, k := range SettingKeys() {
		var s Settings
		if err := s.Set(k.Key, "nonsense"); !errors.Is(err, ErrSetting) || !strings.Contains(err.Error(), k.Values) {
			t.Errorf("%s: %v", k.Key, err)
		}
	}
}

func TestClamped(t *testing.T) {
	for declared, want := range map[int]int{0: 0, -1: 64, 1: 64, 64: 64, 4096: 4096, 100_000: 100_000, 100_001: 100_000} {
		if got := clamped(surface.Profile{Limit: surface.Limit{Max: declared}}).Limit; got.Max != want || got.Unit != surface.Codepoint || got.Of != surface.Sent {
			t.Errorf("%d becomes %+v, want %d", declared, got, want)
		}
	}
}

// FuzzCuts shows that the last resort keeps every word within every limit.
func FuzzCuts(f *testing.F) {
	f.Add("wörter 👩‍💻 und mehr\n\nnoch mehr", 64, uint8(0))
	f.Add(strings.Repeat("e\u0301\u0302\u0303\u0304", 300), 64, uint8(1))
	f.Add("\x00\xff\r\n\r", 64, uint8(2))
	f.Fuzz(func(t *testing.T, source string, limit int, unit uint8) {
		l := surface.Limit{
			Max: 64 + (limit&0x7fffffff)%500, Of: surface.Sent,
			Unit: []surface.Unit{surface.UTF16, surface.Codepoint, surface.Byte}[unit%3],
		}
		var got strings.Builder
		for c := range cuts(printable(source), l) {
			if strings.TrimSpace(c) == "" || cover.Units(sizeOf(c), l) > l.Max {
				t.Fatalf("a chunk of %d %s of %d: %q", cover.Units(sizeOf(c), l), l.Unit, l.Max, c)
			}
			got.WriteString(c)
		}
		join := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if join(got.String()) != join(printable(source)) {
			t.Fatalf("got %q of %q", got.String(), source)
		}
	})
}
