package host

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// TestPythonInHost has the host use the example in Python as it uses every pack, when
// its interpreter was granted, and refuse it by a reason when it was not.
func TestPythonInHost(t *testing.T) {
	needPython(t)
	leavesNothing(t)
	folder := pythonFolder(t, "pack.py", pythonExample(t))
	for _, given := range []bool{true, false} {
		h, err := Open(Config{RuntimeDir: shortDir(t)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Sync(Places{Folders: []string{folder}, Grants: func(dir string) (g Grants) {
			if given && filepath.Clean(dir) == folder {
				g.Interpreter = python
			}
			return g
		}})
		if err != nil {
			t.Fatal(err)
		}
		all := h.Packs()
		if len(all) != 1 || all[0].Info.ID != "poll" || all[0].Err != nil {
			t.Fatalf("found %+v", all)
		}
		in := skill.Input{Type: "poll.results", Payload: all[0].Info.Types[0].Example}
		tree, err := h.Lower(t.Context(), all[0].Key, in)
		if given {
			if s, ok := tree.Root.Props.(card.Section); err != nil || !ok || s.Title != "Where do we eat?" {
				t.Errorf("%+v, %v", tree, err)
			}
			if s := h.Status(); len(s) != 1 || s[0].State != StateReady || !strings.HasPrefix(s[0].Sandbox, "landlock-") {
				t.Errorf("%+v", s)
			}
		} else if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Message, "no program to run it was granted") || e.Hint == "" {
			t.Errorf("without a grant: %v", err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}
