package compile

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestGolden compiles the files of testdata. Each is a text archive: a heading
// that says what its cases are about, then pairs of "NAME.md" and "NAME.tree".
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			heading, sections := readArchive(string(data))
			var out strings.Builder
			out.WriteString(heading)
			for i, s := range sections {
				name, ok := strings.CutSuffix(s.name, ".md")
				if !ok {
					continue
				}
				got := dump(compileForTest(t, s.body))
				out.WriteString("-- " + s.name + " --\n" + s.body + "-- " + name + ".tree --\n" + got)
				if *update {
					continue
				}
				if i+1 == len(sections) || sections[i+1].name != name+".tree" {
					t.Errorf("%s has no tree", name)
				} else if want := sections[i+1].body; got != want {
					t.Errorf("%s\nsource:\n%s\ngot:\n%s\nwant:\n%s", name, s.body, got, want)
				}
			}
			if *update {
				if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

type section struct{ name, body string }

// readArchive reads sections, each after a line "-- name --".
func readArchive(s string) (heading string, out []section) {
	for len(s) > 0 {
		line := s
		if i := strings.IndexByte(s, '\n'); i >= 0 {
			line = s[:i+1]
		}
		s = s[len(line):]
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(name, " --") {
			out = append(out, section{name: strings.TrimSuffix(name, " --")})
		} else if len(out) == 0 {
			heading += line
		} else {
			out[len(out)-1].body += line
		}
	}
	return heading, out
}
