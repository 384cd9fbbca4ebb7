package sandbox

import "errors"

var (
	// ErrPolicy is returned when the policy or the attributes of the process
	// contradict what Restrict can do. It is found before anything is restricted.
	ErrPolicy = errors.New("not a policy that can be kept")

	// ErrMainThread is returned when Restrict is called on the main thread, which
	// would be restricted for as long as the host lives.
	ErrMainThread = errors.New("on the main thread")

	// ErrRestricted is returned when the thread has been restricted by this
	// package before. A second filter would not let a process be started.
	ErrRestricted = errors.New("on a thread that is restricted already")
)

// An Error says at which step [Restrict] failed.
type Error struct {
	Op   string // what was attempted: "check", "open", "landlock", "seccomp", …
	Path string // the file it was about, if any
	Err  error  // one of the errors above, or the system's
}

// Error returns one line.
func (e *Error) Error() string {
	if e.Path != "" {
		return "sandbox: " + e.Op + " " + e.Path + ": " + e.Err.Error()
	}
	return "sandbox: " + e.Op + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
