package process

import (
	"slices"
	"strings"
)

// own are the names of what the host itself says in a process's environment, beside
// the handshake's. They are the same for every plugin.
var own = []string{"TMPDIR", "LANG", "TZ", "GOMEMLIMIT"}

// cookie tells a plugin that a host started it.
const cookie = "VAK_PLUGIN"

// Reserved reports whether a name in the environment of plugins is the host's own,
// so that [Config.Env] cannot say it: what every process gets, and VAK_PLUGIN and
// what begins with PLUGIN_, by which host and plugin find each other.
func Reserved(name string) bool {
	return slices.Contains(own, name) || name == cookie || strings.HasPrefix(name, "PLUGIN_")
}

// environment is all that a process gets of one: what was granted, less what is the
// host's, then what go-plugin says to its plugin, then what keeps the process where
// it is to be.
func environment(granted, handshake []string, dir string) []string {
	env := make([]string, 0, len(granted)+len(handshake)+len(own))
	for _, pair := range granted {
		if name, _, ok := strings.Cut(pair, "="); ok && name != "" && !Reserved(name) {
			env = append(env, pair)
		}
	}
	env = append(env, handshake...)
	return append(env, "TMPDIR="+dir, "LANG=C.UTF-8", "TZ=UTC", "GOMEMLIMIT="+memoryGoal)
}
