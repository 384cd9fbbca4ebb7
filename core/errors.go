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

	// ErrSetting is returned when a setting, or a value of Config.Set, has an unknown
	// key or a value that is not allowed.
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

	// ErrConfig is returned when the configuration is not what it should be. The
	// error says where, line by line.
	ErrConfig ErrorKind = "bad configuration"

	// ErrTrust is returned when a project cannot be trusted, or was not.
	ErrTrust ErrorKind = "not a project to trust"

	// ErrTemplate is returned when a template's id, revision or format cannot be
	// used. The error says where the format is wrong.
	ErrTemplate ErrorKind = "bad template"

	// ErrReadOnly is returned by a core that holds no home, of what has to be kept.
	ErrReadOnly ErrorKind = "read only"

	// ErrSession is returned when a session or a turn's key cannot be used.
	ErrSession ErrorKind = "bad session"

	// ErrTurn is returned when a turn has ended already, or ended with another
	// answer.
	ErrTurn ErrorKind = "the turn has ended"

	// ErrDelivery is returned when a delivery's id or posture cannot be used.
	ErrDelivery ErrorKind = "bad delivery"

	// ErrConflict is returned when a job id was used for other content.
	ErrConflict ErrorKind = "conflict"

	// ErrNotFound is returned when there is no such job, entry or session.
	ErrNotFound ErrorKind = "not found"

	// ErrJobState is returned when a job's state does not allow what is asked.
	ErrJobState ErrorKind = "not in this state"

	// ErrFull is returned when the disk has no room. Nothing of what was asked was
	// kept; what was accepted before goes on as long as it can.
	ErrFull ErrorKind = "the disk is full"

	// ErrStore is returned when the journal cannot be read or written. Nothing new
	// is accepted until that is mended; "vak doctor" says more.
	ErrStore ErrorKind = "the store cannot be used"

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
