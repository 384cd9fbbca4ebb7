package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// GrantsName is the name of the file that says what a plugin which is being written
// was given, beside its manifest: a [lock.Grants].
const GrantsName = "grants.json"

// lockSuffix ends the name of the file that is locked for as long as a plugin is
// being written, beside its folder.
const lockSuffix = ".lock"

// maxGrants bounds a file with grants, in bytes.
const maxGrants = 64 << 10

// DevDir is the directory of plugins that are being written in the home dir. Each has
// a folder there, named for its id.
func DevDir(dir string) string { return filepath.Join(dir, "plugins", "dev") }

// Dev lists the folders of plugins in a home that are being written, by id, each as
// long as its "vak plugin dev" lives, and says what each of them was given. What a
// command has left that was killed counts for nothing. It writes nothing, and may be
// called as often as one likes. Its error is of kind ErrStore.
func Dev(dir string) (folders []string, grants func(folder string) lock.Grants, _ error) {
	given := map[string]lock.Grants{}
	grants = func(folder string) lock.Grants { return given[filepath.Clean(folder)] }
	ids, err := devIDs(DevDir(dir))
	if err != nil {
		return nil, grants, storeError("cannot read "+DevDir(dir), err)
	}
	for _, id := range ids {
		folder := filepath.Join(DevDir(dir), id)
		if lives, err := home.Claimed(folder + lockSuffix); err != nil || !lives {
			continue // of a lock that is none, "vak plugin dev" tells
		}
		folders = append(folders, folder)
		// Of what cannot be read nothing is given: the plugin then fails, and says so.
		if g, err := readGrants(filepath.Join(folder, GrantsName)); err == nil {
			given[folder] = g
		}
	}
	return folders, grants, nil
}

// devIDs are the ids in the directory of plugins that are being written. Those hold
// no dot; names of what else lies there do.
func devIDs(dir string) (ids []string, _ error) {
	found, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, d := range found {
		if d.IsDir() && !strings.Contains(d.Name(), ".") {
			ids = append(ids, d.Name())
		}
	}
	return ids, fsys.Bare(err)
}

// readGrants reads what a plugin was given. A file that is not there gives nothing;
// one that others may write to is refused.
func readGrants(path string) (g lock.Grants, _ error) {
	st, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return g, nil
	case err != nil:
		return g, fsys.Bare(err)
	case !st.Mode().IsRegular() || st.Size() > maxGrants: // opening a pipe would block
		return g, fmt.Errorf("%s is not what vak writes there", path)
	case runtime.GOOS != "windows" && st.Mode().Perm()&0o022 != 0:
		return g, fmt.Errorf("%s can be written to by others than its owner", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return g, fsys.Bare(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxGrants))
	if err != nil {
		return g, fsys.Bare(err)
	}
	if err := json.Unmarshal(text, &g); err != nil {
		return lock.Grants{}, err
	}
	return Permissible(g)
}

// writeGrants says what a plugin was given.
func writeGrants(folder string, g lock.Grants) error {
	text, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, GrantsName), append(text, '\n'), 0o600)
}

// Permissible is what somebody wants to give a plugin as it can be given: names and
// paths sorted, each once. Its error says what cannot be given.
func Permissible(given lock.Grants) (lock.Grants, error) {
	var m manifest
	m.Grants.Env, m.Grants.Read, m.Grants.Interpreter = given.Env, given.Read, given.Interpreter
	g, wrong := m.asks()
	if wrong != "" {
		return lock.Grants{}, errors.New(strings.TrimPrefix(wrong, "/grants/"))
	}
	g.Network, g.Packet = given.Network, given.Packet
	return g, nil
}
