package core

import (
	"cmp"
	"context"
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

// configured is what the configuration comes to with the plugins that there are.
// It is immutable.
type configured struct {
	file     *config.File
	surfaces map[string]Settings       // of their profiles
	targets  map[string]surface.Target // by name
	policies map[string]config.Policy  // by the text of the target
	profiles map[string]Settings       // of targets that override their surface's profile, by text
	warnings []error
	ignored  *config.Problem // why the project's file is not read; nil: it is, or there is none
}

// fileState tells a file from what it was.
type fileState struct {
	time time.Time
	size int64
	mode os.FileMode
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
	out := &configured{surfaces: map[string]Settings{}, targets: map[string]surface.Target{}, policies: map[string]config.Policy{}, profiles: map[string]Settings{}}
	from := config.Sources{Environ: os.Environ(), Set: c.config.Set}
	from.Main, from.Need = c.configFile()
	if dir := c.Home(); dir != "" {
		from.User = filepath.Join(dir, config.Output)
	}
	if from.Project, out.ignored = c.projectFile(); out.ignored != nil {
		out.warnings = append(out.warnings, out.ignored)
	}
	file, err := config.Load(from)
	problems, _ := errors.AsType[config.Problems](err)
	if file == nil {
		return nil, configError(problems)
	}
	out.file = file
	for _, id := range slices.Sorted(maps.Keys(out.file.Surfaces)) {
		problems = append(problems, c.checkSurface(out, id)...)
	}
	for _, name := range slices.Sorted(maps.Keys(out.file.Targets)) {
		problems = append(problems, c.checkTarget(out, name)...)
	}
	if len(problems) > 0 {
		return nil, configError(problems.Sorted())
	}
	return out, nil
}

// statesNow is how the files are now from which a configuration is made, also those
// that are not there.
func (c *Core) statesNow() map[string]fileState {
	main, _ := c.configFile()
	files := []string{main}
	if dir := c.Home(); dir != "" {
		files = append(files, filepath.Join(dir, config.Output), filepath.Join(dir, trustedName))
	}
	if c.config.Project != "" {
		files = append(files, outputOf(c.config.Project))
	}
	out := map[string]fileState{}
	for _, f := range files {
		if st, err := os.Stat(f); err == nil {
			out[f] = fileState{st.ModTime(), st.Size(), st.Mode()}
		}
	}
	return out
}

// configError is of kind ErrSetting where nothing is wrong but what Config.Set says.
func configError(problems config.Problems) error {
	kind := ErrSetting
	for _, p := range problems {
		if p.File != config.FromSet {
			kind = ErrConfig
		}
	}
	return &Error{Kind: kind, What: problems.Error()}
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
	settings, problems := c.settings(out, path, of.Settings, "account", "accounts", "max_chars", "json_appendix", "mentions", "template")
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
				what, mend = "there is no such key", "use "+strings.Join(slices.Compact(known), ", ")
			}
			problems = append(problems, out.file.Problem(append(slices.Clip(path), key), what, mend))
		}
	}
	return settings, problems
}

func (c *Core) checkTarget(out *configured, name string) config.Problems {
	of := out.file.Targets[name]
	path := []string{"targets", name, "to"}
	t, err := surface.ParseTarget(of.To)
	if err != nil {
		return config.Problems{out.file.Problem(path, err.Error(), "")}
	}
	s, ok := c.installed(t.Surface)
	if !ok || s.Err != nil {
		out.warnings = append(out.warnings, out.file.Problem(path, "there is no usable plugin for its surface", "install one, see \"vak plugin list\""))
	} else if err := c.schemas.address(s, t); err != nil {
		e, _ := errors.AsType[*Error](err)
		return config.Problems{out.file.Problem(path, e.What, e.Mend)}
	}
	settings, problems := c.settings(out, []string{"targets", name}, of.Settings, append(config.PolicyKeys(), "to")...)
	out.profiles[t.String()] = settings
	out.targets[name] = t
	out.policies[t.String()] = of.Policy
	return problems
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
	wants := now.policies[t.String()]
	if named {
		wants = now.file.Targets[text].Policy // another name of the same place may want something else
	}
	under := now.file.Policy
	for key, word := range map[string]*string{"cadence": &under.Cadence, "urgency": &under.Urgency} {
		if now.file.From("policy", key) == config.FromDefault {
			*word = "" // what nobody asks for is not written down with a job
		}
	}
	return t, wants.Over(under), nil
}

// policy is what the outbox asks of a target.
func (c *Core) policy(t surface.Target) outbox.Policy {
	now := c.configured.Load()
	p := now.policies[t.String()].Over(now.file.Policy)
	out := outbox.Policy{
		ParkUnknown: p.Unknown == "park", MaxParts: p.MaxParts, Zone: p.Timezone, LiveMentions: c.current.Load().lookOf(t).Mentions == "live",
		Quiet: outbox.Span{From: outbox.TimeOfDay(p.Quiet[0]), To: outbox.TimeOfDay(p.Quiet[1])},
	}
	for _, d := range p.Digest {
		out.Digests = append(out.Digests, outbox.TimeOfDay(d))
	}
	return out
}

// mentions is what is wanted for the names in what goes to a target of a surface:
// its own wish goes before that of its surface, and that before the policy's.
func (c *configured) mentions(id string, t surface.Target) string {
	return cmp.Or(c.policies[t.String()].Mentions, c.file.Surfaces[id].Mentions, c.file.Policy.Mentions)
}

// appendix is the word for when the JSON of a card follows it on a target of a
// surface, in the same order.
func (c *configured) appendix(id string, t surface.Target) string {
	return cmp.Or(c.policies[t.String()].Appendix, c.file.Surfaces[id].Appendix, c.file.Policy.Appendix)
}

// secret resolves a reference.
func (c *Core) secret(ctx context.Context, ref string) (string, error) {
	if c.config.Secrets != nil {
		return c.config.Secrets(ctx, ref)
	}
	return config.Secret(ctx, ref)
}
