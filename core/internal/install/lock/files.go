package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// The names of the files, in a home.
const (
	Name        = "plugins.lock"
	RevokedName = "revoked.json"
	guardName   = "plugins.guard"
)

// version is that of the form of both files.
const version = 1

// maxFile bounds each of the files, in bytes.
const maxFile = 16 << 20

// damaged is the error of a file that must not be gone by.
func damaged(path, what string, err error) error {
	mend := "until that is mended no installed plugin is used; put back a copy, or remove the file and install the plugins again"
	if filepath.Base(path) == RevokedName {
		mend = "until that is mended no installed plugin is used; put back a copy, or remove the file and revoke again what must not run"
	}
	return &fsys.Error{File: path, What: what, Mend: mend, Err: err}
}

// IsHash reports whether s is a sha256: 64 lower-case hexadecimal digits.
func IsHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func all(list []string, is func(string) bool) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !is(s) })
}

// members are those of a JSON object.
type members map[string]json.RawMessage

// readFile reads a file's members and holds its version. One that is not there
// has none.
func readFile(path string) (members, error) {
	damaged := func(what string, err error) error { return damaged(path, what, fsys.Bare(err)) }
	st, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return members{}, nil
	case err != nil:
		return nil, damaged("it cannot be read", err)
	case !st.Mode().IsRegular() || st.Size() > maxFile: // opening a pipe would block
		return nil, damaged("it is not what vak writes there", nil)
	case runtime.GOOS != "windows" && st.Mode().Perm()&0o022 != 0:
		return nil, damaged("it can be written to by others than its owner", nil)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, damaged("it cannot be read", err)
	}
	m := members{}
	var form struct{ Version int }
	if json.Unmarshal(b, &m) != nil || json.Unmarshal(b, &form) != nil || m == nil || form.Version < 1 {
		return nil, damaged("it is not what vak writes there", nil)
	}
	if form.Version > version {
		return nil, &fsys.Error{File: path, What: fmt.Sprintf("a later version of vak wrote it (%d)", form.Version), Mend: "run that version, or a later one"}
	}
	return m, nil
}

// read reads the member name of m into v, where it is there.
func (m members) read(path, name string, v any) error {
	if m[name] == nil {
		return nil
	}
	if err := json.Unmarshal(m[name], v); err != nil {
		return damaged(path, fmt.Sprintf("its member %q is not what vak writes there", name), nil)
	}
	return nil
}

// lay puts the members of v, a struct, in place of those that m has.
func (m members) lay(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, &m)
}

// forget takes members out that are not written where they are empty: laid over
// old ones they would not replace them.
func (m members) forget(names ...string) {
	for _, name := range names {
		delete(m, name)
	}
}

// write replaces the file. Members stand in the order of their names.
func (m members) write(path string) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	if err := fsys.Replace(fsys.OS, path, out.Bytes()); err != nil {
		return &fsys.Error{File: path, What: "it cannot be written", Mend: "check the space and the rights of the home", Err: fsys.Bare(err)}
	}
	return nil
}

// Guard keeps other processes from changing the files, and the store beside them,
// until release is called. It makes the home if it is not there.
func Guard(dir string) (release func(), _ error) { return home.Guard(dir, guardName) }

func at(dir, name string) string { return filepath.Join(dir, name) }
