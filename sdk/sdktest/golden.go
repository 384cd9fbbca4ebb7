package sdktest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// inputMember is the member of a golden file that holds the markdown.
const inputMember = "input.md"

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Golden renders every file that matches pattern and compares the result with
// what the file says. Each file is a txtar archive:
//
//	Why this case is here.
//	-- input.md --
//	The markdown that compile turns into a document.
//	-- profile.json --
//	Optional: members that override the surface's first profile.
//	-- output --
//	Every chunk with its size, the blocks in it, its text, and its plain form
//	where that differs; then notes and diagnostics.
//
// With -update the output is written instead. Read it before you commit it.
func Golden(t *testing.T, p surface.Plugin, pattern string, compile func(source string) (*doc.Document, error)) {
	t.Helper()
	files := goldens(t, pattern)
	r := Run(t, p)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.golden(a, compile)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if *update {
				put(a, "output", got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := member(a, "output"); got != want {
				t.Errorf("%s differs (-update writes it)\n%s", file, difference(want, got))
			}
		})
	}
}

// goldens are the files that match pattern, of which there has to be one.
func goldens(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no file matches %s", pattern)
	}
	return files
}

func (r *Runner) golden(a *txtar.Archive, compile func(string) (*doc.Document, error)) (string, error) {
	out, profile, err := r.archive(a, compile)
	if err != nil {
		return "", err
	}
	return Format(out, profile), nil
}

// archive renders the input of a golden file, with its profile.
func (r *Runner) archive(a *txtar.Archive, compile func(string) (*doc.Document, error)) (surface.Rendering, surface.Profile, error) {
	profile := r.info.Profiles[0]
	for _, f := range a.Files {
		switch f.Name {
		case inputMember, "output":
		case "profile.json":
			if err := json.Unmarshal(f.Data, &profile); err != nil {
				return surface.Rendering{}, profile, fmt.Errorf("profile.json: %w", err)
			}
		default:
			return surface.Rendering{}, profile, fmt.Errorf("what is %s? there are input.md, profile.json and output", f.Name)
		}
	}
	d, err := compile(member(a, inputMember))
	if err != nil {
		return surface.Rendering{}, profile, fmt.Errorf("input.md: %w", err)
	}
	out, err := r.Render(context.Background(), surface.RenderRequest{Doc: d, Profile: profile})
	return out, profile, err
}

// Format prints a rendering for people to read and for golden files. Every line
// of text stands behind a border, so that spaces and empty lines show.
func Format(r surface.Rendering, p surface.Profile) string {
	var b strings.Builder
	d, known := dialect.ByName(p.Dialect)
	if !known {
		d = dialect.PlainText
	}
	for i, c := range r.Chunks {
		ids := make([]string, len(c.Blocks))
		for j, id := range c.Blocks {
			ids[j] = string(id)
		}
		fmt.Fprintf(&b, "┌ chunk %d of %d: %s, %d bytes; blocks %s\n", i+1, len(r.Chunks), units(d.Measure([]byte(c.Text)), p.Limit), len(c.Text), strings.Join(ids, " "))
		bordered(&b, c.Text)
		if c.Native != nil {
			fmt.Fprintf(&b, "├ native %s\n", c.Native.Kind)
			bordered(&b, string(c.Native.JSON))
		}
		if c.Plain != c.Text {
			b.WriteString("├ plain\n")
			bordered(&b, c.Plain)
		}
		b.WriteString("└\n")
	}
	if len(r.Chunks) == 0 {
		b.WriteString("no chunk\n")
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: block %s %s(%s)", n.Block, n.Disposition, n.Reason)
		if n.Count > 1 {
			fmt.Fprintf(&b, " ×%d", n.Count)
		}
		b.WriteByte('\n')
	}
	for _, g := range r.Diagnostics {
		fmt.Fprintf(&b, "diagnostic: %s %s %s %s\n", g.Code, g.Severity, g.Block, g.Message)
	}
	return b.String()
}

// units says how much of the limit a chunk takes.
func units(s dialect.Size, l surface.Limit) string {
	n, unit, of := used(s, l)
	if l.Max == 0 {
		return fmt.Sprintf("%d %s %s", n, unit, of)
	}
	return fmt.Sprintf("%d of %d %s %s", n, l.Max, unit, of)
}

// used counts s in the unit of l.
func used(s dialect.Size, l surface.Limit) (n int, unit surface.Unit, of surface.Measured) {
	unit, of = l.Unit, l.Of
	if unit == "" {
		unit = surface.Codepoint
	}
	if of == "" {
		of = surface.Sent
	}
	c := s.Sent
	if of == surface.Visible {
		c = s.Visible
	}
	switch unit {
	case surface.UTF16:
		return c.UTF16, unit, of
	case surface.Byte:
		return c.Bytes, unit, of
	}
	return c.Codepoints, unit, of
}

func bordered(b *strings.Builder, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			b.WriteString("│\n")
			continue
		}
		b.WriteString("│ " + line + "\n")
	}
}

func member(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func put(a *txtar.Archive, name, data string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(data)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(data)})
}

// difference shows the first lines that differ, with what stands before them.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	n := 0
	for n < len(w) && n < len(g) && w[n] == g[n] {
		n++
	}
	const around = 3
	var b strings.Builder
	for _, l := range w[max(0, n-around):n] {
		b.WriteString("  " + l + "\n")
	}
	for _, l := range w[n:min(len(w), n+around)] {
		b.WriteString("- " + l + "\n")
	}
	for _, l := range g[n:min(len(g), n+around)] {
		b.WriteString("+ " + l + "\n")
	}
	return b.String()
}
