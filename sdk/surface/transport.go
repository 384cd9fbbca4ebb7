package surface

import (
	"context"
	"encoding/json"
	"time"
)

// A Target is where a delivery goes.
type Target struct {
	Surface string `json:"surface"`
	Account string `json:"account,omitempty"`
	Address string `json:"address"`
	Thread  string `json:"thread,omitempty"`
}

// A Ref names one message on a platform.
type Ref struct {
	ID     string          `json:"id"`
	Opaque json.RawMessage `json:"opaque,omitempty"`
}

// A Form is which form of a chunk to send.
type Form string

// The forms, richest first. A payload error walks down this ladder.
const (
	FormNative Form = "native"
	FormText   Form = "text"
	FormPlain  Form = "plain"
)

// A SendRequest asks for exactly one message.
type SendRequest struct {
	Key     string // idempotency key of this part
	Job     string
	Part    int // from 0
	Of      int
	Attempt int // from 1
	Target  Target
	Kind    Kind
	Form    Form
	Chunk   Chunk
	Packet  json.RawMessage // only for surfaces that deliver the packet
	Actions []Action
	ReplyTo *Ref
	Silent  bool
}

// A Receipt is what the platform said of a message that it took.
type Receipt struct{ Refs []Ref }

// A Transport sends. Its error, if any, is a [*DeliveryError]; any other error
// counts as Unknown when something was written, which the transport alone can
// know, so it had better say.
type Transport interface {
	Send(context.Context, SendRequest) (Receipt, error)
}

// An Editor is a [Transport] that can change what it sent.
type Editor interface {
	Edit(context.Context, Ref, SendRequest) (Receipt, error)
}

// A Deleter is a [Transport] that can take back what it sent.
type Deleter interface {
	Delete(context.Context, Target, Ref) error
}

// A Class says what to do about a delivery that failed.
type Class string

// The classes.
const (
	Transient   Class = "transient"    // try again later
	RateLimited Class = "rate_limited" // try again after RetryAfter
	Payload     Class = "payload"      // refused for its form: try a lesser one
	TooLong     Class = "too_long"     // refused for its size: halve it
	Permanent   Class = "permanent"    // will never succeed
	TargetGone  Class = "target_gone"  // nothing will ever arrive there
	Moved       Class = "moved"        // the target is another now
	Unknown     Class = "unknown"      // it may have been sent
)

// A DeliveryError is why a message was not sent, and what follows from it.
// It never carries message text or a secret.
type DeliveryError struct {
	Class      Class
	RetryAfter time.Duration
	Moved      *Target
	Code       string // the platform's own
	Hint       string // what a person can do about it
	Err        error
}

func (e *DeliveryError) Error() string {
	s := string(e.Class)
	if e.Code != "" {
		s += " (" + e.Code + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func (e *DeliveryError) Unwrap() error { return e.Err }

// An Account is what a transport is configured with. Settings follow the schema
// of Info.Account, secrets already resolved.
type Account struct {
	Name     string
	Settings json.RawMessage
}

// A Plugin is a surface: what it is, and its two roles. NewTransport may be nil
// for a surface that only renders.
type Plugin struct {
	Info         Info
	Renderer     Renderer
	NewTransport func(context.Context, Account) (Transport, error)
}
