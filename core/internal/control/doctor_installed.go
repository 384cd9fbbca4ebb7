package control

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/install"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// installed appends what is wrong with the plugins that are installed in a home, and
// with the two files that say what may be used of them. Where neither is there, it
// has nothing to say.
func (r *Report) installed(dir string) {
	if dir == "" {
		return
	}
	_, locked := lock.Read(dir)
	_, revoked := lock.ReadRevoked(dir)
	if a, b := r.fileFault(lock.Name, locked), r.fileFault(lock.RevokedName, revoked); a || b {
		return
	}
	store := install.New(dir)
	states, strays, err := store.States(false)
	if err != nil {
		r.Add(lock.Name, Fail, err.Error(), "")
		return
	}
	refused, err := store.Revoked()
	if err != nil {
		r.Add(lock.RevokedName, Fail, err.Error(), "")
		return
	}
	if len(states)+len(strays)+len(refused) == 0 {
		return
	}
	r.othersWrite(home.PluginStore(dir))
	enabled := 0
	for _, s := range states {
		if s.Enabled {
			enabled++
		}
		r.add(installedCheck(s))
	}
	for _, name := range strays {
		r.Add(lock.Name, Warn, fmt.Sprintf("%q lies in the store and is not installed, so it is not used", name), "remove it, or install it with \"vak plugin install\"")
	}
	r.Add(lock.Name, Fine, fmt.Sprintf("%s installed, %d enabled, %d revoked", count(len(states), "plugin"), enabled, len(refused)), "")
}

// fileFault is about one of the two files, where it cannot be gone by.
func (r *Report) fileFault(name string, err error) bool {
	if e, ok := errors.AsType[*fsys.Error](err); ok {
		r.Add(name, Fail, strings.TrimSuffix(e.Error(), "; "+e.Mend), e.Mend)
	} else if err != nil {
		r.Add(name, Fail, err.Error(), "")
	}
	return err != nil
}

// othersWrite is about a folder of plugins that others than its owner may write to.
func (r *Report) othersWrite(dir string) {
	st, err := os.Stat(dir)
	if err == nil && runtime.GOOS != "windows" && st.Mode().Perm()&0o022 != 0 {
		r.Add(lock.Name, Fail, fmt.Sprintf("%s can be written to by others than its owner (mode %#o)", dir, st.Mode().Perm()),
			"chmod go-w "+dir+", and look with \"vak plugin list --verify\" what was changed")
	}
}

// installedCheck is the check of one installed plugin.
func installedCheck(s install.State) Check {
	const platform = runtime.GOOS + "/" + runtime.GOARCH
	c := Check{Name: "installed " + s.ID, Result: Fine, What: s.Version + ", enabled"}
	bad := Fail
	if !s.Enabled {
		c.What, bad = s.Version+", disabled", Warn
	}
	st, err := os.Stat(s.Dir)
	switch {
	case s.Revoked != nil && s.Enabled:
		c.Result, c.What = Warn, fmt.Sprintf("%s is enabled and revoked, so it is not used", s.Version)
		c.Mend = fmt.Sprintf("\"vak plugin disable %s\", or remove it; if it was a mistake: \"vak plugin restore %s\"", s.ID, s.Revoked.Hash)
	case s.Files[platform] == nil:
		c.Result, c.What = bad, fmt.Sprintf("%s was installed for %s, and this is %s", s.Version, strings.Join(slices.Sorted(maps.Keys(s.Files)), ", "), platform)
		c.Mend = "install it again, from an archive for " + platform
	case errors.Is(err, fs.ErrNotExist):
		c.Result, c.What, c.Mend = bad, fmt.Sprintf("%s: its folder %s is missing", s.Version, s.Dir), "install it again, or remove it"
	case err != nil:
		c.Result, c.What, c.Mend = bad, fmt.Sprintf("%s: cannot look at its folder: %v", s.Version, err), "check its permissions"
	case !st.IsDir():
		c.Result, c.What, c.Mend = bad, fmt.Sprintf("%s: %s is no folder", s.Version, s.Dir), "install it again"
	}
	return c
}
