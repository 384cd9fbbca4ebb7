package hostapi

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

var renderings = []string{
	`{"chunks":[]}`,
	`{"chunks":null,"notes":null}`,
	`null`,
	` { "chunks" : [ { "text" : "a" , "plain" : "b" , "blocks" : [ "1" , "2.1" ] } ] } `,
	`{"chunks":[{"text":"a\nb\t\"\\\/\b\f\r\u00e9\ud83d\ude00\ud800x\ud800\u0041","plain":"é😀","blocks":[]}]}`,
	`{"chunks":[{"text":"a","plain":"b","blocks":["1"],"native":{"kind":"k","json":{"a":[1,{"b":"]}"}]}}}]}`,
	`{"chunks":[{"native":null,"text":null,"blocks":null}]}`,
	`{"notes":[{"block":"1","disposition":"omitted","reason":"r","count":3}],"diagnostics":[{"code":"c","severity":"info","message":"m"}]}`,
	`{"chunks":[{"text":"a"}],"chunks":[{"plain":"b"}]}`,
	`{"later":{"x":[1,2,"}"]},"more":-1.5e3,"chunks":[{"text":"a","new":true}]}`,
	`{"Chunks":[{"BloCks":[0]}]}`, // encoding/json takes the names, and says that 0 is no text
	`{`, `{}x`, `[]`, `"x"`, `{"chunks":{}}`, `{"chunks":[1]}`, `{"chunks":[{"text":1}]}`, `{"chunks":[{"blocks":[1]}]}`,
	`{"chunks":[{"text":"a` + "\n" + `"}]}`, `{"chunks":[{"text":"\x"}]}`, `{"chunks":[{"text":"\u12"}]}`, `{"chunks":[{"text":"a\`,
	`{"chunks":[{"text":"a",}]}`, `{"chunks":[,]}`, `{"chunks":[{"text" "a"}]}`, `{"notes":[{"count":"x"}]}`, `{"x":01}`, `{"x":tru}`, `{"x":}`, `{"x":"\q"}`, `{x:1}`, `{"":nulll}`,
}

// agree compares the decoder with encoding/json, which it stands in for. That one
// also takes names in other cases, so of those only the syntax is compared.
func agree(t *testing.T, b []byte) {
	t.Helper()
	got, err := decodeRendering(b)
	if err == nil && !json.Valid(b) {
		t.Fatalf("%q: got %+v of what is not JSON", b, got)
	}
	lower := bytes.ToLower(b)
	foreign := !bytes.Equal(lower, b) || bytes.ContainsRune(b, '\u017f') || bytes.ContainsRune(b, '\u212a') || bytes.Contains(b, []byte(`\u`))
	if foreign {
		return
	}
	var want surface.Rendering
	wantErr := decode(b, &want)
	if err == nil && wantErr != nil {
		t.Fatalf("%q: got %+v, encoding/json says %v", b, got, wantErr)
	}
	if err != nil && wantErr == nil {
		t.Fatalf("%q: got %v, encoding/json takes it", b, err)
	}
	// Of a member that is there twice, encoding/json merges the two.
	if err == nil && !reflect.DeepEqual(got, want) && !twice(b) {
		t.Fatalf("%q:\ngot  %+v\nwant %+v", b, got, want)
	}
}

func twice(b []byte) bool {
	for _, name := range []string{"chunks", "notes", "diagnostics", "text", "plain", "blocks", "native", "kind", "json", "block", "disposition", "reason", "count", "code", "severity", "message"} {
		if strings.Count(string(b), `"`+name+`"`) > 1 {
			return true
		}
	}
	return false
}

func TestDecodeRendering(t *testing.T) {
	for _, s := range renderings {
		agree(t, []byte(s))
	}
	r, err := decodeRendering([]byte(renderings[4]))
	if want := "a\nb\t\"\\/\b\f\ré😀\uFFFDx\uFFFDA"; err != nil || r.Chunks[0].Text != want || r.Chunks[0].Plain != "é😀" {
		t.Errorf("got %+v, %v, want %q", r.Chunks, err, want)
	}
	for _, bad := range []string{`{"chunks":[{"text":"secret`, `{"chunks":"secret"}`, `{"secret":secret}`, strings.Repeat("[", 20_000)} {
		if _, err := decodeRendering([]byte(bad)); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: err = %v", bad, err)
		}
	}
}

func FuzzDecodeRendering(f *testing.F) {
	for _, s := range renderings {
		f.Add([]byte(s))
	}
	f.Fuzz(agree)
}

func BenchmarkDecodeRendering(b *testing.B) {
	text := strings.Repeat("A line of <b>text</b> with \"quotes\" and an é.\n", 90)
	in, err := json.Marshal(surface.Rendering{Chunks: []surface.Chunk{{Text: text, Plain: text, Blocks: nil}}})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := ParseRendering(in); err != nil {
			b.Fatal(err)
		}
	}
}
