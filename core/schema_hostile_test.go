package core

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestCostlySchemas has surfaces give schemas that nothing can be held to in time:
// they are as good as none.
func TestCostlySchemas(t *testing.T) {
	twice := `{"properties":{"x":{"$ref":"#"}}}`
	var s Surface
	s.ID = "acme"
	for _, text := range []string{
		`{"not":` + strings.Repeat(`{"not":`, 5_000) + "{}" + strings.Repeat("}", 5_000) + "}",
		`{"type":"object","anyOf":[` + twice + "," + twice + "]}",
		`{"$ref":"#/$defs/a","$defs":{"a":{"$dynamicAnchor":"n","type":"string","not":{"$dynamicRef":"#n"}}}}`,
	} {
		var a schemas
		s.info.Address, s.info.Account = []byte(text), []byte(text)
		began := time.Now()
		if err := a.address(s, surface.Target{Surface: "acme", Address: "7"}); err != nil && !strings.Contains(text, "anyOf") {
			t.Errorf("%.60s: address: %v", text, err)
		}
		if found := a.account(s, []byte(strings.Repeat(`{"x":`, 32)+"{}"+strings.Repeat("}", 32))); len(found) > 0 {
			t.Errorf("%.60s: account: %v", text, found)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%.60s: it took %v", text, took)
		}
	}
}
