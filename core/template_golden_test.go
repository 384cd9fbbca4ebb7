package core

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	_ "github.com/seed-1ae66336/vak/sdk/sdktest"
)

// updating reports whether -update was given, which package sdktest defines for all
// goldens.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// TestTemplateGoldens has one answer in one template on every surface. A file holds
// the format, the metadata (lines of key = value), the answer, and what every
// surface shows. With -update the last is written; read it then.
func TestTemplateGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/template/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	c := open(t, Config{})
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			in := map[string]string{}
			for _, f := range a.Files {
				in[f.Name] = string(f.Data)
			}
			d := Draft{Markdown: in["answer.md"], Metadata: map[string]string{}}
			for line := range strings.Lines(in["metadata"]) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
				d.Metadata[key] = value
			}
			answer, err := c.Prepare(d)
			if err != nil {
				t.Fatal(err)
			}
			if answer, err = answer.WithTemplate("golden", 1, in["format"]); err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, to := range targets("telegram", "slack", "discord", "webhook", "log") {
				p, err := answer.Render(t.Context(), to)
				if err != nil {
					t.Fatal(err)
				}
				if p.Template == nil || p.Renderer.ID != to.Surface || len(p.Diagnostics) > 0 {
					t.Errorf("%s: by %s, in %v, %v", to, p.Renderer.ID, p.Template, p.Diagnostics)
				}
				fmt.Fprintf(&got, "== %s\n", p.Surface)
				for _, ch := range p.Chunks {
					fmt.Fprintf(&got, "%v\n%s\n", ch.Blocks, ch.Text)
				}
			}
			if got.String() == in["shows"] {
				return
			}
			if !updating() {
				t.Fatalf("shows\n%s\nwant\n%s", got.String(), in["shows"])
			}
			for i := range a.Files {
				if a.Files[i].Name == "shows" {
					a.Files[i].Data = []byte(got.String())
				}
			}
			if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}
