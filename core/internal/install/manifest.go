package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/install/lock"
)

// A manifest is what is read of a plugin.json here, whatever the kind of plugin.
type manifest struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Version string `json:"version"`
	Binary  string `json:"binary"`
	Info    struct {
		Transport bool `json:"transport"`
		Profiles  []struct {
			Delivers string `json:"delivers"`
		} `json:"profiles"`
	} `json:"info"`
	Grants struct {
		Env         []string `json:"env"`
		Read        []string `json:"read"`
		Interpreter string   `json:"interpreter"`
	} `json:"grants"`
}

// Bounds of what a plugin may ask for.
const (
	maxAsked     = 32
	maxAskedText = 255
)

// asks is what the plugin asks for, or what is wrong with that.
func (m *manifest) asks() (g lock.Grants, wrong string) {
	g.Network = m.Info.Transport
	for _, p := range m.Info.Profiles {
		g.Packet = g.Packet || g.Network && p.Delivers == "packet"
	}
	for _, list := range []struct {
		name   string
		values []string
		fits   func(string) bool
	}{{"env", m.Grants.Env, isEnv}, {"read", m.Grants.Read, isPath}} {
		if len(list.values) > maxAsked {
			return g, "/grants/" + list.name + ": too many, want at most 32"
		}
		for _, v := range list.values {
			if !list.fits(v) {
				return g, "/grants/" + list.name + ": want " + map[string]string{"env": "names of variables", "read": "absolute paths"}[list.name]
			}
		}
	}
	if m.Grants.Interpreter != "" && !isPath(m.Grants.Interpreter) {
		return g, "/grants/interpreter: want an absolute path"
	}
	g.Env, g.Read, g.Interpreter = sorted(m.Grants.Env), sorted(m.Grants.Read), m.Grants.Interpreter
	return g, ""
}

func sorted(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

func isEnv(s string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	return s != "" && len(s) <= maxAskedText && strings.Trim(s, letters+"0123456789") == "" && strings.Trim(s[:1], letters) == ""
}

func isPath(s string) bool {
	return strings.HasPrefix(s, "/") && len(s) <= maxAskedText && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// readManifest reads what is needed of a manifest in its canonical form, which
// may not be one at all.
func readManifest(b []byte) (m manifest, err error) {
	err = json.Unmarshal(b, &m)
	if of, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("/%s: it cannot be a %s", strings.ReplaceAll(of.Field, ".", "/"), of.Value)
	}
	return m, err
}
