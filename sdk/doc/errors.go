package doc

import (
	"errors"
	"strconv"
)

// The reasons for which [Parse] refuses bytes. A [ParseError] wraps one of them.
var (
	// ErrTooLarge is returned when the bytes are more than [Limits.MaxBytes].
	ErrTooLarge = errors.New("document too large")

	// ErrTooDeep is returned when nodes nest deeper than [Limits.MaxDepth].
	ErrTooDeep = errors.New("document nests too deeply")

	// ErrTooMany is returned when there are more nodes than [Limits.MaxNodes].
	ErrTooMany = errors.New("document has too many nodes")

	// ErrSyntax is returned when the bytes are not one JSON value in UTF-8.
	ErrSyntax = errors.New("not valid JSON")

	// ErrVersion is returned when the document has no version or one that is
	// newer than [SchemaVersion]; a newer vak can read the latter.
	ErrVersion = errors.New("document version not supported")

	// ErrUnknownKind is returned when a block or an inline has no type, or one
	// that is not in the vocabulary.
	ErrUnknownKind = errors.New("unknown kind of node")

	// ErrInvalid is returned when a field has a value of the wrong type or one
	// that the vocabulary does not allow: a level above 6, an id that occurs
	// twice, a link marked safe whose scheme is not.
	ErrInvalid = errors.New("invalid document")
)

// A ParseError says where and why [Parse] stopped. It carries no message text.
type ParseError struct {
	Path   string // such as "blocks[3].items[0].blocks[1].inlines[2]"; empty for the document itself
	Offset int    // in bytes, into what was parsed
	Reason string // what is wrong there, for a person
	Err    error  // one of the sentinels of this package
}

// Error tells the sentinel, the reason and the place.
func (e *ParseError) Error() string {
	s := "doc: " + e.Err.Error()
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	if e.Path != "" {
		s += " at " + e.Path
	}
	return s + " (offset " + strconv.Itoa(e.Offset) + ")"
}

// Unwrap returns the sentinel.
func (e *ParseError) Unwrap() error { return e.Err }
