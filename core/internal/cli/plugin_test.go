package cli

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/install"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
)

// TestTransportsAreListed is a plugin that runs three processes.
func TestTransportsAreListed(t *testing.T) {
	plugins := []control.Plugin{
		{ID: "log", Version: "1.0.0", Kind: "surface", Role: "render", State: control.Builtin, Current: true},
		{ID: "pager", Version: "1.0.0", Kind: "surface", Role: "render", State: control.Ready, PID: 7, Path: "/p/pager", Current: true},
		{ID: "pager", Version: "1.0.0", Kind: "surface", Role: "transport", State: control.Ready, PID: 8, Path: "/p/pager", Current: true},
		{ID: "pager", Version: "1.0.0", Kind: "surface", Role: "transport", Account: "ops\n", State: control.Quarantined, Path: "/p/pager", Current: true,
			Error: &control.Fault{Message: "the account cannot be used", Hint: "make a new token"}},
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := (&app{out: w}).writePlugins(plugins, inventory{}, &answerer{}, 0); err != nil {
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

// TestHeldIsListed has versions that only turns go by, one that ends, and one that is
// broken.
func TestHeldIsListed(t *testing.T) {
	plugins := []control.Plugin{
		{ID: "acme", Version: "2", Kind: "skill", Role: "skill", State: control.Stopped, Path: "/p/acme", Current: true},
		{ID: "acme", Version: "1", Kind: "skill", Role: "skill", State: control.Ready, PID: 7, Path: "/s/acme", Turns: []string{"chat/12", "chat/40"}},
		{ID: "acme", Version: "0", Kind: "skill", Role: "skill", State: control.Draining, PID: 6, Path: "/t/acme"},
		{ID: "gone", Version: "1", Kind: "skill", Role: "skill", State: control.Broken, Path: "/g/gone", Turns: []string{"chat/12"}},
		{ID: "wrong", Version: "1", Kind: "skill", Role: "skill", State: control.Broken, Path: "/w/wrong"},
	}
	out, err := printed(t, func(a *app) error {
		return a.writePlugins(plugins, inventory{}, &answerer{held: true, holder: home.Holder{PID: 12, Version: "1"}}, 7)
	})
	const want = `ID     VERSION  KIND   ROLE   STATE     PID  SANDBOX  SHA256  PATH
acme   2        skill  skill  stopped   -    -        -       /p/acme
acme   1        skill  skill  held      7    -        -       /s/acme
acme   0        skill  skill  draining  6    -        -       /t/acme
gone   1        skill  skill  held      -    -        -       /g/gone
wrong  1        skill  skill  broken    -    -        -       /w/wrong

plugin acme 1, skill, is held by turn chat/12, chat/40

plugin gone 1, skill, is held by turn chat/12

As process 12 (vak 1, since 0001-01-01T00:00:00Z) says, which holds the home, in epoch 7.
`
	if err != nil || out != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, out, want)
	}
	if said := inspect(plugins[1]); !strings.Contains(said, "\n  used         no more") || !strings.Contains(said, "\n  held by      turn chat/12, chat/40\n") {
		t.Errorf("inspect says\n%s", said)
	}
	if said := inspect(plugins[0]); strings.Contains(said, "  used ") {
		t.Errorf("inspect says\n%s", said)
	}
}

// TestMarks has an installed plugin be said to be used later only where it is not yet.
func TestMarks(t *testing.T) {
	s := install.State{ID: "acme", Plugin: lock.Plugin{Enabled: true, Digest: "d"}}
	found := control.Plugin{ID: "acme", Path: "/s/d/acme", Current: true}
	old, broken := found, found
	old.Current, broken.Current, broken.State = false, false, control.Broken
	for _, c := range []struct {
		why     string
		plugins []control.Plugin
		held    bool
		want    string
	}{
		{"it is used", []control.Plugin{found}, true, ""},
		{"it would be", []control.Plugin{broken}, true, ""},
		{"a host does not know it yet", nil, true, "used from the next turn"},
		{"what is left of it is held", []control.Plugin{old}, true, "used from the next turn"},
		{"nobody runs", nil, false, "used from the next start"},
	} {
		if got := marks(s, c.plugins, c.held); strings.Join(got[2:], ", ") != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
