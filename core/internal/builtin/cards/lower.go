package cards

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/outline"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// maxProblems is how many a check looks for.
const maxProblems = 20

// errPayload is what a payload comes to that no schema has seen.
var errPayload = &card.ProblemError{Kind: card.ErrInvalid, Want: "expected a payload by the schema of its type"}

// lowerAs is a lowering by way of the struct that a payload is.
func lowerAs[P any](lower func(typ string, p P) card.Tree) func(context.Context, skill.Input) (card.Tree, error) {
	return func(_ context.Context, in skill.Input) (card.Tree, error) {
		var p P
		if json.Unmarshal(in.Payload, &p) != nil {
			return card.Tree{}, errPayload
		}
		return lower(in.Type, p), nil
	}
}

// checkAs is a check by way of the struct that a payload is.
func checkAs[P any](check func(P, *problems)) func(context.Context, skill.Input) error {
	return func(_ context.Context, in skill.Input) error {
		var p P
		if json.Unmarshal(in.Payload, &p) != nil {
			return errPayload
		}
		var found problems
		check(p, &found)
		return errors.Join(found...)
	}
}

// problems are what a check found.
type problems []error

func (p *problems) add(path, want string) {
	if !p.full() {
		*p = append(*p, &card.ProblemError{Kind: card.ErrInvalid, Path: path, Want: want})
	}
}

func (p *problems) full() bool { return len(*p) >= maxProblems }

// stack is a tree of nodes below a heading and a summary; what is empty is left
// out, and a node that would stand alone is the root.
func stack(title, summary string, body ...card.Node) card.Tree {
	var nodes []card.Node
	if title != "" {
		nodes = append(nodes, card.New(card.Title{Text: title}))
	}
	if summary != "" {
		nodes = append(nodes, card.New(card.Text{Text: summary}))
	}
	nodes = append(nodes, body...)
	if len(nodes) == 1 {
		return card.Tree{Root: nodes[0]}
	}
	return card.Of(card.Stack{}, nodes...)
}

// nothing says that a list is empty.
func nothing(of string) card.Node { return card.New(card.Empty{Text: "No " + of + "."}) }

func lowerUniversal(_ context.Context, in skill.Input) (card.Tree, error) {
	return outline.Tree(in.Payload, ""), nil
}
