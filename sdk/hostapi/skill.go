package hostapi

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// ParsePack reads the canonical JSON of the description of a pack and validates
// it. Fields that it does not know are ignored.
func ParsePack(b []byte) (skill.Info, error) {
	if len(b) > maxInfo {
		return skill.Info{}, fmt.Errorf("%d bytes, want at most %d", len(b), maxInfo)
	}
	var i skill.Info
	if err := decode(b, &i); err != nil {
		return skill.Info{}, err
	}
	if err := i.Validate(); err != nil {
		return skill.Info{}, err
	}
	return i, nil
}

// Lower has the pack make the tree of a card. What comes back is a tree of the
// host's primitives; whether it says all that the payload does is for the caller
// to check.
func (c *Client) Lower(ctx context.Context, in skill.Input) (card.Tree, error) {
	const op = "lower"
	about, err := encodeInput(op, in)
	if err != nil {
		return card.Tree{}, err
	}
	m := &vakv1.LowerRequest{Type: in.Type, Payload: in.Payload, Context: about, Locale: in.Locale}
	if err := bounded(op, m); err != nil {
		return card.Tree{}, err
	}
	ctx, cancel := deadline(ctx, LowerTimeout)
	defer cancel()
	out, err := c.skill.Lower(ctx, m)
	if err != nil {
		return card.Tree{}, fail(ctx, op, err)
	}
	t, err := card.ParseTree(out.Tree)
	if err != nil {
		return card.Tree{}, broken(op, "tree: "+err.Error())
	}
	return t, nil
}

// CheckCard has the pack say what is wrong with a payload; nothing: it is fine. The
// paths are from the payload.
func (c *Client) CheckCard(ctx context.Context, in skill.Input) ([]*card.ProblemError, error) {
	const op = "check_card"
	about, err := encodeInput(op, in)
	if err != nil {
		return nil, err
	}
	m := &vakv1.CheckCardRequest{Type: in.Type, Payload: in.Payload, Context: about, Locale: in.Locale}
	if err := bounded(op, m); err != nil {
		return nil, err
	}
	ctx, cancel := deadline(ctx, LowerTimeout)
	defer cancel()
	out, err := c.skill.CheckCard(ctx, m)
	if err != nil {
		return nil, fail(ctx, op, err)
	}
	if n := len(out.Problems); n > skill.MaxProblems {
		return nil, broken(op, fmt.Sprintf("%d problems, want at most %d", n, skill.MaxProblems))
	}
	var problems []*card.ProblemError
	for i, p := range out.Problems {
		if p.GetPath() != "" && p.GetPath()[0] != '/' {
			return nil, broken(op, fmt.Sprintf("problems[%d].path: not a JSON pointer", i))
		}
		if p.GetWant() == "" {
			return nil, broken(op, fmt.Sprintf("problems[%d].want: empty", i))
		}
		problems = append(problems, &card.ProblemError{Kind: card.ErrInvalid, Path: wire.Sentence(p.GetPath()), Want: wire.Sentence(p.GetWant())})
	}
	return problems, nil
}

// encodeInput is the context of a card as it crosses.
func encodeInput(op string, in skill.Input) ([]byte, error) {
	if in.Context == nil {
		return nil, nil
	}
	b, err := wire.JSON(in.Context)
	if err != nil {
		return nil, &Error{Op: op, Kind: Invalid, Source: FromHost, Message: "the context cannot be encoded", Err: err}
	}
	return b, nil
}

func bounded(op string, m proto.Message) error {
	if n := proto.Size(m); n > MaxMessage {
		return &Error{
			Op: op, Kind: TooLarge, Source: FromHost,
			Message: fmt.Sprintf("the request takes %d bytes, %d are allowed", n, MaxMessage),
			Hint:    "shorten the card",
		}
	}
	return nil
}
