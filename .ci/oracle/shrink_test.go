package oracle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A smaller document that still fails, with what is wrong with it.
type smaller struct {
	Document
	verdict Verdict
}

// shrink looks for a paragraph, or else a line, of each failing document that
// fails by itself: documents of a corpus are long, and the person who mends the
// fault wants one line. All pieces of all documents are rendered in one run.
func shrink(t *testing.T, docs []Document, failing []int, parser Parser, know doc.Support, on string) map[int]smaller {
	found := map[int]smaller{}
	for _, split := range []func(string) []string{paragraphs, lines} {
		var pieces []Document
		owner := map[string]int{}
		for _, i := range failing {
			source := docs[i].Markdown
			if f, ok := found[i]; ok {
				source = f.Markdown
			}
			if len(source) < 40 || len(source) > 200_000 {
				continue
			}
			for k, piece := range split(source) {
				if k == 400 {
					break
				}
				id := fmt.Sprintf("%d/%d", i, k)
				owner[id] = i
				pieces = append(pieces, Document{id, piece})
			}
		}
		if len(pieces) == 0 {
			continue
		}
		packets, _, err := Preview(t.Context(), pieces)
		if err != nil {
			t.Log(err)
			return found
		}
		for k, v := range judgeAll(pieces, packets, on, parser, know) {
			i := owner[v.ID]
			if v.OK() {
				continue
			}
			if f, ok := found[i]; ok && len(f.Markdown) <= len(pieces[k].Markdown) {
				continue
			}
			found[i] = smaller{pieces[k], v}
		}
	}
	return found
}

// paragraphs cuts markdown at blank lines outside of fences.
func paragraphs(s string) []string {
	var out []string
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(s) {
		text := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(text, fence) {
				fence = ""
			}
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			fence = text[:3]
		case text == "":
			if b.Len() > 0 {
				out = append(out, b.String())
				b.Reset()
			}
			continue
		}
		b.WriteString(line)
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

func lines(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") }
