package store

import "fmt"

// A Kind classifies an [Error]. Test for one with errors.Is.
type Kind string

func (k Kind) Error() string { return "store: " + string(k) }

// The kinds.
const (
	// Conflict is returned when the session is not where Commit.Expect says.
	Conflict Kind = "conflict"

	// Exists is returned for a new job whose id is taken.
	Exists Kind = "exists"

	// Lost is returned for a change of a job under another lease, or whose lease
	// has ended.
	Lost Kind = "lost"

	// NotFound is returned when there is no such job.
	NotFound Kind = "not_found"

	// TooLarge is returned for a commit, an id or a session name that is too long.
	TooLarge Kind = "too_large"

	// Invalid is returned for a commit that contradicts itself.
	Invalid Kind = "invalid"

	// Full is returned when the disk has no room. What was accepted goes on as
	// long as there is room that was kept back for it.
	Full Kind = "full"

	// Broken is returned when a write or sync failed. Nothing more is written
	// until the engine is opened again.
	Broken Kind = "broken"

	// Corrupt is returned when what was on disk is not what was written.
	Corrupt Kind = "corrupt"

	// Newer is returned for files of a later version, which stay untouched.
	Newer Kind = "newer"

	// Closed is returned after Close.
	Closed Kind = "closed"
)

// An Error says what is wrong and what to do about it. It never holds message
// text.
type Error struct {
	Kind    Kind
	Session string // of a conflict
	Job     string // of a job's trouble
	What    string
	Mend    string
	Err     error // the cause; may be nil
}

func (e *Error) Error() string {
	s := e.What
	if e.Job != "" {
		s = fmt.Sprintf("job %s: %s", e.Job, s)
	}
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
