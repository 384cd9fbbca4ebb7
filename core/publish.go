package core

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/config"
	"github.com/seed-1ae66336/vak/core/internal/epoch"
	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/lower"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/template"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// oldEpochs are those that were read back for jobs which wait.
type oldEpochs struct {
	sync.Mutex
	kept []*snapshot // the one read last at the end
}

// publish makes what is known now the current epoch, if it is another than before.
// The caller holds c.reconciling.
func (c *Core) publish() (changed bool, err error) {
	data := c.describe()
	entry, err := c.keepEpoch(data)
	if err != nil {
		return false, &Error{Kind: ErrHome, What: "what has changed cannot be kept, so that nothing goes by it yet", Mend: "check the space and the rights of the home", Err: err}
	}
	old := c.current.Load()
	if old != nil && old.Digest == entry.Digest {
		return false, nil
	}
	next := c.snapshotOf(data, entry)
	next.pins.Store(1)
	next.release, _ = c.host.Hold(slices.Collect(maps.Keys(next.plugins))) // all of them were found a moment ago
	c.current.Store(next)
	if old == nil {
		c.log.Debug("the epoch that turns go by", "number", next.Number, "plugins", len(next.plugins), "digest", next.Digest)
		return true, nil
	}
	c.log.Info("a new epoch: turns that begin now go by it", "number", next.Number, "plugins", len(next.plugins), "digest", next.Digest, "before", old.Number)
	old.unpin()
	return true, nil
}

// keepEpoch gives an epoch its number, and puts it on disk. Where nobody holds the
// home it has one only if it is what the home's holder went by last.
func (c *Core) keepEpoch(data *epoch.Epoch) (epoch.Entry, error) {
	if c.catalog != nil && !c.config.ReadOnly {
		return c.catalog.Publish(data, c.now().Truncate(time.Millisecond))
	}
	digest, err := epoch.Digest(data)
	if err != nil {
		return epoch.Entry{}, err
	}
	if c.catalog != nil {
		if e, ok := c.catalog.Current(); ok && e.Digest == digest {
			return e, nil
		}
	}
	return epoch.Entry{Digest: digest}, nil
}

// describe is what is known now.
func (c *Core) describe() *epoch.Epoch {
	conf := c.configured.Load()
	e := &epoch.Epoch{Surfaces: map[string]epoch.Look{}, Targets: map[string]epoch.Look{}, Templates: map[string]epoch.Template{}}
	infos := map[string]surface.Info{"": {}}
	for id := range conf.file.Surfaces {
		infos[id] = surface.Info{}
	}
	seen := map[string]bool{}
	for _, s := range c.host.Surfaces() { // of one id the usable one is first
		if seen[s.Info.ID] {
			continue
		}
		seen[s.Info.ID] = true
		infos[s.Info.ID] = s.Info
		p := epoch.Plugin{ID: s.Info.ID, Kind: hostapi.KindSurface, Version: s.Info.Version, SHA256: s.Key.SHA256, Dir: s.Key.Dir, File: s.Key.Manifest, Manifest: s.Manifest}
		switch {
		case s.Err != nil:
			p.Problem, p.Manifest, p.File = problemOf(s.Err), nil, ""
		case p.Dir == "":
			own := s.Info
			own.Transport, own.Account, own.Address = false, nil, nil // where this process sends is nothing to render by
			p.Manifest, _ = json.Marshal(own)                         // texts and numbers
		}
		e.Plugins = append(e.Plugins, p)
	}
	for _, p := range c.host.Packs() {
		if p.Err == nil {
			e.Plugins = append(e.Plugins, epoch.Plugin{ID: p.Info.ID, Kind: hostapi.KindSkill, Version: p.Info.Version, SHA256: p.Key.SHA256, Dir: p.Key.Dir, File: p.Key.Manifest, Manifest: p.Manifest})
		}
	}
	slices.SortFunc(e.Plugins, func(a, b epoch.Plugin) int { return strings.Compare(a.ID, b.ID) })
	kept := func(id string, t surface.Target) epoch.Look {
		l := c.lookAt(conf, id, infos[id], t)
		return epoch.Look{Profile: l.Profile, Appendix: string(l.appendix), Template: conf.templateFor(id, t)}
	}
	for id := range infos {
		e.Surfaces[id] = kept(id, surface.Target{})
	}
	for _, t := range conf.targets {
		e.Targets[t.String()] = kept(t.Surface, t)
	}
	set := c.templateSet()
	for id, u := range set.used {
		t := epoch.Template{Problem: u.why}
		if u.compiled != nil {
			t.Revision, t.Format = u.compiled.Revision, set.format(id)
		}
		e.Templates[id] = t
	}
	return e
}

