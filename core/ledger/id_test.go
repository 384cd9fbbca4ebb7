package ledger_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/ledger"
)

func TestCheckSession(t *testing.T) {
	for _, c := range []struct {
		id  string
		ok  bool
		why string
	}{
		{"a", true, "one letter"},
		{"A-z_0.9", true, "all that may stand there"},
		{"9", true, "a number"},
		{"_x", true, "an underscore first"},
		{strings.Repeat("s", 64), true, "as long as it may be"},
		{strings.Repeat("s", 65), false, "one too long"},
		{"", false, "nothing"},
		{".", false, "a folder"},
		{"..", false, "the folder above"},
		{".hidden", false, "a hidden file"},
		{"-rf", false, "an option of a command"},
		{"a/b", false, "a path"},
		{"a\\b", false, "a path elsewhere"},
		{"a b", false, "a space"},
		{"a\n", false, "a newline"},
		{"é", false, "not ASCII"},
		{"a\x00", false, "a NUL"},
		{"a:b", false, "a stream elsewhere"},
	} {
		if err := ledger.CheckSession(c.id); (err == nil) != c.ok || err != nil && !errors.Is(err, ledger.ErrID) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

func TestEntryID(t *testing.T) {
	for _, c := range []struct {
		text string
		want ledger.EntryID
		why  string
	}{
		{"demo/1", ledger.EntryID{Session: "demo", Seq: 1}, "the first"},
		{"a.b-c_d/18446744073709551615", ledger.EntryID{Session: "a.b-c_d", Seq: 1<<64 - 1}, "the last"},
		{"", ledger.EntryID{}, "nothing"},
		{"demo", ledger.EntryID{}, "no number"},
		{"demo/", ledger.EntryID{}, "an empty number"},
		{"/1", ledger.EntryID{}, "no session"},
		{"demo/0", ledger.EntryID{}, "zero"},
		{"demo/01", ledger.EntryID{}, "a second text for the same"},
		{"demo/+1", ledger.EntryID{}, "another"},
		{"demo/1_0", ledger.EntryID{}, "another"},
		{"demo/1/2", ledger.EntryID{}, "a path"},
		{"demo/18446744073709551616", ledger.EntryID{}, "too large"},
		{"../demo/1", ledger.EntryID{}, "a folder"},
		{" demo/1", ledger.EntryID{}, "a space"},
	} {
		ok := !c.want.IsZero()
		got, err := ledger.ParseEntryID(c.text)
		if (err == nil) != ok || got != c.want || err != nil && !errors.Is(err, ledger.ErrID) {
			t.Errorf("%s: got %v, %v", c.why, got, err)
		}
		turn, err := ledger.ParseTurnID(c.text)
		if (err == nil) != ok || turn != ledger.TurnID(c.want) {
			t.Errorf("%s: got turn %v, %v", c.why, turn, err)
		}
		if ok && (got.String() != c.text || turn.String() != c.text) {
			t.Errorf("%s: got %q and %q", c.why, got, turn)
		}
	}
}

// TestIDsAsText shows that ids are strings in the JSON of others, the empty one
// where there is none.
func TestIDsAsText(t *testing.T) {
	type ids struct {
		Entry ledger.EntryID
		Turn  ledger.TurnID
		Hash  ledger.Hash
	}
	entry := ledger.EntryID{Session: "s", Seq: 7}
	for _, c := range []struct {
		in   ids
		want string
	}{
		{ids{}, `{"Entry":"","Turn":"","Hash":""}`},
		{ids{entry, ledger.TurnID(entry), ledger.HashOf([]byte("x"))}, `{"Entry":"s/7","Turn":"s/7","Hash":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}`},
	} {
		got, err := json.Marshal(c.in)
		if err != nil || string(got) != c.want {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
		back := ids{entry, ledger.TurnID(entry), ledger.HashOf(nil)}
		if err := json.Unmarshal(got, &back); err != nil || back != c.in {
			t.Errorf("%s gives %+v, %v", got, back, err)
		}
	}
	for _, bad := range []string{`{"Entry":"s"}`, `{"Turn":"s/0"}`, `{"Hash":"2D"}`} {
		var back ids
		if err := json.Unmarshal([]byte(bad), &back); !errors.Is(err, ledger.ErrID) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestParseHash(t *testing.T) {
	h := ledger.HashOf(nil)
	if got, err := ledger.ParseHash(h.String()); err != nil || got != h {
		t.Errorf("got %v, %v", got, err)
	}
	for why, s := range map[string]string{
		"nothing":    "",
		"upper case": strings.ToUpper(h.String()),
		"short":      h.String()[2:],
		"long":       h.String() + "00",
		"no digit":   strings.Replace(h.String(), "e", "g", 1),
		"zeros":      strings.Repeat("0", 64),
	} {
		if got, err := ledger.ParseHash(s); !errors.Is(err, ledger.ErrID) || !got.IsZero() {
			t.Errorf("%s: got %v, %v", why, got, err)
		}
	}
}
