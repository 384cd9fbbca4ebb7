package sdktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func info() surface.Info {
	return surface.Info{
		ID: "good", Version: "1.0.0", DocVersion: doc.SchemaVersion, Blocks: layout.Blocks(),
		Profiles: []surface.Profile{{Surface: "good", Dialect: dialect.PlainText.Name(), Limit: surface.Limit{Max: 2000}, Grid: 60}},
	}
}

func TestConformanceOfPlain(t *testing.T) {
	Conformance(t, surface.Plugin{Info: info(), Renderer: layout.Renderer(dialect.PlainText)})
}

// spoil renders plain and then does wrong.
func spoil(wrong func(surface.RenderRequest, *surface.Rendering) error) surface.Plugin {
	return surface.Plugin{Info: info(), Renderer: surface.RendererFunc(func(ctx context.Context, r surface.RenderRequest) (surface.Rendering, error) {
		out, err := layout.Render(ctx, r, dialect.PlainText)
		if err != nil {
			return out, err
		}
		return out, wrong(r, &out)
	})}
}

func TestConformanceFinds(t *testing.T) {
	var calls atomic.Int64
	for _, c := range []struct {
		name  string
		wrong func(surface.RenderRequest, *surface.Rendering) error
		says  string
	}{
		{"error", func(surface.RenderRequest, *surface.Rendering) error { return errors.New("no") }, "render: failed: no"},
		{"panic", func(surface.RenderRequest, *surface.Rendering) error { panic("no") }, "panicked"},
		{"different each time", func(_ surface.RenderRequest, r *surface.Rendering) error {
			r.Notes = append(r.Notes, surface.Note{Block: "1", Disposition: surface.AsNative, Reason: fmt.Sprintf("n%d", calls.Add(1))})
			return nil
		}, "two different renderings"},
		{"too long", func(_ surface.RenderRequest, r *surface.Rendering) error {
			one := r.Chunks[0]
			for _, c := range r.Chunks[1:] {
				one.Text, one.Plain, one.Blocks = one.Text+"\n"+c.Text, one.Plain+"\n"+c.Plain, append(one.Blocks, c.Blocks...)
			}
			r.Chunks = []surface.Chunk{one}
			return nil
		}, "64 are allowed"},
		{"plain too long", func(_ surface.RenderRequest, r *surface.Rendering) error {
			r.Chunks[0].Plain = strings.Repeat("x", 3000)
			return nil
		}, "plain has 3000 codepoint sent"},
		{"blank chunk", func(_ surface.RenderRequest, r *surface.Rendering) error {
			r.Chunks = append(r.Chunks, surface.Chunk{Text: " \n", Plain: " \n", Blocks: []doc.ID{"1"}})
			return nil
		}, "nothing to read"},
		{"control characters", func(_ surface.RenderRequest, r *surface.Rendering) error {
			r.Chunks[0].Text += "\x0e"
			return nil
		}, "control character"},
		{"invalid text", func(_ surface.RenderRequest, r *surface.Rendering) error {
			r.Chunks[0].Text += "\xff"
			return nil
		}, "not valid UTF-8"},
		{"unknown block in a chunk", func(_ surface.RenderRequest, r *surface.Rendering) error {
			r.Chunks[0].Blocks = append(r.Chunks[0].Blocks, "999.1")
			return nil
		}, `names block "999.1"`},
		{"unknown block in a note", func(_ surface.RenderRequest, r *surface.Rendering) error {
			r.Notes = append(r.Notes, surface.Note{Block: "77", Disposition: surface.AsFallback, Reason: "because"})
			return nil
		}, `a note (because) names block "77"`},
		{"no block at all", func(_ surface.RenderRequest, r *surface.Rendering) error {
			r.Chunks[0].Blocks = nil
			return nil
		}, "names no block"},
		{"lost text", func(_ surface.RenderRequest, r *surface.Rendering) error {
			for i := range r.Chunks {
				r.Chunks[i].Plain = strings.ReplaceAll(r.Chunks[i].Plain, "Heading", "H")
			}
			return nil
		}, "loses"},
		{"lost target", func(_ surface.RenderRequest, r *surface.Rendering) error {
			for i := range r.Chunks {
				r.Chunks[i].Plain = strings.ReplaceAll(r.Chunks[i].Plain, "example.com", "")
			}
			return nil
		}, "loses"},
		{"text lost where the plain form has it", func(_ surface.RenderRequest, r *surface.Rendering) error {
			for i := range r.Chunks {
				r.Chunks[i].Text = strings.ReplaceAll(r.Chunks[i].Text, "Heading", "H")
			}
			return nil
		}, "read as plain: block "},
		{"nothing shown", func(_ surface.RenderRequest, r *surface.Rendering) error {
			r.Chunks = nil
			return nil
		}, "loses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := New(spoil(c.wrong))
			if err != nil {
				t.Fatal(err)
			}
			small := info().Profiles[0]
			small.Limit.Max = surface.MinLimit
			var said []string
			for _, p := range []surface.Profile{info().Profiles[0], small} {
				for _, err := range r.conform(everything(), p) {
					said = append(said, err.Error())
				}
			}
			if all := strings.Join(said, "\n"); !strings.Contains(all, c.says) {
				t.Errorf("said %q, want %q", all, c.says)
			}
		})
	}
}

