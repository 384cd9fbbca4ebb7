//go:build linux || darwin

package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// A directory is made under a name with the first prefix, locked, and only then
// given its final name with the second. So of the latter, one that nobody holds
// a lock on is a dead host's, however young it is.
const (
	newPrefix  = "n"
	hostPrefix = "h"
	lockName   = "lock"

	// settled is the age from which on a directory that has not got its final
	// name was left behind.
	settled = time.Minute
)

// maxSocketPath is what fits the kernel's structure, without its final NUL.
func maxSocketPath() int {
	if runtime.GOOS == "darwin" {
		return 103
	}
	return 107
}

// makeSocketDir makes a private directory below base, and holds its lock.
func makeSocketDir(base string) (string, *os.File, error) {
	if err := private(base); err != nil {
		return "", nil, fmt.Errorf("no safe directory for sockets: %w", err)
	}
	dir, err := os.MkdirTemp(base, newPrefix)
	if err != nil {
		return "", nil, err
	}
	final := filepath.Join(base, hostPrefix+strings.TrimPrefix(filepath.Base(dir), newPrefix))
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		if err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			if err = os.Rename(dir, final); err == nil {
				return final, lock, nil
			}
		}
		lock.Close()
	}
	os.RemoveAll(dir)
	return "", nil, fmt.Errorf("cannot make %s: %w", final, err)
}

// private makes dir if it does not exist, and accepts it if nobody else can
// reach into it and a socket's path below it is not too long.
func private(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("%q is not an absolute path", dir)
	}
	if n := len(dir) + len("/"+LongestSocket); n > maxSocketPath() {
		return fmt.Errorf("%s is too long by %d bytes for sockets in it", dir, n-maxSocketPath())
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return ours(dir)
}

// ours accepts a directory that belongs to this user and to nobody else.
func ours(dir string) error {
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

// sweep removes directories whose host is gone: nobody holds their lock. It is
// tidiness only, so what cannot be removed stays.
func sweep(base string) {
	if ours(base) != nil {
		return
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(base, e.Name())
		if ours(dir) != nil {
			continue
		}
		switch {
		case numbered(e.Name(), newPrefix):
			if st, err := e.Info(); err == nil && time.Since(st.ModTime()) > settled {
				os.RemoveAll(dir)
			}
		case numbered(e.Name(), hostPrefix):
			lock, err := os.Open(filepath.Join(dir, lockName))
			if err != nil {
				if errors.Is(err, os.ErrNotExist) && remains(dir) {
					os.RemoveAll(dir)
				}
				continue
			}
			if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
				os.RemoveAll(dir)
			}
			lock.Close()
		}
	}
}

// numbered reports whether name is one that makeSocketDir gives.
func numbered(name, prefix string) bool {
	digits, ok := strings.CutPrefix(name, prefix)
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// remains reports whether dir is what a host leaves that is killed while it
// removes its directory: its lock is gone already.
func remains(dir string) bool {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "plugin") {
			return false
		}
	}
	return err == nil
}
