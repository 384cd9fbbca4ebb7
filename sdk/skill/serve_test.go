package skill

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
)

func lowers(f func(Input) (card.Tree, error)) Pack {
	return Pack{ID: "acme", Version: "1.2.3", Types: []Type{{
		Name: "acme.thing", Schema: json.RawMessage(`{"type": "object"}`),
		Lower: func(_ context.Context, in Input) (card.Tree, error) { return f(in) },
	}}}
}

func echo(Input) (card.Tree, error) { return card.Of(card.Text{Text: "ok"}), nil }

func TestByHand(t *testing.T) {
	bad := lowers(echo)
	bad.Version = "1"
	for _, c := range []struct {
		args   string
		pack   Pack
		status int
		out    string // in standard output
		err    string // in standard error
	}{
		{"", lowers(echo), 1, "", `acme.exe is the vak skill pack "acme", version 1.2.3. It is started by vak, not by hand`},
		{"skill", lowers(echo), 1, "", "started by vak, not by hand"},
		{"render", lowers(echo), 2, "", `unknown command "render"`},
		{"--version", lowers(echo), 0, "acme 1.2.3\n", ""},
		{"--help", lowers(echo), 0, `vak starts it as "acme.exe skill".`, ""},
		{"describe", lowers(echo), 0, `"name": "acme.thing"`, ""},
		{"manifest", lowers(echo), 0, `"kind": "skill"`, ""},
		{"manifest extra", lowers(echo), 2, "", `unknown argument "extra"`},
		{"describe", bad, 1, "", `version "1": want a semantic version`},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{filepath.Join("somewhere", "acme.exe")}, strings.Fields(c.args)...)
		got := run(c.pack, args, func(string) string { return "" }, &stdout, &stderr)
		if got != c.status || !strings.Contains(stdout.String(), c.out) || !strings.Contains(stderr.String(), c.err) {
			t.Errorf("%q: status %d, want %d\nstdout %q, want %q\nstderr %q, want %q", c.args, got, c.status, &stdout, c.out, &stderr, c.err)
		}
		if c.out == "" && stdout.Len() > 0 || c.err == "" && stderr.Len() > 0 {
			t.Errorf("%q also says %q and %q", c.args, &stdout, &stderr)
		}
	}
}

func TestValidate(t *testing.T) {
	schema := json.RawMessage(`{}`)
	typ := Type{Name: "a.b", Schema: schema, Lower: func(context.Context, Input) (card.Tree, error) { return card.Tree{}, nil }}
	good := func() Pack {
		return Pack{
			ID: "acme", Version: "1.0.0", Types: []Type{typ},
			Recipes: []Recipe{{ID: "r", Version: "1.0.0", Signals: []string{"s"}}}, Signals: []Signal{{Name: "s", Keywords: []string{"two words"}}},
		}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Pack){
		`id "Acme": `:                    func(p *Pack) { p.ID = "Acme" },
		`id "1acme": `:                   func(p *Pack) { p.ID = "1acme" },
		`version "v1": `:                 func(p *Pack) { p.Version = "v1" },
		`types: want a type`:             func(p *Pack) { p.Types, p.Recipes, p.Signals = nil, nil, nil },
		`types: 257 entries`:             func(p *Pack) { p.Types = make257(typ) },
		`types[0].lower: `:               func(p *Pack) { p.Types[0].Lower = nil },
		`types[0].name "a b": `:          func(p *Pack) { p.Types[0].Name = "a b" },
		`types[1].name "a.b": types[0] `: func(p *Pack) { p.Types = append(p.Types, typ) },
		`types[0].schema: want`:          func(p *Pack) { p.Types[0].Schema = json.RawMessage(`[]`) },
		`types[0].schema: 262145 bytes`:  func(p *Pack) { p.Types[0].Schema = bytes.Repeat([]byte(" "), MaxSchema+1) },
		`types[0].example: want`:         func(p *Pack) { p.Types[0].Example = json.RawMessage(`3`) },
		`recipes[0].id "": `:             func(p *Pack) { p.Recipes[0].ID = "" },
		`recipes[0].version "": `:        func(p *Pack) { p.Recipes[0].Version = "" },
		`recipes[0].signals: want one`:   func(p *Pack) { p.Recipes[0].Signals = nil },
		`recipes[0].types[0] "": `:       func(p *Pack) { p.Recipes[0].Types = []string{""} },
		`signals[0].name "S": `:          func(p *Pack) { p.Signals[0].Name = "S" },
		`signals[0].keywords[0] " ": `:   func(p *Pack) { p.Signals[0].Keywords[0] = " " },
		`signals[0].tools: 1001 entries`: func(p *Pack) { p.Signals[0].Tools = make([]string, 1001) },
	} {
		p := good()
		spoil(&p)
		if err := p.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("err = %v, want %s…", err, want)
		}
	}
}

