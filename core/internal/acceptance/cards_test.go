package acceptance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/catalog"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/lower"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// known is the catalog of the built-in skill, as core has it.
var known = sync.OnceValues(func() (*catalog.Catalog, error) { return catalog.New(cards.Skill()) })

// withCards is the document of an answer as one surface has to show it, with the
// blocks of its cards. Whether the payload of a card follows it depends on room
// that only core measures, so coverage is asked which of the two core chose.
func withCards(t failer, d core.Draft, p surface.Profile, blocks []packet.Block) *doc.Document {
	t.Helper()
	c, err := known()
	if err != nil {
		t.Fatalf("%v", err)
	}
	compiled, err := compile.Compiler{Open: c.Open, First: len(d.Tools) + 1}.Markdown(d.Markdown)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for i := len(d.Tools) - 1; i >= 0; i-- {
		o := handedOver(t, d.Tools[i])
		compiled.Blocks = append([]doc.Block{&doc.Structured{ID: doc.ID(fmt.Sprint(i + 1)), Output: o}}, compiled.Blocks...)
	}
	omitted := slices.ContainsFunc(blocks, inLedger)
	out, _ := lower.Cards(lower.Once(compiled), func(b *doc.Structured) *lower.Face {
		o, err := card.ParseOutput([]byte(b.Output))
		if err != nil {
			t.Fatalf("%v", err)
		}
		tree, err := c.Lower(context.Background(), o)
		if err != nil {
			t.Fatalf("%v", err)
		}
		return lower.NewFace(o, tree)
	}, lower.Options{Width: p.Grid, Fits: func(string) bool { return !omitted }})
	return out
}

// inLedger reports whether a block says that a card is not shown as a whole.
func inLedger(b packet.Block) bool {
	return b.Disposition == surface.Omitted && b.Reason == "in_ledger"
}

// handedOver is the card of a call, as an envelope.
func handedOver(t failer, u core.ToolUse) string {
	t.Helper()
	c, err := known()
	if err != nil {
		t.Fatalf("%v", err)
	}
	arguments := u.Arguments
	if u.Result != "" && !strings.HasPrefix(u.Name, "emit_") {
		arguments = json.RawMessage(u.Result)
	}
	o, err := c.Call(u.Name, arguments)
	if err != nil {
		t.Fatalf("%v", err)
	}
	b, err := card.AppendOutput(nil, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(b)
}

// envelope is a card as a model writes it.
func envelope(typ string, payload []byte) string {
	return fmt.Sprintf(`{"semantic_type":%q,"payload":%s}`, typ, payload)
}

// fence is a card in the fence that a model puts it into.
func fence(envelope string) string { return "```vak\n" + envelope + "\n```\n" }

// A fixture is a payload that package cards tries its schemas with.
type fixture struct {
	Types   []string        `json:"types"`
	Path    string          `json:"path"`
	Want    string          `json:"want"`
	Payload json.RawMessage `json:"payload"`
}

type fixtures struct{ Valid, Partial, Invalid []fixture }

func fixturesOf(t testing.TB, s cards.Shape) fixtures {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "builtin", "cards", "testdata", "fixtures", s.Tool+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var f fixtures
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatalf("%s: %v", s.Tool, err)
	}
	return f
}

// of are those for a type.
func of(all []fixture, typ string) []fixture {
	var out []fixture
	for _, f := range all {
		if len(f.Types) == 0 || slices.Contains(f.Types, typ) {
			out = append(out, f)
		}
	}
	return out
}

// validOf are the whole payloads of a type: its own, or else the shape's example.
func validOf(t testing.TB, s cards.Shape, typ string) []json.RawMessage {
	t.Helper()
	var out []json.RawMessage
	for _, f := range of(fixturesOf(t, s).Valid, typ) {
		out = append(out, f.Payload)
	}
	if len(out) == 0 || typ == s.Example.Type {
		out = append(out, s.Example.Payload)
	}
	return out
}

// everyType runs a test for every type that there is.
func everyType(t *testing.T, test func(t *testing.T, s cards.Shape, typ string)) {
	n := 0
	for _, s := range cards.Shapes() {
		for _, typ := range s.Types {
			n++
			t.Run(typ, func(t *testing.T) { test(t, s, typ) })
		}
	}
	if n != 98 {
		t.Errorf("there are %d types", n)
	}
}

// short is what a shape is called in the names of tests and files.
func short(s cards.Shape) string {
	return strings.TrimSuffix(strings.TrimPrefix(s.Tool, "emit_"), "_card")
}
