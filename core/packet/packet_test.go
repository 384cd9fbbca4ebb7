package packet

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzExact shows that every source survives the way through JSON.
func FuzzExact(f *testing.F) {
	f.Add("plain")
	f.Add("caf\xe9 \xed\xa0\x80 <b>&\u2028")
	f.Fuzz(func(t *testing.T, source string) {
		p := Packet{SchemaVersion: SchemaVersion}
		p.FallbackMarkdown, p.FallbackB64 = Exact(source)
		if !utf8.ValidString(p.FallbackMarkdown) || utf8.ValidString(source) != (p.FallbackB64 == "") {
			t.Fatalf("%q, %q", p.FallbackMarkdown, p.FallbackB64)
		}
		b, err := Append([]byte("before "), &p)
		if err != nil || string(b[:7]) != "before " {
			t.Fatalf("%v, %q", err, b)
		}
		var back Packet
		if err := json.Unmarshal(b[7:], &back); err != nil {
			t.Fatal(err)
		}
		if got, err := back.Source(); err != nil || got != source {
			t.Fatalf("got %q, %v", got, err)
		}
	})
}
