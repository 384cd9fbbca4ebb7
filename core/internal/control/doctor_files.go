package control

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// files appends what can be seen of what is kept in a home without opening it, as
// opening it would set aside what an interrupted write left.
func (r *Report) files(home string) {
	if home == "" {
		return
	}
	dir := filepath.Join(home, "journal")
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return
	}
	if err != nil {
		r.Add("journal", Fail, fmt.Sprintf("cannot look at %s: %v", dir, err), "check its permissions")
		return
	}
	var bytes, reserve int64
	n := 0
	for _, e := range entries {
		st, err := e.Info()
		switch {
		case err != nil || !st.Mode().IsRegular():
		case e.Name() == "reserve":
			reserve = st.Size()
		case strings.HasSuffix(e.Name(), ".jsonl"):
			bytes += st.Size()
			n++
		}
	}
	r.Add("journal", Fine, fmt.Sprintf("%s in %s, not opened; where no process holds the home, \"vak doctor --full\" does that", Size(bytes), count(n, "file")), "")
	if torn, err := os.ReadDir(filepath.Join(dir, "torn")); err == nil && len(torn) > 0 {
		r.torn(count(len(torn), "file") + " in " + filepath.Join(dir, "torn"))
	}
	if free, known := fsys.OS.Free(dir); known {
		r.disk(&Kept{Free: free, Reserve: reserve})
	}
}

// torn is about what was set aside.
func (r *Report) torn(where string) {
	r.Add("torn", Warn, "what an interrupted write left was set aside: "+where, "nothing that was accepted is in it; remove it when you like")
}
