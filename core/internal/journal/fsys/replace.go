package fsys

import (
	"errors"
	"path/filepath"
)

// TempSuffix ends the name of a file that is being written: one that a process left
// which was killed counts for nothing.
const TempSuffix = ".tmp"

// Replace puts b in place of the file name, on disk and whole or not at all:
// whoever reads it, also after a power cut, finds the old content or the new.
func Replace(fs FS, name string, b []byte) error {
	if err := Put(fs, name, b); err != nil {
		return err
	}
	return fs.SyncDir(filepath.Dir(name))
}

// Put is Replace for one file of many: the name is durable once the caller has synced
// the directory.
func Put(fs FS, name string, b []byte) error {
	temp := name + TempSuffix
	f, err := fs.Create(temp)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = fs.Rename(temp, name)
	}
	if err != nil {
		fs.Remove(temp)
	}
	return err
}
