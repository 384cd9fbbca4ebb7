package fault

import (
	"errors"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// A Kind classifies an [Error]. Kinds are errors, so that errors.Is(err,
// fault.Deadline) tells them apart.
type Kind string

// Error returns the kind's name.
func (k Kind) Error() string { return string(k) }

// The kinds that a call to a plugin has, as package hostapi says.
const (
	Invalid      = Kind(hostapi.Invalid)
	Failed       = Kind(hostapi.Failed)
	Panic        = Kind(hostapi.Panic)
	Contract     = Kind(hostapi.Contract)
	TooLarge     = Kind(hostapi.TooLarge)
	Deadline     = Kind(hostapi.Deadline)
	Canceled     = Kind(hostapi.Canceled)
	Unavailable  = Kind(hostapi.Unavailable)
	Incompatible = Kind(hostapi.Incompatible)

	// NotConfigured is returned, too, when a surface has no transport at all.
	NotConfigured = Kind(hostapi.NotConfigured)
)

// The kinds that are the host's own.
const (
	// NotFound is returned when there is no such plugin, or a directory of
	// plugins cannot be read.
	NotFound Kind = "not_found"

	// BadManifest is returned when a manifest cannot be read or is not valid, or
	// the binary that it names cannot be run.
	BadManifest Kind = "bad_manifest"

	// Duplicate is returned when an earlier plugin has the same id.
	Duplicate Kind = "duplicate"

	// Untrusted is returned when a binary is not the file that its manifest
	// names, or a plugin in the store is not as it was installed.
	Untrusted Kind = "untrusted"

	// Unsandboxed is returned when a plugin may run in a sandbox only and there
	// is none to be had.
	Unsandboxed Kind = "unsandboxed"

	// StartFailed is returned when a process did not start or did not become
	// ready.
	StartFailed Kind = "start_failed"

	// BackingOff is returned when a plugin failed a moment ago and is not tried
	// again yet. The cause is how it failed.
	BackingOff Kind = "backing_off"

	// Quarantined is returned when a plugin failed too often and is not tried
	// again until somebody acts. The cause is how it failed last.
	Quarantined Kind = "quarantined"

	// Revoked is returned for a plugin that was revoked, so that it must not run.
	Revoked Kind = "revoked"

	// RuntimeDir is returned when there is no safe place for sockets.
	RuntimeDir Kind = "runtime_dir"

	// Closed is returned after the host was closed.
	Closed Kind = "closed"
)

// A Source says whose fault an [Error] is.
type Source = hostapi.Source

// The sources.
const (
	FromHost       = hostapi.FromHost
	FromPlugin     = hostapi.FromPlugin
	FromDownstream = hostapi.FromDownstream
)

// An Error says what went wrong with which plugin, and what to do about it. Op,
// Plugin, Version, Kind and Source are safe to log. Message, Tail and Err may
// hold a plugin author's words.
type Error struct {
	Op      string // open, start, check, render, configure, send, edit, delete, lower or check_card
	Plugin  string // id, or the folder of a plugin that has none
	Version string // empty where it is not known
	Kind    Kind
	Source  Source
	Message string // what happened
	Hint    string // what to do about it; may be empty
	Tail    string // last lines of the process's standard error, at most 32 KiB
	Err     error  // the cause; may be nil
}

// Error tells plugin, operation, message and hint in one line.
func (e *Error) Error() string {
	s := e.Op + ": " + e.Message
	if e.Plugin != "" {
		name := e.Plugin
		if e.Version != "" {
			name += " " + e.Version
		}
		s = "plugin " + name + ": " + s
	}
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

// Named returns a copy of e that names the plugin. Errors are shared between
// all who wait for one process, so none is changed once it is out.
func (e *Error) Named(id, version string) *Error {
	n := *e
	n.Plugin, n.Version = id, version
	return &n
}

// Fresh reports whether another process may do better.
func (e *Error) Fresh() bool {
	switch e.Kind {
	case Unavailable, Deadline, Panic, Contract, StartFailed:
		return e.Source != FromHost
	}
	return false
}

// FromCall turns the error of a call into an Error.
func FromCall(op string, err error) *Error {
	if c, ok := errors.AsType[*hostapi.Error](err); ok {
		e := &Error{Op: op, Kind: Kind(c.Kind), Source: c.Source, Message: c.Message, Hint: c.Hint, Err: err}
		if e.Hint == "" && e.Source == FromPlugin { // gRPC found it, and knows no more
			switch e.Kind {
			case Contract:
				e.Hint = "the plugin breaks the protocol; update it or tell its author"
			case Unavailable:
				e.Hint = "see the plugin's log"
			}
		}
		return e
	}
	return &Error{Op: op, Kind: Failed, Source: FromHost, Message: err.Error(), Err: err}
}
