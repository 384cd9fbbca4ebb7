package main

import (
	"encoding/json"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

func TestGolden(t *testing.T)      { sdktest.PackGolden(t, pack, "testdata/*.txtar") }
func TestConformance(t *testing.T) { sdktest.PackConformance(t, pack) }

func TestCheck(t *testing.T) {
	r := sdktest.Pack(t, pack)
	for _, c := range []struct {
		url string
		bad bool
	}{
		{"https://git.example/1", false}, {"http://git.example/1", true}, {"javascript:alert(1)", true}, {"https:///1", true}, {"", true}, {"https://%zz", true},
	} {
		payload, err := json.Marshal(map[string]any{"number": 1, "title": "t", "url": c.url})
		if err != nil {
			t.Fatal(err)
		}
		found, err := r.CheckCard(t.Context(), skill.Input{Type: "pullrequest.digest", Payload: payload})
		if err != nil || c.bad != (len(found) == 1 && found[0].Path == "/url") {
			t.Errorf("%q: found %v, %v", c.url, found, err)
		}
	}
}
