package process

import (
	"slices"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	granted := []string{
		"PROXY=http://proxy", "EMPTY=", "EQUALS=a=b", "TMPDIR=/elsewhere", "LANG=x", "TZ=x", "GOMEMLIMIT=1", "VAK_PLUGIN=x",
		"PLUGIN_CLIENT_CERT=x", "PLUGIN_LATER=x", "=x", "NOVALUE", "",
	}
	got := environment(granted, []string{"VAK_PLUGIN=cookie", "PLUGIN_MIN_PORT=1"}, "/run/own")
	want := []string{
		"PROXY=http://proxy", "EMPTY=", "EQUALS=a=b", "VAK_PLUGIN=cookie", "PLUGIN_MIN_PORT=1",
		"TMPDIR=/run/own", "LANG=C.UTF-8", "TZ=UTC", "GOMEMLIMIT=" + memoryGoal,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, pair := range got[3:] {
		if name, _, _ := strings.Cut(pair, "="); !Reserved(name) {
			t.Errorf("%s is the host's and not reserved", name)
		}
	}
}
