package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLevel(t *testing.T) {
	for _, c := range []struct {
		level                  Level
		text                   string
		sandboxed              bool
		gaps, gapsWithANetwork int
	}{
		{Level{}, "none", false, 5, 5},
		{Level{Seccomp: true}, "seccomp", false, 1, 4},
		{Level{Landlock: 7}, "landlock-7", false, 3, 3},
		{Level{Landlock: 1, Seccomp: true}, "landlock-1+seccomp", true, 0, 3},
		{Level{Landlock: 4, Seccomp: true}, "landlock-4+seccomp", true, 0, 3},
		{Level{Landlock: 7, Seccomp: true}, "landlock-7+seccomp", true, 0, 2},
		{Level{Landlock: 9, Seccomp: true}, "landlock-9+seccomp", true, 0, 1},
	} {
		if got := c.level.String(); got != c.text {
			t.Errorf("%#v is %q, want %q", c.level, got, c.text)
		}
		if got := c.level.Sandboxed(); got != c.sandboxed {
			t.Errorf("%v: sandboxed is %v", c.level, got)
		}
		if got := c.level.Gaps(false); len(got) != c.gaps {
			t.Errorf("%v has the gaps %q, want %d", c.level, got, c.gaps)
		}
		if got := c.level.Gaps(true); len(got) != c.gapsWithANetwork {
			t.Errorf("%v has the gaps %q with a network, want %d", c.level, got, c.gapsWithANetwork)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		level, other Level
		want         bool
	}{
		{Level{}, Level{}, true},
		{Level{7, true}, Level{6, true}, true},
		{Level{7, true}, Level{7, false}, true},
		{Level{7, false}, Level{1, true}, false},
		{Level{5, true}, Level{6, true}, false},
	} {
		if got := c.level.Covers(c.other); got != c.want {
			t.Errorf("%v covers %v: %v", c.level, c.other, got)
		}
	}
}

func TestTransportReadSet(t *testing.T) {
	set := TransportReadSet()
	for _, path := range set {
		if strings.HasPrefix(path, "/") && !filepath.IsLocal(path[1:]) || slices.Contains([]string{"/", "/etc", "/usr", "/run", "/var"}, path) {
			t.Errorf("%s is too much", path)
		}
	}
	set[0] = ""
	if TransportReadSet()[0] == "" {
		t.Error("callers share the set")
	}
	for dir, want := range map[string]bool{
		"/run/systemd/resolve": true, "/run/NetworkManager": true, "/run/resolvconf": true,
		"/run": false, "/run/": false, "/etc": false, "/run/user/1000": false, "/home/u": false,
	} {
		if got := resolverDir(dir); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
}
