package home

// A Kind classifies an [Error]. Test for one with errors.Is.
type Kind string

func (k Kind) Error() string { return string(k) }

// The kinds.
const (
	// ErrHeld is returned when another process holds the home.
	ErrHeld Kind = "the home is held"

	// ErrUnusable is returned when a home cannot be made, read or written, or is
	// open to everybody.
	ErrUnusable Kind = "the home cannot be used"

	// ErrRuntimeDir is returned when there is no safe directory for sockets.
	ErrRuntimeDir Kind = "no directory for sockets"

	// ErrPathTooLong is returned when a socket's path would be longer than the
	// kernel allows.
	ErrPathTooLong Kind = "the socket's path is too long"
)

// An Error says what is wrong with a home and what to do about it.
type Error struct {
	Kind   Kind
	What   string // what is wrong, naming the thing
	Mend   string // what a person can do
	Holder Holder // of a home that is held; else zero
	Err    error  // the cause; may be nil
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

func unusable(what, mend string, err error) error {
	return &Error{Kind: ErrUnusable, What: what, Mend: mend, Err: err}
}
