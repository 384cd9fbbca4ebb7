package fsys

import (
	"errors"
	"io/fs"
	"os"
)

// An Error says what is wrong with a file of vak's own and what to do about it.
type Error struct {
	File string
	What string
	Mend string
	Err  error // the cause; may be nil
}

func (e *Error) Error() string {
	s := e.File + ": " + e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s + "; " + e.Mend
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Bare is an error without the paths that package os puts before it, for one that
// names the file itself, or names it as its user knows it.
func Bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
