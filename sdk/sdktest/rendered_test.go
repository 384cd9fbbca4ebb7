package sdktest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// eachLine is a compiler for tests: every line is a paragraph.
func eachLine(source string) (*doc.Document, error) {
	d := document()
	for i, l := range strings.Split(strings.TrimSpace(source), "\n") {
		d.Blocks = append(d.Blocks, para(doc.ID(string(rune('1'+i))), text(l)))
	}
	return d, nil
}

// TestRendered sends a file, whose profile takes 64 characters, and a line beside it.
func TestRendered(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txtar")
	golden := "-- input.md --\n" + strings.Repeat("x", 70) + "\n-- profile.json --\n{\"limit\":{\"max\":64}}\n-- output --\n"
	if err := os.WriteFile(file, []byte(golden), 0o600); err != nil {
		t.Fatal(err)
	}
	script := NewTransportScript()
	to := surface.SendRequest{Target: surface.Target{Surface: "chat", Address: "a"}}
	said := about(t, func(t testing.TB) {
		s := Send(t, script.Plugin("chat", 0), surface.Account{Settings: json.RawMessage(`{}`)})
		script.On(to.Target, AnyPart, Step{}, Step{Err: &surface.DeliveryError{Class: surface.Payload, Code: "live"}})
		s.Rendered(t, script.Plugin("chat", 0), file, eachLine, to, "beside it")
	})
	if want := `plain "` + strings.Repeat("x", 64) + `": payload (live)`; !strings.Contains(said, want) || strings.Contains(said, "\n") {
		t.Errorf("of a refusal it is said %q, want %q alone", said, want)
	}
	var got, keys []string
	for _, r := range script.Sent() {
		got = append(got, string(r.Form)+" "+r.Chunk.Text)
		keys = append(keys, r.Key)
	}
	want := []string{
		"text " + strings.Repeat("x", 64), "plain " + strings.Repeat("x", 64), "text xxxxxx", "plain xxxxxx", "text beside it", "plain beside it",
	}
	if slices.Sort(keys); !slices.Equal(got, want) || len(slices.Compact(keys)) != len(want) {
		t.Errorf("sent is %q under the keys %q, want %q", got, keys, want)
	}

	empty := func(string) (*doc.Document, error) { return document(), nil }
	for why, f := range map[string]func(testing.TB, *Sender){
		"no file matches": func(t testing.TB, s *Sender) { s.Rendered(t, script.Plugin("chat", 0), file+"x", eachLine, to, "a") },
		"nothing sent":    func(t testing.TB, s *Sender) { s.Rendered(t, script.Plugin("chat", 0), file, empty, to) },
	} {
		said := about(t, func(t testing.TB) {
			f(t, Send(t, script.Plugin("chat", 0), surface.Account{Settings: json.RawMessage(`{}`)}))
		})
		if !strings.Contains(said, why) {
			t.Errorf("it says %q, want %q", said, why)
		}
	}
}
