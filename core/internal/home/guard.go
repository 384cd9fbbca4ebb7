package home

import (
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
	unusable := func(what, mend string, err error) error {
		return &Error{Kind: ErrUnusable, What: what, Mend: mend, Err: err}
	}
	if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() { // opening a pipe would block
		return nil, unusable(path+" is not a file", "remove it", nil)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, unusable("cannot open a lock in the home", "run vak as the user that owns it", err)
	}
	for until := time.Now().Add(guardTime); ; time.Sleep(patience / 20) {
		got, err := tryLock(f, exclusive)
		switch {
		case err != nil:
			f.Close()
			return nil, unusable("cannot lock "+path, "put the home on a local file system that has locks", err)
		case got:
			return func() { f.Close() }, nil
		case time.Now().After(until):
			f.Close()
			return nil, unusable(path+" is locked by another process", "try again once that has ended", nil)
		}
	}
}
