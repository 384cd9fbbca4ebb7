// Command edition is a skill pack for tests: what it makes of its cards says which
// version of it did.
package main

import (
	"context"
	"encoding/json"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

var version = "1.0.0" // another one is linked in

func main() {
	skill.Serve(skill.Pack{ID: "edition", Version: version, Types: []skill.Type{{
		Name:   "edition.note",
		Schema: json.RawMessage(`{"type":"object","properties":{"say":{"type":"string"}},"required":["say"],"additionalProperties":false}`),
		Check:  func(context.Context, skill.Input) error { return nil }, // so that it is asked when an answer is prepared
		Lower: func(_ context.Context, in skill.Input) (card.Tree, error) {
			var note struct{ Say string }
			if err := json.Unmarshal(in.Payload, &note); err != nil {
				return card.Tree{}, err
			}
			return card.Of(card.Text{Text: "edition " + version[:1] + " says " + note.Say}), nil
		},
	}}})
}
