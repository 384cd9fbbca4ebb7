package skill

import "encoding/json"

// An Info is what a pack says of itself without being asked about a card: what
// plugin.json holds and Describe answers.
type Info struct {
	ID      string     `json:"id"`
	Version string     `json:"version"`
	Types   []TypeInfo `json:"types,omitempty"`
	Recipes []Recipe   `json:"recipes,omitempty"`
	Signals []Signal   `json:"signals,omitempty"`
}

// A TypeInfo is a [Type] without its functions.
type TypeInfo struct {
	Name    string          `json:"name"`
	Schema  json.RawMessage `json:"schema"`
	Example json.RawMessage `json:"example,omitempty"`
	Checks  bool            `json:"checks,omitempty"` // the type has a Check
}

// Info is what p says of itself. It shares its texts with p.
func (p Pack) Info() Info {
	i := Info{ID: p.ID, Version: p.Version, Recipes: p.Recipes, Signals: p.Signals}
	for _, t := range p.Types {
		i.Types = append(i.Types, TypeInfo{t.Name, t.Schema, t.Example, t.Check != nil})
	}
	return i
}
