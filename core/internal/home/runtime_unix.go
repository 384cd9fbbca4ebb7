//go:build unix

package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// RuntimeDirs are the directories that may hold sockets, the better one first.
// The second is not below os.TempDir, which may be long or somebody's home.
func RuntimeDirs() []string {
	var dirs []string
	if x := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(x) {
		dirs = append(dirs, filepath.Join(x, "vak"))
	}
	return append(dirs, "/tmp/vak-"+strconv.Itoa(os.Getuid()))
}

// private makes dir if it is not there, and accepts it if nobody else can reach
// into it. In /tmp somebody else may have been first.
func private(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return Private(dir)
}

// Private says why dir is not a directory that only this user can reach into.
func Private(dir string) error {
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case !st.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case !ok || int(sys.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to somebody else", dir)
	case st.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to others (mode %#o, want 0700)", dir, st.Mode().Perm())
	}
	return nil
}
