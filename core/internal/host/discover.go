package host

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// State is what became of a surface.
type State string

// The states.
const (
	StateBuiltin State = "builtin" // part of the host, no process
	StateReady   State = "ready"   // can be started; no process
	StateRunning State = "running" // has a process
	StateBroken  State = "broken"  // cannot be used; Err says why
)

// A Surface is one surface that was found, usable or not.
type Surface struct {
	Info   surface.Info // of a broken one the id at least: the folder's name if nothing better is known
	Path   string       // of the binary; empty for built-in and for some broken ones
	SHA256 string       // of the binary, as the manifest says
	Dir    string       // the plugin's folder; empty for a built-in
	State  State
	Err    error // why it is broken, an *Error; else nil
}

// maxFolders bounds what is looked at in one directory.
const maxFolders = 1000

// discover reads the manifests in dirs, in order. It starts nothing. Its error
// is about a directory; what is wrong with one plugin is in its Surface.
func discover(dirs []string) ([]Surface, error) {
	var out []Surface
	for _, dir := range dirs {
		folders, err := os.ReadDir(dir)
		if err != nil {
			return nil, &Error{
				Op: "open", Kind: NotFound, Source: FromHost, Err: err,
				Message: fmt.Sprintf("cannot read the directory of plugins: %v", err),
				Hint:    "name an existing directory that holds a folder for each plugin",
			}
		}
		if len(folders) > maxFolders {
			return nil, &Error{
				Op: "open", Kind: NotFound, Source: FromHost,
				Message: fmt.Sprintf("%s holds %d entries, at most %d are read", dir, len(folders), maxFolders),
				Hint:    "name a directory that holds plugins only",
			}
		}
		for _, f := range folders { // sorted by name
			folder := filepath.Join(dir, f.Name())
			if _, err := os.Lstat(filepath.Join(folder, hostapi.ManifestName)); err != nil {
				continue // not a plugin
			}
			out = append(out, readPlugin(folder))
		}
	}
	return out, nil
}

// readPlugin reads the manifest in folder.
func readPlugin(folder string) Surface {
	s := Surface{Dir: folder, State: StateReady}
	s.Info.ID = filepath.Base(folder)
	broken := func(message, hint string, err error) Surface {
		s.State = StateBroken
		s.Err = &Error{
			Op: "open", Plugin: s.Info.ID, Version: s.Info.Version, Kind: BadManifest, Source: FromPlugin,
			Message: message, Hint: hint, Err: err,
		}
		return s
	}
	path := filepath.Join(folder, hostapi.ManifestName)
	b, err := readBounded(path, hostapi.MaxManifest)
	if err != nil {
		return broken(fmt.Sprintf("cannot read the manifest: %v", err), "install the plugin again", err)
	}
	m, err := hostapi.ParseManifest(b)
	if err != nil {
		return broken(fmt.Sprintf("%s is not valid: %v", path, err), "install the plugin again, or tell its author", err)
	}
	s.Info, s.SHA256, s.Path = m.Info, m.SHA256, filepath.Join(folder, m.Binary)
	st, err := os.Stat(s.Path)
	switch {
	case err != nil:
		return broken(fmt.Sprintf("cannot find the binary: %v", err), "install the plugin again for this platform", err)
	case !st.Mode().IsRegular():
		return broken(s.Path+" is not a file", "install the plugin again", nil)
	case !executable(st):
		return broken(s.Path+" may not be executed", "chmod +x "+s.Path, nil)
	}
	return s
}

func readBounded(path string, most int64) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() { // opening a pipe would block
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, most)
	}
	return b, nil
}

// settle marks the later one of two usable surfaces with the same id as broken
// and sorts by id, the usable one before the broken ones.
func settle(all []Surface) []Surface {
	first := map[string]Surface{}
	for i, s := range all {
		if s.State == StateBroken {
			continue
		}
		winner, taken := first[s.Info.ID]
		if !taken {
			first[s.Info.ID] = s
			continue
		}
		where := winner.Dir
		if where == "" {
			where = "vak itself"
		}
		all[i].State = StateBroken
		all[i].Err = &Error{
			Op: "open", Plugin: s.Info.ID, Version: s.Info.Version, Kind: Duplicate, Source: FromHost,
			Message: fmt.Sprintf("%s is not used: %s provides the same surface", s.Dir, where),
			Hint:    "remove one of them",
		}
	}
	slices.SortStableFunc(all, func(a, b Surface) int {
		if c := strings.Compare(a.Info.ID, b.Info.ID); c != 0 {
			return c
		}
		return boolInt(a.State == StateBroken) - boolInt(b.State == StateBroken)
	})
	return all
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
