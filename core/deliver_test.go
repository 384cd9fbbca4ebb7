package core_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// open opens a core over a home of the test's own.
func open(t *testing.T, home string) *core.Core {
	t.Helper()
	c, err := core.Open(t.Context(), core.Config{Home: home, NoControl: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// logged waits for what the log surface has written.
func logged(t *testing.T, home, name, want string) {
	t.Helper()
	path := filepath.Join(home, "log", name+".log")
	var got []byte
	for range 500 {
		if got, _ = os.ReadFile(path); string(got) == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s.log holds %q, want %q", name, got, want)
}

func TestComplete(t *testing.T) {
	home := t.TempDir()
	c := open(t, home)
	s, err := c.Session(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	turn, err := s.Begin(t.Context(), core.TurnOptions{Key: "k1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := turn.Append(t.Context(), &ledger.Message{Role: ledger.User, Markdown: "hello?"}); err != nil {
		t.Fatal(err)
	}
	done, err := turn.Complete(t.Context(), core.Draft{Markdown: "# Hi\n\nthere"}, core.Delivery{Target: "log:a"}, core.Delivery{Target: "log:b"})
	if err != nil || len(done.Jobs) != 2 || done.Entry.String() != "demo/3" || done.Jobs[0] != "demo/1:1:log:a" {
		t.Fatalf("%+v, %v", done, err)
	}
	logged(t, home, "a", "Hi\n==\n\nthere\n")
	logged(t, home, "b", "Hi\n==\n\nthere\n")

	again, err := s.Begin(t.Context(), core.TurnOptions{Key: "k1"})
	if err != nil || again.ID() != turn.ID() {
		t.Fatalf("the same key gives turn %v, %v", again.ID(), err)
	}
	if d, err := again.Complete(t.Context(), core.Draft{Markdown: "# Hi\n\nthere"}, core.Delivery{Target: "log:a"}, core.Delivery{Target: "log:b"}); err != nil || !d.Repeated || d.Entry != done.Entry {
		t.Errorf("the same answer again: %+v, %v", d, err)
	}
	if _, err := again.Complete(t.Context(), core.Draft{Markdown: "# Hi\n\nthere\n"}, core.Delivery{Target: "log:a"}); !errors.Is(err, core.ErrTurn) {
		t.Errorf("another answer: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = open(t, home)
	s, _ = c.Session(t.Context(), "demo")
	if again, err := s.Begin(t.Context(), core.TurnOptions{Key: "k1"}); err != nil || again.ID() != turn.ID() {
		t.Fatalf("after a restart the key gives turn %v, %v", again.ID(), err)
	}
	var lines []string
	for b, err := range s.Lines(context.Background(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), `"kind":"presentation"`) { // that of a job comes when it is rendered
			lines = append(lines, string(b))
		}
	}
	if len(lines) != 4 || !strings.Contains(lines[3], `"phase":"end"`) {
		t.Errorf("the ledger holds %q", lines)
	}
	logged(t, home, "a", "Hi\n==\n\nthere\n")
}
