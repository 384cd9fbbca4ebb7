package acceptance

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// FuzzPipeline takes any text to any surface with any limit: what comes out
// keeps all rules, the same text gives the same messages, and the document
// survives the codec. The seeds are the cases.
func FuzzPipeline(f *testing.F) {
	for _, file := range []string{"reported.jsonl", "further.jsonl"} {
		for i, e := range load(f, file) {
			if len(e.Repeat) == 0 {
				f.Add(e.Input, uint8(i), uint16(0))
				f.Add(e.Input, uint8(i+1), uint16(64+i))
			}
		}
	}
	f.Fuzz(func(t *testing.T, md string, on uint8, most uint16) {
		if len(md) > 1<<16 {
			return
		}
		p := narrow(surfaces[int(on)%len(surfaces)], 0)
		if most > 0 {
			p.Limit.Max = 64 + int(most)%4096
		}
		d, err := compile.Markdown(md)
		if err != nil {
			t.Fatal(err)
		}
		s := layOut(t, d, p)
		s.source = md
		rules(t, s)
		if again := layOut(t, d, p); !reflect.DeepEqual(again.chunks, s.chunks) {
			t.Error("two renderings of one document differ")
		}
		b := doc.Append(nil, d, doc.WithSource)
		back, err := doc.Parse(b, doc.Limits{})
		if err != nil {
			t.Fatalf("the document does not survive the codec: %v", err)
		}
		if !bytes.Equal(doc.Append(nil, back, doc.WithSource), b) || back.Source != md {
			t.Error("the document changes on its way through the codec")
		}
	})
}
