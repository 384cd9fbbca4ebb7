package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// MaxSocketPath is the longest path of a socket in bytes: what fits the kernel's
// structure, without its final NUL.
func MaxSocketPath() int {
	if runtime.GOOS == "darwin" {
		return 103 // sys/un.h: sun_path[104]
	}
	return 107 // unix(7): sun_path[108]
}

// RuntimeDir is the user's own directory for sockets, made with mode 0700 if it
// is not there: vak under XDG_RUNTIME_DIR, else /tmp/vak-UID. name is that of the
// longest socket that is to lie in it.
func RuntimeDir(name string) (string, error) {
	var errs []error
	for _, dir := range RuntimeDirs() {
		err := checkLength(filepath.Join(dir, name))
		if err == nil {
			err = private(dir)
		}
		if err == nil {
			return dir, nil
		}
		errs = append(errs, err)
	}
	kind := ErrRuntimeDir
	if err := errors.Join(errs...); errors.Is(err, ErrPathTooLong) {
		kind = ErrPathTooLong
	}
	return "", &Error{Kind: kind, What: "there is no safe directory for sockets", Mend: "set XDG_RUNTIME_DIR to a short directory of your own with mode 0700", Err: errors.Join(errs...)}
}

// RuntimePath is the directory that RuntimeDir returns, and makes nothing. Where
// no directory is usable it is the last one that there could be, so that whoever
// makes it tells what is wrong with it. On a platform without any it is empty.
func RuntimePath(name string) string {
	path := ""
	for _, dir := range RuntimeDirs() {
		path = dir
		if Usable(dir, name) == nil {
			break
		}
	}
	return path
}

// Usable says why the socket name in dir could not be one that only this user
// reaches. A directory that is not there yet is usable where it can be made. It
// makes nothing.
func Usable(dir, name string) error {
	if err := checkLength(filepath.Join(dir, name)); err != nil {
		return err
	}
	err := Private(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = os.Stat(filepath.Dir(dir)); err == nil {
			return nil
		}
	}
	return err
}

func checkLength(path string) error {
	if n, most := len(path), MaxSocketPath(); n > most {
		return fmt.Errorf("%w: %s has %d bytes, the most is %d", ErrPathTooLong, path, n, most)
	}
	return nil
}
