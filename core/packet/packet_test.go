package packet

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// asStruct is a Packet without its own MarshalJSON.
type asStruct Packet

// plainly encodes p as package encoding/json does by itself.
func plainly(p *Packet) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode((*asStruct)(p))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// full has something in every field.
func full() *Packet {
	return &Packet{
		SchemaVersion: SchemaVersion, JobID: "t/1/a", Target: "slack:C1", Surface: "slack", Kind: surface.Approval,
		Payload: json.RawMessage(`{"document":{"a":"<b>"}}`), FallbackMarkdown: "<b>&\"\\\n\t\r\b\f\x01\x7f\u2028é👩‍💻", FallbackB64: "AA==",
		Chunks: []Chunk{
			{Index: 0, Text: "a <b>", Plain: "a", Native: &surface.Native{Kind: "x.v1", JSON: json.RawMessage(`[1]`)}, Units: 5, Bytes: 5, Blocks: []doc.ID{"1", "2.1.1"}},
			{Index: 1, Blocks: []doc.ID{}},
		},
		Actions:     []surface.Action{{ID: "ok", Verb: "Approve", Data: json.RawMessage(`{"n": 1}`), Expires: time.Unix(1, 0).UTC()}},
		Coverage:    Coverage{Basis: Verified, Blocks: []Block{{ID: "1", Kind: doc.KindTable, Disposition: surface.AsFallback, Reason: "grid"}, {ID: "2", Kind: doc.KindRule, Disposition: surface.AsNative}}},
		Diagnostics: []doc.Diagnostic{{Code: "x", Severity: doc.Warning, Block: "1", Message: "m"}, {Code: "y"}},
		Renderer:    Renderer{ID: "slack", Version: "1.0.0"}, Template: &Template{ID: "titled", Revision: 2}, Epoch: 1 << 63, Recipe: "answer.basic",
	}
}

// TestFull shows that full is what it says, so that a field that is added has to
// be in the tests and so in Append.
func TestFull(t *testing.T) {
	for v, n := reflect.ValueOf(*full()), 0; n < v.NumField(); n++ {
		if v.Field(n).IsZero() {
			t.Errorf("%s is empty", v.Type().Field(n).Name)
		}
	}
}

// TestAppend compares with package encoding/json, field by field set and unset.
func TestAppend(t *testing.T) {
	p := full()
	v := reflect.ValueOf(p).Elem()
	for n := -1; n < v.NumField(); n++ {
		name := "all fields"
		q := *p
		if n >= 0 {
			name = "without " + v.Type().Field(n).Name
			reflect.ValueOf(&q).Elem().Field(n).SetZero()
		}
		q.Chunks = append([]Chunk{}, q.Chunks...)                   // these two are
		q.Coverage.Blocks = append([]Block{}, q.Coverage.Blocks...) // never null
		want, err := plainly(&q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Append([]byte("before "), &q)
		if err != nil || string(got) != "before "+string(want) {
			t.Errorf("%s: %v\ngot  %s\nwant before %s", name, err, got, want)
		}
	}
	p.Payload = json.RawMessage("{\n\"document\": 1}")
	if got, err := Append(nil, p); err != nil || bytes.IndexByte(got, '\n') >= 0 {
		t.Errorf("%v, %q", err, got)
	}
	p.Payload = json.RawMessage("{\n\"document\":")
	if got, err := Append([]byte("x"), p); err == nil || string(got) != "x" {
		t.Errorf("a payload of several lines that is not JSON gives %q", got)
	}
}

// FuzzExact shows that every source survives the way through JSON.
func FuzzExact(f *testing.F) {
	f.Add("plain")
	f.Add("caf\xe9 \xed\xa0\x80 <b>&\u2028\u2029\x7f\x00")
	f.Add(strings.Repeat("\"\\\n", 9))
	f.Fuzz(func(t *testing.T, source string) {
		p := Packet{SchemaVersion: SchemaVersion, Chunks: []Chunk{}, Coverage: Coverage{Blocks: []Block{}}, Surface: source}
		p.FallbackMarkdown, p.FallbackB64 = Exact(source)
		if !utf8.ValidString(p.FallbackMarkdown) || utf8.ValidString(source) != (p.FallbackB64 == "") {
			t.Fatalf("%q, %q", p.FallbackMarkdown, p.FallbackB64)
		}
		b, err := Append(nil, &p)
		if err != nil {
			t.Fatal(err)
		}
		want, err := plainly(&p)
		if err != nil || utf8.ValidString(source) && !bytes.Equal(b, want) {
			t.Fatalf("got %q, want %q", b, want)
		}
		var back Packet
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if got, err := back.Source(); err != nil || got != source || back.Surface != p.FallbackMarkdown {
			t.Fatalf("got %q, %v", got, err)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	p := full()
	p.FallbackMarkdown = strings.Repeat("Some words, \"quoted\" and not.\n", 100)
	p.Chunks[0].Text, p.Chunks[0].Plain = p.FallbackMarkdown, p.FallbackMarkdown
	p.Payload = json.RawMessage(`{"document":"` + strings.Repeat("text ", 1000) + `"}`)
	var buf []byte
	for b.Loop() {
		buf, _ = Append(buf[:0], p)
	}
	b.SetBytes(int64(len(buf)))
}
