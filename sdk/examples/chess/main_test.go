package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

func TestGolden(t *testing.T)      { sdktest.PackGolden(t, pack, "testdata/*.txtar") }
func TestConformance(t *testing.T) { sdktest.PackConformance(t, pack) }

func TestCheck(t *testing.T) {
	r := sdktest.Pack(t, pack)
	const board, rest = "4k3/8/8/8/8/8/8/4K3", " w - - 0 1"
	for _, c := range []struct{ fen, want, why string }{
		{board + rest, "", "two kings"},
		{"r3k2r/8/8/8/8/8/8/R3K2R b Kq - 12 40", "", "some may castle"},
		{"", "six fields", "nothing"},
		{board + "  w - - 0 1", "six fields", "two spaces"},
		{board + " x - - 0 1", "w or b", "nobody's move"},
		{board + " w  - 0 1", "KQkq", "a field that is empty"},
		{board + " w - 0 1", "six fields", "a field that is missing"},
		{board + " w qk - 0 1", "KQkq", "the order of castling"},
		{board + " w - e4 0 1", "e3", "no square to be taken on"},
		{board + " w - - -1 1", "half-moves", "less than no half-moves"},
		{board + " w - - 0 0", "from 1", "no move"},
		{"4k3/8/8/8/8/8/4K3" + rest, "eight ranks", "seven ranks"},
		{"4k3/9/8/8/8/8/8/4K3" + rest, "pieces", "nine squares by a number"},
		{"4k3/81/8/8/8/8/8/4K3" + rest, "eight squares", "nine squares"},
		{"4k3/7/8/8/8/8/8/4K3" + rest, "eight squares", "seven squares"},
		{"4k3/x7/8/8/8/8/8/4K3" + rest, "pieces", "a piece that there is not"},
		{"4k3/8/8/8/8/8/8/8" + rest, "one king", "no white king"},
	} {
		payload, err := json.Marshal(map[string]string{"fen": c.fen})
		if err != nil {
			t.Fatal(err)
		}
		found, err := r.CheckCard(t.Context(), skill.Input{Type: "chess.position", Payload: payload})
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.why, err)
		case c.want == "" && len(found) > 0:
			t.Errorf("%s: found %v", c.why, found[0])
		case c.want != "" && (len(found) != 1 || found[0].Path != "/fen" || !strings.Contains(found[0].Want, c.want)):
			t.Errorf("%s: found %v, want %q at /fen", c.why, found, c.want)
		}
	}
}
