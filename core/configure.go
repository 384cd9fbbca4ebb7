package core

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/config"
	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// configured is what vak.toml comes to with the plugins that there are. It is
// immutable.
type configured struct {
	file     *config.File
	surfaces map[string]Settings       // of their profiles
	targets  map[string]surface.Target // by name
	policies map[string]config.Policy  // by the text of the target
	profiles map[string]Settings       // of targets that override their surface's profile, by text
	warnings []error
	state    fileState
}

// fileState tells a file from what it was.
type fileState struct {
	time time.Time
	size int64
}

// configFile is where the configuration is, and whether it has to be there.
func (c *Core) configFile() (path string, need bool) {
	if c.config.File != "" {
		return c.config.File, true
	}
	dir := c.Home()
	if dir == "" {
		return "", false
	}
	return filepath.Join(dir, config.Name), false
}

// configure reads the configuration and takes it over.
func (c *Core) configure() error {
	next, err := c.readConfig()
	if err != nil {
		return err
	}
	for _, w := range next.warnings {
		c.log.Warn("a part of the configuration is not used", "cause", w)
	}
	c.configured.Store(next)
	return nil
}

// readConfig reads the configuration and holds it against the plugins.
func (c *Core) readConfig() (*configured, error) {
	path, need := c.configFile()
	out := &configured{surfaces: map[string]Settings{}, targets: map[string]surface.Target{}, policies: map[string]config.Policy{}, profiles: map[string]Settings{}}
	if path == "" {
		out.file = &config.File{}
		return out, nil
	}
	out.state = stateOf(path)
	file, err := config.Load(path, need, os.Environ())
	problems, _ := errors.AsType[config.Problems](err)
	if file == nil {
		return nil, configError(err)
	}
	out.file = file
	for _, id := range slices.Sorted(maps.Keys(out.file.Surfaces)) {
		problems = append(problems, c.checkSurface(out, id)...)
	}
	for _, name := range slices.Sorted(maps.Keys(out.file.Targets)) {
		if p := c.checkTarget(out, name); p != nil {
			problems = append(problems, p)
		}
	}
	if len(problems) > 0 {
		slices.SortStableFunc(problems, func(a, b *config.Problem) int { return a.Line - b.Line })
		return nil, configError(problems)
	}
	return out, nil
}

func stateOf(path string) fileState {
	st, err := os.Stat(path)
	if err != nil {
		return fileState{}
	}
	return fileState{st.ModTime(), st.Size()}
}

func configError(err error) error {
	return &Error{Kind: ErrConfig, What: err.Error()}
}

// installed is a surface as its plugin has it, whatever is configured.
func (c *Core) installed(id string) (Surface, bool) {
	for _, s := range c.host.Surfaces() {
		if s.Info.ID == id {
			return Surface{ID: id, Err: s.Err, info: s.Info}, true
		}
	}
	return Surface{}, false
}

func (c *Core) checkSurface(out *configured, id string) config.Problems {
	of := out.file.Surfaces[id]
	path := []string{"surfaces", id}
	s, ok := c.installed(id)
	if !ok || s.Err != nil {
		out.warnings = append(out.warnings, out.file.Problem(path, "there is no usable plugin for this surface", "install one, see \"vak plugin list\""))
		return nil
	}
	settings, problems := c.settings(out, path, of.Settings, "account", "accounts", "template")
	out.surfaces[id] = settings
	for _, name := range slices.Sorted(maps.Keys(of.Accounts)) {
		at := append(slices.Clip(path), "accounts", name)
		if name == "" {
			at = append(slices.Clip(path), "account")
		}
		for _, f := range c.schemas.account(s, of.Accounts[name]) {
			problems = append(problems, out.file.Problem(append(slices.Clip(at), f.path...), f.what, "\"vak plugin inspect "+id+"\" tells what an account has"))
		}
	}
	return problems
}

