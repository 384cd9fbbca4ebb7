package install

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// A Store is the plugins of one home. Any number of processes may use one at the
// same time, whether the home is held or not.
type Store struct {
	home string
	dir  string
	now  func() time.Time
}

// New is the store of a home. It touches nothing.
func New(dir string) *Store {
	return &Store{home: dir, dir: home.PluginStore(dir), now: time.Now}
}

// A Consent is what the operator agreed to.
type Consent struct {
	AllowUnverified bool   // nobody signed it
	AcceptKey       string // fingerprint of the key that it may be signed with, though another is pinned
	Upgrade         bool   // it takes the place of another version
	To              string // version that it is to have, also a lower one; empty: a higher one
}

// A Result is what became of an installation.
type Result struct {
	lock.Plugin
	Already bool // all of it was installed before
}

// Install installs a candidate. It is enabled; one that takes another's place is as
// that was. Its errors are of kind ErrConsent, ErrConflict, ErrRevoked or ErrStore.
func (s *Store) Install(c *Candidate, agreed Consent) (Result, error) {
	release, err := lock.Guard(s.home)
	if err != nil {
		return Result{}, storeError("the store cannot be changed", err)
	}
	defer release()
	if err := s.compare(c); err != nil { // again: time went by
		return Result{}, err
	}
	if err := c.Permitted(agreed); err != nil {
		return Result{}, err
	}
	l, _, err := s.read()
	if err != nil {
		return Result{}, err
	}
	p := lock.Plugin{
		Kind: c.Kind, Version: c.Version, Enabled: c.Now == nil || c.Now.Enabled, Origin: c.Origin, Digest: c.Digest, Binary: c.binary,
		Files: map[string]map[string]string{platform: c.Contents}, Key: c.Key.String(), Signature: c.signature,
		Verified: !c.Key.IsZero() && c.Asks.Interpreter == "", Grants: c.Asks, Installed: s.now().UTC().Truncate(time.Second),
	}
	same := c.Now != nil && c.Now.Digest == c.Digest
	if same && c.Key.IsZero() && c.Now.Key != "" { // it was signed when it came first
		p.Key, p.Signature, p.Verified = c.Now.Key, c.Now.Signature, c.Now.Verified
	}
	whole := same && s.intact(c.Digest, c.Contents)
	if whole && c.Now.Key == p.Key && c.Now.Files[platform] != nil {
		return Result{*c.Now, true}, nil
	}
	if !whole {
		if err := s.place(c); err != nil {
			return Result{}, err
		}
	}
	l.Put(c.ID, p)
	if !c.Key.IsZero() {
		l.SetPin(c.ID, c.Key.String())
	}
	return Result{Plugin: p}, s.write(l)
}

