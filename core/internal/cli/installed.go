package cli

import (
	"fmt"
	"slices"
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
	Dev       bool           `json:"dev,omitempty"`       // it is being written, see "vak plugin dev"
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
		one := listedPlugin{Plugin: p, Dev: inDev(p)}
		for i, s := range v.states {
			if holds(s, p) {
				one.Installed = &v.states[i]
			}
		}
		out = append(out, one)
	}
	for i, s := range v.states {
		if !slices.ContainsFunc(plugins, func(p control.Plugin) bool { return holds(s, p) }) {
			out = append(out, listedPlugin{Plugin: control.Plugin{ID: s.ID, Version: s.Version, Kind: s.Kind, State: notUsed}, Installed: &v.states[i]})
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
func (v inventory) write(plugins []control.Plugin, held bool) string {
	var b strings.Builder
	if len(v.states) > 0 {
		b.WriteString("\nInstalled in the home:\n")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tVERSION\tKIND\tMARKS\tSIGNED BY\tCONTENTS\tFROM")
		for _, s := range v.states {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", visible(s.ID), dash(s.Version), dash(s.Kind),
				strings.Join(marks(s, plugins, held), ", "), dash(s.Fingerprint), s.Digest[:12], dash(s.Origin))
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

// marks say what is to be known of an installed plugin, in words. held says whether
// plugins are those of a process that holds the home.
func marks(s install.State, plugins []control.Plugin, held bool) []string {
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
	switch {
	case !s.Enabled || s.Revoked != nil || used(s, plugins):
	case held:
		out = append(out, "used from the next turn")
	default:
		out = append(out, "used from the next start")
	}
	return out
}

// used reports whether one of plugins is s, and what begins now goes by it, or would
// if it were not broken.
func used(s install.State, plugins []control.Plugin) bool {
	return slices.ContainsFunc(plugins, func(p control.Plugin) bool { return (p.Current || p.State == control.Broken) && holds(s, p) })
}

// holds reports whether p was found in the folder of s. One that is broken may have
// no path, and the folder's name for an id.
func holds(s install.State, p control.Plugin) bool {
	return folderOf(p) == s.Digest || p.ID == s.Digest
}
