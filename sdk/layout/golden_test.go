package layout_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/core/compile"
)

var update = flag.Bool("update", false, "write the goldens anew")

// Each file in testdata holds the file in.md and a file a dialect with the
// chunks it becomes. The comment says what a reader should look for, and may set
// the limit with a line "max=N".
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			limit := 0
			for line := range strings.Lines(string(a.Comment)) {
				fmt.Sscanf(line, "max=%d", &limit)
			}
			out := txtar.Archive{Comment: a.Comment, Files: a.Files[:1:1]}
			d, err := compile.Markdown(string(a.Files[0].Data))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range settings() {
				name := s.dialect.Name()
				if s.profile.Links == "masked" {
					name += "-masked"
				}
				if limit > 0 {
					s.profile.Limit.Max = limit
				}
				r := render(t, d, s)
				check(t, d, s, r)
				var sb strings.Builder
				for i, c := range r.Chunks {
					fmt.Fprintf(&sb, "%s%s\n", border(i, len(r.Chunks)), show(c.Text))
				}
				for _, n := range r.Notes {
					fmt.Fprintf(&sb, "note %s %s(%s) ×%d\n", n.Block, n.Disposition, n.Reason, n.Count)
				}
				out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(sb.String())})
				if name == "html" {
					sb.Reset()
					for i, c := range r.Chunks {
						fmt.Fprintf(&sb, "%s%s\n", border(i, len(r.Chunks)), show(c.Plain))
					}
					out.Files = append(out.Files, txtar.File{Name: name + " plain form", Data: []byte(sb.String())})
				}
			}
			got := txtar.Format(&out)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := txtar.Format(a); string(got) != string(want) {
				t.Errorf("%s differs; run go test ./sdk/layout -update and read the change:\n%s", file, diff(string(want), string(got)))
			}
		})
	}
}

func border(i, n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("··· %d of %d\n", i+1, n)
}

// show makes characters without a width visible.
func show(s string) string {
	return strings.NewReplacer("\u2060", "{WJ}", "\u200b", "{ZWSP}", "\u200a", "{HSP}").Replace(s)
}

// diff lists the lines in which a and b differ, each once.
func diff(a, b string) string {
	al, bl := strings.Split(a, "\n"), strings.Split(b, "\n")
	var sb strings.Builder
	for i := 0; i < max(len(al), len(bl)); i++ {
		var x, y string
		if i < len(al) {
			x = al[i]
		}
		if i < len(bl) {
			y = bl[i]
		}
		if x != y {
			fmt.Fprintf(&sb, "- %s\n+ %s\n", x, y)
		}
	}
	return sb.String()
}
