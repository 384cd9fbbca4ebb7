package core

// An ErrorKind classifies the errors of this package. Test for one with errors.Is.
type ErrorKind string

func (k ErrorKind) Error() string { return string(k) }

// The kinds of error.
const (
	// ErrTooLarge is returned when a draft is larger than 4 MiB.
	ErrTooLarge ErrorKind = "the source is too large"

	// ErrUnknownSurface is returned when a setting names a surface that no
	// plugin provides.
	ErrUnknownSurface ErrorKind = "unknown surface"

	// ErrSetting is returned when a setting has an unknown key or a value that
	// is not allowed.
	ErrSetting ErrorKind = "bad setting"

	// ErrDraft is returned when a draft is of a kind that may not go out, or
	// that plain markdown cannot be.
	ErrDraft ErrorKind = "bad draft"

	// ErrTarget is returned when a target names no surface.
	ErrTarget ErrorKind = "bad target"

	// ErrPlugins is returned when a directory of plugins cannot be read.
	ErrPlugins ErrorKind = "cannot read plugins"

	// ErrHeld is returned when another process holds the home. The error names it.
	ErrHeld ErrorKind = "the home is held"

	// ErrHome is returned when the home cannot be made, read or written.
	ErrHome ErrorKind = "the home cannot be used"

	// ErrControl is returned when there is no safe place for the control socket.
	ErrControl ErrorKind = "no control socket"
)

// An Error says what is wrong and what to do about it.
type Error struct {
	Kind ErrorKind
	What string // what is wrong, naming the thing
	Mend string // what a person can do; may be empty
	Err  error  // the cause; may be nil
}

func (e *Error) Error() string {
	s := e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Mend != "" {
		s += "; " + e.Mend
	}
	return s
}

// Unwrap makes errors.Is find both the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}
