//go:build linux || darwin

package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	hostPrefix = "h"
	lockName   = "lock"

	// settled is the age from which on a directory without a holder was left
	// behind, rather than just made.
	settled = time.Minute
)

// socketRoom is what comes behind the base: our directory, go-plugin's and the
// socket's name, each with a random number of up to ten digits.
const socketRoom = len("/h1234567890/plugin-dir1234567890/plugin1234567890")

// maxSocketPath is what fits the kernel's structure, without its final NUL.
func maxSocketPath() int {
	if runtime.GOOS == "darwin" {
		return 103
	}
	return 107
}

// makeSocketDir makes a private directory below base, and removes what hosts
// that were killed left there.
func makeSocketDir(base string) (string, *os.File, error) {
	base, err := socketBase(base)
	if err != nil {
		return "", nil, err
	}
	sweep(base)
	dir, err := os.MkdirTemp(base, hostPrefix)
	if err != nil {
		return "", nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		if err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return dir, lock, nil
		}
		lock.Close()
	}
	os.RemoveAll(dir)
	return "", nil, fmt.Errorf("cannot lock %s: %w", dir, err)
}

// socketBase returns the first usable one of the directories that may hold
// sockets.
func socketBase(configured string) (string, error) {
	candidates := []string{configured}
	if configured == "" {
		candidates = nil
		if x := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(x) {
			candidates = append(candidates, filepath.Join(x, "vak"))
		}
		// Not os.TempDir: that may be long, or below somebody's home.
		candidates = append(candidates, "/tmp/vak-"+strconv.Itoa(os.Getuid()))
	}
	var errs []error
	for _, c := range candidates {
		err := private(c)
		if err == nil {
			return c, nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("no safe directory for sockets: %w", errors.Join(errs...))
}

// private makes dir if it does not exist, and accepts it if nobody else can
// reach into it and a socket's path below it is not too long.
func private(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if n := len(dir) + socketRoom; n > maxSocketPath() {
		return fmt.Errorf("%s is too long by %d bytes for sockets in it", dir, n-maxSocketPath())
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
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
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), hostPrefix) {
			continue
		}
		if st, err := e.Info(); err != nil || time.Since(st.ModTime()) < settled {
			continue
		}
		dir := filepath.Join(base, e.Name())
		lock, err := os.Open(filepath.Join(dir, lockName))
		if err == nil {
			err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
			if err == nil {
				os.RemoveAll(dir)
			}
			lock.Close()
			continue
		}
		if errors.Is(err, os.ErrNotExist) {
			os.RemoveAll(dir)
		}
	}
}
