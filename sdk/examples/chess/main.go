// Command chess is a skill pack that shows positions of chess: a board in letters,
// as every surface can show it, and whose move it is.
package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

var pack = skill.Pack{ID: "chess", Version: "1.0.0", Types: []skill.Type{{
	Name: "chess.position",
	Schema: json.RawMessage(`{
  "type": "object", "additionalProperties": false, "required": ["fen"],
  "properties": {
    "fen": {"type": "string", "maxLength": 100, "description": "the position in Forsyth-Edwards notation, all six fields"},
    "title": {"type": "string", "maxLength": 200}
  }
}`),
	Example: json.RawMessage(`{"title": "After 1. e4", "fen": "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"}`),
	Check: func(_ context.Context, in skill.Input) error {
		_, _, err := read(in)
		return err
	},
	Lower: func(_ context.Context, in skill.Input) (card.Tree, error) {
		title, p, err := read(in)
		if err != nil {
			return card.Tree{}, err
		}
		return p.tree(title), nil
	},
}}}

func main() { skill.Serve(pack) }

// read reads a payload.
func read(in skill.Input) (title string, p position, err error) {
	var payload struct{ Title, FEN string }
	if err := json.Unmarshal(in.Payload, &payload); err != nil {
		return "", p, err
	}
	p, want := parse(payload.FEN)
	if want != "" {
		return "", p, &card.ProblemError{Kind: card.ErrInvalid, Path: "/fen", Want: want}
	}
	return payload.Title, p, nil
}

// tree is a position as it looks. A terminal keeps columns below each other on every
// surface, which a table of nine does not; and a letter takes one column in every
// font, which the pieces of Unicode do not.
func (p position) tree(title string) card.Tree {
	if strings.TrimSpace(title) == "" {
		title = "Chess position"
	}
	to := "White to move"
	if p.black {
		to = "Black to move"
	}
	var board strings.Builder
	for i, rank := range p.board {
		board.WriteByte(byte('8' - i))
		for _, piece := range rank {
			board.WriteString(" " + string(piece))
		}
		board.WriteByte('\n')
	}
	board.WriteString("  a b c d e f g h")
	return card.Of(card.Section{Title: title},
		card.New(card.Badge{Text: to}),
		card.New(card.Terminal{Output: board.String()}),
		card.New(card.Text{Text: "Capitals are white. FEN: " + p.fen, Emphasis: card.Subtle}),
	)
}
