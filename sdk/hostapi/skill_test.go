package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// A said answers a call with a message, whatever is asked.
type said struct {
	grpc.ClientConnInterface
	tree     []byte
	problems []*vakv1.CardProblem
	describe *vakv1.DescribeResponse
}

func (s said) Invoke(_ context.Context, _ string, _, reply any, _ ...grpc.CallOption) error {
	switch r := reply.(type) {
	case *vakv1.LowerResponse:
		r.Tree = s.tree
	case *vakv1.CheckCardResponse:
		r.Problems = s.problems
	case *vakv1.DescribeResponse:
		r.Kind, r.Role, r.Info = s.describe.Kind, s.describe.Role, s.describe.Info
	}
	return nil
}

func TestPackCrosses(t *testing.T) {
	p := skill.Pack{ID: "acme", Version: "1.0.0", Types: []skill.Type{{
		Name: "acme.thing", Schema: json.RawMessage(`{"type":"object"}`),
		Lower: func(_ context.Context, in skill.Input) (card.Tree, error) {
			return card.Of(card.Text{Text: in.Type + " " + string(in.Payload) + " " + in.Context.AsOf + " " + in.Locale}), nil
		},
		Check: func(context.Context, skill.Input) error { return &card.ProblemError{Path: "/a", Want: "expected b"} },
	}}}
	c := hostapi.LocalPack(p, nil)
	ctx := context.Background()
	d, err := c.Describe(ctx)
	if err != nil || d.Kind != hostapi.KindSkill || d.Role != hostapi.RoleSkill || !hostapi.SameInfo(d.Pack, p.Info()) || !d.Pack.Types[0].Checks {
		t.Fatalf("Describe = %+v, %v", d, err)
	}
	in := skill.Input{Type: "acme.thing", Payload: json.RawMessage(`{"a":"ü"}`), Context: &card.Context{AsOf: "today"}, Locale: "de"}
	tree, err := c.Lower(ctx, in)
	if text, ok := tree.Root.Props.(card.Text); err != nil || !ok || text.Text != `acme.thing {"a":"ü"} today de` {
		t.Errorf("Lower = %+v, %v", tree, err)
	}
	found, err := c.CheckCard(ctx, in)
	if err != nil || len(found) != 1 || found[0].Error() != "/a: expected b" {
		t.Errorf("CheckCard = %v, %v", found, err)
	}
	if _, err := c.Render(ctx, request("a")); !errors.Is(err, hostapi.Unimplemented) {
		t.Errorf("Render of a pack: %v", err)
	}
}

func TestHostilePack(t *testing.T) {
	ctx, in := context.Background(), skill.Input{Type: "a.b", Payload: json.RawMessage(`{}`)}
	for _, c := range []struct{ tree, why string }{
		{"", "nothing"},
		{"{}", "no primitive"},
		{`{"primitive":"iframe"}`, "a primitive that there is not"},
		{`{"primitive":"text","props":{"html":"<b>"}}`, "a property that there is not"},
		{`{"primitive":"text","children":[{"primitive":"divider"}]}`, "children of what has none"},
		{strings.Repeat(`{"primitive":"stack","children":[`, 100), "too deep, and cut off"},
		{`{"primitive":"text","props":{"text":"` + strings.Repeat("x", 5<<20) + `"}}`, "too large"},
		{"{\"primitive\":\"text\",\"props\":{\"text\":\"\xff\"}}", "not UTF-8"},
	} {
		_, err := hostapi.New(said{tree: []byte(c.tree)}).Lower(ctx, in)
		if !errors.Is(err, hostapi.Contract) || strings.Contains(err.Error(), "<b>") {
			t.Errorf("%s: err = %v", c.why, err)
		}
	}
	if _, err := hostapi.New(said{tree: []byte(`{"primitive":"divider"}`)}).Lower(ctx, in); err != nil {
		t.Errorf("a tree: %v", err)
	}
	for _, c := range []struct {
		problems []*vakv1.CardProblem
		why      string
	}{
		{make([]*vakv1.CardProblem, 101), "too many"},
		{[]*vakv1.CardProblem{{Path: "a", Want: "b"}}, "no pointer"},
		{[]*vakv1.CardProblem{{Path: "/a"}}, "without a word"},
		{[]*vakv1.CardProblem{nil}, "nil"},
	} {
		if _, err := hostapi.New(said{problems: c.problems}).CheckCard(ctx, in); !errors.Is(err, hostapi.Contract) {
			t.Errorf("%s: err = %v", c.why, err)
		}
	}
	got, err := hostapi.New(said{problems: []*vakv1.CardProblem{{Path: "/a\x1b[2J", Want: strings.Repeat("x", 5000)}}}).CheckCard(ctx, in)
	if err != nil || strings.Contains(got[0].Path, "\x1b") || len(got[0].Want) > 1100 {
		t.Errorf("what a pack says is not cut to size: %v", err)
	}
	for _, info := range []string{"", "{}", `{"id":"acme","version":"1.0.0"}`, `{"id":"acme","version":"1.0.0","types":[{"name":"a","schema":3}]}`} {
		if _, err := hostapi.New(said{describe: &vakv1.DescribeResponse{Kind: "skill", Info: []byte(info)}}).Describe(ctx); !errors.Is(err, hostapi.Contract) {
			t.Errorf("%q: err = %v", info, err)
		}
	}
}
