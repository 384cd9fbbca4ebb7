package epoch

import (
	"errors"
	"io/fs"
)

// An Error says what is wrong with a file and what to do about it.
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

// bare leaves out the path, which an Error has itself.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
