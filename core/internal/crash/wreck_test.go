package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core"
)

// A wreck is a home with waiting jobs, to be damaged.
type wreck struct {
	home  string
	jobs  []order
	log   words
	files map[string][]byte // of the home, as they were
}

// newWreck makes a home with n waiting jobs, each for a target of its own.
func newWreck(t *testing.T, n int) *wreck {
	t.Helper()
	w := &wreck{home: filepath.Join(t.TempDir(), "home")}
	c := w.open(t, "")
	for i := range n {
		id := fmt.Sprintf("r0-%d", i)
		o := order{ID: id, Target: "chat:" + id, Text: text(id, 2)}
		if err := w.submit(c, o); err != nil {
			t.Fatal(err)
		}
		w.jobs = append(w.jobs, o)
	}
	c.Close()
	w.keep(t)
	return w
}

// submit has a job accepted as the answer of a session of its own.
func (w *wreck) submit(c *core.Core, o order) error {
	s, err := c.Session(context.Background(), o.ID)
	if err != nil {
		return err
	}
	turn, err := s.Begin(context.Background(), core.TurnOptions{})
	if err != nil {
		return err
	}
	_, err = turn.Complete(context.Background(), core.Draft{Markdown: o.Text}, core.Delivery{Target: o.Target, ID: o.ID})
	return err
}

// open opens the home; without an address nothing is delivered.
func (w *wreck) open(t *testing.T, url string) *core.Core {
	t.Helper()
	w.log.reset()
	log := hclog.New(&hclog.LoggerOptions{Output: &w.log, Level: hclog.Warn})
	c, err := core.Open(t.Context(), core.Config{Home: w.home, NoControl: true, NoDelivery: url == "", InProcess: plugins(url), Log: log})
	if err != nil {
		t.Fatalf("it does not open: %v", err)
	}
	return c
}

// keep remembers the journal and the sessions as they are.
func (w *wreck) keep(t *testing.T) {
	t.Helper()
	w.files = map[string][]byte{}
	for _, dir := range []string{"journal", "sessions"} {
		all, err := filepath.Glob(filepath.Join(w.home, dir, "*.*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			w.files[name] = b
		}
	}
}

// restore puts back what keep remembers, with one file changed.
func (w *wreck) restore(t *testing.T, changed string, content []byte) {
	t.Helper()
	os.RemoveAll(filepath.Join(w.home, "journal", "torn"))
	for name, b := range w.files {
		if name == changed {
			b = content
		}
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// segment is the n-th segment of the journal, from 0, as it was.
func (w *wreck) segment(n int) (name string, content []byte) {
	var names []string
	for name := range w.files {
		if filepath.Base(filepath.Dir(name)) == "journal" && strings.HasSuffix(name, ".jsonl") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names[n], w.files[names[n]]
}

// states are those of the jobs, by id; one that cannot be read has the error.
func (w *wreck) states(t *testing.T, c *core.Core) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, o := range w.jobs {
		j, err := c.Job(t.Context(), o.ID)
		switch {
		case errors.Is(err, core.ErrNotFound):
			out[o.ID] = "gone"
		case errors.Is(err, core.ErrStore):
			out[o.ID] = "unreadable"
		case err != nil:
			t.Fatal(err)
		default:
			out[o.ID] = string(j.State)
		}
	}
	return out
}

// words are those of a log that is written to while it is read.
type words struct {
	mu sync.Mutex
	b  strings.Builder
}

func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

func (w *words) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b.Reset()
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// told is how often the log says something.
func (w *wreck) told(what string) int { return strings.Count(w.log.String(), what) }
