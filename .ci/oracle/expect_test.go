package oracle

import (
	"slices"
	"testing"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// What expect walks has to be what doc.Parts lists: the one is what the oracles
// demand, the other is normative.
func TestWalk(t *testing.T) {
	for _, c := range corpora() {
		if c.name == "readmes" {
			continue // needs packages of others; the rest has every construct
		}
		docs, err := c.docs()
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range docs {
			d, err := compile.Markdown(source.Markdown)
			if err != nil {
				t.Errorf("%s: %v", source.ID, err)
				continue
			}
			var want, got []string
			for _, b := range d.Blocks {
				for p := range doc.Parts(b) {
					want = append(want, p.Text)
				}
			}
			for _, p := range expect(d).pieces {
				got = append(got, p.text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: walked %q, doc.Parts lists %q", source.ID, got, want)
			}
		}
	}
}
