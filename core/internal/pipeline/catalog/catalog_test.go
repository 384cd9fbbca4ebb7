package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

const anObject = `{"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "additionalProperties": false}`

func lowerText(context.Context, skill.Input) (card.Tree, error) {
	return card.Of(card.Text{Text: "x"}), nil
}

// pack is one with types of a schema.
func pack(id, schema string, types ...string) skill.Pack {
	p := skill.Pack{ID: id, Version: "1"}
	for _, t := range types {
		p.Types = append(p.Types, skill.Type{Name: t, Schema: json.RawMessage(schema), Lower: lowerText})
	}
	return p
}

func newCore(t testing.TB, more ...skill.Pack) *Catalog {
	t.Helper()
	c, err := New(append([]skill.Pack{cards.Skill()}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNewRefuses(t *testing.T) {
	recipe := func(id, version string) skill.Pack {
		return skill.Pack{ID: "r", Version: "1", Recipes: []skill.Recipe{{ID: id, Version: version, Signals: []string{"x"}}}}
	}
	two := recipe("x.y", "1")
	two.ID = "s"
	many := pack("many", anObject)
	for i := range MaxTypes + 1 {
		many.Types = append(many.Types, skill.Type{Name: fmt.Sprintf("t%d", i), Schema: json.RawMessage(anObject), Lower: lowerText})
	}
	signals := skill.Pack{ID: "s", Version: "1", Signals: make([]skill.Signal, MaxSignals+1)}
	for i := range signals.Signals {
		signals.Signals[i].Name = fmt.Sprintf("s%d", i)
	}
	recipes := skill.Pack{ID: "s", Version: "1", Recipes: make([]skill.Recipe, MaxRecipes+1)}
	for i := range recipes.Recipes {
		recipes.Recipes[i] = skill.Recipe{ID: fmt.Sprintf("r%d", i), Version: "1"}
	}
	unlowered := pack("p", anObject, "a")
	unlowered.Types[0].Lower = nil
	for _, c := range []struct {
		packs []skill.Pack
		want  Kind
		why   string
	}{
		{[]skill.Pack{pack("a", anObject, "x"), pack("b", anObject, "x")}, ErrOwned, "a type with two owners"},
		{[]skill.Pack{pack("a", anObject, "x", "x")}, ErrOwned, "a type twice in one pack"},
		{[]skill.Pack{pack("a", anObject, "x"), pack("a", anObject, "y")}, ErrOwned, "two packs with one id"},
		{[]skill.Pack{cards.Skill(), pack("a", anObject, "metric")}, ErrOwned, "a type of the built-in skill"},
		{[]skill.Pack{recipe("x.y", "1"), two}, ErrTwice, "a recipe twice"},
		{[]skill.Pack{{ID: "r", Version: "1", Recipes: []skill.Recipe{{ID: "x.y", Version: "1"}}}}, ErrRecipe, "a recipe that matches all"},
		{[]skill.Pack{{ID: "s", Version: "1", Signals: []skill.Signal{{Name: "s", Keywords: []string{" "}}}}}, ErrRecipe, "a keyword of nothing"},
		{[]skill.Pack{recipe("X", "1")}, ErrName, "a recipe with capitals"},
		{[]skill.Pack{pack("a", anObject, "Metric")}, ErrName, "a type with capitals"},
		{[]skill.Pack{pack("a", anObject, "a..b")}, ErrName, "a type with an empty part"},
		{[]skill.Pack{pack("a", anObject, ".a")}, ErrName, "a type that begins with a dot"},
		{[]skill.Pack{pack("a", anObject, "1a")}, ErrName, "a type that begins with a digit"},
		{[]skill.Pack{pack("a", anObject, "a\n")}, ErrName, "a type with a newline"},
		{[]skill.Pack{pack("a", anObject, "")}, ErrName, "a type without a name"},
		{[]skill.Pack{pack("a", anObject, strings.Repeat("a", 101))}, ErrName, "a type with a long name"},
		{[]skill.Pack{pack("A b", anObject)}, ErrName, "a pack with a space"},
		{[]skill.Pack{{ID: "s", Version: "1", Signals: []skill.Signal{{Name: "a b"}}}}, ErrName, "a signal with a space"},
		{[]skill.Pack{{ID: "s"}}, ErrIncomplete, "a pack without a version"},
		{[]skill.Pack{unlowered}, ErrIncomplete, "a type that cannot be lowered"},
		{[]skill.Pack{many}, ErrTooMany, "too many types"},
		{[]skill.Pack{signals}, ErrTooMany, "too many signals"},
		{[]skill.Pack{recipes}, ErrTooMany, "too many recipes"},
		{[]skill.Pack{pack("a", "", "x")}, ErrSchema, "no schema"},
		{[]skill.Pack{pack("a", "true", "x")}, ErrSchema, "a schema that takes anything"},
		{[]skill.Pack{pack("a", "{}", "x")}, ErrSchema, "another one"},
		{[]skill.Pack{pack("a", `{"type": "object"`, "x")}, ErrSchema, "a schema that is cut off"},
		{[]skill.Pack{pack("a", anObject+anObject, "x")}, ErrSchema, "two schemas"},
		{[]skill.Pack{pack("a", `{"type": "objekt"}`, "x")}, ErrSchema, "a type that JSON has not"},
		{[]skill.Pack{pack("a", `{"type": "object", "minProperties": -1}`, "x")}, ErrSchema, "a keyword with a wrong value"},
		{[]skill.Pack{pack("a", `{"type": "object", "properties": {"a": {"pattern": "("}}}`, "x")}, ErrSchema, "a pattern that is none"},
		{[]skill.Pack{pack("a", `{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}`, "x")}, ErrSchema, "another draft"},
		{[]skill.Pack{pack("a", `{"$ref": "https://example.com/a.json"}`, "x")}, ErrSchema, "a schema elsewhere"},
		{[]skill.Pack{pack("a", `{"type": "object", "not": `+strings.Repeat(`{"not":`, 5_000)+"{}"+strings.Repeat("}", 5_000)+"}", "x")}, ErrSchema, "a schema that takes minutes to compile"},
		{[]skill.Pack{pack("a", `{"type": "object", "properties": {`+strings.Repeat(`"a": {"maximum": 1e999999},`, 1_000)+`"n": {"enum": [`+strings.Repeat("1e-999999,", 5_000)+`1]}}}`, "x")}, ErrSchema, "a schema that takes gigabytes to compile"},
		{[]skill.Pack{pack("a", doubling(40), "x")}, ErrSchema, "a schema that takes years to hold anything to"},
		{[]skill.Pack{pack("a", `{"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}`, "x")}, ErrSchema, "a schema in a file"},
		{[]skill.Pack{pack("a", `{"$ref": "#/$defs/none"}`, "x")}, ErrSchema, "a schema that is not there"},
		{[]skill.Pack{pack("a", `{"type": "object", "description": "`+strings.Repeat("x", maxSchema)+`"}`, "x")}, ErrSchema, "a large schema"},
	} {
		_, err := New(c.packs...)
		e, ok := errors.AsType[*Error](err)
		if !ok || !errors.Is(err, c.want) || e.Mend == "" || strings.Contains(err.Error(), "jsonschema") {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

// doubling is a schema whose parts refer twice to the next, n times.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","$ref":"#/$defs/a0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{}}}`, n)
	return b.String()
}

// TestCostlyPayload is harmless but for what is held to its schema.
func TestCostlyPayload(t *testing.T) {
	c, err := New(pack("a", `{"type":"object","anyOf":[{"properties":{"x":{"$ref":"#"}}},{"properties":{"x":{"$ref":"#"}}}]}`, "x"))
	if err != nil {
		t.Fatal(err)
	}
	card := func(deep int) []byte {
		return []byte(`{"semantic_type":"x","payload":` + strings.Repeat(`{"x":`, deep) + "{}" + strings.Repeat("}", deep) + "}")
	}
	if _, err := c.Open(card(3)); err != nil {
		t.Errorf("a card that takes little: %v", err)
	}
	began := time.Now()
	if _, err := c.Open(card(30)); err == nil || !strings.Contains(err.Error(), "in short time") {
		t.Errorf("a card that takes long: %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestLookUp(t *testing.T) {
	p := pack("acme-cards", anObject, "acme.order")
	p.Recipes = []skill.Recipe{{ID: "acme.orders", Version: "1", Signals: []string{"orders"}}, {ID: "acme.orders", Version: "2", Signals: []string{"orders"}}}
	p.Signals = []skill.Signal{{Name: "orders"}}
	c := newCore(t, p)
	if n := len(c.Types()); n != 99 {
		t.Errorf("there are %d types", n)
	}
	if e, ok := c.Type("acme.order"); !ok || e.Skill != "acme-cards" || e.SkillVersion != "1" {
		t.Errorf("acme.order: %+v %v", e, ok)
	}
	if _, ok := c.Type("acme"); ok {
		t.Error("there is a type acme")
	}
	recipes := len(cards.Skill().Recipes)
	if got := c.Recipes(); len(got) != recipes+2 || len(c.Signals()) != len(cards.Skill().Signals)+1 {
		t.Errorf("recipes %v, signals %v", got, c.Signals())
	}
	c.Types()[0] = Entry{}
	c.Tools()["emit_media_card"][0] = ""
	if c.Types()[0].Name == "" || c.Tools()["emit_media_card"][0] == "" {
		t.Error("a caller changed the catalog")
	}
	empty, err := New()
	if err != nil || len(empty.Types()) != 0 {
		t.Errorf("a catalog of nothing: %v", err)
	}
}

func TestOpen(t *testing.T) {
	c := newCore(t, pack("acme", anObject, "acme.order"))
	o, err := c.Open([]byte(`{"semantic_type":"acme.order","skill_id":"core","skill_version":"9","context":{"as_of":"now"},"payload": {"n": 3}}`))
	if err != nil || o.SkillID != "acme" || o.SkillVersion != "1" || o.SchemaVersion != 1 || string(o.Payload) != `{"n":3}` || o.Context.AsOf != "now" {
		t.Errorf("%+v %v", o, err)
	}
	for _, e := range []struct {
		envelope, want string
		kind           card.ErrorKind
	}{
		{``, `expected an object with semantic_type and payload`, card.ErrInvalid},
		{`{"payload":{}}`, `/semantic_type: expected the name of a type, such as "metric"`, card.ErrInvalid},
		{`{"semantic_type":"acme.orders","payload":{}}`, `/semantic_type: expected a type that a skill owns, such as "acme.order"`, card.ErrUnknownType},
		{`{"semantic_type":"nothing.like.it","payload":{}}`, `/semantic_type: expected a type that a skill owns`, card.ErrUnknownType},
		{`{"semantic_type":"acme.order","payload":[]}`, `/payload: expected an object`, card.ErrInvalid},
		{`{"semantic_type":"acme.order","payload":{"n":0}}`, `/payload/n: expected 1 or more`, card.ErrInvalid},
		{`{"semantic_type":"acme.order","payload":{"n":1,"n":2}}`, `/payload/n: expected once; there is an earlier member of that name`, card.ErrInvalid},
		{`{"semantic_type":"acme.order","payload":{"n":1e999999999}}`, `/payload/n: expected a number of 100 digits at most, with an exponent of 400 at most`, card.ErrTooLarge},
		{`{"semantic_type":"acme.order","payload":{"n":1e-999999999}}`, `/payload/n: expected a number of 100 digits at most, with an exponent of 400 at most`, card.ErrTooLarge},
		{`{"semantic_type":"acme.order","payload":{"n":` + strings.Repeat("9", 200_000) + `}}`, `/payload/n: expected a number of 100 digits at most, with an exponent of 400 at most`, card.ErrTooLarge},
		{`{"semantic_type":"acme.order","payload":{"a":[0,{"b/c":1e500}]}}`, `/payload/a/1/b~1c: expected a number of 100 digits at most, with an exponent of 400 at most`, card.ErrTooLarge},
	} {
		_, err := c.Open([]byte(e.envelope))
		if err == nil || err.Error() != e.want || !errors.Is(err, e.kind) || len(Problems(err)) != 1 {
			t.Errorf("%.100s\ngot:  %v\nwant: %s", e.envelope, err, e.want)
		}
	}
}

func TestCall(t *testing.T) {
	c := newCore(t, pack("acme", anObject, "acme.order"))
	for _, e := range []struct{ tool, arguments, typ, payload, why string }{
		{"emit_terminal_card", `{"output":"x"}`, "terminal.view", `{"output":"x"}`, "the only type goes without saying"},
		{"emit_terminal_card", `{"semantic_type":"terminal.view","payload":{"output":"x"}}`, "terminal.view", `{"output":"x"}`, "as an envelope"},
		{"emit_recipe_card", ` {"title":"T","semantic_type":"recipe", "ingredients":[],"steps":[]} `, "recipe", `{"title":"T","ingredients":[],"steps":[]}`, "members beside the type"},
		{"emit_metric_card", `{"semantic_type":"metric","label":"a","value":1.50,"schema_version":1,"context":{"as_of":"May"}}`, "metric", `{"label":"a","value":1.50}`, "a context is one"},
		{"emit_universal_card", `{"semantic_type":"entity","context":"home","payload":"p","x":1}`, "entity", `{"context":"home","payload":"p","x":1}`, "free members of these names"},
		{"emit_universal_card", `{"semantic_type":"entity","a\"b":"\u00e9"}`, "entity", `{"a\"b":"\u00e9"}`, "names and texts as they were written"},
		{"lookup", `{"semantic_type":"acme.order","payload":{"n":1}}`, "acme.order", `{"n":1}`, "what another tool returns is an envelope"},
	} {
		o, err := c.Call(e.tool, []byte(e.arguments))
		if err != nil || o.SemanticType != e.typ || string(o.Payload) != e.payload {
			t.Errorf("%s: %s %s %v", e.why, o.SemanticType, o.Payload, err)
		}
	}
	for _, e := range []struct{ tool, arguments, want string }{
		{"emit_recipe_card", `{"title":"T","ingredients":[],"steps":[]}`, `/semantic_type: expected one of recipe.card, recipe, recipe_summary, lifestyle.recipe, lifestyle.culinary_recipe; it is missing`},
		{"emit_recipe_card", `{"semantic_type":"metric","title":"T"}`, `/semantic_type: expected one of recipe.card, recipe, recipe_summary, lifestyle.recipe, lifestyle.culinary_recipe`},
		{"emit_recipe_card", `{"semantic_type":7}`, `/semantic_type: expected a text`},
		{"emit_recipe_card", `{"semantic_type":"recipe","semantic_type":"recipe"}`, `/semantic_type: expected it once`},
		{"emit_diff_card", `{"semantic_type":"coding.patch","files":[]}`, `/semantic_type: expected coding.diff, or nothing`},
		{"emit_recipe_card", `{"semantic_type":"recipe","title":"T","ingredients":[],"steps":[{"text":"a","timer_seconds":0}]}`, `/steps/0/timer_seconds: expected 1 to 86400`},
		{"emit_recipe_card", `{"semantic_type":"recipe","payload":{"title":"T","ingredients":[],"steps":[{"text":"a","timer_seconds":0}]}}`, `/payload/steps/0/timer_seconds: expected 1 to 86400`},
		{"emit_terminal_card", `{}`, `expected "output"; it is missing`},
		{"emit_terminal_card", `{"payload":"{\"output\":\"x\"}"}`, `/payload: expected an object`},
		{"emit_terminal_card", `{"output":"a","output":"b"}`, `/output: expected once; there is an earlier member of that name`},
		{"emit_terminal_card", `[]`, `expected a JSON object; it is malformed, or cut off`},
		{"emit_terminal_card", `{"output":"x"`, `expected a JSON object; it is malformed, or cut off`},
		{"emit_terminal_card", `{"output":"x"} and more`, `expected a JSON object; it is malformed, or cut off`},
		{"emit_terminal_card", `{"output":"` + strings.Repeat("x", 2<<20) + `"}`, `a card may have 1 MB`},
		{"lookup", `{"rows":[]}`, `/rows: there is no such member`},
	} {
		_, err := c.Call(e.tool, []byte(e.arguments))
		if err == nil || err.Error() != e.want {
			t.Errorf("%s %.100s\ngot:  %v\nwant: %s", e.tool, e.arguments, err, e.want)
		}
	}
	without, err := New(pack("acme", anObject, "acme.order"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := without.Call("emit_terminal_card", []byte(`{"output":"x"}`)); !errors.Is(err, card.ErrUnknownType) {
		t.Errorf("a tool whose types nobody owns: %v", err)
	}
}

func TestLower(t *testing.T) {
	secret := errors.New("the card says: swordfish")
	with := func(lower func(context.Context, skill.Input) (card.Tree, error)) *Catalog {
		p := pack("acme", anObject, "acme.order")
		p.Types[0].Lower = lower
		return newCore(t, p)
	}
	o := card.Output{SemanticType: "acme.order", Payload: json.RawMessage(`{"n":1}`)}
	for _, e := range []struct {
		lower     func(context.Context, skill.Input) (card.Tree, error)
		want, why string
	}{
		{func(context.Context, skill.Input) (card.Tree, error) { panic("swordfish") }, "it panicked", "a panic"},
		{func(_ context.Context, in skill.Input) (card.Tree, error) {
			var none []error
			return card.Tree{}, none[len(in.Type)]
		}, "it panicked", "a panic of the runtime"},
		{func(context.Context, skill.Input) (card.Tree, error) { return card.Tree{}, secret }, "it returned an error", "an error"},
		{func(context.Context, skill.Input) (card.Tree, error) { return card.Tree{}, nil }, "its tree is none: expected a primitive", "no tree"},
		{func(context.Context, skill.Input) (card.Tree, error) { return card.Of(card.Chart{}), nil }, "its tree is none: /props/form: expected line, bar or area", "a tree that is none"},
		{func(context.Context, skill.Input) (card.Tree, error) {
			return card.Of(card.Stack{}, make([]card.Node, 300)...), nil
		}, "its tree is none: /children/0: expected a primitive", "nodes without anything"},
	} {
		_, err := with(e.lower).Lower(t.Context(), o)
		if !errors.Is(err, ErrLower) || err.Error() != `the skill "acme" could not lower a card of the type "acme.order": `+e.want || strings.Contains(err.Error(), "swordfish") {
			t.Errorf("%s: %v", e.why, err)
		}
	}
	_, err := with(func(context.Context, skill.Input) (card.Tree, error) { return card.Tree{}, secret }).Lower(t.Context(), o)
	if !errors.Is(err, secret) {
		t.Errorf("the error of the skill is lost: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = with(func(ctx context.Context, _ skill.Input) (card.Tree, error) { return card.Tree{}, ctx.Err() }).Lower(ctx, o)
	if !errors.Is(err, context.Canceled) || !strings.HasSuffix(err.Error(), "it was not done in time") {
		t.Errorf("a context that is over: %v", err)
	}
	if _, err := newCore(t).Lower(t.Context(), o); !errors.Is(err, card.ErrUnknownType) {
		t.Errorf("a type that nobody owns: %v", err)
	}
	if tree := Generic(o.Payload, "Order"); tree.Check() != nil || tree.Root.Props != (card.UniversalCard{Title: "Order"}) {
		t.Errorf("the generic tree is %+v", tree)
	}
}

func TestCheck(t *testing.T) {
	with := func(err error) *Catalog {
		p := pack("acme", anObject, "acme.order")
		p.Types[0].Check = func(context.Context, skill.Input) error { return err }
		return newCore(t, p)
	}
	problem := func(path string) error {
		return &card.ProblemError{Kind: card.ErrInvalid, Path: path, Want: "expected it"}
	}
	var many []error
	for i := range 30 {
		many = append(many, problem(fmt.Sprint("/", i)))
	}
	for _, e := range []struct {
		err  error
		want string
	}{
		{problem("/n"), "/payload/n: expected it"},
		{fmt.Errorf("swordfish: %w", problem("/n")), "/payload/n: expected it"},
		{errors.Join(problem("/a"), errors.New("swordfish"), problem("")), "/payload/a: expected it; /payload: expected it"},
		{errors.New("swordfish"), "/payload: expected what the check of its skill asks for"},
		{errors.Join(many...), "/payload/0: expected it; /payload/1: expected it; /payload/2: expected it; /payload/3: expected it; /payload/4: expected it; and 25 more"},
		{problem("/" + strings.Repeat("x", 200)), "/payload/" + strings.Repeat("x", 80) + "…: expected it"},
	} {
		_, err := with(e.err).Open([]byte(`{"semantic_type":"acme.order","payload":{}}`))
		if err == nil || err.Error() != e.want {
			t.Errorf("got:  %v\nwant: %s", err, e.want)
		}
	}
	p := pack("acme", anObject, "acme.order")
	p.Types[0].Check = func(context.Context, skill.Input) error { panic("swordfish") }
	if _, err := newCore(t, p).Open([]byte(`{"semantic_type":"acme.order","payload":{}}`)); err == nil || strings.Contains(err.Error(), "swordfish") {
		t.Errorf("a check that panics: %v", err)
	}
}

// TestConcurrent uses one catalog from many places at once.
func TestConcurrent(t *testing.T) {
	c := newCore(t)
	var all sync.WaitGroup
	for _, s := range cards.Shapes() {
		for range 4 {
			all.Go(func() {
				o, err := c.Open(fmt.Appendf(nil, `{"semantic_type":%q,"payload":%s}`, s.Example.Type, s.Example.Payload))
				if err == nil {
					_, err = c.Lower(t.Context(), o)
				}
				if err != nil {
					t.Error(err)
				}
				_, _ = c.Open([]byte(`{"semantic_type":"table","payload":{"rows":[1]}}`))
			})
		}
	}
	all.Wait()
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(cards.Skill()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	c := newCore(b)
	table := []byte(`{"semantic_type":"table","payload":{"columns":[{"key":"a"},{"key":"b"}],"rows":[{"a":1,"b":"text"}` + strings.Repeat(`,{"a":1,"b":"text"}`, 9999) + `]}}`)
	b.SetBytes(int64(len(table)))
	for b.Loop() {
		if _, err := c.Open(table); err != nil {
			b.Fatal(err)
		}
	}
}
