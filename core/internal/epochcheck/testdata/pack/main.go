// Command pack is a skill pack whose trees say which version made them.
package main

import (
	"context"
	"encoding/json"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

var version = "1.0.0" // another one is linked in

func main() {
	skill.Serve(skill.Pack{ID: "pack", Version: version, Types: []skill.Type{{
		Name:   "pack.note",
		Schema: json.RawMessage(`{"type":"object","properties":{"say":{"type":"string"}},"required":["say"],"additionalProperties":false}`),
		Lower: func(_ context.Context, in skill.Input) (card.Tree, error) {
			var note struct{ Say string }
			if err := json.Unmarshal(in.Payload, &note); err != nil {
				return card.Tree{}, err
			}
			return card.Of(card.Text{Text: "pack " + version + " says " + note.Say}), nil
		},
	}}})
}
