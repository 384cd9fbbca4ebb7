package lock

import (
	"fmt"
	"slices"
	"time"
)

// A Lock is what plugins.lock holds. It is changed by its methods and written by
// Write, under [Guard].
type Lock struct {
	plugins map[string]Plugin
	pins    map[string]string
	stale   []string
	former  map[string]Grants // of stale folders, by digest
	rest    members
	raw     map[string]members
	dir     string
}

// A Plugin is one that is installed.
type Plugin struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
	Enabled bool   `json:"enabled"`
	Origin  string `json:"origin"` // the path that it was installed from
	Digest  string `json:"digest"` // of all its contents, and the name of its folder in the store
	Binary  string `json:"binary"` // name of the binary, which is one of Files

	// Files are the hashes of its files by name, by the platform that they are for,
	// such as linux/amd64. That of the manifest is of its canonical form.
	Files map[string]map[string]string `json:"files"`

	Key       string    `json:"key,omitempty"`       // the public key that signed it; empty: nobody's
	Signature string    `json:"signature,omitempty"` // as plugin.sig held it
	Verified  bool      `json:"verified"`            // the signature is that of the key that is pinned, and covers all that runs: there is no interpreter
	Grants    Grants    `json:"grants"`
	Installed time.Time `json:"installed_at"`
}

// Grants are what a plugin asks for and its operator agreed to.
type Grants struct {
	Network     bool     `json:"network,omitempty"`     // connect to anywhere, as a transport
	Packet      bool     `json:"packet,omitempty"`      // get the whole packet, not the parts alone
	Env         []string `json:"env,omitempty"`         // variables of the environment, by name
	Read        []string `json:"read,omitempty"`        // files and folders to read
	Interpreter string   `json:"interpreter,omitempty"` // the program that runs it
}

// Read reads the lock of a home. One that is not there is empty.
func Read(dir string) (*Lock, error) {
	l := &Lock{plugins: map[string]Plugin{}, pins: map[string]string{}, former: map[string]Grants{}, raw: map[string]members{}, dir: dir}
	path := at(dir, Name)
	var err error
	if l.rest, err = readFile(path); err != nil {
		return nil, err
	}
	for name, v := range map[string]any{"pins": &l.pins, "stale": &l.stale, "former_grants": &l.former, "plugins": &l.raw} {
		if err := l.rest.read(path, name, v); err != nil {
			return nil, err
		}
	}
	if err := l.rest.read(path, "plugins", &l.plugins); err != nil {
		return nil, err
	}
	if l.plugins == nil || l.pins == nil || l.former == nil || l.raw == nil { // a null
		return nil, damaged(path, "it is not what vak writes there", nil)
	}
	for id, p := range l.plugins {
		if !IsHash(p.Digest) { // it names a folder that is removed one day
			return nil, damaged(path, fmt.Sprintf("the digest of %.40q is none", id), nil)
		}
	}
	if !all(l.stale, IsHash) {
		return nil, damaged(path, "a digest in its member \"stale\" is none", nil)
	}
	return l, nil
}

// Write replaces the file.
func (l *Lock) Write() error {
	for id, p := range l.plugins {
		if l.raw[id] == nil {
			l.raw[id] = members{}
		}
		l.raw[id].forget("key", "signature")
		if err := l.raw[id].lay(p); err != nil {
			return err
		}
	}
	if err := l.rest.lay(map[string]any{"version": version, "plugins": l.raw, "pins": l.pins, "stale": l.stale, "former_grants": l.former}); err != nil {
		return err
	}
	return l.rest.write(at(l.dir, Name))
}

// Get returns a plugin by its id.
func (l *Lock) Get(id string) (Plugin, bool) {
	p, ok := l.plugins[id]
	return p, ok
}

// In returns the plugin that is in a folder of the store, and its id. No two are in
// one: the digest that names it is that of contents which say the id, too.
func (l *Lock) In(digest string) (id string, p Plugin, ok bool) {
	for id, p := range l.plugins {
		if p.Digest == digest {
			return id, p, true
		}
	}
	return "", Plugin{}, false
}

// IDs are those of all plugins, sorted.
func (l *Lock) IDs() []string {
	ids := make([]string, 0, len(l.plugins))
	for id := range l.plugins {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Put adds a plugin, or takes the place of one. What was in the store for that
// becomes stale, as [Lock.Stale] tells.
func (l *Lock) Put(id string, p Plugin) {
	if old, ok := l.plugins[id]; ok && old.Digest != p.Digest {
		l.forsake(old)
	}
	l.Gone(p.Digest) // as what is stale
	l.plugins[id] = p
}

// Remove takes a plugin out. Its key stays pinned.
func (l *Lock) Remove(id string) {
	if old, ok := l.plugins[id]; ok {
		delete(l.plugins, id)
		delete(l.raw, id)
		l.forsake(old)
	}
}

// forsake makes a plugin's folder in the store stale.
func (l *Lock) forsake(old Plugin) {
	if !slices.Contains(l.stale, old.Digest) {
		l.stale = append(l.stale, old.Digest)
	}
	l.former[old.Digest] = old.Grants
}

// Granted is what was agreed to for the plugin in a folder of the store, also while
// that is stale: what began before may still go by it.
func (l *Lock) Granted(digest string) Grants {
	if _, p, ok := l.In(digest); ok {
		return p.Grants
	}
	return l.former[digest]
}

// Stale are the folders of the store that no plugin of the lock is in any more, and
// that are still there. The caller owns the slice.
func (l *Lock) Stale() []string { return slices.Clone(l.stale) }

// Gone says that a stale folder was removed.
func (l *Lock) Gone(digest string) {
	l.stale = slices.DeleteFunc(l.stale, func(d string) bool { return d == digest })
	delete(l.former, digest)
}

// Pin is the public key that a plugin must be signed with; empty: none is pinned.
func (l *Lock) Pin(id string) string { return l.pins[id] }

// SetPin pins a key.
func (l *Lock) SetPin(id, key string) { l.pins[id] = key }
