package sdktest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// noted is a pack that does what is asked for: it shows a note, and its tags.
func noted() skill.Type {
	return skill.Type{
		Name: "acme.note",
		Schema: json.RawMessage(`{"type":"object","required":["note"],"properties":{
			"note":{"type":"string"},"tags":{"type":"array","items":{"type":"string"},"maxItems":2000}}}`),
		Example: json.RawMessage(`{"note":"water the plants","tags":["home"]}`),
		Check: func(_ context.Context, in skill.Input) error {
			if n := note(in); len(n.Note) > 1000 {
				return &card.ProblemError{Kind: card.ErrInvalid, Path: "/note", Want: "expected 1000 bytes at most"}
			}
			return nil
		},
		Lower: func(_ context.Context, in skill.Input) (card.Tree, error) { return show(note(in)), nil },
	}
}

type aNote struct {
	Note string
	Tags []string
}

func note(in skill.Input) (n aNote) {
	if err := json.Unmarshal(in.Payload, &n); err != nil {
		panic(err)
	}
	return n
}

func show(n aNote) card.Tree {
	return card.Of(card.Stack{}, card.New(card.Text{Text: n.Note}), card.New(card.Text{Text: strings.Join(n.Tags, ", "), Emphasis: card.Subtle}))
}

func packOf(t skill.Type) skill.Pack {
	return skill.Pack{ID: "acme", Version: "1.0.0", Types: []skill.Type{t}}
}

func TestPackConformance(t *testing.T) { PackConformance(t, packOf(noted())) }

