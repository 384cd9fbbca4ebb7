package core

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/config"
)

// A Configuration is what all that is configured comes to, with references in
// place of secrets.
type Configuration struct {
	File     string                       `json:"file,omitempty"`     // the vak.toml; empty: there is none
	Files    []string                     `json:"files,omitempty"`    // all that were read, the lowest layer first
	Settings map[string][]ConfiguredValue `json:"settings,omitempty"` // of profiles and of policy, by surface
	Accounts []ConfiguredAccount          `json:"accounts,omitempty"`
	Targets  []ConfiguredTarget           `json:"targets,omitempty"`
	Warnings []string                     `json:"warnings,omitempty"` // what is not used, and why
	Ignored  string                       `json:"ignored,omitempty"`  // the warning that a project's file is not read; see [Core.Ignored]
}

// A ConfiguredValue is one value, and where it comes from.
type ConfiguredValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"` // default, a file with the line, environment, or --set for what the program says
}

// A ConfiguredAccount is one account of the configuration.
type ConfiguredAccount struct {
	Surface  string          `json:"surface"`
	Name     string          `json:"name,omitempty"`
	Settings json.RawMessage `json:"settings"`          // references; every other text is "(set)"
	Missing  string          `json:"missing,omitempty"` // why a secret cannot be read
}

// A ConfiguredTarget is one target of the configuration, with all that it wants.
type ConfiguredTarget struct {
	Name     string `json:"name"`
	Target   string `json:"target"`
	Cadence  string `json:"cadence"`
	Urgency  string `json:"urgency"`
	Unknown  string `json:"unknown"`
	MaxParts int    `json:"max_parts"`
	Template string `json:"template,omitempty"` // empty: none
	Mentions string `json:"mentions"`           // live or off
	Appendix string `json:"json_appendix"`      // auto, always or never

	Digest   []string `json:"digest"`          // times of day
	Quiet    string   `json:"quiet,omitempty"` // from and to, times of day
	Timezone string   `json:"timezone"`        // of those times

	Values []ConfiguredValue `json:"values"` // all of the above, then its profile, by the keys of the configuration
}

// Ignored says why .vak/output.toml of the project is not read, and what to do
// about it. It is empty where the file is read, or is not there.
func (c *Core) Ignored() string {
	if p := c.configured.Load().ignored; p != nil {
		return p.Error()
	}
	return ""
}

// Configuration tells what is configured, and tries whether every secret can be
// read.
func (c *Core) Configuration(ctx context.Context) Configuration {
	now := c.configured.Load()
	out := Configuration{File: now.file.Path, Files: slices.Clone(now.file.Files), Settings: map[string][]ConfiguredValue{}, Ignored: c.Ignored()}
	for _, id := range slices.Sorted(maps.Keys(now.file.Surfaces)) {
		of := now.file.Surfaces[id]
		set := maps.Clone(of.Settings)
		for k, v := range map[string]string{"template": of.Template, "mentions": of.Mentions, "json_appendix": of.Appendix} {
			if v != "" {
				set[k] = v
			}
		}
		for _, k := range slices.Sorted(maps.Keys(set)) {
			out.Settings[id] = append(out.Settings[id], ConfiguredValue{k, set[k], now.file.From("surfaces", id, k)})
		}
		for _, name := range slices.Sorted(maps.Keys(of.Accounts)) {
			a := ConfiguredAccount{Surface: id, Name: name, Settings: masked(of.Accounts[name])}
			if _, err := config.Resolve(ctx, of.Accounts[name], c.secret); err != nil {
				a.Missing = err.Error()
			}
			out.Accounts = append(out.Accounts, a)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now.targets)) {
		out.Targets = append(out.Targets, c.configuredTarget(now, name))
	}
	for _, w := range now.warnings {
		out.Warnings = append(out.Warnings, w.Error())
	}
	out.Warnings = append(out.Warnings, c.templateWarnings()...)
	return out
}

// configuredTarget is what the target of a name wants.
func (c *Core) configuredTarget(now *configured, name string) ConfiguredTarget {
	to := now.targets[name]
	p := now.file.Targets[name].Policy.Over(now.file.Policy)
	installed, _ := c.installed(to.Surface)
	look := c.lookAt(now, to.Surface, installed.info, to)
	t := ConfiguredTarget{
		Name: name, Target: to.String(), Cadence: p.Cadence, Urgency: p.Urgency, Unknown: p.Unknown, MaxParts: p.MaxParts,
		Template: now.templateFor(to.Surface, to), Timezone: p.Timezone.String(),
	}
	for _, d := range p.Digest {
		t.Digest = append(t.Digest, d.String())
	}
	if p.Quiet != [2]config.Minute{} {
		t.Quiet = p.Quiet[0].String() + "-" + p.Quiet[1].String()
	}
	shown := map[string]string{}
	for _, s := range settingTable {
		shown[s.Key] = s.show(look)
	}
	t.Mentions, t.Appendix = shown["mentions"], shown["json_appendix"]
	value := func(key, v string, from ...string) {
		t.Values = append(t.Values, ConfiguredValue{key, v, cmp.Or(append(from, config.FromDefault)...)})
	}
	wants := map[string]string{
		"cadence": t.Cadence, "urgency": t.Urgency, "unknown": t.Unknown, "max_parts": strconv.Itoa(t.MaxParts), "timezone": t.Timezone,
		"digest": strings.Join(t.Digest, ","), "quiet": cmp.Or(t.Quiet, "none"), "template": cmp.Or(t.Template, "none"), "mentions": t.Mentions, "json_appendix": t.Appendix,
	}
	for _, d := range config.Defaults() {
		own := now.file.From("targets", name, d.Key)
		under := now.file.From("policy", d.Key)
		if slices.Contains([]string{"template", "mentions", "json_appendix"}, d.Key) {
			under = cmp.Or(now.file.From("surfaces", to.Surface, d.Key), under)
		}
		value(d.Key, wants[d.Key], c.flagged(to.Surface, d.Key), own, under)
	}
	for _, s := range settingTable {
		if _, known := wants[s.Key]; !known {
			value(s.Key, shown[s.Key], c.flagged(to.Surface, s.Key), now.file.From("targets", name, s.Key), now.file.From("surfaces", to.Surface, s.Key))
		}
	}
	return t
}

// flagged is config.FromSet where the program itself sets a key of the profile.
func (c *Core) flagged(id, key string) string {
	if c.config.Settings.says(key) || c.config.Surfaces[id].says(key) {
		return config.FromSet
	}
	return ""
}
