package control

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReasons holds the table to the reasons that the outbox has, and the runbook
// to the table.
func TestReasons(t *testing.T) {
	files, err := filepath.Glob("../outbox/*.go")
	if err != nil || files == nil {
		t.Fatal("no outbox: ", err)
	}
	var has []string
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\s+\w+\s+Reason = "(\w+)"`).FindAllStringSubmatch(string(b), -1) {
			has = append(has, m[1])
		}
	}
	if len(has) < 10 {
		t.Fatalf("the outbox has the reasons %v", has)
	}
	for _, r := range has {
		if !knownReason(r) {
			t.Errorf("nothing says what reason %q means", r)
		}
	}
	runbook, err := os.ReadFile("../../../docs/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Reasons {
		if !slices.Contains(has, r.Reason) {
			t.Errorf("the outbox knows no reason %q", r.Reason)
		}
		if row := fmt.Sprintf("| `%s` | %s | %s | %s |\n", r.Reason, r.Of, r.Means, r.Mend); !strings.Contains(string(runbook), row) {
			t.Errorf("docs/operators.md has no line\n%s", row)
		}
	}
	for _, a := range Actions {
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", a.Action, a.Does, strings.Join(words(a.States), ", ")); !strings.Contains(string(runbook), row) {
			t.Errorf("docs/operators.md has no line\n%s", row)
		}
	}
}
