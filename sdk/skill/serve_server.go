package skill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/internal/serve"
	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
)

// MaxProblems bounds the problems that one Check tells.
const MaxProblems = 100

// Register makes r serve p, as Serve does in a process of its own. It is for test
// kits; authors call [Serve]. log takes the stack of a panic and may be nil.
func Register(r grpc.ServiceRegistrar, p Pack, log hclog.Logger) { newServer(p, log).register(r) }

// server is the plugin's half of the protocol.
type server struct {
	serve.Life
	vakv1.UnimplementedSkillServer

	info  Info
	types map[string]Type
}

func newServer(p Pack, log hclog.Logger) *server {
	if log == nil {
		log = hclog.NewNullLogger()
	}
	s := &server{Life: serve.Life{Log: log}, info: p.Info(), types: map[string]Type{}}
	for _, t := range p.Types {
		s.types[t.Name] = t
	}
	return s
}

func (s *server) register(r grpc.ServiceRegistrar) {
	vakv1.RegisterPluginServer(r, s)
	vakv1.RegisterSkillServer(r, s)
}

// Describe says who the pack is.
func (s *server) Describe(context.Context, *vakv1.DescribeRequest) (*vakv1.DescribeResponse, error) {
	info, err := wire.JSON(s.info)
	if err != nil {
		return nil, &wire.Failure{Kind: wire.Failed, Source: wire.FromPlugin, Message: "cannot encode the pack's description", Err: err}
	}
	return &vakv1.DescribeResponse{Kind: wire.KindSkill, Role: wire.RoleSkill, Info: info}, nil
}

// Lower decodes, has the author's function lower, checks the tree and encodes it.
func (s *server) Lower(ctx context.Context, m *vakv1.LowerRequest) (_ *vakv1.LowerResponse, err error) {
	if err := s.Enter(); err != nil {
		return nil, err
	}
	defer s.Leave()
	defer s.RecoverInto(&err, "lower")

	t, in, err := s.input(m)
	if err != nil {
		return nil, err
	}
	tree, err := t.Lower(ctx, in)
	if ctx.Err() != nil {
		return nil, wire.ContextFailure(ctx)
	}
	if err != nil {
		return nil, serve.Failure(err)
	}
	b, err := tree.Append(nil)
	if err != nil { // it names a place in the tree, and no value
		return nil, &wire.Failure{Kind: wire.Failed, Source: wire.FromPlugin, Err: err, Message: "the tree is none: " + err.Error()}
	}
	if len(b) > card.MaxTree {
		return nil, &wire.Failure{
			Kind: wire.TooLarge, Source: wire.FromPlugin,
			Message: fmt.Sprintf("the tree takes %d bytes, %d are allowed", len(b), card.MaxTree),
		}
	}
	return &vakv1.LowerResponse{Tree: b}, nil
}

// CheckCard has the author's check look at a payload. Its problems are an answer;
// an error without a *card.ProblemError in it is one, too, about all of the payload.
func (s *server) CheckCard(ctx context.Context, m *vakv1.CheckCardRequest) (_ *vakv1.CheckCardResponse, err error) {
	if err := s.Enter(); err != nil {
		return nil, err
	}
	defer s.Leave()
	defer s.RecoverInto(&err, "check")

	t, in, err := s.input(m)
	if err != nil {
		return nil, err
	}
	if t.Check == nil {
		return &vakv1.CheckCardResponse{}, nil
	}
	err = t.Check(ctx, in)
	if ctx.Err() != nil {
		return nil, wire.ContextFailure(ctx)
	}
	out := &vakv1.CheckCardResponse{}
	for _, p := range problems(nil, err) {
		out.Problems = append(out.Problems, &vakv1.CardProblem{Path: wire.Sentence(p.Path), Want: wire.Sentence(p.Want)})
	}
	if err != nil && len(out.Problems) == 0 { // its text may quote the card
		out.Problems = []*vakv1.CardProblem{{Want: "expected what the check of its skill asks for"}}
	}
	return out, nil
}

// problems are those in an error, however they are joined.
func problems(out []*card.ProblemError, err error) []*card.ProblemError {
	if len(out) == MaxProblems || err == nil {
		return out
	}
	if p, ok := err.(*card.ProblemError); ok && p != nil {
		return append(out, p)
	}
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		for _, e := range err.Unwrap() {
			out = problems(out, e)
		}
	case interface{ Unwrap() error }:
		out = problems(out, err.Unwrap())
	}
	return out
}

// A request is what Lower and CheckCard are asked by.
type request interface {
	GetType() string
	GetPayload() []byte
	GetContext() []byte
	GetLocale() string
}

// input reads a request. Its errors hold no value of the card.
func (s *server) input(m request) (Type, Input, error) {
	fail := func(err error) (Type, Input, error) {
		return Type{}, Input{}, &wire.Failure{
			Kind: wire.Invalid, Source: wire.FromPlugin, Err: err,
			Message: "the request cannot be read: " + err.Error(),
			Hint:    "host and plugin may be of different versions; update the older one",
		}
	}
	t, ok := s.types[m.GetType()]
	switch {
	case !ok:
		return fail(errors.New("type: not one of the pack's"))
	case len(m.GetPayload()) > card.MaxPayload:
		return fail(fmt.Errorf("payload: %d bytes, want at most %d", len(m.GetPayload()), card.MaxPayload))
	case !object(m.GetPayload()):
		return fail(errors.New("payload: want a JSON object"))
	case !utf8.ValidString(m.GetLocale()):
		return fail(errors.New("locale: want UTF-8"))
	}
	in := Input{Type: m.GetType(), Payload: m.GetPayload(), Locale: m.GetLocale()}
	if b := m.GetContext(); len(b) > 0 {
		in.Context = &card.Context{}
		if json.Unmarshal(b, in.Context) != nil {
			return fail(errors.New("context: not the JSON of a context"))
		}
	}
	return t, in, nil
}
