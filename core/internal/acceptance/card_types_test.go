package acceptance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/sdk/card"
)

// Payloads of every type on every surface: whole ones, partial ones, ones that the
// schema refuses, ones that are too large, and ones whose texts want to be more
// than text. The readers of this package complain of markup that does not work and
// of whatever would notify somebody.

// readable holds what a surface shows of a card to be for people, and to be all.
func readable(t testing.TB, s *shown) {
	t.Helper()
	failed := t.Failed()
	defer func() {
		if !failed && t.Failed() && len(s.chunks) > 0 {
			t.Logf("%s: %.3000s", s.on, s.chunks[0].Text)
		}
	}()
	rules(t, s)
	text := strings.TrimSpace(s.joined.text())
	if text == "" {
		t.Errorf("%s shows nothing", s.on)
	}
	if strings.HasPrefix(text, "{") {
		t.Errorf("%s shows JSON: %.80q", s.on, text)
	}
	for _, n := range s.joined.runs {
		if n.lang == "vak" || n.lang == "json" {
			t.Errorf("%s shows a block of %s: %.80q", s.on, n.lang, n.text)
		}
	}
	if slices.ContainsFunc(s.blocks, inLedger) {
		t.Errorf("%s does not show all", s.on)
	}
	if len(s.said) > 0 {
		t.Errorf("%s says %v", s.on, s.said)
	}
}

func TestCardsValid(t *testing.T) {
	everyType(t, func(t *testing.T, sh cards.Shape, typ string) {
		for _, p := range validOf(t, sh, typ) {
			for _, s := range render(t, vak(t), fence(envelope(typ, p)), surfaces...) {
				readable(t, s)
			}
		}
	})
}

func TestCardsPartial(t *testing.T) {
	everyType(t, func(t *testing.T, sh cards.Shape, typ string) {
		all := of(fixturesOf(t, sh).Partial, typ)
		if len(all) == 0 {
			t.Error("there is no partial payload")
		}
		for _, f := range all {
			for _, s := range render(t, vak(t), fence(envelope(typ, f.Payload)), surfaces...) {
				readable(t, s)
			}
		}
	})
}

// exact holds a card that was refused to be shown as it was written, between the
// words around it, and the diagnostic to say where it is wrong and what was
// expected there.
func exact(t failer, s *shown, envelope, path, want string) {
	t.Helper()
	rules(t, s)
	checks["order"](t, s, []string{"before", "after"})
	if text := s.joined.text(); !strings.Contains(seen(text), seen(envelope)) {
		t.Errorf("%s does not show the card as it was written: %.300q", s.on, text)
	}
	found := false
	for _, d := range s.said {
		found = found || strings.HasPrefix(d.Code, "vak_") && strings.Contains(d.Message, path) && strings.Contains(d.Message, want)
	}
	if !found || len(s.said) != 1 {
		t.Errorf("%s does not say %q of %q, but %v", s.on, want, path, s.said)
	}
}

func around(fence string) string { return "before\n\n" + fence + "\nafter" }

func TestCardsInvalid(t *testing.T) {
	everyType(t, func(t *testing.T, sh cards.Shape, typ string) {
		all := of(fixturesOf(t, sh).Invalid, typ)
		if len(all) == 0 {
			t.Error("there is no invalid payload")
		}
		for _, f := range all {
			e := envelope(typ, f.Payload)
			for _, s := range render(t, vak(t), around(fence(e)), surfaces...) {
				exact(t, s, e, "/payload"+f.Path, f.Want)
			}
		}
	})
}

// TestCardsOversized puts one element more into an array than there may be, of
// every type that has one, and more depth into all.
func TestCardsOversized(t *testing.T) {
	everyType(t, func(t *testing.T, sh cards.Shape, typ string) {
		valid := validOf(t, sh, typ)[0]
		deep := strings.Repeat(`{"a":`, card.MaxPayloadDepth+1) + "1" + strings.Repeat("}", card.MaxPayloadDepth+1)
		tries := [][3]string{{envelope(typ, []byte(deep)), "/payload/a/a/a", "32 levels"}}
		for _, at := range places(valid) {
			if v, ok := at.value.([]any); ok && len(v) > 0 {
				many := slices.Repeat([]any{0}, card.MaxArray+1)
				tries = append(tries, [3]string{envelope(typ, at.with(many)), "/payload/", "10,000 elements"})
				break
			}
		}
		for _, e := range tries {
			for _, s := range render(t, vak(t), around(fence(e[0])), surfaces...) {
				exact(t, s, e[0], e[1], e[2])
			}
		}
	})
	whole := envelope("metric", fmt.Appendf(nil, `{"label":"x","value":%q}`, strings.Repeat("x ", card.MaxPayload/2)))
	if testing.Short() || race {
		return
	}
	for _, s := range render(t, vak(t), around(fence(whole)), surfaces...) {
		exact(t, s, whole, "", "1 MB")
	}
}

