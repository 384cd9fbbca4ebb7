package acceptance

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if opened.core != nil {
		opened.core.Close()
	}
	binaries.Remove()
	os.Exit(code)
}

var opened struct {
	once sync.Once
	core *core.Core
	err  error
}

// vak is one Core with the shipped plugins, as processes of their own.
func vak(t testing.TB) *core.Core {
	t.Helper()
	opened.once.Do(func() {
		dir := filepath.Join(filepath.Dir(binaries.Build(t)), "plugins")
		opened.core, opened.err = core.Open(context.Background(), core.Config{Plugins: []string{dir}, ReadOnly: true})
	})
	if opened.err != nil || opened.core == nil {
		t.Fatalf("there is no core to test: %v", opened.err)
	}
	return opened.core
}

// surfaces are those that an answer can go out on.
var surfaces = []string{"telegram", "slack", "discord", "webhook", "log"}

// chats are those that cut an answer into messages.
var chats = surfaces[:3]

// failer is what a test and a property have in common.
type failer interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// A shown is one answer as one surface shows it.
type shown struct {
	on      string
	source  string
	doc     *doc.Document // what was compiled
	profile surface.Profile
	chunks  []packet.Chunk
	said    []doc.Diagnostic
	by      string
	blocks  []packet.Block
	elapsed time.Duration

	read   []reading
	joined reading // all of read, with a newline between two
}

func (s *shown) finish() *shown {
	read := readers[s.profile.Dialect]
	for i, c := range s.chunks {
		r := read(c.Text)
		s.read = append(s.read, r)
		if i > 0 {
			s.joined.runs = append(s.joined.runs, run{text: "\n"})
		}
		s.joined.runs = append(s.joined.runs, r.runs...)
	}
	return s
}

// render has core and the plugins' own processes render markdown.
func render(t failer, c *core.Core, markdown string, on ...string) []*shown {
	t.Helper()
	return renderDraft(t, c, core.Draft{Markdown: markdown}, on...)
}

// renderDraft is render for an answer with the calls that led to it.
func renderDraft(t failer, c *core.Core, d core.Draft, on ...string) []*shown {
	t.Helper()
	targets := make([]surface.Target, len(on))
	for i, id := range on {
		targets[i].Surface = id
	}
	start := time.Now()
	packets, err := c.Render(context.Background(), d, targets...)
	elapsed := time.Since(start)
	if err != nil {
		t.Fatalf("%v", err)
	}
	out := make([]*shown, len(on))
	for i, p := range packets {
		source, err := p.Source()
		if err != nil || source != d.Markdown {
			t.Fatalf("%s: the packet has another source than the answer: %v", on[i], err)
		}
		s, err := c.Surface(on[i])
		if err != nil {
			t.Fatalf("%v", err)
		}
		out[i] = (&shown{
			on: on[i], source: d.Markdown, doc: withCards(t, d, s.Profile, p.Coverage.Blocks), profile: s.Profile, chunks: p.Chunks,
			said: p.Diagnostics, by: p.Renderer.ID, blocks: p.Coverage.Blocks, elapsed: elapsed,
		}).finish()
	}
	return out
}

// profiles are those that the shipped surfaces declare, for tests that start no
// process. TestProfiles holds them to the plugins' own.
var profiles = map[string]surface.Profile{
	"telegram": {
		Surface: "telegram", Dialect: "html", Grid: 40, Can: surface.Capabilities{Code: true, Links: true, AccessiblePlain: true},
		Limit: surface.Limit{Max: 4096, Unit: surface.UTF16, Of: surface.Visible, MaxBytes: 32_768, MaxEntities: 100, MaxEntityBytes: 9_000},
	},
	"slack": {
		Surface: "slack", Dialect: "mrkdwn", Grid: 80, Can: surface.Capabilities{Code: true, Links: true, AccessiblePlain: true},
		Limit:     surface.Limit{Max: 3900, Unit: surface.Codepoint, Of: surface.Sent},
		EditLimit: surface.Limit{Max: 3800, Unit: surface.Byte, Of: surface.Sent},
	},
	"discord": {
		Surface: "discord", Dialect: "discord", Grid: 56, Links: "angle", Can: surface.Capabilities{Code: true, Links: true, AccessiblePlain: true},
		Limit: surface.Limit{Max: 1900, Unit: surface.Codepoint, Of: surface.Sent},
	},
	"webhook": {
		Surface: "webhook", Dialect: "markdown", Delivers: "packet", Limit: surface.Limit{Unit: surface.Codepoint, Of: surface.Sent},
		Can: surface.Capabilities{
			StructuredBlocks: true, Tables: true, Code: true, Links: true, Actions: true, Media: true,
			Color: true, Interactive: true, FileReferences: true, AccessiblePlain: true,
		},
	},
	"log": {
		Surface: "log", Dialect: "plain", Grid: 100, Limit: surface.Limit{Unit: surface.Codepoint, Of: surface.Sent},
		Can: surface.Capabilities{Code: true, AccessiblePlain: true},
	},
}

// narrow is the profile of a shipped surface with another limit; 0 is its own.
func narrow(id string, most int) surface.Profile {
	p := profiles[id]
	if most > 0 {
		p.Limit.Max = most
	}
	return p
}

func TestProfiles(t *testing.T) {
	for _, id := range surfaces {
		s, err := vak(t).Surface(id)
		if err != nil {
			t.Fatal(err)
		}
		if s.Profile != profiles[id] {
			t.Errorf("%s declares\n%+v, this package has\n%+v", id, s.Profile, profiles[id])
		}
	}
}

// inProcess does what render does for one surface without a process: for
// properties and for limits that no surface has. Losses that core would find
// come back as diagnostics.
func inProcess(t failer, markdown string, p surface.Profile) *shown {
	t.Helper()
	d, err := compile.Markdown(markdown)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := layOut(t, d, p)
	s.source = markdown
	return s
}

// bare is inProcess without the readers of this package, to measure what ships.
func bare(t failer, markdown string, p surface.Profile) *shown {
	t.Helper()
	d, err := compile.Markdown(markdown)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return rendered(t, d, p)
}

func layOut(t failer, d *doc.Document, p surface.Profile) *shown {
	t.Helper()
	return rendered(t, d, p).finish()
}

func rendered(t failer, d *doc.Document, p surface.Profile) *shown {
	t.Helper()
	k, ok := dialect.ByName(p.Dialect)
	if !ok {
		t.Fatalf("there is no dialect %q", p.Dialect)
	}
	low := doc.Lower(d, doc.Support{Version: doc.SchemaVersion, Blocks: layout.Blocks()})
	r, err := layout.Render(context.Background(), surface.RenderRequest{Doc: low, Profile: p}, k)
	if err != nil {
		t.Fatalf("%v", err)
	}
	report := cover.Check(low, p, r, k)
	s := &shown{on: p.Surface, source: d.Source, doc: d, profile: p, by: p.Surface, said: d.Diagnostics, blocks: report.Coverage.Blocks}
	for _, l := range report.Losses {
		s.said = append(s.said[:len(s.said):len(s.said)], doc.Diagnostic{Code: "renderer_" + string(l.What), Block: l.Block})
	}
	for i, c := range r.Chunks {
		pc := packet.Chunk{Index: i, Text: c.Text, Plain: c.Plain, Bytes: len(c.Text), Blocks: c.Blocks}
		if i < len(report.Sizes) {
			pc.Units = cover.Units(report.Sizes[i], p.Limit)
		}
		s.chunks = append(s.chunks, pc)
	}
	return s
}
