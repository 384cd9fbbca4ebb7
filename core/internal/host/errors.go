package host

import "github.com/seed-1ae66336/vak/core/internal/host/fault"

// An Error says what went wrong with which plugin, and what to do about it.
type Error = fault.Error

// A Kind classifies an [Error]; errors.Is tells them apart.
type Kind = fault.Kind

// A Source says whose fault an [Error] is.
type Source = fault.Source

// The kinds, as package fault describes them.
const (
	Invalid       = fault.Invalid
	Failed        = fault.Failed
	Panic         = fault.Panic
	Contract      = fault.Contract
	TooLarge      = fault.TooLarge
	Deadline      = fault.Deadline
	Canceled      = fault.Canceled
	Unavailable   = fault.Unavailable
	Incompatible  = fault.Incompatible
	NotConfigured = fault.NotConfigured
	NotFound      = fault.NotFound
	BadManifest   = fault.BadManifest
	Duplicate     = fault.Duplicate
	Untrusted     = fault.Untrusted
	Unsandboxed   = fault.Unsandboxed
	StartFailed   = fault.StartFailed
	BackingOff    = fault.BackingOff
	Quarantined   = fault.Quarantined
	Revoked       = fault.Revoked
	RuntimeDir    = fault.RuntimeDir
	Closed        = fault.Closed
)

// The sources.
const (
	FromHost       = fault.FromHost
	FromPlugin     = fault.FromPlugin
	FromDownstream = fault.FromDownstream
)
