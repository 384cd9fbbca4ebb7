package skill

import (
	"context"
	"encoding/json"

	"github.com/seed-1ae66336/vak/sdk/card"
)

// A Pack is a set of types with what belongs to them. It must not be changed once
// a host has it.
type Pack struct {
	ID      string
	Version string
	Types   []Type
	Recipes []Recipe
	Signals []Signal
}

// A Type is one semantic type of card. A type has one owner among all packs.
type Type struct {
	Name string

	// Schema is the whole JSON Schema (draft 2020-12) of its payload, which is an
	// object. It refers to nothing outside of itself.
	Schema json.RawMessage

	// Example is a payload that shows what the type is for; optional. "vak card
	// types" shows it to whoever writes cards, and tests lower it.
	Example json.RawMessage

	// Lower makes of a payload that the schema takes what it looks like. It is pure:
	// the same input gives the same tree. It is called concurrently.
	Lower func(context.Context, Input) (card.Tree, error)

	// Check says what is wrong with a payload that the schema takes; optional. Its
	// error names the place, best as a *card.ProblemError.
	Check func(context.Context, Input) error
}

// An Input is a card that is to be lowered.
type Input struct {
	Type    string          // its semantic type
	Payload json.RawMessage // an object; the schema of the type takes it
	Context *card.Context   // optional
	Locale  string          // a BCP 47 tag; empty: not known
}

// A Recipe says which cards belong together for an answer. It matches where every
// signal is there, every type occurs, and the surface is one of its. It never says
// how anything is rendered.
type Recipe struct {
	ID       string   `json:"id"`
	Version  string   `json:"version"`
	Signals  []string `json:"signals"`
	Types    []string `json:"types,omitempty"`    // its primary types
	Surfaces []string `json:"surfaces,omitempty"` // empty: all
	Priority int      `json:"priority,omitempty"` // among those that match as much; the higher comes first
}

// A Signal is a fact about an answer that recipes go by. It is there where one of
// its keywords occurs in the text, one of its tools was used, or there is a card of
// one of its types.
type Signal struct {
	Name     string   `json:"name"`
	Keywords []string `json:"keywords,omitempty"` // words or phrases in small letters, found at the borders of words
	Tools    []string `json:"tools,omitempty"`    // names of tools; a * stands for any letters
	Types    []string `json:"types,omitempty"`    // names of types of card
}
