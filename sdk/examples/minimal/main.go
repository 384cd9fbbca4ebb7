package main

import (
	"context"
	"encoding/json"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

var pack = skill.Pack{ID: "acme-mood", Version: "1.0.0", Types: []skill.Type{{
	Name:    "acme.mood",
	Schema:  json.RawMessage(`{"type":"object","required":["mood"],"properties":{"mood":{"type":"string"}}}`),
	Example: json.RawMessage(`{"mood":"sunny"}`),
	Lower: func(_ context.Context, in skill.Input) (card.Tree, error) {
		var p struct{ Mood string }
		err := json.Unmarshal(in.Payload, &p)
		return card.Of(card.Callout{Title: "Mood", Text: p.Mood, Tone: card.Info}), err
	},
}}}

func main() { skill.Serve(pack) }
