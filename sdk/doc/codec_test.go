package doc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/doc/doctest"
)

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := doctest.Document(t)
		b := doc.Append(nil, d, doc.WithSource)
		if bytes.ContainsAny(b, "\n\r") {
			t.Fatalf("a line break in %q", b)
		}
		if !json.Valid(b) {
			t.Fatalf("not JSON: %q", b)
		}
		got, err := doc.Parse(b, doc.Limits{})
		if err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		if !reflect.DeepEqual(got, d) {
			t.Fatalf("not the same document\n got %s\nwant %s", doc.Append(nil, got, doc.WithSource), b)
		}
		if again := doc.Append(nil, got, doc.WithSource); !bytes.Equal(again, b) {
			t.Fatalf("not the same bytes\n got %s\nwant %s", again, b)
		}
	})
}

// Tools between us may sort members, add spaces and escape as they like.
func TestParseForeignForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := doctest.Document(t)
		b := doc.Append(nil, d, doc.WithSource)
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		sorted, err := json.MarshalIndent(v, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		got, err := doc.Parse(sorted, doc.Limits{})
		if err != nil {
			t.Fatalf("%v\n%s", err, sorted)
		}
		if !reflect.DeepEqual(got, d) {
			t.Fatalf("not the same document\n got %s\nwant %s", doc.Append(nil, got, doc.WithSource), b)
		}
	})
}

