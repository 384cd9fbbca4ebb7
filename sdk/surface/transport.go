package surface

import (
	"context"
	"encoding/json"
	"strings"
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
	Packet  json.RawMessage // the delivery that holds the packet, the same at every attempt; only for surfaces that deliver it
	Actions []Action
	ReplyTo *Ref
	Silent  bool

	// Mentions is [LiveMentions] where the names in the chunk may notify whom they
	// name. Otherwise it is empty, and a transport refuses what would: its word
	// counts, not the profile's that the renderer had. Everyone, here, channels and
	// groups are never notified.
	Mentions string
}

// LiveMentions is what a profile and a request say where names may notify whom
// they name.
const LiveMentions = "live"

// A Receipt is what the platform said of a message that it took.
type Receipt struct {
	Refs []Ref

	// Wait is how long the platform wants nothing more for the target's chat; 0: it
	// did not say so. A host waits a day at most.
	Wait time.Duration
}

// A Transport sends with one account.
//
//  1. Send sends exactly one message. It may be called at the same time for
//     different targets; for one target and thread the host waits for the answer.
//  2. It never tries again: whoever called it does, where that is safe.
//  3. Its error is a [*DeliveryError] that says what follows. Whether something
//     was written is known to the transport alone, so any other error, and a
//     panic, counts as Unknown: the message may be sent again, marked as such.
//  4. Of an error only Class, RetryAfter, Account, Moved, Code and Hint reach the host. Its
//     text does not, nor that of Err: errors of networks quote addresses with
//     tokens in them. What crosses is the name of its type.
//  5. ctx ends a little before the host's patience does, so that the answer of a
//     transport that honours it still arrives.
//
// Like a renderer, a transport treats what it is given as hostile: it checks
// the size again, and builds native forms from what it knows.
type Transport interface {
	Send(context.Context, SendRequest) (Receipt, error)
}

// An Editor is a [Transport] that can change what it sent. The rules of Transport
// are its rules.
type Editor interface {
	Edit(context.Context, Ref, SendRequest) (Receipt, error)
}

// A Deleter is a [Transport] that can take back what it sent. The rules of
// Transport are its rules.
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
	Account    bool // RateLimited: the whole account is to wait, and not the target alone
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
	if e.Hint != "" && !strings.HasSuffix(s, e.Hint) { // Err may have said it
		s += "; " + e.Hint
	}
	return s
}

// Unwrap returns Err.
func (e *DeliveryError) Unwrap() error { return e.Err }

// An Account is what a transport is configured with. Settings follow the schema
// of Info.Account, secrets already resolved: they are a JSON object of at most
// [MaxSettings] bytes, or empty. They are to be kept in memory only, and to be
// told to nobody but the platform.
type Account struct {
	Name     string // empty: the default account
	Settings json.RawMessage
}

// Bounds of what crosses between a host and a transport, in bytes but for
// MaxRefs. What a transport says beyond them makes its answer worthless: the
// outcome is then Unknown.
const (
	MaxSettings = 64 << 10 // settings of an account
	MaxRefs     = 16       // messages in a receipt
	MaxRefID    = 1 << 10  // a platform's id of a message
	MaxOpaque   = 4 << 10  // what else a Ref holds, as JSON
	MaxAddress  = 1 << 10  // each part of a target
)

// A Plugin is a surface: what it is, and its two roles.
//
// NewTransport is called once for each account, and again when the account's
// settings have changed; the transport that it returns then takes the place of
// the one before. Its context is that of this one call. Where it fails the
// account is not configured; of its error Code and Hint of a [*DeliveryError]
// reach the host, and nothing else but the name of its type. It is nil for a
// surface that only renders.
type Plugin struct {
	Info         Info
	Renderer     Renderer
	NewTransport func(context.Context, Account) (Transport, error)
}

// described is p with an Info that says whether it has a transport.
func (p Plugin) described() Plugin {
	p.Info.Transport = p.NewTransport != nil
	return p
}
