package ledger_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

var (
	anyText = rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.StringMatching(`[a-z "\\\n\x00\x{2028}\x{ffff}😀]{0,20}`),
	)
	anyWord  = rapid.StringMatching(`[a-z0-9_]{1,64}`)
	anyValue = rapid.Custom(func(t *rapid.T) json.RawMessage {
		v := nested(t, 4)
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
	maybeValue   = rapid.OneOf(rapid.Just(json.RawMessage(nil)), anyValue)
	anyHash      = rapid.Map(rapid.String(), func(s string) ledger.Hash { return ledger.HashOf([]byte(s)) })
	anyID        = rapid.Map(rapid.StringMatching(`[1-9][0-9]{0,3}(\.[1-9][0-9]?){0,3}`), func(s string) doc.ID { return doc.ID(s) })
	anySession   = rapid.StringMatching(`[A-Za-z0-9_][A-Za-z0-9._-]{0,63}`)
	anyExtra     = extraOf("x_")
	anyMillis    = rapid.Int64Range(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC).UnixMilli())
	anyRenderers = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ledger.BlockRenderer {
		return ledger.BlockRenderer{Block: anyID.Draw(t, "block"), Renderer: anyText.Draw(t, "renderer"), Extra: anyExtra.Draw(t, "extra")}
	}), 0, 3)
	anyTrees = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ledger.Tree {
		return ledger.Tree{Card: anyHash.Draw(t, "card"), SHA256: anyHash.Draw(t, "sha256"), Tree: maybeValue.Draw(t, "tree"), Extra: anyExtra.Draw(t, "extra")}
	}), 0, 3)
)

func nested(t *rapid.T, depth int) any {
	switch n := rapid.IntRange(0, 7).Draw(t, "type"); {
	case n == 0:
		return nil
	case n == 1:
		return rapid.Bool().Draw(t, "bool")
	case n == 2:
		return rapid.Float64().Draw(t, "number")
	case n <= 4 || depth == 0:
		return rapid.String().Draw(t, "string")
	case n == 5:
		var list []any
		for range rapid.IntRange(0, 3).Draw(t, "len") {
			list = append(list, nested(t, depth-1))
		}
		return list
	}
	m := make(map[string]any)
	for range rapid.IntRange(0, 3).Draw(t, "len") {
		m[rapid.String().Draw(t, "key")] = nested(t, depth-1)
	}
	return m
}

// extraOf makes members with names that differ.
func extraOf(prefix string) *rapid.Generator[ledger.Extra] {
	return rapid.Custom(func(t *rapid.T) ledger.Extra {
		var e ledger.Extra
		for _, name := range rapid.SliceOfNDistinct(rapid.String(), 0, 3, rapid.ID[string]).Draw(t, "names") {
			e = append(e, ledger.Member{Name: prefix + name, Value: anyValue.Draw(t, "value")})
		}
		return e
	})
}

func body(t *rapid.T) ledger.Body {
	text := func(name string) string { return anyText.Draw(t, name) }
	switch rapid.IntRange(0, 5).Draw(t, "body") {
	case 0:
		return &ledger.Turn{Phase: ledger.Begin, Epoch: rapid.Uint64().Draw(t, "epoch"), Digest: text("digest"), Key: text("key"), Reason: text("reason")}
	case 1:
		var metadata map[string]string
		if m := rapid.MapOfN(rapid.String(), rapid.String(), 0, 4).Draw(t, "metadata"); len(m) > 0 {
			metadata = m
		}
		return &ledger.Message{
			Role:     rapid.SampledFrom([]ledger.Role{ledger.System, ledger.User, ledger.Assistant, ledger.Tool, ledger.Worker}).Draw(t, "role"),
			Markdown: text("markdown"), Payload: maybeValue.Draw(t, "payload"), Metadata: metadata,
			MessageKind: rapid.SampledFrom([]surface.Kind{"", surface.Alert, surface.Kind(anyWord.Draw(t, "kind"))}).Draw(t, "message_kind"),
			Control:     rapid.SampledFrom([]ledger.Control{"", ledger.RepairNudge, ledger.Control(anyWord.Draw(t, "word"))}).Draw(t, "control"),
		}
	case 2:
		return &ledger.ToolCall{CallID: text("call"), Name: text("name"), Arguments: maybeValue.Draw(t, "arguments")}
	case 3:
		return &ledger.ToolResult{CallID: text("call"), Name: text("name"), OK: rapid.Bool().Draw(t, "ok"), Content: text("content"), JSON: maybeValue.Draw(t, "json")}
	case 4:
		return &ledger.Activity{What: ledger.What(anyWord.Draw(t, "what")), Detail: text("detail"), Data: maybeValue.Draw(t, "data")}
	}
	b := &ledger.Presentation{
		Entry: ledger.EntryID{Session: anySession.Draw(t, "session"), Seq: ledger.Seq(rapid.Uint64Min(1).Draw(t, "entry"))}, Item: text("item"),
		Target: text("target"), Job: text("job"), Epoch: rapid.Uint64().Draw(t, "epoch"),
		Plan: maybeValue.Draw(t, "plan"), TemplateRevision: text("revision"), ProfileDigest: text("digest"),
	}
	if r := anyRenderers.Draw(t, "renderers"); len(r) > 0 {
		b.Renderers = r
	}
	if trees := anyTrees.Draw(t, "trees"); len(trees) > 0 {
		b.Trees = trees
	}
	return b
}

