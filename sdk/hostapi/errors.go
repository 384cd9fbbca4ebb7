package hostapi

import (
	"context"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
)

// A Kind classifies an [Error]. Kinds are errors, so that errors.Is(err,
// hostapi.Deadline) tells them apart.
type Kind string

// Error returns the kind's name.
func (k Kind) Error() string { return string(k) }

// The kinds.
const (
	// Invalid is returned when the plugin could not read the request.
	Invalid Kind = wire.Invalid

	// Failed is returned when the plugin's own code returned an error.
	Failed Kind = wire.Failed

	// Panic is returned when the plugin's own code panicked; the process lives.
	Panic Kind = wire.Panic

	// Contract is returned when the answer breaks the protocol.
	Contract Kind = wire.Contract

	// TooLarge is returned when request or answer is over 16 MiB.
	TooLarge Kind = wire.TooLarge

	// Deadline is returned when no answer came in time.
	Deadline Kind = wire.Deadline

	// Canceled is returned when the caller gave up.
	Canceled Kind = wire.Canceled

	// Unavailable is returned when the process is gone or never answered.
	Unavailable Kind = wire.Unavailable

	// Unimplemented is returned when the plugin, in its role, has no such method.
	Unimplemented Kind = wire.Unimplemented

	// NotConfigured is returned when a transport has no account yet.
	NotConfigured Kind = wire.NotConfigured

	// Incompatible is returned when plugin and host cannot work together.
	Incompatible Kind = wire.Incompatible
)

// A Source says whose fault an [Error] is.
type Source string

// The sources.
const (
	FromHost       Source = wire.FromHost
	FromPlugin     Source = wire.FromPlugin
	FromDownstream Source = wire.FromDownstream // the platform behind a transport
)

// An Error is a failed call. Kind and Source are safe to log; Message may be the
// plugin author's words and is bounded to one line of 1 KiB.
type Error struct {
	Op      string // describe, check, render, shutdown, configure, send, edit, delete, lower or check_card
	Kind    Kind
	Source  Source
	Message string // what happened
	Hint    string // what to do about it; may be empty
	Err     error  // the cause; may be nil
}

// Error tells operation, kind, message and hint.
func (e *Error) Error() string {
	s := e.Op + ": " + string(e.Kind) + ": " + e.Message
	if e.Hint != "" {
		s += "; " + e.Hint
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

// fail reads the error of a call. Where the call's own context ended, that is
// what happened, whatever the other side made of it; the other side may see a
// deadline pass a moment earlier.
func fail(ctx context.Context, op string, err error) *Error {
	f := wire.FromError(err)
	e := &Error{Op: op, Kind: Kind(f.Kind), Source: Source(f.Source), Message: f.Message, Hint: f.Hint}
	if cause := ctx.Err(); cause != nil {
		c := wire.ContextFailure(ctx)
		e.Kind, e.Source, e.Message, e.Hint, e.Err = Kind(c.Kind), Source(c.Source), c.Message, c.Hint, cause
	} else if e.Kind == Deadline {
		e.Err = context.DeadlineExceeded
	} else if e.Kind == Canceled { // not by the caller: the connection was closed under the call
		e.Kind, e.Source, e.Message = Unavailable, FromPlugin, "the process is gone"
	}
	return e
}

func broken(op, message string) *Error {
	return &Error{
		Op: op, Kind: Contract, Source: FromPlugin, Message: wire.Sentence(message),
		Hint: "the plugin breaks the protocol; update it or tell its author",
	}
}