// settings are those of a table of the configuration, which may hold others, too.
func (c *Core) settings(out *configured, path []string, of map[string]string, others ...string) (settings Settings, problems config.Problems) {
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if err := settings.Set(key, of[key]); err != nil {
			e, _ := errors.AsType[*Error](err)
			what, mend := "it cannot be set so", e.Mend
			known := others
			for _, s := range SettingKeys() {
				known = append(known, s.Key)
			}
			if !slices.Contains(known, key) {
				slices.Sort(known)
				what, mend = "there is no such key", "use "+strings.Join(known, ", ")
			}
			problems = append(problems, out.file.Problem(append(slices.Clip(path), key), what, mend))
		}
	}
	return settings, problems
}

func (c *Core) checkTarget(out *configured, name string) *config.Problem {
	of := out.file.Targets[name]
	path := []string{"targets", name, "to"}
	t, err := surface.ParseTarget(of.To)
	if err != nil {
		return out.file.Problem(path, err.Error(), "")
	}
	s, ok := c.installed(t.Surface)
	if !ok || s.Err != nil {
		out.warnings = append(out.warnings, out.file.Problem(path, "there is no usable plugin for its surface", "install one, see \"vak plugin list\""))
	} else if err := c.schemas.address(s, t); err != nil {
		e, _ := errors.AsType[*Error](err)
		return out.file.Problem(path, e.What, e.Mend)
	}
	settings, problems := c.settings(out, []string{"targets", name}, of.Settings, append(config.PolicyKeys(), "to")...)
	if len(problems) > 0 {
		return problems[0]
	}
	out.profiles[t.String()] = settings
	out.targets[name] = t
	out.policies[t.String()] = of.Policy
	return nil
}

// resolve finds a target by its name or its text, and what it wants.
func (c *Core) resolve(text string) (surface.Target, config.Policy, error) {
	now := c.configured.Load()
	t, named := now.targets[text]
	if !named {
		if !strings.Contains(text, ":") {
			e := &Error{Kind: ErrTarget, What: fmt.Sprintf("there is no target with the name %.80q", text), Mend: "write surface:address, for example telegram:-1001234 or log:answers"}
			if names := slices.Sorted(maps.Keys(now.targets)); len(names) > 0 {
				e.Mend = "vak.toml has " + strings.Join(names, ", ") + "; or " + e.Mend
			}
			return surface.Target{}, config.Policy{}, e
		}
		var err error
		if t, err = surface.ParseTarget(text); err != nil {
			return surface.Target{}, config.Policy{}, &Error{Kind: ErrTarget, What: err.Error(), Mend: "for example telegram:-1001234 or log:answers"}
		}
	}
	return t, now.policies[t.String()].Over(now.file.Policy), nil
}

// policy is what the outbox asks of a target.
func (c *Core) policy(t surface.Target) outbox.Policy {
	now := c.configured.Load()
	p := now.policies[t.String()].Over(now.file.Policy)
	out := outbox.Policy{
		ParkUnknown: p.Unknown == "park", MaxParts: p.MaxParts, Zone: p.Timezone,
		Quiet: outbox.Span{From: outbox.TimeOfDay(p.Quiet[0]), To: outbox.TimeOfDay(p.Quiet[1])},
	}
	for _, d := range p.Digest {
		out.Digests = append(out.Digests, outbox.TimeOfDay(d))
	}
	return out
}

// templateFor is the id of the template that a target wants, empty for none. Its
// own choice goes before that of its surface, and that before the policy's.
// Whether there is such a template is not looked at.
func (c *Core) templateFor(t surface.Target) string {
	now := c.configured.Load()
	id := cmp.Or(now.policies[t.String()].Template, now.file.Surfaces[t.Surface].Template, now.file.Policy.Template)
	if id == config.NoTemplate {
		return ""
	}
	return id
}

// secret resolves a reference.
func (c *Core) secret(ctx context.Context, ref string) (string, error) {
	if c.config.Secrets != nil {
		return c.config.Secrets(ctx, ref)
	}
	return config.Secret(ctx, ref)
}

// watchEvery is the time between two looks at the configuration.
const watchEvery = 2 * time.Second