func make257(t Type) []Type {
	out := make([]Type, 257)
	for i := range out {
		out[i] = t
		out[i].Name = fmt.Sprint("a.b", i)
	}
	return out
}

func asks(text string) *vakv1.LowerRequest {
	return &vakv1.LowerRequest{Type: "acme.thing", Payload: []byte(text)}
}

func TestLower(t *testing.T) {
	var log bytes.Buffer
	for _, c := range []struct {
		request *vakv1.LowerRequest
		lower   func(Input) (card.Tree, error)
		kind    string // of the failure; empty: none
		says    string
		why     string
	}{
		{asks(`{}`), echo, "", "", "a tree"},
		{asks(`{"a":1}`), func(in Input) (card.Tree, error) { return card.Of(card.Text{Text: string(in.Payload)}), nil }, "", "", "the payload arrives"},
		{asks(`[]`), echo, wire.Invalid, "payload", "no object"},
		{&vakv1.LowerRequest{Type: "b", Payload: []byte(`{}`)}, echo, wire.Invalid, "type", "another's type"},
		{&vakv1.LowerRequest{Type: "acme.thing", Payload: []byte(`{}`), Context: []byte(`"`)}, echo, wire.Invalid, "context", "a context that is none"},
		{asks(`{}`), func(Input) (card.Tree, error) { return card.Tree{}, nil }, wire.Failed, "tree is none", "no tree"},
		{asks(`{}`), func(Input) (card.Tree, error) { return card.Of(card.Badge{Tone: "loud"}), nil }, wire.Failed, "/props/tone", "a tone that there is not"},
		{asks(`{}`), func(Input) (card.Tree, error) { return card.Tree{}, errors.New("no luck") }, wire.Failed, "no luck", "the author's error"},
		{asks(`{}`), func(Input) (card.Tree, error) { panic("a word of the card") }, wire.Panic, "panicked", "a panic"},
		{asks(`{}`), func(Input) (card.Tree, error) { return card.Of(card.Text{Text: strings.Repeat("x", 5<<20)}), nil }, wire.TooLarge, "bytes", "more than a tree may have"},
	} {
		s := newServer(lowers(c.lower), hclog.New(&hclog.LoggerOptions{Output: &log}))
		out, err := s.Lower(context.Background(), c.request)
		if c.kind == "" {
			if err != nil {
				t.Errorf("%s: %v", c.why, err)
			} else if _, err := card.ParseTree(out.Tree); err != nil {
				t.Errorf("%s: the tree does not arrive: %v", c.why, err)
			}
			continue
		}
		f := (*wire.Failure)(nil)
		if !errors.As(err, &f) || f.Kind != c.kind || !strings.Contains(f.Message, c.says) {
			t.Errorf("%s: err = %v, want %s that says %q", c.why, err, c.kind, c.says)
		}
		if f != nil && strings.Contains(f.Error(), "word of the card") {
			t.Errorf("%s: the error quotes the card", c.why)
		}
	}
	if !strings.Contains(log.String(), "serve_test.go") || strings.Contains(log.String(), "word of the card") {
		t.Errorf("the log of the panic: %s", &log)
	}
}

func TestCheckCard(t *testing.T) {
	a, b := &card.ProblemError{Kind: card.ErrInvalid, Path: "/a", Want: "expected more"}, &card.ProblemError{Kind: card.ErrInvalid, Path: "/b", Want: "expected less"}
	for _, c := range []struct {
		err  error
		want string
		why  string
	}{
		{nil, "", "nothing is wrong"},
		{a, "/a: expected more", "one problem"},
		{fmt.Errorf("both: %w", errors.Join(a, b)), "/a: expected more; /b: expected less", "two of them, wrapped"},
		{errors.New("the value 17 is odd"), ": expected what the check of its skill asks for", "an error of another kind, which may quote the card"},
	} {
		p := lowers(echo)
		p.Types[0].Check = func(context.Context, Input) error { return c.err }
		out, err := newServer(p, nil).CheckCard(context.Background(), &vakv1.CheckCardRequest{Type: "acme.thing", Payload: []byte(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range out.Problems {
			got = append(got, p.Path+": "+p.Want)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
}

func TestShutdownTakesNoNewCall(t *testing.T) {
	s := newServer(lowers(echo), nil)
	stopped := make(chan struct{})
	s.Stop = func() { close(stopped) }
	if _, err := s.Shutdown(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	<-stopped
	if _, err := s.Lower(context.Background(), asks(`{}`)); err == nil {
		t.Error("a call was taken after Shutdown")
	}
}
