package ledger

import (
	"errors"
	"strconv"
)

// The reasons for which [Parse] refuses a line. A [ParseError] wraps one of
// them.
var (
	// ErrTooLarge is returned when a line is longer than [MaxLine].
	ErrTooLarge = errors.New("record too large")

	// ErrTooDeep is returned when JSON nests deeper than [MaxDepth].
	ErrTooDeep = errors.New("record nests too deeply")

	// ErrTooMany is returned when an object has more than [MaxMembers] members
	// or a list more than [MaxItems] items.
	ErrTooMany = errors.New("record has too many parts")

	// ErrSyntax is returned when the line is not one JSON value in UTF-8.
	ErrSyntax = errors.New("not valid JSON")

	// ErrInvalid is returned when a member is missing, given twice, or has a
	// value that it cannot have.
	ErrInvalid = errors.New("invalid record")
)

// ErrID is returned when text is not a session, an entry, a turn or a hash.
var ErrID = errors.New("malformed id")

// The reasons for which a record does not continue a [Chain]. A [ChainError]
// wraps one of them, or the [ParseError] of the line.
var (
	// ErrSession is returned when a record is of another session.
	ErrSession = errors.New("record of another session")

	// ErrGap is returned when a record does not have the next number.
	ErrGap = errors.New("record out of sequence")

	// ErrBroken is returned when a record does not name the hash of the line
	// before it: one of the two was changed.
	ErrBroken = errors.New("hash chain broken")
)

// A ParseError says where and why [Parse] stopped. It carries no message text.
type ParseError struct {
	Path   string // such as "trees[2].sha256"; empty for the record itself and in members that are not known
	Offset int    // in bytes, into the line
	Reason string // what is wrong there, for a person
	Err    error  // one of the sentinels of this package
}

// Error tells the sentinel, the reason and the place.
func (e *ParseError) Error() string {
	s := "ledger: " + e.Err.Error()
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

// A ChainError says which line does not continue a [Chain], and why. It carries
// no message text.
type ChainError struct {
	Session string // of the chain; empty if its first record cannot be read
	Seq     Seq    // the number that was due
	Line    int    // from 1, of those that the chain was given
	Offset  int64  // in bytes, of the line, where one newline stands behind each
	What    string // for a person
	Err     error  // ErrSession, ErrGap, ErrBroken or a *ParseError
}

// Error tells what is wrong and where.
func (e *ChainError) Error() string {
	s := "ledger: "
	if e.Session != "" {
		s += "session " + e.Session + ": "
	}
	return s + "record " + strconv.FormatUint(uint64(e.Seq), 10) + " (line " + strconv.Itoa(e.Line) +
		", offset " + strconv.FormatInt(e.Offset, 10) + "): " + e.What
}

// Unwrap returns the reason.
func (e *ChainError) Unwrap() error { return e.Err }
