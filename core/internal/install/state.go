package install

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/install/key"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// A State is what is known of one plugin of the store.
type State struct {
	ID string `json:"-"`
	lock.Plugin
	Dir         string   `json:"dir"`
	Fingerprint string   `json:"fingerprint,omitempty"` // of Key
	Revoked     *Revoked `json:"revoked,omitempty"`
	Changed     string   `json:"changed,omitempty"` // what is not as it was installed; looked at only where asked for
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
			if v, ok := r.Get(h); ok && st.Revoked == nil {
				st.Revoked = &Revoked{h, v}
			}
		}
		if verify {
			st.Changed = s.check(p)
		}
		states, known = append(states, st), append(known, p.Digest)
	}
	found, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, storeError("the store cannot be read", fsys.Bare(err))
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
	if p.Signature != "" {
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
		return "its folder cannot be read: " + fsys.Bare(err).Error()
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