// wild are texts that something on the way might take for more than text.
var wild = []string{
	"**bold** _it_ `code` [a](javascript:alert(1)) ![x](https://t.example/p.gif) | a | b |\n|---|---|",
	"# heading\n\n> quote\n\n- item\n1. item\n\n    code",
	"<script>alert(1)</script><b>x</b><img src=x onerror=alert(1)>&lt;b&gt;&#64;",
	"@everyone @here <@123> <@!7> <@&9> <#5> <!channel> <!here> <!subteam^S1|x> @name tg://user?id=1",
	"```\n~~~\n```vak\n{\"semantic_type\":\"metric\",\"payload\":{\"label\":\"x\",\"value\":1}}\n```",
	"||spoiler|| ~~strike~~ $x^2$ \\(y\\) :smile: {{title}} {body} %s %n \\* \\ end",
	strings.Repeat("verylongword", 15),
	"日本語の文章 @名前 العربية 👩‍👩‍👧‍👦 e\u0301",
	`or {"semantic_type":"table","payload":{"columns":[]}}`,
	"<https://a.example|label> <mailto:a@b.example> https://a_b.example/c_d?e=f*g*",
}

// hidden are texts with what a reader could not see.
var hiddenTexts = []string{
	"\u202Eright to left\u2066 iso\u2069 zero\u200Bwidth\uFEFF",
	"NUL \x00 bell \x07 escape \x1b[31m delete \x7f",
}

// TestCardsAdversarial fills every place of a payload that takes texts with wild
// ones, a different one each.
func TestCardsAdversarial(t *testing.T) {
	c, err := known()
	if err != nil {
		t.Fatal(err)
	}
	everyType(t, func(t *testing.T, sh cards.Shape, typ string) {
		turns := 2
		if typ == sh.Types[0] {
			turns = len(wild)
		}
		for turn := range turns {
			payload, took := validOf(t, sh, typ)[0], 0
			for i := range places(payload) {
				at := places(payload)[i]
				if _, ok := at.value.(string); !ok {
					continue
				}
				with := at.with(wild[(i+turn)%len(wild)])
				if _, err := c.Open([]byte(envelope(typ, with))); err == nil {
					payload, took = with, took+1
				}
			}
			if took == 0 {
				t.Error("no place takes any of these texts")
			}
			for _, s := range render(t, vak(t), fence(envelope(typ, payload)), surfaces...) {
				readable(t, s)
			}
		}
	})
}

// TestCardsHidden has what cannot be seen in texts of cards: chats show the texts
// without it, and the log shows that it was there. Both show a card.
func TestCardsHidden(t *testing.T) {
	for _, text := range hiddenTexts {
		payload, err := json.Marshal(map[string]any{"label": "Label " + text, "value": text, "detail": text})
		if err != nil {
			t.Fatal(err)
		}
		for _, markdown := range []string{envelope("metric", payload), around(fence(envelope("metric", payload)))} {
			for _, s := range render(t, vak(t), markdown, surfaces...) {
				rules(t, s)
				if text := s.joined.text(); strings.Contains(text, "semantic_type") || !strings.Contains(text, "Label ") {
					t.Errorf("%s shows %q", s.on, text)
				}
			}
		}
	}
}

// A place is one value within a payload.
type place struct {
	value any
	with  func(any) []byte // the payload with another value in this place
}

// places lists the values of a payload, in the order of names.
func places(payload []byte) []place {
	var root any
	if err := json.Unmarshal(payload, &root); err != nil {
		panic(err) // it is a fixture
	}
	var out []place
	var walk func(v any, set func(any))
	walk = func(v any, set func(any)) {
		out = append(out, place{v, func(other any) []byte {
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
				walk(v[i], func(o any) { v[i] = o })
			}
		case map[string]any:
			names := make([]string, 0, len(v))
			for k := range v {
				names = append(names, k)
			}
			slices.Sort(names)
			for _, k := range names {
				walk(v[k], func(o any) { v[k] = o })
			}
		}
	}
	walk(root, func(o any) { root = o })
	return out
}
