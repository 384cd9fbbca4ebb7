package main

import (
	"encoding/json"
	"os"
	"testing"
)

// TestEveryRowHasACase holds the table to testdata/refusals.json, whose answers are
// played through whole deliveries in core/internal/endtoend: a row that none of
// them leads to is tried by nobody.
func TestEveryRowHasACase(t *testing.T) {
	b, err := os.ReadFile("testdata/refusals.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Status  int    `json:"status"`
		Code    int    `json:"code"`
		Outcome string `json:"outcome"`
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	tried := map[meaning]bool{}
	for _, c := range cases {
		tried[find(c.Status, c.Code)] = true
	}
	for _, m := range meanings() {
		if !tried[m] {
			t.Errorf("no case of refusals.json leads to %+v", m)
		}
	}
}
