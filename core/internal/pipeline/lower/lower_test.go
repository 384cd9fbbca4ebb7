package lower

import (
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

const output = `{"semantic_type":"metric","schema_version":1,"payload":{"label":"a","value":1,"more":"b"}}`

func structured(id doc.ID) *doc.Structured { return &doc.Structured{ID: id, Output: output} }

// says is a face that shows the label, and whatever else it is told to.
func says(t *testing.T, more ...card.Node) func(*doc.Structured) *Face {
	return func(b *doc.Structured) *Face {
		o, err := card.ParseOutput([]byte(b.Output))
		if err != nil {
			t.Fatal(err)
		}
		return NewFace(o, card.Of(card.Stack{}, append([]card.Node{card.New(card.Metric{Label: "a", Value: card.Int(1)})}, more...)...))
	}
}

// shape is the kinds of blocks with what stands in them, on one line.
func shape(bs []doc.Block) string {
	var out []string
	for _, b := range bs {
		s := string(b.Kind()) + " " + string(b.BlockID())
		switch b := b.(type) {
		case *doc.Quote:
			s += " (" + shape(b.Blocks) + ")"
		case *doc.List:
			for _, it := range b.Items {
				s += " (" + shape(it.Blocks) + ")"
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestCards(t *testing.T) {
	rest := card.New(card.KeyValue{Items: []card.Pair{{Key: "more", Value: card.String("b")}}})
	quoted := &doc.Quote{ID: "2", Blocks: []doc.Block{structured("2.1")}}
	listed := &doc.List{ID: "2", Items: []doc.Item{{Blocks: []doc.Block{&doc.Rule{ID: "2.1.1"}}}, {Blocks: []doc.Block{structured("2.2.1")}}}}
	for _, c := range []struct {
		why   string
		in    []doc.Block
		more  []card.Node
		o     Options
		want  string
		notes int
	}{
		{"all of it is shown", []doc.Block{&doc.Rule{ID: "1"}, structured("2"), &doc.Rule{ID: "3"}}, []card.Node{rest}, Options{}, "rule 1, paragraph 2.1, list 2.2, rule 3", 0},
		{"a part is not, and fits", []doc.Block{structured("2")}, nil, Options{}, "paragraph 2.1, code 2.2", 0},
		{"a part is not, and does not fit", []doc.Block{structured("2")}, nil, Options{Fits: func(string) bool { return false }}, "paragraph 2.1, paragraph 2.2", 1},
		{"a part is not, and never follows", []doc.Block{structured("2")}, nil, Options{Appendix: Never}, "paragraph 2.1, paragraph 2.2", 1},
		{"always", []doc.Block{structured("2")}, []card.Node{rest}, Options{Appendix: Always}, "paragraph 2.1, list 2.2, code 2.3", 0},
		{"always, where it does not fit and nothing is hidden", []doc.Block{structured("2")}, []card.Node{rest}, Options{Appendix: Always, Fits: func(string) bool { return false }}, "paragraph 2.1, list 2.2", 0},
		{"in a quote", []doc.Block{quoted}, nil, Options{Appendix: Never}, "quote 2 (paragraph 2.1.1, paragraph 2.1.2)", 1},
		{"in a list", []doc.Block{listed}, []card.Node{rest}, Options{}, "list 2 (rule 2.1.1) (paragraph 2.2.1.1, list 2.2.1.2)", 0},
	} {
		d := &doc.Document{Version: doc.SchemaVersion, Blocks: c.in}
		before := shape(d.Blocks)
		out, notes := Cards(d, says(t, c.more...), c.o)
		got := shape(out.Blocks)
		// What is in the items of the lists that a card makes is not looked at here.
		got = strings.NewReplacer(" (paragraph 2.2.1.1)", "", " (paragraph 2.2.1.2.1.1)", "").Replace(got)
		if got != c.want || len(notes) != c.notes {
			t.Errorf("%s:\n%s, %d notes\nwant %s, %d", c.why, got, len(notes), c.want, c.notes)
		}
		if shape(d.Blocks) != before {
			t.Errorf("%s: the document that was given has changed", c.why)
		}
	}
	plain := &doc.Document{Blocks: []doc.Block{&doc.Rule{ID: "1"}, &doc.Quote{ID: "2", Blocks: []doc.Block{&doc.Rule{ID: "2.1"}}}}}
	if out, _ := Cards(plain, says(t), Options{}); out != plain {
		t.Error("a document without a card is made anew")
	}
}

func TestOnce(t *testing.T) {
	other := &doc.Structured{ID: "3", Output: `{"semantic_type":"metric","payload":{"more":"b", "value":1,"label":"a"}}`}
	third := &doc.Structured{ID: "4", Output: `{"semantic_type":"metric","payload":{"label":"a","value":1.0,"more":"b"}}`}
	alone := &doc.Quote{ID: "5", Blocks: []doc.Block{structured("5.1")}}
	beside := &doc.Quote{ID: "6", Blocks: []doc.Block{structured("6.1"), &doc.Rule{ID: "6.2"}}}
	d := &doc.Document{Blocks: []doc.Block{structured("1"), &doc.Rule{ID: "2"}, other, third, alone, beside}}
	out := Once(d)
	if got, want := shape(out.Blocks), "structured 1, rule 2, structured 4, quote 5 (structured 5.1), quote 6 (rule 6.2)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if len(out.Diagnostics) != 2 || len(d.Blocks) != 6 {
		t.Errorf("%d diagnostics", len(out.Diagnostics))
	}
	if one := (&doc.Document{Blocks: []doc.Block{structured("1")}}); Once(one) != one {
		t.Error("a document without a repetition is made anew")
	}
}
