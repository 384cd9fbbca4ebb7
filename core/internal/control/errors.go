package control

import "net/http"

// A Kind classifies an [Error]. Test for one with errors.Is.
type Kind string

func (k Kind) Error() string { return string(k) }

// The kinds.
const (
	// NotFound is returned when there is no such plugin, job, session or path.
	NotFound Kind = "not_found"

	// BadRequest is returned for a method or a body that is not allowed.
	BadRequest Kind = "bad_request"

	// Invalid is returned for a delivery or a question that cannot be meant so: a
	// target, a kind, an id, a session.
	Invalid Kind = "invalid"

	// UnknownSurface is returned for a target whose surface nobody provides.
	UnknownSurface Kind = "unknown_surface"

	// TooLarge is returned for an answer, or a request, that is too large.
	TooLarge Kind = "too_large"

	// Conflict is returned when an id, or a turn's key, was used for other content.
	Conflict Kind = "conflict"

	// BadState is returned when a job's state does not allow what is asked.
	BadState Kind = "state"

	// Full is returned when the disk has no room. Nothing was accepted.
	Full Kind = "full"

	// Store is returned when the journal cannot be read or written. Nothing was
	// accepted.
	Store Kind = "store"

	// NotRunning is returned where something has to run and nothing holds the
	// home.
	NotRunning Kind = "not_running"

	// Refused is returned when a plugin may not do what is asked, and why.
	Refused Kind = "refused"

	// Failed is returned when what was asked was tried and failed.
	Failed Kind = "failed"

	// Unreachable is returned when the process that holds the home does not
	// answer, or has no control socket.
	Unreachable Kind = "unreachable"

	// Internal is returned for a fault of vak itself. Its log says more.
	Internal Kind = "internal"
)

// status is the HTTP status of a problem of this kind.
func (k Kind) status() int {
	switch k {
	case NotFound:
		return http.StatusNotFound
	case BadRequest:
		return http.StatusBadRequest
	case NotRunning, Refused, Conflict, BadState:
		return http.StatusConflict
	case Invalid, UnknownSurface:
		return http.StatusUnprocessableEntity
	case TooLarge:
		return http.StatusRequestEntityTooLarge
	case Full:
		return http.StatusInsufficientStorage
	case Store:
		return http.StatusServiceUnavailable
	case Failed:
		return http.StatusBadGateway
	case Unreachable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// An Error says what is wrong and what to do about it.
type Error struct {
	Kind Kind
	What string
	Mend string // may be empty
	Err  error  // the cause, on this side of the socket only; may be nil
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

// A problem is an [Error] as it crosses, after RFC 9457.
type problem struct {
	Type   string `json:"type"` // about:blank: the status says it all
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	Kind   Kind   `json:"kind"`
	Mend   string `json:"mend,omitempty"`
}
