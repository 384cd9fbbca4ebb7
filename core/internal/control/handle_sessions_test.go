package control

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/ledger"
)

// chained is a ledger of n records.
func chained(t *testing.T, session string, n int, text string) [][]byte {
	t.Helper()
	chain := ledger.Chain{Session: session}
	var out [][]byte
	for range n {
		line, err := chain.Append(nil, &ledger.Record{Time: time.Unix(1, 0), Body: &ledger.Message{Role: ledger.User, Markdown: text}})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	return out
}

func TestRecords(t *testing.T) {
	f := &fake{}
	broken := chained(t, "broken", 3, "hello")
	broken[1] = []byte(strings.Replace(string(broken[1]), "hello", "jello", 1))
	f.sessions = map[string][][]byte{
		"demo": chained(t, "demo", 3, "hello"), "long": chained(t, "long", 30, strings.Repeat("x", 1<<20)), "broken": broken,
	}
	c := Local(Handler(f, hclog.NewNullLogger()))
	for id, lines := range f.sessions {
		var got [][]byte
		for l, err := range c.Records(t.Context(), id, 1) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, l)
		}
		if !slices.EqualFunc(got, lines, func(a, b []byte) bool { return string(a) == string(b) }) {
			t.Errorf("%s: %d lines", id, len(got))
		}
	}
	var page []byte
	if err := c.get(t.Context(), "/v1/sessions/long/records?limit=10000", &page); err != nil || len(page) > recordsPage || len(page) < recordsPage/2 {
		t.Errorf("a page of %d bytes, %v", len(page), err)
	}
	n := 0
	for range c.Records(t.Context(), "demo", 3) {
		n++
	}
	if n != 1 {
		t.Errorf("%d lines from the third on", n)
	}
	for _, err := range c.Records(t.Context(), "demo", 4) {
		t.Errorf("behind the last: %v", err)
	}
	v, err := c.Verify(t.Context(), "")
	if err != nil || len(v) != 3 || v[0].OK || v[0].Records != 2 || v[0].What == "" || strings.Contains(v[0].What, "ello") || !v[1].OK || v[1].Records != 3 || v[1].Head == "" {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := c.Verify(t.Context(), "demo"); err != nil || len(v) != 1 || !v[0].OK {
		t.Errorf("%+v, %v", v, err)
	}
}
