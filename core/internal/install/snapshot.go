package install

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// A Snapshot is what stood in plugins.lock and revoked.json at one time. It is
// immutable and safe for concurrent use. Folders are absolute; those outside the
// store are judged by what is revoked alone.
type Snapshot struct {
	store   string
	lock    *lock.Lock
	revoked *lock.Revoked
	err     error // why nothing of the store may be used; nil: it may
}

// maxReadings bounds how often both files are read because one of them was replaced
// in the meantime.
const maxReadings = 8

// Snapshot reads both files, as they stood at one time. Where a command after the
// other goes on to replace them they may be of two; then [Store.Stamp] tells, too,
// that they are to be read again. Its error is of kind ErrStore. The snapshot is
// there all the same: it refuses all that lies in the store, and what is revoked
// elsewhere, as far as that can be told.
func (s *Store) Snapshot() (*Snapshot, error) {
	for n := 1; ; n++ {
		before := s.Stamp()
		now := &Snapshot{store: s.dir}
		var unread error
		now.lock, now.err = lock.Read(s.home)
		if now.revoked, unread = lock.ReadRevoked(s.home); unread != nil {
			now.revoked, now.err = &lock.Revoked{}, cmp.Or(now.err, unread)
		}
		if n < maxReadings && s.Stamp() != before {
			continue
		}
		if now.err != nil {
			now.lock, now.err = &lock.Lock{}, &Error{Kind: ErrStore, Err: now.err}
		}
		return now, now.err
	}
}

// Stamp tells both files from what they were: it is another once one of them was
// replaced, appeared, went, or is for others to write. It reads neither.
func (s *Store) Stamp() string {
	return stamp(filepath.Join(s.home, lock.Name)) + "\n" + stamp(filepath.Join(s.home, lock.RevokedName))
}

func stamp(path string) string {
	st, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		return fsys.Bare(err).Error()
	}
	return fmt.Sprintf("%d %d %v %s", st.Size(), st.ModTime().UnixNano(), st.Mode(), identity(st))
}

// Folders are those of the plugins that are installed and enabled, by id. Whether
// each may be started says [Snapshot.Admit].
func (s *Snapshot) Folders() []string {
	var out []string
	for _, id := range s.lock.IDs() {
		if p, _ := s.lock.Get(id); p.Enabled {
			out = append(out, filepath.Join(s.store, p.Digest))
		}
	}
	return out
}

// Admit says why the plugin in a folder, whose manifest names the hash of its
// binary, may not be used from now on; nil: it may. Its errors are of kind
// ErrRevoked, and of ErrNotInstalled, ErrConflict or ErrStore for what lies in the
// store. The binary itself is hashed whenever it is started; here it is the manifest.
func (s *Snapshot) Admit(folder, binary string) error {
	if !s.holds(folder) {
		return s.Revoked(folder, binary)
	}
	if s.err != nil {
		return s.err
	}
	id, p, ok := s.lock.In(filepath.Base(folder))
	if !ok || !p.Enabled {
		return &Error{ErrNotInstalled, folder + " is not installed", `"vak plugin install" installs a plugin; what is put into the store by hand is not used`, nil}
	}
	if err := refuseRevoked(s.revoked, id+" "+p.Version, p.Digest, binary); err != nil {
		return err
	}
	manifest, err := hashManifest(folder)
	if err != nil || manifest != p.Files[platform][hostapi.ManifestName] || binary != binaryHash(p) {
		return &Error{ErrConflict, fmt.Sprintf("%s %s is not as it was installed on %s", id, p.Version, platform), `install it again; "vak plugin list --verify" says what differs`, err}
	}
	return nil
}

// Revoked says why the plugin in a folder is revoked; nil: it is not. Its contents
// may be, where they lie in the store, whether they are still installed or not; its
// binary may be wherever it lies. Its error is of kind ErrRevoked.
func (s *Snapshot) Revoked(folder, binary string) error {
	return s.refusal(folder, binary, func(lock.Revocation) bool { return true })
}

// Banned says why what runs of the plugin in a folder is to end at once: it was
// revoked so. Nil: it is not. Its error is of kind ErrRevoked. Of what is not revoked
// nothing is looked up on disk: a host asks while all who call it wait.
func (s *Snapshot) Banned(folder, binary string) error {
	return s.refusal(folder, binary, func(v lock.Revocation) bool { return v.Now })
}

// refusal is the error of a plugin that was revoked in a way that counts.
func (s *Snapshot) refusal(folder, binary string, counts func(lock.Revocation) bool) error {
	for _, h := range []string{filepath.Base(folder), binary} {
		v, ok := s.revoked.Get(h)
		if !ok || !counts(v) || h != binary && !s.holds(folder) { // elsewhere a folder's name means nothing
			continue
		}
		name := "the plugin in " + folder
		if v.ID != "" {
			name = v.ID + " " + v.Version
		}
		return refuseRevoked(s.revoked, name, h)
	}
	return nil
}

// Grants are what was agreed to for the plugin in a folder of the store, also for
// one that was upgraded or removed since, as long as its folder is there: turns and
// jobs of before go by it. Outside the store, nothing was agreed to.
func (s *Snapshot) Grants(folder string) lock.Grants {
	if !s.holds(folder) {
		return lock.Grants{}
	}
	return s.lock.Granted(filepath.Base(folder))
}

// holds reports whether a folder lies in the store, whether it is there or not.
func (s *Snapshot) holds(folder string) bool {
	dir := filepath.Dir(filepath.Clean(folder))
	return dir == s.store || sameFolder(dir, s.store)
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