// Permitted holds what is to be done against what was agreed to. Its errors are of
// kind ErrConsent, ErrConflict or ErrNotInstalled. [Store.Install] does the same.
func (c *Candidate) Permitted(agreed Consent) error {
	name := c.ID + " " + c.Version
	consent := func(what, mend string) error { return &Error{ErrConsent, what, mend, nil} }
	given := agreed.AcceptKey != "" && agreed.AcceptKey == c.Key.Fingerprint()
	switch {
	case agreed.AcceptKey != "" && !given:
		return consent(fmt.Sprintf("%s is not signed with the key %s", name, agreed.AcceptKey), signedWith(c))
	case c.Key.IsZero() && !agreed.AllowUnverified && !c.Pinned.IsZero():
		return consent(fmt.Sprintf("nobody signed %s, and what was installed of it before is signed with %s", name, c.Pinned.Fingerprint()),
			"ask its author for a signed one; with --allow-unverified it is installed all the same")
	case c.Key.IsZero() && !agreed.AllowUnverified:
		return consent("nobody signed "+name+", so that nobody can tell whose it is", "if you know where it comes from: --allow-unverified")
	case !c.Key.IsZero() && !c.Pinned.IsZero() && c.Key != c.Pinned && !given:
		return consent(fmt.Sprintf("%s is signed with another key than before: %s, and pinned is %s", name, c.Key.Fingerprint(), c.Pinned.Fingerprint()),
			"ask its author whether that is the new key; if so: --accept-key "+c.Key.Fingerprint())
	}
	conflict := func(what, mend string) error { return &Error{ErrConflict, what, mend, nil} }
	switch {
	case agreed.Upgrade && c.Now == nil:
		return &Error{ErrNotInstalled, c.ID + " is not installed", `"vak plugin install" installs it`, nil}
	case agreed.To != "" && agreed.To != c.Version:
		return conflict(fmt.Sprintf("%s is not version %s", name, agreed.To), "name the archive of that version, or leave --to away")
	case c.Now == nil || c.Now.Digest == c.Digest:
		return nil
	case !agreed.Upgrade:
		return conflict(fmt.Sprintf("%s %s is installed already", c.ID, c.Now.Version), `"vak plugin upgrade" puts another in its place`)
	case agreed.To == "" && compareVersions(c.Version, c.Now.Version) < 0:
		return conflict(fmt.Sprintf("%s is older than %s, which is installed", name, c.Now.Version), "if you mean to go back: --to "+c.Version)
	case agreed.To == "" && compareVersions(c.Version, c.Now.Version) == 0:
		return conflict(fmt.Sprintf("%s is installed with other contents", name), "ask its author which is right; to take this one: --to "+c.Version)
	}
	return nil
}

func signedWith(c *Candidate) string {
	if c.Key.IsZero() {
		return "nobody signed it"
	}
	return "it is signed with " + c.Key.Fingerprint()
}

// place gives what was unpacked its name in the store. What is there already and
// is not the same, or damaged, makes way.
func (s *Store) place(c *Candidate) error {
	final := s.folder(c.Digest)
	if s.intact(c.Digest, c.Contents) {
		return nil
	}
	err := filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return fsys.OS.SyncDir(path)
		}
		mode := fs.FileMode(0o444)
		if path == filepath.Join(c.dir, c.binary) {
			mode = 0o555
		}
		return os.Chmod(path, mode)
	})
	if err == nil {
		err = removeFolder(final)
	}
	if err == nil {
		err = os.Rename(c.dir, final)
	}
	if err == nil {
		err = fsys.OS.SyncDir(s.dir)
	}
	if err != nil {
		return storeError("cannot put the plugin into the store", fsys.Bare(err))
	}
	return nil
}

// Enable has an installed plugin used, or no longer. Its error is of kind
// ErrNotInstalled, ErrRevoked or ErrStore.
func (s *Store) Enable(id string, enabled bool) (lock.Plugin, error) {
	var out lock.Plugin
	return out, s.change(id, func(l *lock.Lock, p lock.Plugin) error {
		if enabled {
			r, err := lock.ReadRevoked(s.home)
			if err != nil {
				return &Error{Kind: ErrStore, Err: err}
			}
			if err := refuseRevoked(r, id+" "+p.Version, p.Digest, binaryHash(p)); err != nil {
				return err
			}
		}
		p.Enabled, out = enabled, p
		out.Enabled = enabled
		l.Put(id, p)
		return nil
	})
}

// Remove takes a plugin out of the lock. Its folder goes with the next [Store.Sweep]
// that finds it needed no more. The key that it was signed with stays pinned. Its error is of kind ErrNotInstalled or ErrStore.
func (s *Store) Remove(id string) (lock.Plugin, error) {
	var out lock.Plugin
	return out, s.change(id, func(l *lock.Lock, p lock.Plugin) error {
		out = p
		l.Remove(id)
		return nil
	})
}

