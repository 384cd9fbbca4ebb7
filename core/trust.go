package core

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/config"
	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// trustedName is the file of a home that lists the projects that are trusted.
const trustedName = "trusted.json"

// trustedVersion is the version of its form.
const trustedVersion = 1

// maxTrusted bounds that file, in bytes.
const maxTrusted = 1 << 20

// A TrustedProject is a directory whose .vak/output.toml is read.
type TrustedProject struct {
	Path  string    `json:"path"` // absolute, without symbolic links
	Since time.Time `json:"since"`
}

// Trust has the .vak/output.toml of the project in dir read from now on, and
// returns the path by which the project is known: absolute, without symbolic
// links. It works whoever holds the home, which is found like that of
// [Config.Home] and made if it is not there. To trust a project again changes
// nothing. Its error is of kind ErrTrust, or ErrHome.
func Trust(home, dir string) (string, error) {
	path, err := canonical(dir)
	if err != nil {
		return "", &Error{Kind: ErrTrust, What: "there is no such directory as " + dir, Mend: "name the directory that holds .vak", Err: bare(err)}
	}
	return path, changeTrusted(home, func(t *trustedFile) error {
		if !t.has(path) {
			one, err := json.Marshal(TrustedProject{path, time.Now().UTC().Truncate(time.Second)})
			t.projects = append(t.projects, one)
			return err
		}
		return nil
	})
}

// Untrust takes back what [Trust] did, also for a directory that is no more. Its
// error is of kind ErrTrust where the project was not trusted, or ErrHome.
func Untrust(home, dir string) (string, error) {
	path, err := canonical(dir)
	if err != nil {
		if path, err = filepath.Abs(dir); err != nil {
			return "", &Error{Kind: ErrTrust, What: "cannot tell which directory " + dir + " is", Mend: "name it with an absolute path", Err: err}
		}
	}
	return path, changeTrusted(home, func(t *trustedFile) error {
		if !t.has(path) {
			return &Error{Kind: ErrTrust, What: "the project " + path + " is not trusted", Mend: `"vak trust --list" shows which are`}
		}
		t.projects = slices.DeleteFunc(t.projects, func(one json.RawMessage) bool { return pathOf(one) == path })
		return nil
	})
}

// Trusted lists the projects that are trusted, in the order in which they came to
// be. Its error is of kind ErrHome.
func Trusted(home string) ([]TrustedProject, error) {
	dir, err := homeDir(home)
	if err != nil {
		return nil, err
	}
	t, err := readTrusted(filepath.Join(dir, trustedName))
	if err != nil {
		return nil, err
	}
	out := []TrustedProject{}
	for _, one := range t.projects {
		var p TrustedProject
		if json.Unmarshal(one, &p) == nil && p.Path != "" {
			out = append(out, p)
		}
	}
	return out, nil
}

// changeTrusted changes the list, one process at a time.
func changeTrusted(configured string, change func(*trustedFile) error) error {
	dir, err := homeDir(configured)
	if err != nil {
		return err
	}
	release, err := home.Guard(dir, "trusted.lock")
	if err != nil {
		return &Error{Kind: ErrHome, What: "the list of trusted projects cannot be changed", Err: err}
	}
	defer release()
	path := filepath.Join(dir, trustedName)
	t, err := readTrusted(path)
	if err != nil {
		return err
	}
	before := len(t.projects)
	if err := change(t); err != nil || len(t.projects) == before {
		return err
	}
	b, err := t.bytes()
	if err == nil {
		err = fsys.Replace(fsys.OS, path, b)
	}
	if err != nil {
		return &Error{Kind: ErrHome, What: "the list of trusted projects cannot be written", Mend: "check the space and the rights of " + dir, Err: err}
	}
	return nil
}

// A trustedFile is what trusted.json holds. What this version does not know of it
// is kept as it is.
type trustedFile struct {
	all      map[string]json.RawMessage
	projects []json.RawMessage
}

