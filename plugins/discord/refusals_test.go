package main

import (
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
)

// TestEveryRowHasACase holds the table to testdata/refusals.json, whose answers are
// played through whole deliveries in core/internal/endtoend.
func TestEveryRowHasACase(t *testing.T) {
	sdktest.EveryRow(t, "testdata/refusals.json", meanings(), func(c struct {
		Status, Code int
	}) meaning {
		return find(c.Status, c.Code)
	})
}
