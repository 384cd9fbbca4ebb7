package cli

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/epoch"
)

// An epochChange is one thing that is other than in the epoch before.
type epochChange struct {
	What string `json:"what"`           // plugin, surface, target or template
	ID   string `json:"id"`             // of a surface that nobody knows: empty
	Did  string `json:"did"`            // added, removed or changed
	From string `json:"from,omitempty"` // what it was, in words
	To   string `json:"to,omitempty"`
}

func (c epochChange) String() string {
	name := c.What + " " + visible(c.ID)
	switch {
	case c.What == "surface" && c.ID == "":
		name = "the profile of surfaces that nobody knows"
	case c.What == "surface", c.What == "target":
		name = "the profile of " + visible(c.ID)
	}
	switch {
	case c.Did == "changed" && c.From != c.To:
		return name + " " + visible(c.From) + " → " + visible(c.To)
	case c.Did != "removed" && c.To != "":
		return name + " " + visible(c.To) + " " + c.Did
	case c.From != "":
		return name + " " + visible(c.From) + " " + c.Did
	}
	return name + " " + c.Did
}

// changes are what differs between two epochs: plugins, then profiles, then
// templates, each by id. The profile of a surface that came or went with its plugin
// is not named.
func changes(before, now *epoch.Epoch) []epochChange {
	var out []epochChange
	moved := map[string]bool{} // ids of plugins that came or went
	was, is := byID(before.Plugins), byID(now.Plugins)
	differences(was, is, func(a, b epoch.Plugin) bool { return pluginText(a) == pluginText(b) && sameFiles(a, b) }, func(id, did string) {
		if did != "changed" {
			moved[id] = true
		}
		out = append(out, epochChange{"plugin", id, did, pluginText(was[id]), pluginText(is[id])})
	})
	same := func(a, b epoch.Look) bool { return a.Digest() == b.Digest() }
	differences(before.Surfaces, now.Surfaces, same, func(id, did string) {
		if did == "changed" || !moved[id] {
			out = append(out, epochChange{What: "surface", ID: id, Did: did})
		}
	})
	differences(before.Targets, now.Targets, same, func(id, did string) {
		out = append(out, epochChange{What: "target", ID: id, Did: did})
	})
	differences(before.Templates, now.Templates, func(a, b epoch.Template) bool { return a == b }, func(id, did string) {
		out = append(out, epochChange{"template", id, did, templateText(before.Templates, id), templateText(now.Templates, id)})
	})
	return out
}

// differences tells of each key that is in one map only, or with another value.
func differences[V any](before, now map[string]V, same func(a, b V) bool, tell func(key, did string)) {
	all := maps.Clone(before)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, now)
	for _, key := range sortedKeys(all) {
		a, was := before[key]
		b, is := now[key]
		switch {
		case !was:
			tell(key, "added")
		case !is:
			tell(key, "removed")
		case !same(a, b):
			tell(key, "changed")
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func byID(plugins []epoch.Plugin) map[string]epoch.Plugin {
	out := map[string]epoch.Plugin{}
	for _, p := range plugins {
		out[p.ID] = p
	}
	return out
}

// sameFiles reports whether two plugins are made of the same.
func sameFiles(a, b epoch.Plugin) bool {
	return a.Kind == b.Kind && a.SHA256 == b.SHA256 && a.File == b.File && a.Dir == b.Dir
}

// pluginText is a plugin's version, and what is wrong with it.
func pluginText(p epoch.Plugin) string {
	text := p.Version
	if p.Problem != "" {
		text = strings.TrimSpace(text + " (" + p.Problem + ")")
	}
	return text
}

func templateText(of map[string]epoch.Template, id string) string {
	t, ok := of[id]
	switch {
	case !ok:
		return ""
	case t.Problem != "":
		return "(" + t.Problem + ")"
	}
	return "revision " + strconv.Itoa(t.Revision)
}
