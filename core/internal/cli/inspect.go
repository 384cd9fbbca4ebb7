package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// maxTail is how many lines of what a process wrote last are shown.
const maxTail = 10

// inspect is all that is known of a plugin, for a person.
func inspect(p control.Plugin) string {
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-12s %s\n", name, oneLine(value))
		}
	}
	b.WriteString(nameOf(p) + "\n")
	row("kind", p.Kind)
	row("role", roleOf(p))
	row("state", string(p.State)+": "+p.State.Means())
	row("to do", p.State.Mend())
	if standing(p) == "held" {
		row("used", "no more, by what begins now")
	}
	if len(p.Turns) > 0 {
		row("held by", heldBy(p.Turns))
	}
	if p.PID != 0 {
		row("process", fmt.Sprintf("%d, up %s", p.PID, time.Since(p.Started).Round(time.Second)))
	}
	if p.Restarts > 0 {
		row("restarts", strconv.Itoa(p.Restarts))
	}
	if p.Failures > 0 {
		row("failures", strconv.Itoa(p.Failures)+" in the last ten minutes")
	}
	if !p.NextTry.IsZero() {
		row("next try", p.NextTry.UTC().Format(time.RFC3339))
	}
	if e := p.Error; e != nil {
		row("last error", e.Message)
		of := ""
		if e.Source != "" {
			of = ", fault of the " + e.Source
		}
		row("error kind", e.Kind+of)
		row("mend", e.Hint)
		if !e.At.IsZero() {
			row("failed at", e.At.UTC().Format(time.RFC3339))
		}
		tail := strings.Split(strings.TrimRight(e.Tail, "\n"), "\n")
		for _, line := range tail[max(0, len(tail)-maxTail):] {
			row("its log", line)
		}
	}
	row("sandbox", p.Sandbox)
	row("binary", p.Path)
	row("sha256", p.SHA256)
	if p.State != control.Builtin {
		row("from", map[bool]string{true: "vak itself: it lies beside the vak binary", false: "somebody else"}[p.FirstParty])
	}
	if p.DocVersion > 0 {
		row("documents", "up to version "+strconv.Itoa(p.DocVersion))
	}
	kinds := make([]string, len(p.Blocks))
	for i, k := range p.Blocks {
		kinds[i] = string(k)
	}
	row("blocks", strings.Join(kinds, ", "))
	row("types", strings.Join(p.Types, ", "))
	for i, profile := range p.Profiles {
		name := profile.Name
		if name == "" {
			name = "(unnamed)"
		}
		if i == 0 {
			name += ", the default"
		}
		row("profile", name)
		for _, line := range profileLines(profile) {
			row("  "+line[0], line[1])
		}
	}
	return b.String()
}

// profileLines are the parts of a profile that say something.
func profileLines(p surface.Profile) [][2]string {
	return [][2]string{
		{"dialect", p.Dialect},
		{"limit", limitText(p.Limit)},
		{"edit limit", limitText(p.EditLimit)},
		{"can", strings.Join(abilities(p.Can), ", ")},
		{"links", p.Links},
		{"tables", p.Tables},
		{"grid", columns(p.Grid)},
		{"mentions", p.Mentions},
		{"delivers", p.Delivers},
	}
}

func columns(n int) string {
	if n == 0 {
		return ""
	}
	return "up to " + count(n, "column")
}

// limitText says what bounds a message, or nothing for the zero limit.
func limitText(l surface.Limit) string {
	if l == (surface.Limit{}) {
		return ""
	}
	var parts []string
	if l.Max > 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %s %s", thousands(l.Max), unitName[l.Unit], l.Of)))
	}
	if l.MaxBytes > 0 {
		parts = append(parts, count(l.MaxBytes, "byte"))
	}
	if l.MaxEntities > 0 {
		parts = append(parts, count(l.MaxEntities, "entity"))
	}
	if l.MaxEntityBytes > 0 {
		parts = append(parts, count(l.MaxEntityBytes, "byte")+" of markup")
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// abilities are the names of what a surface can, as its manifest writes them.
func abilities(c surface.Capabilities) []string {
	var out []string
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		if v.Field(i).Bool() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			out = append(out, strings.ReplaceAll(name, "_", " "))
		}
	}
	return out
}