func TestPackConformanceFinds(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	lower := func(f func(context.Context, aNote) (card.Tree, error)) func(*skill.Type) {
		return func(t *skill.Type) {
			t.Lower = func(ctx context.Context, in skill.Input) (card.Tree, error) { return f(ctx, note(in)) }
		}
	}
	var calls, atOnce atomic.Int64
	for _, c := range []struct {
		why, says string
		spoil     func(*skill.Type)
	}{
		{"no example", "no example", func(t *skill.Type) { t.Example = nil }},
		{"a schema that is none", "the schema", func(t *skill.Type) { t.Schema = json.RawMessage(`{"type":17}`) }},
		{"a pattern that is none", "the schema", func(t *skill.Type) { t.Schema = json.RawMessage(`{"type":"object","patternProperties":{"(":{}}}`) }},
		{"a schema from elsewhere", "the schema", func(t *skill.Type) { t.Schema = json.RawMessage(`{"$ref":"https://example.com/s.json"}`) }},
		{"an example that the schema refuses", "does not take the example", func(t *skill.Type) { t.Example = json.RawMessage(`{"note":1}`) }},
		{"an example that Check refuses", "Check finds a problem", func(t *skill.Type) {
			t.Check = func(context.Context, skill.Input) error { return errors.New("no") }
		}},
		{"nothing to read", "nothing to read", lower(func(context.Context, aNote) (card.Tree, error) { return card.Of(card.Stack{}), nil })},
		{"an error for the example", "the example: ", lower(func(context.Context, aNote) (card.Tree, error) { return card.Tree{}, errors.New("no") })},
		{"another tree each time", "two different trees", lower(func(context.Context, aNote) (card.Tree, error) {
			return card.Of(card.Metric{Label: "calls", Value: card.Int(calls.Add(1))}), nil
		})},
		{"another tree where several are made at once", "at once", lower(func(_ context.Context, n aNote) (card.Tree, error) {
			if i := atOnce.Add(1); i > 2 && i <= 10 { // two come one after the other, then eight
				return card.Of(card.Text{Text: "confused"}), nil
			}
			return show(n), nil
		})},
		{"a panic for an empty list", "an empty list at /tags", lower(func(_ context.Context, n aNote) (card.Tree, error) {
			return card.Of(card.Text{Text: n.Note + n.Tags[0]}), nil
		})},
		{"more nodes than a tree may have", "1000 elements at /tags", lower(func(_ context.Context, n aNote) (card.Tree, error) {
			var tags []card.Node
			for _, tag := range n.Tags {
				tags = append(tags, card.New(card.Badge{Text: tag}))
			}
			return card.Of(card.Stack{}, tags...), nil
		})},
		{"an error for a text that the schema takes", "an empty text at /note", lower(func(_ context.Context, n aNote) (card.Tree, error) {
			if n.Note == "" {
				return card.Tree{}, errors.New("no note")
			}
			return show(n), nil
		})},
		{"a problem that quotes", "quotes the payload", func(t *skill.Type) {
			t.Check = func(_ context.Context, in skill.Input) error {
				if n := note(in); n.Note != "water the plants" {
					return &card.ProblemError{Path: "/note", Want: "expected other than " + n.Note}
				}
				return nil
			}
		}},
		{"a problem that quotes what a pattern takes", "a text of the same form at /day: the problem at /day quotes the payload", func(t *skill.Type) {
			t.Schema = json.RawMessage(`{"type":"object","properties":{"day":{"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}}}`)
			t.Example = json.RawMessage(`{"day":"2026-09-18"}`)
			t.Check = func(_ context.Context, in skill.Input) error {
				var p struct{ Day string }
				if err := json.Unmarshal(in.Payload, &p); err != nil {
					return err
				}
				if _, err := time.Parse(time.DateOnly, p.Day); err != nil {
					return &card.ProblemError{Path: "/day", Want: "expected other than " + p.Day}
				}
				return nil
			}
			t.Lower = func(context.Context, skill.Input) (card.Tree, error) { return card.Of(card.Text{Text: "a day"}), nil }
		}},
		{"an error for the longest text that the schema takes", `250 times "x" at /note: lower: failed`, func(t *skill.Type) {
			t.Schema = json.RawMessage(`{"type":"object","properties":{"note":{"type":"string","maxLength":250},"tags":{"type":"array"}}}`)
			t.Lower = func(_ context.Context, in skill.Input) (card.Tree, error) {
				n := note(in)
				if len(n.Note) > 249 {
					return card.Tree{}, errors.New("too long")
				}
				return show(n), nil
			}
		}},
		{"an error for the longest text in bytes", `100 times "漢" at /note: lower: failed`, func(t *skill.Type) {
			t.Schema = json.RawMessage(`{"type":"object","properties":{"note":{"type":"string","maxLength":100},"tags":{"type":"array"}}}`)
			t.Lower = func(_ context.Context, in skill.Input) (card.Tree, error) {
				n := note(in)
				if len(n.Note) > 200 {
					return card.Tree{}, errors.New("too long")
				}
				return show(n), nil
			}
		}},
		{"more nodes than a tree may have, for the longest list", "300 elements at /tags", func(t *skill.Type) {
			t.Schema = json.RawMessage(`{"type":"object","properties":{"note":{"type":"string"},"tags":{"type":"array","items":{"type":"string"},"maxItems":300}}}`)
			lower(func(_ context.Context, n aNote) (card.Tree, error) {
				tags := make([]card.Node, len(n.Tags))
				for i, tag := range n.Tags {
					tags[i] = card.New(card.Badge{Text: tag})
				}
				return card.Of(card.Stack{}, append(tags, card.New(card.Text{Text: "tags: " + n.Note}))...), nil
			})(t)
		}},
		{"another error for a context that has ended", "had ended", lower(func(ctx context.Context, n aNote) (card.Tree, error) {
			if ctx.Err() != nil {
				return card.Tree{}, errors.New("gone")
			}
			return show(n), nil
		})},
	} {
		t.Run(c.why, func(t *testing.T) {
			typ := noted()
			c.spoil(&typ)
			r, err := newPack(packOf(typ), nil)
			if err != nil {
				t.Fatal(err)
			}
			found := errors.Join(r.conform(typ, 10*patience)...)
			if found == nil || !strings.Contains(found.Error(), c.says) {
				t.Errorf("found %v, want %q", found, c.says)
			}
		})
	}
	t.Run("one that hangs", func(t *testing.T) {
		typ := noted()
		lower(func(context.Context, aNote) (card.Tree, error) {
			<-release
			return card.Tree{}, nil
		})(&typ)
		r, err := newPack(packOf(typ), nil)
		if err != nil {
			t.Fatal(err)
		}
		if found := errors.Join(r.conform(typ, 50*time.Millisecond)...); !errors.Is(found, errHangs) {
			t.Errorf("found %v, want %v", found, errHangs)
		}
	})
}

