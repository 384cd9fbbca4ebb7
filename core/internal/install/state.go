package install

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/install/key"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// A State is what is known of one plugin of the store.
type State struct {
	ID string `json:"-"`
	lock.Plugin
	Dir         string           `json:"dir"`
	Fingerprint string           `json:"fingerprint,omitempty"` // of Key
	Revoked     *lock.Revocation `json:"revoked,omitempty"`
	Changed     string           `json:"changed,omitempty"` // what is not as it was installed; looked at only where asked for
}

// States lists the installed plugins by id, and the names of things in the store
// that are of none of them. With verify every file is hashed, and every signature
// checked. Its error is of kind ErrStore.
func (s *Store) States(verify bool) (states []State, strays []string, _ error) {
	l, r, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	known := l.Stale()
	for _, id := range l.IDs() {
		p, _ := l.Get(id)
		st := State{ID: id, Plugin: p, Dir: s.folder(p.Digest)}
		if k, err := key.ParsePublic(p.Key); err == nil {
			st.Fingerprint = k.Fingerprint()
		}
		for _, h := range []string{p.Digest, binaryHash(p)} {
			if v, ok := r.Get(h); ok {
				st.Revoked = &v
			}
		}
		if verify {
			st.Changed = s.check(p)
		}
		states, known = append(states, st), append(known, p.Digest)
	}
	found, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, storeError("the store cannot be read", bare(err))
	}
	for _, d := range found {
		if !slices.Contains(known, d.Name()) && !strings.HasPrefix(d.Name(), temporary) {
			strays = append(strays, d.Name())
		}
	}
	return states, strays, nil
}

// check says what of a plugin is not as it was installed; empty: nothing.
func (s *Store) check(p lock.Plugin) string {
	want := Contents(p.Files[platform])
	if want == nil {
		return "it is not installed for " + platform
	}
	if what := differs(s.folder(p.Digest), want); what != "" {
		return what
	}
	if want.Digest() != p.Digest {
		return "the hashes in " + lock.Name + " are not those of its digest"
	}
	if p.Verified {
		sig, err := key.ParseSignature([]byte(p.Signature))
		if err != nil || sig.Key.String() != p.Key || !sig.Verify(want.Statement()) {
			return "its signature in " + lock.Name + " is not one of it"
		}
	}
	return ""
}

// differs says what a folder does not hold as it should; empty: nothing.
func differs(dir string, want Contents) string {
	got, err := readContents(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "its folder is missing"
	}
	if err != nil {
		return "its folder cannot be read: " + bare(err).Error()
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch got[name] {
		case want[name]:
		case "":
			return fmt.Sprintf("%q is missing", name)
		default:
			return fmt.Sprintf("%q was changed", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want[name] == "" {
			return fmt.Sprintf("%q was added", name)
		}
	}
	return ""
}

// Folders are those of the plugins that are installed and enabled, by id. Whether
// each may be started says [Store.Admit]. Its error is of kind ErrStore; then
// nothing of the store may be used.
func (s *Store) Folders() ([]string, error) {
	l, err := lock.Read(s.home)
	if err != nil {
		return nil, &Error{Kind: ErrStore, Err: err}
	}
	var out []string
	for _, id := range l.IDs() {
		if p, _ := l.Get(id); p.Enabled {
			out = append(out, s.folder(p.Digest))
		}
	}
	return out, nil
}

// Admit says why the plugin in dir, whose manifest names the hash of its binary,
// may not be started; nil: it may. A plugin that is not in the store may. The
// binary itself is hashed whenever it is started; here it is the manifest.
func (s *Store) Admit(dir, binary string) error {
	if !sameFolder(filepath.Dir(dir), s.dir) {
		return nil
	}
	l, r, err := s.read()
	if err != nil {
		return err
	}
	for _, id := range l.IDs() {
		p, _ := l.Get(id)
		if p.Digest != filepath.Base(dir) || !p.Enabled {
			continue
		}
		if err := refuseRevoked(r, id, p.Version, p.Digest, binary); err != nil {
			return err
		}
		manifest, err := hashManifest(dir)
		if err != nil || manifest != p.Files[platform][hostapi.ManifestName] || binary != binaryHash(p) {
			return &Error{ErrConflict, fmt.Sprintf("%s %s is not as it was installed on %s", id, p.Version, platform), `install it again; "vak plugin list --verify" says what differs`, err}
		}
		return nil
	}
	return &Error{ErrNotInstalled, dir + " is not installed", `"vak plugin install" installs a plugin; what is put into the store by hand is not used`, nil}
}

// hashManifest is the hash of the manifest in a folder.
func hashManifest(dir string) (string, error) {
	f, err := os.Open(filepath.Join(dir, hostapi.ManifestName))
	if err != nil {
		return "", err
	}
	defer f.Close()
	return manifestHash(f)
}

// sameFolder reports whether two paths lead to the same folder.
func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
