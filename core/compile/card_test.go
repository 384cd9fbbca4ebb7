package compile

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// opens owns the type metric, whose payload has to have a label.
func opens(b []byte) (card.Output, error) {
	o, err := card.ParseOutput(b)
	switch {
	case err != nil:
		return o, err
	case o.SemanticType != "metric":
		return o, &card.ProblemError{Kind: card.ErrUnknownType, Path: "/semantic_type", Want: "nobody owns it"}
	case !strings.Contains(string(o.Payload), `"label"`):
		return o, &card.ProblemError{Kind: card.ErrInvalid, Path: "/payload", Want: "expected a label"}
	}
	o.SkillID = "core"
	return o, nil
}

func TestCards(t *testing.T) {
	const metric = `{"semantic_type": "metric", "payload": {"label": "x", "value": 1}}`
	const canonical = `{"semantic_type":"metric","schema_version":1,"skill_id":"core","payload":{"label": "x", "value": 1}}`
	for _, c := range []struct{ why, in, kinds, code string }{
		{"a fence", "a\n\n```vak\n" + metric + "\n```\n\nb", "paragraph structured paragraph", ""},
		{"within a list", "- a\n\n  ```vak\n  " + metric + "\n  ```\n", "list", ""},
		{"bare", " \n" + metric + "\n", "structured", ""},
		{"bare, with a word behind it", metric + "\nb", "paragraph", ""},
		{"bare, of a type that nobody owns", `{"semantic_type":"other","payload":{}}`, "paragraph", "vak_unknown_type"},
		{"a payload that does not fit", "```vak\n{\"semantic_type\":\"metric\",\"payload\":{}}\n```", "code", "vak_invalid"},
		{"cut off", "```vak\n" + metric[:30], "code", "vak_malformed"},
		{"quoted in a longer fence", "````\n```vak\n" + metric + "\n```\n````", "code", ""},
		{"not in a fence of HTML", "<pre><code class=\"language-vak\">" + metric + "</code></pre>", "code", ""},
	} {
		d, err := Compiler{Open: opens, First: 4}.Markdown(c.in)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for i, b := range d.Blocks {
			kinds = append(kinds, string(b.Kind()))
			if want := doc.ID(strconv.Itoa(4 + i)); b.BlockID() != want {
				t.Errorf("%s: block %d has the id %s", c.why, i, b.BlockID())
			}
		}
		code := ""
		if len(d.Diagnostics) > 0 {
			code = d.Diagnostics[0].Code
		}
		if got := strings.Join(kinds, " "); got != c.kinds || code != c.code {
			t.Errorf("%s: %s %s, want %s %s", c.why, got, code, c.kinds, c.code)
		}
		for _, b := range d.Blocks {
			if s, ok := b.(*doc.Structured); ok && (strings.ReplaceAll(s.Output, " ", "") != strings.ReplaceAll(canonical, " ", "") || !strings.Contains(s.FallbackMarkdown, metric)) {
				t.Errorf("%s: %+v", c.why, s)
			}
		}
	}
	_, err := unowned([]byte(metric))
	if !errors.Is(err, card.ErrUnknownType) {
		t.Error(err)
	}
}
