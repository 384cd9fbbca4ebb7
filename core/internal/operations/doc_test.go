package operations

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestElsewhere holds the table of what is tried elsewhere to what is there.
func TestElsewhere(t *testing.T) {
	b, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	place := regexp.MustCompile(`((?:core|sdk)[a-z/]*): ((?:Test\w+ ?)+)`)
	found := place.FindAllStringSubmatch(string(b), -1)
	if len(found) < 12 {
		t.Fatalf("the table has %d places", len(found))
	}
	for _, m := range found {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", filepath.FromSlash(m[1]), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(b)
		}
		for _, name := range strings.Fields(m[2]) {
			if !strings.Contains(all.String(), "\nfunc "+name+"(t *testing.T)") {
				t.Errorf("%s has no %s", m[1], name)
			}
		}
	}
}
