package install

import (
	"errors"
	"io/fs"
	"os"
)

// exchange gives the folder a the name b. What is there gets the name a.
func exchange(a, b string) error {
	if _, err := os.Lstat(b); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(a, b)
	}
	if exchangeAtOnce(a, b) == nil {
		return nil
	}
	// Where that cannot be done there is a moment without b.
	aside := a + ".old"
	if err := os.Rename(b, aside); err != nil {
		return err
	}
	if err := os.Rename(a, b); err != nil {
		return errors.Join(err, os.Rename(aside, b))
	}
	return os.Rename(aside, a)
}
