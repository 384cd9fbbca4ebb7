package compile

import (
	"errors"
	"fmt"
)

// ErrTooLarge is returned when a source is longer than [MaxSource]. The error
// that wraps it is a [*SizeError].
var ErrTooLarge = errors.New("markdown source too large")

// A SizeError says how large a source was and how large it may be.
type SizeError struct {
	Size, Limit int // in bytes
}

// Error tells the size, the limit and what to do about it, in one line.
func (e *SizeError) Error() string {
	return fmt.Sprintf("%v: %d bytes, at most %d are compiled; send it in parts or as a document", ErrTooLarge, e.Size, e.Limit)
}

// Unwrap returns [ErrTooLarge].
func (e *SizeError) Unwrap() error { return ErrTooLarge }