func TestIDCompare(t *testing.T) {
	order := []doc.ID{"0", "1", "1.1", "1.1.9", "1.2", "1.10", "2", "9.9", "10", "10.1", "99", "100"}
	for i, a := range order {
		for j, b := range order {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := a.Compare(b); got != want {
				t.Errorf("%q against %q: %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	wrap := func(blocks string) string { return `{"schema_version":1,"blocks":[` + blocks + `]}` }
	para := func(inlines string) string { return wrap(`{"type":"paragraph","id":"1","inlines":[` + inlines + `]}`) }
	for _, c := range []struct {
		in   string
		err  error
		path string
		why  string
	}{
		{``, doc.ErrSyntax, "", "nothing"},
		{`[]`, doc.ErrInvalid, "", "not an object"},
		{`{}`, doc.ErrVersion, "", "no version"},
		{`{"schema_version":0,"blocks":[]}`, doc.ErrVersion, "", "no such version"},
		{`{"schema_version":2,"blocks":[{"type":"hologram"}]}`, doc.ErrVersion, "", "newer than we know"},
		{`{"schema_version":1,"blocks":[]} {}`, doc.ErrSyntax, "", "two values"},
		{`{"schema_version":1,"blocks":[],}`, doc.ErrSyntax, "", "comma before the end"},
		{`{"schema_version":1 "blocks":[]}`, doc.ErrSyntax, "", "no comma"},
		{`{"schema_version":1,"blocks":[]`, doc.ErrSyntax, "", "cut off"},
		{`{"schema_version":1,"x":tru,"blocks":[]}`, doc.ErrSyntax, "", "bad literal in an unknown field"},
		{`{"schema_version":1,"x":01,"blocks":[]}`, doc.ErrSyntax, "", "leading zero in an unknown field"},
		{`{"schema_version":1.0}`, doc.ErrInvalid, "schema_version", "a fraction"},
		{`{"schema_version":1,"blocks":{}}`, doc.ErrInvalid, "", "an object for an array"},
		{`{"schema_version":1,"blocks":[{"type":"rule","id":"1"}],"blocks":[{"type":"rule","id":"2"}]}`, doc.ErrInvalid, "", "given twice"},
		{"{\"schema_version\":1,\"source_markdown\":\"\xff\"}", doc.ErrSyntax, "", "not UTF-8"},
		{"{\"schema_version\":1,\"source_markdown\":\"a\nb\"}", doc.ErrSyntax, "source_markdown", "raw control character"},
		{"{\"schema_version\":1,\"source_markdown\":\"\\n\nb\"}", doc.ErrSyntax, "source_markdown", "raw control character behind an escape"},
		{`{"schema_version":1,"source_markdown":"\x"}`, doc.ErrSyntax, "source_markdown", "no such escape"},
		{`{"schema_version":1,"source_markdown":"\u12"}`, doc.ErrSyntax, "source_markdown", "short escape"},
		{`{"schema_version":1,"source_markdown":"abc`, doc.ErrSyntax, "source_markdown", "no end of string"},
		{`{"schema_version":1,"source_markdown":"abc\"`, doc.ErrSyntax, "source_markdown", "escaped end of string"},
		{`{"schema_version":1,"source_markdown":1}`, doc.ErrInvalid, "source_markdown", "a number for a string"},
		{`{"schema_version":1,"source_markdown":"a","source_markdown_b64":"/w=="}`, doc.ErrInvalid, "source_markdown", "other bytes than the text says"},
		{`{"schema_version":1,"source_markdown":"a","source_markdown_b64":"/w"}`, doc.ErrInvalid, "source_markdown", "no padding"},
		{wrap(`{"type":"hologram","id":"1"}`), doc.ErrUnknownKind, "blocks[0]", "unknown kind"},
		{wrap(`{"id":"1"}`), doc.ErrUnknownKind, "blocks[0]", "no kind"},
		{wrap(`{}`), doc.ErrUnknownKind, "blocks[0]", "no kind, no members"},
		{wrap(`{"type":"rule"}`), doc.ErrInvalid, "blocks[0]", "no id"},
		{wrap(`{"type":"rule","id":"01"}`), doc.ErrInvalid, "blocks[0].id", "leading zero"},
		{wrap(`{"type":"rule","id":"1."}`), doc.ErrInvalid, "blocks[0].id", "empty step"},
		{wrap(`{"type":"rule","id":"a"}`), doc.ErrInvalid, "blocks[0].id", "a letter"},
		{wrap(`{"type":"rule","id":"1"},{"type":"rule","id":"1"}`), doc.ErrInvalid, "", "an id twice"},
		{wrap(`{"type":"rule","id":"1"},{"type":"rule","id":"3"},{"type":"rule","id":"2"},{"type":"rule","id":"3"}`), doc.ErrInvalid, "", "an id twice, out of order"},
		{wrap(`{"type":"quote","id":"1","blocks":[{"type":"rule","id":"2"}]}`), doc.ErrInvalid, "blocks[0].blocks[0]", "id elsewhere"},
		{wrap(`{"type":"quote","blocks":[{"type":"rule","id":"2"}],"id":"1"}`), doc.ErrInvalid, "blocks[0].blocks[0]", "id elsewhere, known late"},
		{wrap(`{"type":"list","id":"1","items":[{"blocks":[]},{"blocks":[{"type":"rule","id":"1.2.1"},{"type":"heading","id":"1.2.2","level":7,"inlines":[]}]}]}`), doc.ErrInvalid, "blocks[0].items[1].blocks[1]", "level 7"},
		{wrap(`{"type":"heading","id":"1","inlines":[]}`), doc.ErrInvalid, "blocks[0]", "no level"},
		{wrap(`{"type":"heading","id":"1","level":-1,"inlines":[]}`), doc.ErrInvalid, "blocks[0].level", "negative"},
		{wrap(`{"type":"heading","id":"1","level":1e0,"inlines":[]}`), doc.ErrInvalid, "blocks[0].level", "exponent"},
		{wrap(`{"type":"list","id":"1","start":3,"items":[]}`), doc.ErrInvalid, "blocks[0]", "start without order"},
		{wrap(`{"type":"list","id":"1","items":[{"task":"maybe"}]}`), doc.ErrInvalid, "blocks[0].items[0]", "no such state"},
		{wrap(`{"type":"table","id":"1","align":["left"],"header":[[],[]],"rows":[]}`), doc.ErrInvalid, "blocks[0]", "too few alignments"},
		{wrap(`{"type":"table","id":"1","align":["top"],"header":[[]],"rows":[]}`), doc.ErrInvalid, "blocks[0].align[0]", "no such alignment"},
		{wrap(`{"type":"table","id":"1","header":[[]],"rows":[[[]],[[],[{"type":"text","text":7}]]]}`), doc.ErrInvalid, "blocks[0].rows[1][1][0].text", "a number for a string"},
		{wrap(`{"type":"callout","id":"1","tone":"loud","blocks":[]}`), doc.ErrInvalid, "blocks[0]", "no such tone"},
		{para(`{"type":"blink","children":[]}`), doc.ErrUnknownKind, "blocks[0].inlines[0]", "unknown inline"},
		{para(`{"type":"text","text":"a\nb"}`), doc.ErrInvalid, "blocks[0].inlines[0]", "a newline in text"},
		{para(`{"type":"text","text":"a"},{"type":"link","href":"javascript:x","safe":true,"children":[]}`), doc.ErrInvalid, "blocks[0].inlines[1].safe", "safe but is not"},
		{para(`{"type":"link","href":"a","children":[{"type":"strong","children":[{"type":"link","href":"b","children":[]}]}]}`), doc.ErrInvalid, "blocks[0].inlines[0].children[0].children[0]", "link in link"},
		{`{"schema_version":1,"blocks":[],"diagnostics":[{"code":"x","severity":"loud"}]}`, doc.ErrInvalid, "diagnostics[0]", "no such severity"},
		{`{"schema_version":1,"x":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`, doc.ErrTooDeep, "", "deep unknown field"},
		{para(strings.Repeat(`{"type":"strong","children":[`, 300) + strings.Repeat(`]}`, 300)), doc.ErrTooDeep, "", "deep inlines"},
		{wrap(`{"type":"table","id":"1","header":[],"rows":[` + strings.Repeat("[],", 500_000) + `[]]}`), doc.ErrTooMany, "blocks[0].rows[499999]", "too many rows"},
		{`{"schema_version":1,"x":"` + strings.Repeat("x", 17<<20) + `"}`, doc.ErrTooLarge, "", "too many bytes"},
	} {
		d, err := doc.Parse([]byte(c.in), doc.Limits{})
		var pe *doc.ParseError
		if d != nil || !errors.Is(err, c.err) || !errors.As(err, &pe) {
			t.Errorf("%s: got %v, want %v", c.why, err, c.err)
			continue
		}
		if c.err != doc.ErrTooDeep && pe.Path != c.path {
			t.Errorf("%s: path %q, want %q (%v)", c.why, pe.Path, c.path, err)
		}
		if pe.Offset < 0 || pe.Offset > len(c.in) {
			t.Errorf("%s: offset %d outside", c.why, pe.Offset)
		}
	}
}

func TestParseTakes(t *testing.T) {
	for _, c := range []struct{ in, want, why string }{
		{`{"schema_version":1}`, `{"schema_version":1,"blocks":[]}`, "no blocks at all"},
		{`{"x":{"a":[1,-2.5e+3,null,"\ud800\"",true]},"blocks":[],"schema_version":1}`, `{"schema_version":1,"blocks":[]}`, "unknown field, version last"},
		{`{"schema_version":1,"blocks":[{"id":"1","inlines":[{"text":"\ud83d\ude00\ud83d x","type":"text"}],"type":"paragraph"}]}`,
			`{"schema_version":1,"blocks":[{"type":"paragraph","id":"1","inlines":[{"type":"text","text":"😀` + "\ufffd" + ` x"}]}]}`, "type last, surrogates"},
		{`{"schema_version":1,"source_markdown_b64":"/w==","source_markdown":"` + "\ufffd" + `"}`,
			`{"schema_version":1,"source_markdown":"` + "\ufffd" + `","source_markdown_b64":"/w==","blocks":[]}`, "exact bytes first"},
		{`{"schema_version":1,"blocks":[{"type":"rule","id":"2"},{"type":"rule","id":"1"}]}`,
			`{"schema_version":1,"blocks":[{"type":"rule","id":"2"},{"type":"rule","id":"1"}]}`, "ids need not rise"},
		{`{"schema_version":1,"blocks":[{"type":"heading","level_b64":3,"level":2,"id":"1","inlines":[]}]}`,
			`{"schema_version":1,"blocks":[{"type":"heading","id":"1","level":2,"inlines":[]}]}`, "a _b64 that is none of ours"},
	} {
		d, err := doc.Parse([]byte(c.in), doc.Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		if got := string(doc.Append(nil, d, doc.WithSource)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"source_markdown":"# a","blocks":[{"type":"heading","id":"1","level":1,"inlines":[{"type":"text","text":"a"}]}]}`))
	f.Add([]byte(`{"blocks":[{"id":"1","type":"table","align":["left"],"header":[[{"text":"\ud83d\ude00","type":"text"}]],"rows":[[[]]]}],"schema_version":1}`))
	f.Add([]byte(`{"schema_version":1,"blocks":[{"type":"code","id":"1","text":"` + "\ufffd" + `","text_b64":"/w=="}],"x":[[[{"a":1e3}]]]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := doc.Parse(b, doc.Limits{MaxBytes: 1 << 16, MaxNodes: 2000})
		if err != nil {
			var pe *doc.ParseError
			if !errors.As(err, &pe) || d != nil {
				t.Fatalf("error %v of type %T", err, err)
			}
			return
		}
		canon := doc.Append(nil, d, doc.WithSource)
		again, err := doc.Parse(canon, doc.Limits{})
		if err != nil {
			t.Fatalf("%v\n%s", err, canon)
		}
		if !reflect.DeepEqual(again, d) {
			t.Fatalf("another document from %s", canon)
		}
		if out := doc.Append(nil, again, doc.WithSource); !bytes.Equal(out, canon) {
			t.Fatalf("not canonical\n got %s\nwant %s", out, canon)
		}
	})
}
