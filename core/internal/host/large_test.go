package host

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// TestLargeMessages goes up to the cap of 16 MiB, and beyond it, both ways.
func TestLargeMessages(t *testing.T) {
	h := open(t, Config{}, "good")
	say(t, h, "good", "x")
	for _, c := range []struct {
		mib    int
		kind   Kind
		source Source
		why    string
	}{
		{7, "", "", "text and plain form together fit the answer"},
		{12, TooLarge, FromPlugin, "the request fits, and its answer does not"},
		{17, TooLarge, FromHost, "the request does not"},
	} {
		r := request("good", "echo")
		r.Doc.Blocks = append(r.Doc.Blocks, &doc.Paragraph{ID: "2", Inlines: []doc.Inline{&doc.Text{Text: strings.Repeat("abcdefgh", c.mib<<17)}}})
		out, _, err := h.Render(t.Context(), h.named("good"), r)
		if c.kind == "" {
			if err != nil || len(out.Chunks) != 2 || len(out.Chunks[1].Text) != c.mib<<20 {
				t.Errorf("%d MiB: %v (%s)", c.mib, err, c.why)
			}
			continue
		}
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Kind != c.kind || e.Source != c.source {
			t.Errorf("%d MiB: err = %v, want %s from %s (%s)", c.mib, err, c.kind, c.source, c.why)
		}
	}
	if s := h.Status()[0]; s.Failures != 0 || s.Restarts != 0 {
		t.Errorf("status %+v: nobody failed", s)
	}
}

// TestNotABinary has a manifest name a file that is none for this machine.
func TestNotABinary(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what Windows says of it is its own")
	}
	dir := t.TempDir()
	folder := install(t, dir, built.fixture, "good")
	path, manifest := filepath.Join(folder, "good"), filepath.Join(folder, "plugin.json")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	junk := []byte("\x7fELF of another world")
	old := Surface{}
	for _, s := range open(t, Config{Places: Places{Dirs: []string{dir}}}).Surfaces() {
		old = s
	}
	sum := sha256.Sum256(junk)
	os.Remove(path) // a link to what other tests run
	if err := os.WriteFile(path, junk, 0o755); err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), old.SHA256, hex.EncodeToString(sum[:]), 1))
	if err := os.WriteFile(manifest, text, 0o644); err != nil {
		t.Fatal(err)
	}
	h := open(t, Config{Places: Places{Dirs: []string{dir}}})
	_, err = try(h, "good", "x")
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != StartFailed || e.Source != FromPlugin || !strings.Contains(e.Hint, "another platform") {
		t.Errorf("err = %#v", err)
	}
}
