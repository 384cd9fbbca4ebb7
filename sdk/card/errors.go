package card

import "strings"

// An ErrorKind classifies the errors of this package. Test for one with errors.Is.
type ErrorKind string

func (k ErrorKind) Error() string { return string(k) }

// The kinds of error.
const (
	// ErrTooLarge is returned for what exceeds a bound.
	ErrTooLarge ErrorKind = "too large"

	// ErrSyntax is returned for what is not JSON, or is cut off.
	ErrSyntax ErrorKind = "not valid JSON"

	// ErrUnknownType is returned for a semantic type that no skill owns.
	ErrUnknownType ErrorKind = "no skill owns the type"

	// ErrInvalid is returned for JSON that is not what is asked for.
	ErrInvalid ErrorKind = "not as expected"
)

// A ProblemError is one thing that is wrong with an output or a tree. It names the
// place and what was expected there, and never holds a value.
type ProblemError struct {
	Kind ErrorKind
	Path string // a JSON pointer, as /payload/rows/3; empty: the whole
	Want string // what was expected, as a sentence's end
}

func (e *ProblemError) Error() string {
	if e.Path == "" {
		return e.Want
	}
	return e.Path + ": " + e.Want
}

// Unwrap returns the kind.
func (e *ProblemError) Unwrap() error { return e.Kind }

// Pointer is the path of a member, or of an element by its decimal index, below
// another.
func Pointer(path, member string) string { return path + "/" + escapes.Replace(member) }

var escapes = strings.NewReplacer("~", "~0", "/", "~1")
