package cli

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/control"
)

// TestTransportsAreListed is a plugin that runs three processes.
func TestTransportsAreListed(t *testing.T) {
	plugins := []control.Plugin{
		{ID: "log", Version: "1.0.0", Kind: "surface", Role: "render", State: control.Builtin},
		{ID: "pager", Version: "1.0.0", Kind: "surface", Role: "render", State: control.Ready, PID: 7, Path: "/p/pager"},
		{ID: "pager", Version: "1.0.0", Kind: "surface", Role: "transport", State: control.Ready, PID: 8, Path: "/p/pager"},
		{ID: "pager", Version: "1.0.0", Kind: "surface", Role: "transport", Account: "ops\n", State: control.Quarantined, Path: "/p/pager",
			Error: &control.Fault{Message: "the account cannot be used", Hint: "make a new token"}},
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := (&app{out: w}).writePlugins(plugins, inventory{}, &answerer{}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	const want = `ID     VERSION  KIND     ROLE                 STATE        PID  SANDBOX  SHA256  PATH
log    1.0.0    surface  render               builtin      -    -        -       -
pager  1.0.0    surface  render               ready        7    -        -       /p/pager
pager  1.0.0    surface  transport            ready        8    -        -       /p/pager
pager  1.0.0    surface  transport/ops\u000a  quarantined  -    -        -       /p/pager

plugin pager 1.0.0, transport/ops\u000a: the account cannot be used; make a new token
`
	if string(b) != want {
		t.Errorf("got\n%s\nwant\n%s", b, want)
	}
	if got := inspect(plugins[2]); !strings.Contains(got, "\n  role         transport\n") {
		t.Errorf("inspect says\n%s", got)
	}
}
