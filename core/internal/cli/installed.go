package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/install"
)

// notUsed is the state of an installed plugin that the process that was asked does
// not know.
const notUsed control.State = "not_used"

// A listedPlugin is a plugin as "list --json" writes it.
type listedPlugin struct {
	control.Plugin
	Installed *install.State `json:"installed,omitempty"` // nil: it is not of the home's store
}

// An inventory is what stands in the store.
type inventory struct {
	states []install.State
	strays []string
}

// inventory reads the store of the home.
func (a *app) inventory(verify bool) (inventory, error) {
	store, err := a.pluginStore()
	if err != nil {
		return inventory{}, err
	}
	states, strays, err := store.States(verify)
	return inventory{states, strays}, err
}

// list joins what is used with what is installed.
func (v inventory) list(plugins []control.Plugin) []listedPlugin {
	out := []listedPlugin{}
	for _, p := range plugins {
		one := listedPlugin{Plugin: p}
		for i, s := range v.states {
			if holds(s, p) {
				one.Installed = &v.states[i]
			}
		}
		out = append(out, one)
	}
	for i, s := range v.states {
		if !used(s, plugins) {
			out = append(out, listedPlugin{control.Plugin{ID: s.ID, Version: s.Version, Kind: s.Kind, State: notUsed}, &v.states[i]})
		}
	}
	return out
}

// changed is how many are not as they were installed.
func (v inventory) changed() int {
	n := 0
	for _, s := range v.states {
		if s.Changed != "" {
			n++
		}
	}
	return n
}

// write is a table of what is installed; empty where nothing is.
func (v inventory) write(plugins []control.Plugin) string {
	var b strings.Builder
	if len(v.states) > 0 {
		b.WriteString("\nInstalled in the home:\n")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tVERSION\tKIND\tMARKS\tSIGNED BY\tCONTENTS\tFROM")
		for _, s := range v.states {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", visible(s.ID), dash(s.Version), dash(s.Kind),
				strings.Join(marks(s, plugins), ", "), dash(s.Fingerprint), s.Digest[:12], dash(s.Origin))
		}
		w.Flush()
	}
	for _, s := range v.states {
		if s.Changed != "" {
			b.WriteString("\nplugin " + visible(s.ID+" "+s.Version) + " is not as it was installed: " + visible(s.Changed) + "; install it again\n")
		}
	}
	for _, name := range v.strays {
		b.WriteString("\nnot installed, though it lies in the store, and not started: " + visible(name) + "\n")
	}
	return b.String()
}

// marks say what is to be known of an installed plugin, in words.
func marks(s install.State, plugins []control.Plugin) []string {
	out := []string{"enabled"}
	if !s.Enabled {
		out[0] = "disabled"
	}
	if s.Verified {
		out = append(out, "verified")
	} else {
		out = append(out, "unverified")
	}
	if s.Revoked != nil {
		out = append(out, "revoked")
	}
	if s.Changed != "" {
		out = append(out, "changed")
	}
	if s.Enabled && s.Revoked == nil && !used(s, plugins) {
		out = append(out, "used from the next start")
	}
	return out
}

// used reports whether one of plugins is s.
func used(s install.State, plugins []control.Plugin) bool {
	for _, p := range plugins {
		if holds(s, p) {
			return true
		}
	}
	return false
}

// holds reports whether p was found in the folder of s. One that is broken may have
// no path, and the folder's name for an id.
func holds(s install.State, p control.Plugin) bool {
	return p.Path != "" && filepath.Base(filepath.Dir(p.Path)) == s.Digest || p.ID == s.Digest
}
