package compile

import (
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// Clean returns text as Markdown has it stand in blocks, without parsing it; the
// rules are those of [doc.Clean]. It is for words that go into a document beside
// what is compiled.
func Clean(text string) string {
	text, _ = doc.Clean(text)
	return text
}

// cleanWord is Clean for what escapes and entities made: it may not bring in what
// cleaning has taken out, nor any line end.
func cleanWord(s string) string {
	s = Clean(s)
	if strings.ContainsAny(s, "\n\t") {
		s = strings.NewReplacer("\n", " ", "\t", " ").Replace(s)
	}
	return s
}