// change changes what the lock says of one plugin.
func (s *Store) change(id string, do func(*lock.Lock, lock.Plugin) error) error {
	release, err := lock.Guard(s.home)
	if err != nil {
		return storeError("the store cannot be changed", err)
	}
	defer release()
	l, err := lock.Read(s.home)
	if err != nil {
		return &Error{Kind: ErrStore, Err: err}
	}
	p, ok := l.Get(id)
	if !ok {
		return notInstalled(l, id)
	}
	if err := do(l, p); err != nil {
		return err
	}
	return s.write(l)
}

// write writes the lock. Folders that it names no longer stay: only who holds the
// home knows whether a turn or a job still goes by one, see [Store.Sweep].
func (s *Store) write(l *lock.Lock) error {
	if err := l.Write(); err != nil {
		return &Error{Kind: ErrStore, Err: err}
	}
	s.tidy()
	return nil
}

// Sweep removes the folders of plugins that were upgraded or removed and that are
// not needed any more, as needed says of the name of each, which is the digest of
// its contents. Only the process that holds the home may call it. Needed is not
// called where nothing waits to be removed; it must not call the store. What cannot
// be removed waits for the next time. Its error is of kind ErrStore.
func (s *Store) Sweep(needed func(digest string) bool) error {
	l, err := lock.Read(s.home)
	if err != nil {
		return &Error{Kind: ErrStore, Err: err}
	}
	if len(l.Stale()) == 0 { // as nearly always, and without a lock
		return nil
	}
	release, err := lock.Guard(s.home)
	if err != nil {
		return storeError("the store cannot be changed", err)
	}
	defer release()
	if l, err = lock.Read(s.home); err != nil { // again: it may have been put back
		return &Error{Kind: ErrStore, Err: err}
	}
	gone := 0
	for _, digest := range l.Stale() {
		if _, _, used := l.In(digest); used || !needed(digest) && removeFolder(s.folder(digest)) == nil {
			l.Gone(digest)
			gone++
		}
	}
	if gone == 0 {
		return nil
	}
	return s.write(l)
}

// tidy removes what installations that were cut off have left.
func (s *Store) tidy() {
	found, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, d := range found {
		st, err := d.Info()
		if err == nil && strings.HasPrefix(d.Name(), temporary) && s.now().Sub(st.ModTime()) > leftover {
			removeFolder(filepath.Join(s.dir, d.Name())) // the next one tries again
		}
	}
}

// make makes the store, and the home.
func (s *Store) make() error {
	release, err := lock.Guard(s.home)
	if err != nil {
		return storeError("the store cannot be made", err)
	}
	release()
	if err := fsys.OS.Mkdir(s.dir); err != nil {
		return storeError("the store cannot be made", fsys.Bare(err))
	}
	return nil
}

// read reads both files of the home.
func (s *Store) read() (*lock.Lock, *lock.Revoked, error) {
	l, err := lock.Read(s.home)
	if err != nil {
		return nil, nil, &Error{Kind: ErrStore, Err: err}
	}
	r, err := lock.ReadRevoked(s.home)
	if err != nil {
		return nil, nil, &Error{Kind: ErrStore, Err: err}
	}
	return l, r, nil
}

func (s *Store) folder(digest string) string { return filepath.Join(s.dir, digest) }

func (s *Store) lockPath() string { return filepath.Join(s.home, lock.Name) }

// intact reports whether a folder of the store holds what it should.
func (s *Store) intact(digest string, want Contents) bool {
	return differs(s.folder(digest), want) == ""
}

func binaryHash(p lock.Plugin) string { return p.Files[platform][p.Binary] }

func notInstalled(l *lock.Lock, id string) error {
	mend := "nothing is installed"
	if ids := l.IDs(); len(ids) > 0 {
		mend = "installed are " + strings.Join(ids, ", ")
	}
	return &Error{ErrNotInstalled, fmt.Sprintf("%.80q is not installed", id), mend, nil}
}

// removeFolder removes a folder with all that is in it. On some systems files that
// nobody may write to cannot be removed.
func removeFolder(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
