package install

import "github.com/seed-1ae66336/vak/core/internal/host/fault"

// A Kind classifies an [Error]. Test for one with errors.Is.
type Kind string

func (k Kind) Error() string { return string(k) }

// The kinds.
const (
	// ErrBundle is returned when what is to be installed or packed is no plugin that
	// can be used.
	ErrBundle Kind = "not a plugin to install"

	// ErrConsent is returned when somebody has to agree to something first. The
	// error says to what, and how.
	ErrConsent Kind = "consent is needed"

	// ErrRevoked is returned for a plugin whose hash is revoked.
	ErrRevoked Kind = "revoked"

	// ErrConflict is returned when what is installed does not allow what is asked.
	ErrConflict Kind = "conflict"

	// ErrNotInstalled is returned when no such plugin is installed, or no such hash
	// is known or revoked.
	ErrNotInstalled Kind = "not installed"

	// ErrStore is returned when the store or its lock cannot be read or written.
	ErrStore Kind = "the plugin store cannot be used"
)

// An Error says what is wrong with a plugin and what to do about it.
type Error struct {
	Kind Kind
	What string
	Mend string
	Err  error // the cause; may be nil
}

func (e *Error) Error() string {
	s := e.What
	if e.Err != nil {
		if s != "" {
			s += ": "
		}
		s += e.Err.Error()
	}
	if e.Mend != "" {
		s += "; " + e.Mend
	}
	return s
}

// Unwrap makes errors.Is find both the kind and the cause, and of what is revoked the
// kind that a host has for it.
func (e *Error) Unwrap() []error {
	all := []error{e.Kind}
	if e.Kind == ErrRevoked {
		all = append(all, fault.Revoked)
	}
	if e.Err != nil {
		all = append(all, e.Err)
	}
	return all
}

func bundleError(what, mend string, err error) error { return &Error{ErrBundle, what, mend, err} }

func storeError(what string, err error) error {
	return &Error{ErrStore, what, "check the space and the rights of the home", err}
}
