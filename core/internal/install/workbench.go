package install

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Draft is a build of a plugin that is being written: checked, and not used yet.
type Draft struct {
	ID, Kind, Version string
	SHA256            string      // of the binary
	Grants            lock.Grants // what it is given, and what its kind comes with

	Pack     skill.Info        // of a skill pack
	Profiles []surface.Profile // of a surface

	dir string
}

// NewDraft makes a draft of what was built into dir: it writes the manifest there,
// which was made by the binary, and what the plugin is given, and checks that a host
// would take it. Origin is what errors call it. They are of kind ErrBundle.
func NewDraft(dir, origin string, text []byte, given lock.Grants) (*Draft, error) {
	if err := os.WriteFile(filepath.Join(dir, hostapi.ManifestName), text, 0o600); err != nil {
		return nil, bundleError("the manifest cannot be written", "check the space there", fsys.Bare(err))
	}
	found, comes, err := examine(dir, origin, text, wording{origin + ": what it prints of itself is no manifest", "mend what the plugin says of itself", "build it again"})
	if err != nil {
		return nil, err
	}
	if given, err = Permissible(given); err != nil {
		return nil, bundleError(origin+": what it is given", "give it something else", err)
	}
	given.Network, given.Packet = comes.Network, comes.Packet
	if err := writeGrants(dir, given); err != nil {
		return nil, bundleError("what the plugin is given cannot be written", "check the space there", fsys.Bare(err))
	}
	return &Draft{
		ID: found.Info.ID, Kind: found.Kind, Version: found.Info.Version, SHA256: found.SHA256, Grants: given,
		Pack: found.Pack, Profiles: found.Info.Profiles, dir: dir,
	}, nil
}

// A Workbench has a plugin that is being written used by whoever holds the home, for
// as long as it is open and its process lives. It is not safe for concurrent use.
type Workbench struct {
	dir     string
	id      string // of what is used; empty: nothing is
	release func()
}

// OpenWorkbench opens one in a home, which is made if it is not there, and removes what
// others have left that were killed. Its error is of kind ErrStore.
func OpenWorkbench(dir string) (*Workbench, error) {
	release, err := lock.Guard(dir)
	if err != nil {
		return nil, storeError("the home cannot be changed", err)
	}
	defer release()
	w := &Workbench{dir: DevDir(dir)}
	if err := os.MkdirAll(w.builds(), 0o700); err != nil {
		return nil, storeError("cannot make "+w.builds(), fsys.Bare(err))
	}
	w.tidy()
	return w, nil
}

// builds is where builds lie until they are used: in the same file system, and no
// folder of a plugin.
func (w *Workbench) builds() string { return filepath.Join(w.dir, ".builds") }

func (w *Workbench) folder(id string) string { return filepath.Join(w.dir, id) }

// tidy removes what nobody uses. What cannot be removed is left to the next one: it
// counts for nothing.
func (w *Workbench) tidy() {
	ids, err := devIDs(w.dir)
	if err != nil {
		return
	}
	for _, id := range ids {
		if release, got, err := home.Claim(w.folder(id) + lockSuffix); err == nil && got {
			removeFolder(w.folder(id))
			release()
		}
	}
	found, err := os.ReadDir(w.builds())
	if err != nil {
		return
	}
	for _, d := range found {
		if st, err := d.Info(); err == nil && time.Since(st.ModTime()) > leftover {
			removeFolder(filepath.Join(w.builds(), d.Name()))
		}
	}
}

// Stage makes an empty folder for a build. Whoever does not [Workbench.Use] what is
// in it removes it. Its error is of kind ErrStore.
func (w *Workbench) Stage() (string, error) {
	dir, err := os.MkdirTemp(w.builds(), "")
	if err != nil {
		return "", storeError("there is no place to build in", fsys.Bare(err))
	}
	return dir, nil
}

// Use has a draft used, which lies in a folder of [Workbench.Stage], in place of the
// one before. A host finds the one or the other, each whole. Its error is of kind
// ErrConflict where another process writes a plugin of that id, else of kind ErrStore;
// then the one before is still used.
func (w *Workbench) Use(d *Draft) error {
	if d.ID != w.id {
		release, got, err := home.Claim(w.folder(d.ID) + lockSuffix)
		if err != nil {
			return &Error{Kind: ErrStore, Err: err}
		}
		if !got {
			return &Error{ErrConflict, fmt.Sprintf("another \"vak plugin dev\" has a plugin %s in this home", d.ID), "end that, or give this one another id", nil}
		}
		if err := w.place(d); err != nil {
			release()
			return err
		}
		err = w.Close() // the author gave it another id
		w.id, w.release = d.ID, release
		return err
	}
	return w.place(d)
}

// place gives a draft the name of its id. What had that is removed.
func (w *Workbench) place(d *Draft) error {
	final := w.folder(d.ID)
	if err := exchange(d.dir, final); err != nil {
		return storeError("cannot put the plugin into "+final, fsys.Bare(err))
	}
	removeFolder(d.dir) // the next one tries again
	return nil
}

// Close has nothing used any more, and removes it. A second one does nothing. Its
// error is of kind ErrStore.
func (w *Workbench) Close() error {
	if w.id == "" {
		return nil
	}
	defer func() {
		w.release() // behind the removal: whoever claims it next finds nothing
		w.id, w.release = "", nil
	}()
	gone, err := w.Stage()
	if err == nil {
		// By another name first: nobody finds half of it.
		if err := os.Rename(w.folder(w.id), filepath.Join(gone, w.id)); err != nil {
			return storeError("cannot take "+w.folder(w.id)+" away", fsys.Bare(err))
		}
		err = removeFolder(gone)
	}
	if err != nil {
		return storeError("cannot remove the plugin", fsys.Bare(err))
	}
	return nil
}
