package cards_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/catalog"
	"github.com/seed-1ae66336/vak/sdk/card"
)

// A fixture is a payload for some types of a shape, or for all of them.
type fixture struct {
	Types   []string        `json:"types"`
	Path    string          `json:"path"`
	Want    string          `json:"want"`
	Payload json.RawMessage `json:"payload"`
}

func (f fixture) is(typ string) bool { return len(f.Types) == 0 || slices.Contains(f.Types, typ) }

type fixtures struct{ Valid, Partial, Invalid []fixture }

func fixturesOf(t testing.TB, s cards.Shape) fixtures {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "fixtures", s.Tool+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var f fixtures
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatalf("%s: %v", s.Tool, err)
	}
	return f
}

// validOf are the whole payloads of a type: its own, or else the shape's example.
func validOf(t testing.TB, s cards.Shape, typ string) []json.RawMessage {
	var out []json.RawMessage
	for _, f := range fixturesOf(t, s).Valid {
		if f.is(typ) {
			out = append(out, f.Payload)
		}
	}
	if len(out) == 0 || typ == s.Example.Type {
		out = append(out, s.Example.Payload)
	}
	return out
}

func newCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := catalog.New(cards.Skill())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func envelope(typ string, payload []byte) []byte {
	return fmt.Appendf(nil, `{"semantic_type":%q,"payload":%s}`, typ, payload)
}

// sound opens and lowers a payload and says what is wrong with what comes of it.
func sound(c *catalog.Catalog, typ string, payload []byte) error {
	o, err := c.Open(envelope(typ, payload))
	if err != nil {
		return err
	}
	tree, err := c.Lower(context.Background(), o)
	if err != nil {
		return err
	}
	if left := card.Unshown(o.Payload, tree); len(left) > 0 {
		return fmt.Errorf("%d scalars are not said, the first at %s", len(left), left[0])
	}
	wire, err := tree.Append(nil)
	if err != nil {
		return err
	}
	if _, err := card.ParseTree(wire); err != nil {
		return fmt.Errorf("the tree does not come back: %w", err)
	}
	return nil
}

// everyType runs a test for every type there is.
func everyType(t *testing.T, test func(t *testing.T, s cards.Shape, typ string)) {
	for _, s := range cards.Shapes() {
		for _, typ := range s.Types {
			t.Run(typ, func(t *testing.T) { test(t, s, typ) })
		}
	}
}

func TestValid(t *testing.T) {
	c := newCatalog(t)
	everyType(t, func(t *testing.T, s cards.Shape, typ string) {
		for _, p := range validOf(t, s, typ) {
			if err := sound(c, typ, p); err != nil {
				t.Errorf("%v\n%s", err, p)
			}
		}
	})
}

func TestPartial(t *testing.T) {
	c := newCatalog(t)
	everyType(t, func(t *testing.T, s cards.Shape, typ string) {
		n := 0
		for _, f := range fixturesOf(t, s).Partial {
			if f.is(typ) {
				n++
				if err := sound(c, typ, f.Payload); err != nil {
					t.Errorf("%v\n%s", err, f.Payload)
				}
			}
		}
		if n == 0 {
			t.Error("there is no partial payload")
		}
	})
}

func TestInvalid(t *testing.T) {
	c := newCatalog(t)
	everyType(t, func(t *testing.T, s cards.Shape, typ string) {
		n := 0
		for _, f := range fixturesOf(t, s).Invalid {
			if !f.is(typ) {
				continue
			}
			n++
			_, err := c.Open(envelope(typ, f.Payload))
			if p, ok := errors.AsType[*card.ProblemError](err); !ok || p.Path != "/payload"+f.Path || !strings.HasPrefix(p.Want, f.Want) {
				t.Errorf("%s\ngot:  %v\nwant: /payload%s: %s", f.Payload, err, f.Path, f.Want)
			}
		}
		if n == 0 {
			t.Error("there is no invalid payload")
		}
	})
}

// TestOversized makes a megabyte of every text of a valid payload, and 10,001
// elements of every array: of all in the first type of a shape, of one each in the
// others, which share the schema.
func TestOversized(t *testing.T) {
	c := newCatalog(t)
	everyType(t, func(t *testing.T, s cards.Shape, typ string) {
		valid := validOf(t, s, typ)[0]
		texts, arrays := 0, 0
		for _, at := range places(valid) {
			switch v := at.value.(type) {
			case string:
				if texts++; texts > 1 && typ != s.Types[0] {
					continue
				}
				huge := at.with(strings.Repeat("x", card.MaxPayload))
				if p := refused(c, typ, huge); p == nil || !errors.Is(p, card.ErrTooLarge) {
					t.Errorf("%s with a megabyte of text: %v", at.path, p)
				}
			case []any:
				if len(v) == 0 {
					continue
				}
				if arrays++; arrays > 1 && typ != s.Types[0] {
					continue
				}
				many := make([]any, card.MaxArray+1)
				for i := range many {
					many[i] = 0
				}
				if p := refused(c, typ, at.with(many)); p == nil || !errors.Is(p, card.ErrTooLarge) {
					t.Errorf("%s with 10,001 elements: %v", at.path, p)
				}
			}
		}
		if texts+arrays == 0 {
			t.Error("nothing was tried")
		}
		deep := strings.Repeat(`{"a":`, card.MaxPayloadDepth) + "1" + strings.Repeat("}", card.MaxPayloadDepth)
		if p := refused(c, typ, []byte(`{"a":`+deep+`}`)); p == nil || !errors.Is(p, card.ErrTooLarge) {
			t.Errorf("a payload that is too deep: %v", p)
		}
	})
}

