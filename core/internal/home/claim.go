package home

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// Claim locks the file at path, which is made if it is not there, until release is
// called or this process has ended. got is false where another process has it. The
// file is never removed: two processes would then lock two files.
func Claim(path string) (release func(), got bool, _ error) {
	unusable := func(what, mend string, err error) error {
		return &Error{Kind: ErrUnusable, What: what, Mend: mend, Err: err}
	}
	if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() { // opening a pipe would block
		return nil, false, unusable(path+" is not a file", "remove it", nil)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, unusable("cannot open a lock in the home", "run vak as the user that owns it", err)
	}
	for until := time.Now().Add(patience); ; time.Sleep(patience / 20) { // others may look for a moment
		got, err := tryLock(f, exclusive)
		switch {
		case err != nil:
			f.Close()
			return nil, false, unusable("cannot lock "+path, "put the home on a local file system that has locks", err)
		case got:
			return func() { f.Close() }, true, nil
		case time.Now().After(until):
			f.Close()
			return nil, false, nil
		}
	}
}

// Claimed reports whether a process has claimed path. A file that is not there is
// nobody's.
func Claimed(path string) (bool, error) {
	unusable := func(what, mend string, err error) error {
		return &Error{Kind: ErrUnusable, What: what, Mend: mend, Err: err}
	}
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && !st.Mode().IsRegular() {
		return false, unusable(path+" is not a file", "remove it", nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return false, unusable("cannot read a lock in the home", "run vak as the user that owns it", err)
	}
	defer f.Close()
	free, err := tryLock(f, shared)
	if err != nil {
		return false, unusable("cannot lock "+path, "put the home on a local file system that has locks", err)
	}
	return !free, nil
}
