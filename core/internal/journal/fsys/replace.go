package fsys

import (
	"errors"
	"path/filepath"
)

// Replace puts b in place of the file name, on disk and whole or not at all:
// whoever reads it, also after a power cut, finds the old content or the new.
func Replace(fs FS, name string, b []byte) error {
	temp := name + ".tmp"
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
		return err
	}
	return fs.SyncDir(filepath.Dir(name))
}
