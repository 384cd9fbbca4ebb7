package cards

import (
	"context"
	"embed"
	"encoding/json"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/builtin/recipes"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// Version is that of the skill. It rises when a type wants another payload.
const Version = "1.0.0"

// A Shape is one form of payload that several semantic types share, and that one
// tool hands over.
type Shape struct {
	Tool    string   // emit_…_card
	Title   string   // what people call it
	Purpose string   // what it is for, as a sentence
	Types   []string // in the order of the contract

	// Schema is the JSON Schema of the payload. Where types ask for more than what
	// they share, it is that of any of them; see [Shape.SchemaOf].
	Schema json.RawMessage

	// Lower makes the tree of a payload that the schema takes. It is pure.
	Lower func(context.Context, skill.Input) (card.Tree, error)

	// Check says what no schema can say; nil: nothing. Paths in its errors begin at
	// the payload. An error of several is made by errors.Join.
	Check func(context.Context, skill.Input) error

	// Example is one that a person wrote.
	Example Example

	narrow map[string]json.RawMessage
}

// An Example is a payload of a type.
type Example struct {
	Type    string
	Payload json.RawMessage
}

// SchemaOf is the schema of a type of the shape.
func (s Shape) SchemaOf(typ string) json.RawMessage {
	if own, ok := s.narrow[typ]; ok {
		return own
	}
	return s.Schema
}

// Skill is the built-in skill "core".
func Skill() skill.Pack {
	p := skill.Pack{ID: "core", Version: Version, Recipes: recipes.Recipes(), Signals: recipes.Signals()}
	for _, s := range Shapes() {
		for _, t := range s.Types {
			p.Types = append(p.Types, skill.Type{Name: t, Schema: s.SchemaOf(t), Lower: s.Lower, Check: s.Check})
		}
	}
	return p
}

//go:embed schema/*.json example/*.json
var files embed.FS

func schema(name string) json.RawMessage { return read("schema/" + name + ".json") }

func example(typ, name string) Example { return Example{typ, read("example/" + name + ".json")} }

// read is a file that is part of the program.
func read(name string) json.RawMessage {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err) // a test reads them all
	}
	return b
}

func words(s string) []string { return strings.Fields(s) }
