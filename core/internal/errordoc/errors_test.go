package errordoc

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/errors.md anew")

// TestErrors compares docs/errors.md with the code.
func TestErrors(t *testing.T) {
	got, used, err := page(&tree{})
	if err != nil {
		t.Fatal(err)
	}
	for key := range mends {
		if !used[key] {
			t.Errorf("there is no %q any more; take what to do about it out of mend_test.go", key)
		}
	}
	path := filepath.Join(root, "docs", "errors.md")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Error("docs/errors.md is not what the code says; run \"make gen\" and commit what it changes")
	}
}

// TestKinds finds kinds of error that the page has no area for.
func TestKinds(t *testing.T) {
	have, err := (&tree{}).kinds()
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(within)
	for _, a := range areas {
		if a.typ == "Class" { // no error by itself
			continue
		}
		want = append(want, a.dir+"."+a.typ)
		if a.also != "" {
			want = append(want, a.also+"."+a.typ)
		}
	}
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("kinds of error:\n%s\nthe page is made of:\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// TestCommands looks for the commands that the page names.
func TestCommands(t *testing.T) {
	page, _, err := page(&tree{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "core/internal/cli/*.go"))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, f := range append(files, filepath.Join(root, "core/internal/control/outbox.go")) {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:Use: +|\bAction = )"([a-z]+)`).FindAllSubmatch(b, -1) {
			have[string(m[1])] = true
		}
	}
	named := regexp.MustCompile("`vak ([a-z]+)(?: ([a-z]+))?").FindAllStringSubmatch(page, -1)
	if len(named) < 10 {
		t.Fatalf("the page names the commands %v", named)
	}
	for _, m := range named {
		for _, word := range m[1:] {
			if word != "" && !have[word] {
				t.Errorf("%s`: there is no command %s", m[0], word)
			}
		}
	}
}
