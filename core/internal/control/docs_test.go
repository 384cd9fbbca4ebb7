package control

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestRunbook holds the runbook's table of states to the one that the command
// line reads.
func TestRunbook(t *testing.T) {
	b, err := os.ReadFile("../../../docs/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range States {
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", s.State, s.Means, s.Mend); !strings.Contains(string(b), row) {
			t.Errorf("docs/operators.md has no line\n%s", row)
		}
	}
}