// TestConformanceFindsAnotherDialect has every dialect rendered where a profile
// names another.
func TestConformanceFindsAnotherDialect(t *testing.T) {
	all := []dialect.Dialect{dialect.TelegramHTML, dialect.SlackMrkdwn, dialect.DiscordMarkdown, dialect.GFM, dialect.PlainText}
	for _, written := range all {
		for _, named := range all {
			i := info()
			i.Profiles[0].Dialect = named.Name()
			r, err := New(surface.Plugin{Info: i, Renderer: layout.Renderer(written)})
			if err != nil {
				t.Fatal(err)
			}
			same := written == named || written == dialect.GFM && named == dialect.DiscordMarkdown || written == dialect.DiscordMarkdown && named == dialect.GFM
			if err := r.speaks(i.Profiles[0]); (err == nil) != same || err != nil && !strings.Contains(err.Error(), "a reader of the dialect "+named.Name()+" sees ") {
				t.Errorf("%s where the profile names %s: %v", written.Name(), named.Name(), err)
			}
		}
	}
}

func TestConformanceFindsWordsOfItsOwn(t *testing.T) {
	for footer, says := range map[string]string{"\n(7/9)": "", "\nSent to you by the good surface": "characters that are not in the document"} {
		r, err := New(spoil(func(_ surface.RenderRequest, r *surface.Rendering) error {
			for i := range r.Chunks {
				r.Chunks[i].Text, r.Chunks[i].Plain = r.Chunks[i].Text+footer, r.Chunks[i].Plain+footer
			}
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		p := info().Profiles[0]
		p.Limit.Max = 200
		if err := r.adds(p); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", footer, err)
		}
	}
}

func TestConformanceFindsSchemas(t *testing.T) {
	i := info()
	i.Account, i.Address = json.RawMessage(`{"type": 5}`), json.RawMessage(`{"$ref": "https://example.com/address.json"}`)
	got := fmt.Sprint(schemas(i))
	for _, want := range []string{"the schema of accounts: ", "the schema of addresses: "} {
		if !strings.Contains(got, want) {
			t.Errorf("found %s, want %q", got, want)
		}
	}
	if got := schemas(info()); len(got) > 0 {
		t.Errorf("of none it finds %v", got)
	}
}

func TestConformanceFindsAMessageForNothing(t *testing.T) {
	r, err := New(spoil(func(q surface.RenderRequest, r *surface.Rendering) error {
		r.Chunks = []surface.Chunk{{Text: "(empty)", Plain: "(empty)", Blocks: []doc.ID{"1"}}}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.conform(document(&doc.Rule{ID: "1"}), info().Profiles[0])); !strings.Contains(got, "nothing is visible") {
		t.Errorf("said %s", got)
	}
}

func TestConformanceFindsADeafRenderer(t *testing.T) {
	p := surface.Plugin{Info: info(), Renderer: surface.RendererFunc(func(_ context.Context, r surface.RenderRequest) (surface.Rendering, error) {
		time.Sleep(patience + 200*time.Millisecond)
		return surface.Rendering{}, nil
	})}
	synctest.Test(t, func(t *testing.T) { // its time passes at once
		got := fmt.Sprint(endings(p))
		for _, want := range []string{"a context that had ended succeeded", "took"} {
			if !strings.Contains(got, want) {
				t.Errorf("said %s, want %q", got, want)
			}
		}
	})
}

func TestConformanceFindsARace(t *testing.T) {
	var busy atomic.Bool
	r, err := New(spoil(func(_ surface.RenderRequest, r *surface.Rendering) error {
		if !busy.CompareAndSwap(false, true) {
			return errors.New("busy")
		}
		time.Sleep(time.Millisecond)
		busy.Store(false)
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.concurrent()); !strings.Contains(got, "busy") {
		t.Errorf("said %s", got)
	}
}

func TestNewRefuses(t *testing.T) {
	bad := info()
	bad.ID = "Not An Id"
	for _, p := range []surface.Plugin{{Info: info()}, {Info: bad, Renderer: layout.Renderer(dialect.PlainText)}} {
		if _, err := New(p); err == nil {
			t.Errorf("New(%+v) succeeded", p.Info)
		}
	}
}

func TestDifference(t *testing.T) {
	if got, want := difference("a\nb\nc", "a\nx\nc"), "  a\n- b\n- c\n+ x\n+ c\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