func TestPackIsRefused(t *testing.T) {
	typ := noted()
	typ.Lower = nil
	if _, err := newPack(packOf(typ), nil); err == nil || !strings.Contains(err.Error(), "types[0].lower") {
		t.Errorf("err = %v", err)
	}
}

func TestPackGolden(t *testing.T) { PackGolden(t, packOf(noted()), "testdata/pack/*.txtar") }

// TestPackGoldenOfWhatTheSchemaRefuses: a host neither checks nor lowers it.
func TestPackGoldenOfWhatTheSchemaRefuses(t *testing.T) {
	typ := noted()
	never := func() { t.Error("the pack is asked") }
	typ.Check = func(context.Context, skill.Input) error { never(); return nil }
	typ.Lower = func(context.Context, skill.Input) (card.Tree, error) { never(); return card.Tree{}, nil }
	got, err := Pack(t, packOf(typ)).golden(t.Context(), txtar.Parse([]byte("-- card.json --\n{\"semantic_type\":\"acme.note\",\"payload\":{\"tags\":[\"a\",1]}}\n")))
	const want = "refused by the schema: /tags/1 breaks /properties/tags/items/type\nrefused by the schema: the payload breaks /required\n"
	if err != nil || got != want {
		t.Errorf("got\n%s%v, want\n%s", got, err, want)
	}
}

func TestPackGoldenIsStrict(t *testing.T) {
	r := Pack(t, packOf(noted()))
	for _, c := range []struct{ archive, says, why string }{
		{"-- card.json --\n{}\n", "card.json", "no card"},
		{"-- payload.json --\n{}\n", "payload.json", "a member that there is not"},
		{"-- card.json --\n{\"semantic_type\":\"acme.other\",\"payload\":{}}\n", "type", "another's type"},
	} {
		if _, err := r.golden(t.Context(), txtar.Parse([]byte(c.archive))); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: err = %v, want %q", c.why, err, c.says)
		}
	}
}

func TestPackBinary(t *testing.T) {
	path := Build(t, "../examples/chess")
	goroutines := runtime.NumGoroutine()
	t.Run("serves", func(t *testing.T) {
		r := PackBinary(t, path)
		if i := r.Info(); i.ID != "chess" || len(i.Types) != 1 || !i.Types[0].Checks {
			t.Fatalf("Info = %+v", i)
		}
		in := skill.Input{Type: "chess.position", Payload: r.Info().Types[0].Example}
		tree, err := r.Lower(t.Context(), in)
		if s, ok := tree.Root.Props.(card.Section); err != nil || !ok || s.Title != "After 1. e4" {
			t.Errorf("Lower = %+v, %v", tree, err)
		}
		in.Payload = json.RawMessage(`{"fen":"8"}`)
		found, err := r.CheckCard(t.Context(), in)
		if err != nil || len(found) != 1 || found[0].Path != "/fen" {
			t.Errorf("CheckCard = %v, %v", found, err)
		}
		in.Type = "chess.game"
		if _, err := r.Lower(t.Context(), in); !errors.Is(err, hostapi.Invalid) {
			t.Errorf("another's type: %v", err)
		}
	})
	if n := settle(goroutines); n > goroutines {
		t.Errorf("%d goroutines before, %d after", goroutines, n)
	}

	file := filepath.Join(filepath.Dir(path), hostapi.ManifestName)
	m, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.ReplaceAll(string(m), `"chess.position"`, `"chess.place"`)
	if err := os.WriteFile(file, []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	log := &fatal{TB: t, said: make(chan string, 1)}
	go func() {
		defer close(log.said)
		PackBinary(log, path)
	}()
	if said := <-log.said; !strings.Contains(said, "differently from its manifest") {
		t.Errorf("a manifest of other types: it says %q", said)
	}
}

// A fatal is a test that is meant to end early: it keeps why.
type fatal struct {
	testing.TB
	said chan string
}

func (f *fatal) Fatalf(format string, args ...any) {
	f.said <- format
	runtime.Goexit()
}