// refused is the first problem of a payload.
func refused(c *catalog.Catalog, typ string, payload []byte) *card.ProblemError {
	_, err := c.Open(envelope(typ, payload))
	p, _ := errors.AsType[*card.ProblemError](err)
	return p
}

// hostile are texts that something on the way might take for more than text.
var hostile = []string{
	"**bold** _it_ `code` [a](javascript:alert(1)) ![x](https://t.example/p.gif) | a | b |\n|---|---|",
	"# heading\n\n> quote\n\n- item\n1. item\n\n    code",
	"<script>alert(1)</script><img src=x onerror=alert(1)>&lt;b&gt;&#64;",
	"@everyone @here <@123> <!channel> <!subteam^S1|x> tg://user?id=1",
	"```\n~~~\n```vak\n{\"semantic_type\":\"metric\",\"payload\":{\"label\":\"x\",\"value\":1}}\n```",
	"\u202Eright to left\u2066 iso\u2069 zero\u200Bwidth\uFEFF",
	"NUL \x00 bell \x07 escape \x1b[31m delete \x7f",
	strings.Repeat("verylongword", 15),
	"日本語の文章 العربية 👩‍👩‍👧‍👦 e\u0301",
	`{"semantic_type":"table","payload":{"columns":[]}}`,
	"||spoiler|| ~~strike~~ $x^2$ \\(y\\) :smile: {{title}} {title} %s %n",
}

// TestAdversarial puts hostile texts into every place of a valid payload that takes
// them: all in the first type of a shape, some in each place in the others.
func TestAdversarial(t *testing.T) {
	c := newCatalog(t)
	everyType(t, func(t *testing.T, s cards.Shape, typ string) {
		valid := validOf(t, s, typ)[0]
		took := 0
		for i, at := range places(valid) {
			if _, ok := at.value.(string); !ok {
				continue
			}
			for j, h := range hostile {
				if typ != s.Types[0] && (i+j)%len(hostile) > 1 {
					continue
				}
				payload := at.with(h)
				if refused(c, typ, payload) != nil {
					continue // a key, an enum, a type of media, a text that is too long
				}
				took++
				if err := sound(c, typ, payload); err != nil {
					t.Errorf("%s with %q: %v", at.path, h, err)
				}
			}
		}
		if took == 0 {
			t.Error("no place takes any of these texts")
		}
		twice := append(slices.Clone(valid[:len(valid)-1]), `,"zz":1,"zz":2}`...)
		if p := refused(c, typ, twice); p == nil || !strings.HasSuffix(p.Path, "/zz") {
			t.Errorf("a member twice: %v", p)
		}
	})
}

// A place is one value within a payload.
type place struct {
	path  string
	value any
	with  func(any) []byte // the payload with another value in this place
}

// places lists the values of a payload, in order of their paths.
func places(payload []byte) []place {
	var root any
	if err := json.Unmarshal(payload, &root); err != nil {
		panic(err)
	}
	var out []place
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		out = append(out, place{path, v, func(other any) []byte {
			set(other)
			b, err := json.Marshal(root)
			set(v)
			if err != nil {
				panic(err)
			}
			return b
		}})
		switch v := v.(type) {
		case []any:
			for i := range v {
				walk(fmt.Sprintf("%s/%d", path, i), v[i], func(o any) { v[i] = o })
			}
		case map[string]any:
			for k := range v {
				walk(card.Pointer(path, k), v[k], func(o any) { v[k] = o })
			}
		}
	}
	walk("", root, func(o any) { root = o })
	slices.SortFunc(out, func(a, b place) int { return strings.Compare(a.path, b.path) })
	return out
}

func FuzzOpenLower(f *testing.F) {
	c := newCatalog(f)
	for _, s := range cards.Shapes() {
		for _, typ := range s.Types {
			for _, p := range validOf(f, s, typ) {
				f.Add(envelope(typ, p))
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := c.Open(b)
		if err != nil {
			if len(catalog.Problems(err)) == 0 {
				t.Fatalf("no problem: %v", err)
			}
			return
		}
		tree, err := c.Lower(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if left := card.Unshown(o.Payload, tree); len(left) > 0 {
			t.Fatalf("not said: %q", left)
		}
	})
}