// watch takes over the configuration when its file changes. One with a fault is
// told, and what was goes on.
func (c *Core) watch(ctx context.Context) {
	path, _ := c.configFile()
	seen := c.configured.Load().state
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		now := stateOf(path)
		if now == seen {
			continue
		}
		seen = now
		if err := c.configure(); err != nil {
			c.log.Error("the changed configuration is not used, the one before goes on", "cause", err)
			continue
		}
		c.look()
		c.log.Info("the configuration was read again", "file", path)
		if err := c.outbox.TransportsChanged(ctx); err != nil && ctx.Err() == nil {
			c.log.Error("what waits for a transport cannot be released", "cause", err)
		}
	}
}

// A Configuration is what vak.toml says, with references in place of secrets.
type Configuration struct {
	File     string              `json:"file,omitempty"`     // empty: there is none
	Settings map[string][]string `json:"settings,omitempty"` // by surface, "key = value"
	Accounts []ConfiguredAccount `json:"accounts,omitempty"`
	Targets  []ConfiguredTarget  `json:"targets,omitempty"`
	Warnings []string            `json:"warnings,omitempty"`
}

// A ConfiguredAccount is one account of vak.toml.
type ConfiguredAccount struct {
	Surface  string          `json:"surface"`
	Name     string          `json:"name,omitempty"`
	Settings json.RawMessage `json:"settings"`          // secrets are references
	Missing  string          `json:"missing,omitempty"` // why a secret cannot be read
}

// A ConfiguredTarget is one target of vak.toml, with all that it wants.
type ConfiguredTarget struct {
	Name     string `json:"name"`
	Target   string `json:"target"`
	Cadence  string `json:"cadence"`
	Urgency  string `json:"urgency"`
	Unknown  string `json:"unknown"`
	MaxParts int    `json:"max_parts"`

	Digest   []string `json:"digest"`          // times of day
	Quiet    string   `json:"quiet,omitempty"` // from and to, times of day
	Timezone string   `json:"timezone"`        // of those times
}

// Configuration tells what is configured, and tries whether every secret can be
// read.
func (c *Core) Configuration(ctx context.Context) Configuration {
	now := c.configured.Load()
	out := Configuration{File: now.file.Path, Settings: map[string][]string{}}
	for _, id := range slices.Sorted(maps.Keys(now.file.Surfaces)) {
		of := now.file.Surfaces[id]
		for _, k := range slices.Sorted(maps.Keys(of.Settings)) {
			out.Settings[id] = append(out.Settings[id], k+" = "+of.Settings[k])
		}
		for _, name := range slices.Sorted(maps.Keys(of.Accounts)) {
			a := ConfiguredAccount{Surface: id, Name: name, Settings: of.Accounts[name]}
			if _, err := config.Resolve(ctx, a.Settings, c.secret); err != nil {
				a.Missing = err.Error()
			}
			out.Accounts = append(out.Accounts, a)
		}
	}
	defaults := config.Policy{
		Cadence: string(Immediate), Urgency: string(Normal), Unknown: "resend_marked", MaxParts: 20,
		Digest: []config.Minute{9 * 60}, Timezone: time.UTC,
	}
	for _, name := range slices.Sorted(maps.Keys(now.targets)) {
		p := now.file.Targets[name].Policy.Over(now.file.Policy).Over(defaults)
		t := ConfiguredTarget{
			Name: name, Target: now.targets[name].String(), Cadence: p.Cadence, Urgency: p.Urgency, Unknown: p.Unknown,
			MaxParts: p.MaxParts, Timezone: p.Timezone.String(),
		}
		for _, d := range p.Digest {
			t.Digest = append(t.Digest, d.String())
		}
		if p.Quiet != [2]config.Minute{} {
			t.Quiet = p.Quiet[0].String() + "-" + p.Quiet[1].String()
		}
		out.Targets = append(out.Targets, t)
	}
	for _, w := range now.warnings {
		out.Warnings = append(out.Warnings, w.Error())
	}
	return out
}