// TestRoundTrip shows that whatever is written is read the same, however the
// members are spaced and sorted on the way.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chain := ledger.Chain{
			Session: anySession.Draw(t, "session"),
			Seq:     ledger.Seq(rapid.Uint64Range(1, 1<<63).Draw(t, "seq")), Head: anyHash.Draw(t, "prev"),
		}
		r := ledger.Record{Time: time.UnixMilli(anyMillis.Draw(t, "time")).UTC(), Body: body(t), Extra: anyExtra.Draw(t, "extra")}
		if rapid.Bool().Draw(t, "in a turn") {
			r.Turn = ledger.TurnID{Session: chain.Session, Seq: ledger.Seq(rapid.Uint64Range(1, uint64(chain.Seq)).Draw(t, "turn"))}
		}
		line, err := chain.Append(nil, &r)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(line) || !utf8.Valid(line) || bytes.IndexByte(line, '\n') >= 0 {
			t.Fatalf("not one line of JSON: %q", line)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, line); err != nil || compact.Len() != len(line) {
			t.Fatalf("there is space in %q", line)
		}
		same := func(how string, line []byte) {
			got, err := ledger.Parse(line)
			if err != nil {
				t.Fatalf("%s: %v\n%s", how, err, line)
			}
			if !reflect.DeepEqual(got, r) {
				t.Fatalf("%s\n got %#v\nwant %#v", how, got, r)
			}
		}
		same("as written", line)
		same("with space", spaced(t, line))
		for _, h := range sorted(line) {
			r.Extra = nil // sorting changes their order
			for _, m := range h {
				if strings.HasPrefix(m.name, "x_") {
					r.Extra = append(r.Extra, ledger.Member{Name: m.name, Value: m.value})
				}
			}
			same("sorted", joined(h))
		}
	})
}

// spaced puts space around every token that may have some.
func spaced(t *rapid.T, line []byte) []byte {
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "space"), 0))
	var out []byte
	in := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		if !in && strings.IndexByte("{}[],:", c) >= 0 {
			pad := strings.Repeat(" ", rnd.IntN(3)) + strings.Repeat("\t\r", rnd.IntN(2))
			out = append(append(append(out, pad...), c), pad...)
			continue
		}
		out = append(out, c)
		switch {
		case in && c == '\\':
			i++
			out = append(out, line[i])
		case c == '"':
			in = !in
		}
	}
	return out
}

type named struct {
	name  string
	value json.RawMessage
}

// sorted gives the members of line in other orders: by name, and backwards.
func sorted(line []byte) [][]named {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	var up []named
	for _, k := range slices.Sorted(maps.Keys(m)) {
		up = append(up, named{k, m[k]})
	}
	down := slices.Clone(up)
	slices.Reverse(down)
	for i := range down[1:] { // exact bytes stand behind their text
		if down[i].name == down[i+1].name+"_b64" {
			down[i], down[i+1] = down[i+1], down[i]
		}
	}
	return [][]named{up, down}
}

func joined(ms []named) []byte {
	out := []byte("{")
	for i, m := range ms {
		if i > 0 {
			out = append(out, ',')
		}
		k, err := json.Marshal(m.name)
		if err != nil {
			panic(err)
		}
		out = append(append(append(out, k...), ':'), m.value...)
	}
	return append(out, '}')
}

// TestChangeShows shows that no byte of any record but the last can change
// without somebody seeing it.
func TestChangeShows(t *testing.T) {
	_, _, lines := everything(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, len(lines)-2).Draw(t, "record")
		i := rapid.IntRange(0, len(lines[n])-1).Draw(t, "byte")
		mask := rapid.ByteRange(1, 255).Draw(t, "mask")
		var c ledger.Chain
		for m, line := range lines {
			if m == n {
				line = bytes.Clone(line)
				line[i] ^= mask
			}
			if _, err := c.Add(line); err != nil {
				if m < n || m > n+1 {
					t.Fatalf("record %d changed, record %d refused: %v", n, m, err)
				}
				return
			}
		}
		t.Fatalf("record %d changed and nobody saw it", n)
	})
}

// FuzzParse shows what holds for every line that is taken: written again it is
// read the same, and is the same from then on.
func FuzzParse(f *testing.F) {
	_, _, lines := everything(f)
	for _, line := range lines {
		f.Add(line)
	}
	f.Add([]byte(`{"a":[ ],"kind":"message","role":"user","v":1,"session":"s","seq":1,"time":"2026-03-01T09:00:00.000Z","markdown":"\ud83d\u0041"}`))
	f.Add([]byte(`{"v":2,"session":"s","seq":1,"time":"2026-03-01T09:00:00.000Z","kind":"x"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		was := bytes.Clone(line)
		r, err := ledger.Parse(line)
		if !bytes.Equal(line, was) {
			t.Fatal("Parse wrote into the line")
		}
		if err != nil {
			return
		}
		if !json.Valid(line) {
			t.Fatalf("taken, and not JSON: %q", line)
		}
		written := ledger.Append(nil, &r)
		again, err := ledger.Parse(written)
		if err != nil {
			t.Fatalf("%v\nread  %q\nwrote %q", err, line, written)
		}
		if !reflect.DeepEqual(again, r) {
			t.Fatalf("read %+v\nthen %+v", r, again)
		}
		if twice := ledger.Append(nil, &again); !bytes.Equal(twice, written) {
			t.Fatalf("wrote %q\nthen  %q", written, twice)
		}
	})
}
