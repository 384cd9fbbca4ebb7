package endtoend

import (
	"os"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
)

func TestMain(m *testing.M) {
	code := m.Run()
	binaries.Remove()
	removeHostile()
	os.Exit(code)
}