func readTrusted(path string) (*trustedFile, error) {
	t := &trustedFile{all: map[string]json.RawMessage{}}
	damaged := func(what string, err error) error {
		return &Error{Kind: ErrHome, What: path + ": " + what, Mend: "until that is mended no project is trusted; remove the file to begin anew", Err: err}
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return nil, damaged("it cannot be read", bare(err))
	case !st.Mode().IsRegular() || st.Size() > maxTrusted:
		return nil, damaged("it is no list of projects", nil)
	}
	if what := exposed(st, 0o022); what != "" {
		return nil, damaged(what, nil)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, damaged("it cannot be read", bare(err))
	}
	var form struct {
		Version  int
		Projects []json.RawMessage
	}
	if json.Unmarshal(b, &t.all) != nil || json.Unmarshal(b, &form) != nil || form.Version < 1 {
		return nil, damaged("it is no list of projects", nil)
	}
	if form.Version > trustedVersion {
		return nil, &Error{Kind: ErrHome, What: path + ": a later version of vak wrote it", Mend: "run that version, or a later one"}
	}
	t.projects = form.Projects
	return t, nil
}

func (t *trustedFile) bytes() ([]byte, error) {
	for k, v := range map[string]any{"version": trustedVersion, "projects": t.projects} {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		t.all[k] = b
	}
	b, err := json.MarshalIndent(t.all, "", "  ")
	return append(b, '\n'), err
}

func (t *trustedFile) has(path string) bool {
	return slices.ContainsFunc(t.projects, func(one json.RawMessage) bool { return pathOf(one) == path })
}

func pathOf(one json.RawMessage) string {
	var p struct{ Path string }
	json.Unmarshal(one, &p) // of another form: it has none
	return p.Path
}

// outputOf is the file of the project in dir.
func outputOf(dir string) string { return filepath.Join(dir, ".vak", config.Output) }

// projectFile is the file of the project that is to be read; or why the one that
// is there is not.
func (c *Core) projectFile() (string, *config.Problem) {
	dir := c.config.Project
	if dir == "" {
		return "", nil
	}
	file := outputOf(dir)
	if _, err := os.Lstat(file); err != nil {
		return "", nil
	}
	ignored := func(what, mend string) (string, *config.Problem) {
		return "", &config.Problem{File: file, What: what + ", so it is not read", Mend: mend}
	}
	path, err := canonical(dir)
	if err != nil {
		return ignored("its project cannot be looked at", "check its rights")
	}
	t, err := readTrusted(filepath.Join(c.Home(), trustedName))
	if err != nil {
		return ignored("the list of trusted projects cannot be used", `"vak trust --list" says why`)
	}
	if !t.has(path) {
		return ignored("its project is not trusted", `if you know what is in it: "vak trust `+dir+`"`)
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return ignored("it cannot be looked at", "check that it is a file")
	}
	// Who may write to a directory may put another file there.
	for _, at := range []struct {
		path string
		open os.FileMode
	}{{real, 0o022}, {filepath.Dir(real), 0o002}, {path, 0o002}} {
		st, err := os.Stat(at.path)
		if err != nil {
			return ignored("it cannot be looked at", "check its rights")
		}
		if what := exposed(st, at.open); what != "" {
			if at.path != real {
				what = at.path + ": " + what
			}
			return ignored("though its project is trusted, "+what, "make it your own, and run chmod go-w on it")
		}
	}
	return real, nil
}

// canonical is the directory dir by its one path: absolute, without symbolic links.
func canonical(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	st, err := os.Stat(path)
	if err == nil && !st.IsDir() {
		err = errors.New("it is a file")
	}
	return path, err
}

func homeDir(configured string) (string, error) {
	dir, err := home.Dir(configured)
	if err != nil {
		return "", &Error{Kind: ErrHome, What: "there is no home", Err: err}
	}
	return dir, nil
}

// bare is an error without the path, which stands before it.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
