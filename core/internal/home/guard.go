package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// guardTime is how long Guard waits for others, who change a small file.
const guardTime = 5 * time.Second

// Guard makes dir if it is not there, and keeps others who ask for the same name
// from going on until release is called. It is for files in a home that are
// changed by whoever wants, whether the home is held or not; the kernel keeps the
// lock, so that nothing is left of a process that was killed.
func Guard(dir, name string) (release func(), _ error) {
	if err := ensure(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name)
	f, got, err := seize(path, guardTime)
	if err == nil && !got {
		f.Close()
		err = unusable(path+" is locked by another process", "try again once that has ended", nil)
	}
	if err != nil {
		return nil, err
	}
	return func() { f.Close() }, nil
}

// Claim locks the file at path, which is made if it is not there, until release is
// called or this process has ended. got is false where another process has it. The
// file is never removed: two processes would then lock two files.
func Claim(path string) (release func(), got bool, _ error) {
	f, got, err := seize(path, patience)
	if err == nil && !got {
		f.Close()
	}
	if err != nil || !got {
		return nil, false, err
	}
	return func() { f.Close() }, true, nil
}

// Claimed reports whether a process has claimed path. A file that is not there is
// nobody's.
func Claimed(path string) (bool, error) {
	f, free, err := glance(path)
	if f == nil {
		return false, err
	}
	defer f.Close()
	return !free, nil
}

// seize locks the file at path, which is made if it is not there, and waits for
// others for as long. Without an error the caller closes f, with which the lock ends;
// got is false where another process has it.
func seize(path string, wait time.Duration) (f *os.File, got bool, _ error) {
	if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() { // opening a pipe would block
		return nil, false, noFile(path)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, unusable("cannot open a lock of the home", "run vak as the user that owns it, or name another one with --home or "+Env, err)
	}
	for until := time.Now().Add(wait); ; time.Sleep(patience / 20) { // others may look for a moment
		got, err := tryLock(f, exclusive)
		if err != nil {
			f.Close()
			return nil, false, noLocks(path, err)
		}
		if got || time.Now().After(until) {
			return f, got, nil
		}
	}
}

// glance opens the file at path, which the caller closes, and says whether nobody has
// its lock. Where there is none, f is nil.
func glance(path string) (f *os.File, free bool, _ error) {
	st, err := os.Lstat(path)
	if err == nil && !st.Mode().IsRegular() {
		return nil, false, noFile(path)
	}
	if err == nil {
		f, err = os.Open(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, unusable("cannot read a lock of the home", "run vak as the user that owns it", err)
	}
	if free, err = tryLock(f, shared); err != nil {
		f.Close()
		return nil, false, noLocks(path, err)
	}
	return f, free, nil
}

func noFile(path string) error { return unusable(path+" is not a file", "remove it", nil) }

func noLocks(path string, err error) error {
	return unusable("cannot lock "+path, "put the home on a local file system that has locks", err)
}
