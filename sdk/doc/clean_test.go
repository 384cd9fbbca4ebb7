package doc_test

import (
	"testing"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

func TestClean(t *testing.T) {
	for _, c := range []struct {
		in, want string
		did      doc.Cleaned
		why      string
	}{
		{"plain – ö 👍🏽\tx\ny", "plain – ö 👍🏽\tx\ny", 0, "nothing to do"},
		{"a\r\nb\rc", "a\nb\nc", 0, "line ends"},
		{"a\x00b\xffc", "a\uFFFDb\uFFFDc", doc.CleanedControls | doc.CleanedEncoding, "NUL and bytes that are no UTF-8"},
		{"a\x1b[31mred\x1b[0m", "ared", doc.CleanedControls, "colours of a terminal"},
		{"a\u202eb\u2066c", "abc", doc.CleanedBidi, "direction"},
		{"a\u2028b\fc", "a b c", 0, "what separates words still does"},
	} {
		if got, did := doc.Clean(c.in); got != c.want || did != c.did {
			t.Errorf("%s: %q, %b; want %q, %b", c.why, got, did, c.want, c.did)
		}
	}
}
