package cards_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/builtin"
	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/outline"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

var update = flag.Bool("update", false, "write docs/cards.md anew")

// TestDocs holds docs/cards.md to the table of shapes.
func TestDocs(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "docs", "cards.md")
	want := page(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the table of shapes says; write it anew with\n\tgo test ./core/internal/builtin/cards -run TestDocs -update", path)
	}
}

// page is the shapes for people.
func page(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Cards\n\n" +
		"<!-- Made from core/internal/builtin/cards by \"go test ./core/internal/builtin/cards -run TestDocs -update\". -->\n\n" +
		"A model that has something with a shape of its own (a table, a recipe, what came of tests) writes it as a card:\n" +
		"a semantic type and a payload. vak holds the payload to the schema of its type and shows it on every surface.\n\n" +
		"````text\n```vak\n{\"semantic_type\": \"metric\", \"payload\": {\"label\": \"Open tickets\", \"value\": 42}}\n```\n````\n\n" +
		"The same object may be the whole message. A tool that hands over a card takes `semantic_type` and the members of\n" +
		"the payload beside it; where a shape has one type, `semantic_type` may be left out. A payload has 1 MB at most, an array\n" +
		"10,000 elements, and nothing nests deeper than 32 levels. Texts are shown as they are: nothing in them is markup.\n\n")
	for _, s := range cards.Shapes() {
		fmt.Fprintf(&b, "- [%s](#%s) – %s\n", s.Title, strings.ReplaceAll(strings.ToLower(s.Title), " ", "-"), s.Purpose)
	}
	for _, s := range cards.Shapes() {
		fmt.Fprintf(&b, "\n## %s\n\n%s Tool: `%s`.\n\nTypes: `%s`.\n\n", s.Title, s.Purpose, s.Tool, strings.Join(s.Types, "`, `"))
		v, err := outline.Parse(s.Schema)
		if err != nil {
			t.Fatal(err)
		}
		if about := text(v, "description"); about != "" {
			fmt.Fprintf(&b, "%s.\n\n", about)
		}
		b.WriteString("| member | | kind | meaning |\n| --- | --- | --- | --- |\n")
		rows(&b, v, "")
		for _, typ := range s.Types {
			if own := s.SchemaOf(typ); string(own) != string(s.Schema) {
				v, err := outline.Parse(own)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "\n`%s` takes `%s`; required: `%s`.\n", typ, strings.Join(names(v), "`, `"), strings.Join(required(v), "`, `"))
			}
		}
		fmt.Fprintf(&b, "\nAn example, of the type `%s`:\n\n```json\n%s\n```\n\nIn a log it reads:\n\n````text\n%s\n````\n",
			s.Example.Type, strings.TrimSpace(string(s.Example.Payload)), reading(t, s))
	}
	return b.String()
}

// reading is the example of a shape as plain text.
func reading(t *testing.T, s cards.Shape) string {
	t.Helper()
	tree, err := s.Lower(t.Context(), input(s))
	if err != nil {
		t.Fatal(err)
	}
	d := &doc.Document{Version: doc.SchemaVersion, Blocks: tree.Blocks("1", card.Options{Width: 100}).Blocks}
	log := builtin.Log("").Info.Profiles[0]
	r, err := layout.Render(context.Background(), surface.RenderRequest{Doc: d, Profile: log}, dialect.PlainText)
	if err != nil || len(r.Chunks) != 1 {
		t.Fatalf("%s: %d chunks, %v", s.Tool, len(r.Chunks), err)
	}
	return strings.TrimRight(r.Chunks[0].Text, "\n")
}

func member(v outline.Value, name string) (outline.Value, bool) {
	for _, m := range v.Members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return outline.Value{}, false
}

func text(v outline.Value, name string) string {
	m, _ := member(v, name)
	s, _ := m.Text()
	return s
}

func required(v outline.Value) []string {
	of, _ := member(v, "required")
	var out []string
	for _, m := range of.Members {
		s, _ := m.Value.Text()
		out = append(out, s)
	}
	return out
}

func names(v outline.Value) []string {
	of, _ := member(v, "properties")
	var out []string
	for _, m := range of.Members {
		out = append(out, m.Name)
	}
	return out
}

// rows writes the members of an object schema, and of what is in them.
func rows(b *strings.Builder, schema outline.Value, path string) {
	of, _ := member(schema, "properties")
	needs := required(schema)
	for _, m := range of.Members {
		name := path + m.Name
		need := ""
		if slices.Contains(needs, m.Name) {
			need = "required"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, need, kind(m.Value), strings.ReplaceAll(text(m.Value, "description"), "|", `\|`))
		inner(b, m.Value, name)
	}
}

// inner writes the members of the elements of an array, whatever the branch.
func inner(b *strings.Builder, v outline.Value, name string) {
	if e, ok := member(v, "items"); ok {
		rows(b, e, name+"[].")
		inner(b, e, name+"[]")
	}
	if of, ok := member(v, "anyOf"); ok {
		for _, m := range of.Members {
			if text(m.Value, "type") == "object" {
				rows(b, m.Value, name+".")
			}
			inner(b, m.Value, name)
		}
	}
}

// kind is what a member is, with its bounds but those of length.
func kind(v outline.Value) string {
	words := map[string]string{
		"string": "text", "number": "number", "integer": "whole number", "boolean": "true or false", "null": "null", "array": "array", "object": "object",
	}
	var out []string
	types, _ := member(v, "type")
	if s, ok := types.Text(); ok {
		out = append(out, words[s])
	}
	for _, m := range types.Members {
		s, _ := m.Value.Text()
		out = append(out, words[s])
	}
	of, _ := member(v, "enum")
	for _, m := range of.Members {
		out = append(out, "`"+m.Value.Scalar.String()+"`")
	}
	either, _ := member(v, "anyOf")
	if len(out) == 0 {
		for _, m := range either.Members {
			out = append(out, kind(m.Value))
		}
	}
	if e, ok := member(v, "items"); ok && text(v, "type") == "array" {
		if k := kind(e); k != "" {
			out[0] = "array of " + k
		}
	}
	s := strings.Join(out, " or ")
	low, min := member(v, "minimum")
	high, max := member(v, "maximum")
	switch {
	case min && max:
		s += " " + low.Scalar.String() + "…" + high.Scalar.String()
	case min:
		s += " ≥ " + low.Scalar.String()
	}
	return s
}

// TestExamples holds the examples to valid JSON without a member twice, as a person
// would write them.
func TestExamples(t *testing.T) {
	c := newCatalog(t)
	for _, s := range cards.Shapes() {
		if err := sound(c, s.Example.Type, s.Example.Payload); err != nil {
			t.Errorf("%s: %v", s.Tool, err)
		}
		if !json.Valid(s.Example.Payload) || strings.Contains(string(s.Example.Payload), "\t") {
			t.Errorf("%s: the example is not as a person writes it", s.Tool)
		}
	}
}