// problemOf is the kind of what is wrong with a plugin.
func problemOf(err error) string {
	if e, ok := err.(*host.Error); ok {
		return string(e.Kind)
	}
	return string(host.BadManifest)
}

// snapshotOf is an epoch in the form that renderings go by. What it names of this
// process itself is as it is now.
func (c *Core) snapshotOf(data *epoch.Epoch, entry epoch.Entry) *snapshot {
	s := &snapshot{
		Epoch: Epoch{entry.Number, entry.Digest, entry.At}, looks: map[string]look{}, targets: map[string]look{}, templates: map[string]usable{},
		plugins: map[host.Key]bool{}, release: func() {},
	}
	for id, l := range data.Surfaces {
		s.looks[id] = lookFrom(l)
	}
	for text, l := range data.Targets {
		s.targets[text] = lookFrom(l)
	}
	for id, t := range data.Templates {
		u := usable{why: t.Problem}
		if t.Problem == "" {
			var err error
			if u.compiled, err = template.Compile(id, t.Revision, t.Format); err != nil {
				u = usable{why: err.Error()}
			}
		}
		s.templates[id] = u
	}
	own := map[string]surface.Info{}
	for _, b := range c.host.Surfaces() {
		if b.Dir == "" {
			own[b.Info.ID] = b.Info
		}
	}
	var packs []packAt
	for _, p := range data.Plugins {
		key := host.Key{ID: p.ID, Dir: p.Dir, SHA256: p.SHA256, Manifest: p.File}
		info, pack, err := infoOf(p, own)
		switch {
		case p.Kind == hostapi.KindSkill && err == nil:
			packs = append(packs, packAt{key, pack})
			s.plugins[key] = true
		case p.Kind == hostapi.KindSurface:
			s.surfaces = append(s.surfaces, Surface{ID: p.ID, Version: p.Version, SHA256: p.SHA256, Profile: s.looks[p.ID].Profile, Err: err, info: info, key: key})
			if err == nil {
				s.plugins[key] = true
			}
		}
	}
	slices.SortFunc(s.surfaces, func(a, b Surface) int { return strings.Compare(a.ID, b.ID) })
	s.know = c.knowledgeOf(packs)
	return s
}

// infoOf is what a plugin's manifest says, which was read before. own are the
// surfaces that need none.
func infoOf(p epoch.Plugin, own map[string]surface.Info) (surface.Info, skill.Info, error) {
	broken := func(kind host.Kind, what string) (surface.Info, skill.Info, error) {
		return surface.Info{ID: p.ID}, skill.Info{}, &host.Error{Op: "open", Plugin: p.ID, Version: p.Version, Kind: kind, Source: host.FromHost, Message: what}
	}
	if p.Problem != "" {
		return broken(host.Kind(p.Problem), "the plugin cannot be used, see \"vak plugin list\"")
	}
	if p.Dir == "" {
		info, ok := own[p.ID]
		if !ok {
			return broken(host.NotFound, "it was a part of the program, and is none of this one")
		}
		return info, skill.Info{}, nil
	}
	m, err := hostapi.ParseManifest(p.Manifest)
	if err != nil {
		return broken(host.BadManifest, fmt.Sprintf("its manifest cannot be read any more: %v", err))
	}
	return m.Info, m.Pack, nil
}

func lookFrom(l epoch.Look) look {
	return look{Profile: l.Profile, appendix: lower.Appendix(l.Appendix), template: l.Template, digest: l.Digest()}
}

// recall reads an epoch of before. The caller holds c.old.
func (c *Core) recall(number uint64) (*snapshot, error) {
	if c.catalog == nil {
		return nil, errReadOnly()
	}
	entry, ok := c.catalog.Entry(number)
	if !ok {
		return nil, fmt.Errorf("epoch %d is not listed", number)
	}
	data, err := c.catalog.Load(entry.Digest)
	if err != nil {
		return nil, err
	}
	return c.snapshotOf(data, entry), nil
}

// templateFor is the id of the template that a target wants, empty for none. Its
// own choice goes before that of its surface, and that before the policy's.
// Whether there is such a template is not looked at.
func (c *configured) templateFor(id string, t surface.Target) string {
	want := cmp.Or(c.policies[t.String()].Template, c.file.Surfaces[id].Template, c.file.Policy.Template)
	if want == config.NoTemplate {
		return ""
	}
	return want
}
