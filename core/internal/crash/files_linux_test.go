package crash

import (
	"path/filepath"
	"testing"
)

// segment is the only segment of a home's journal.
func segment(t *testing.T, home string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(home, "journal", "*.jsonl"))
	if err != nil || len(all) != 1 {
		t.Fatalf("the journal has %v, %v", all, err)
	}
	return all[0]
}
