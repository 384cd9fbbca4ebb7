package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/proto"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// How long a call to a transport may take whose context has no deadline.
const (
	ConfigureTimeout = 10 * time.Second
	SendTimeout      = 30 * time.Second
)

// Codes of the [*surface.DeliveryError] that a call to a transport ends with
// where the plugin itself did not say what came of it. Its cause is an [*Error].
const (
	// Nothing was written; the class is Transient.
	CodeNotSent       = "not_sent"       // the request never got to the plugin's own code
	CodeNotConfigured = "not_configured" // the account is not configured, or there is no transport

	// Nothing was written, and never will be; the class is Permanent.
	CodeUnimplemented = "unimplemented" // the transport cannot edit or delete

	// Something may have been written; the class is Unknown.
	CodeDied     = "transport_died" // the process is gone
	CodeDeadline = "deadline"       // no answer came in time
	CodeCanceled = "canceled"       // the caller gave up
	CodeContract = "contract"       // the answer breaks the protocol
	CodeFailed   = "failed"         // the plugin failed in a way that transports do not
)

// Configure hands over an account. Its error is an [*Error], which holds nothing
// that stands in the settings, whatever the plugin says.
func (c *Client) Configure(ctx context.Context, a surface.Account) error {
	const op = "configure"
	if n := len(a.Settings); n > surface.MaxSettings {
		return &Error{
			Op: op, Kind: TooLarge, Source: FromHost,
			Message: fmt.Sprintf("the account's settings take %d bytes, %d are allowed", n, surface.MaxSettings),
			Hint:    "keep large values elsewhere",
		}
	}
	ctx, cancel := deadline(ctx, ConfigureTimeout)
	defer cancel()
	if _, err := c.transport.Configure(ctx, &vakv1.ConfigureRequest{Account: a.Name, Settings: a.Settings}); err != nil {
		e := fail(ctx, op, err)
		if quotes(e.Message, a.Settings) || quotes(e.Hint, a.Settings) {
			e.Message, e.Hint = "the plugin refused the account", "check the account's settings; what the plugin says is withheld, because it quotes them"
		}
		return e
	}
	return nil
}

// shortest is the length of a setting, in bytes, below which it is a word like
// any other.
const shortest = 6

// quotes reports whether s holds a string that stands in settings.
func quotes(s string, settings json.RawMessage) bool {
	for _, v := range Secrets(settings) {
		if strings.Contains(s, v) {
			return true
		}
	}
	return false
}

// Secrets lists the strings of at least six bytes that stand in settings,
// whatever their names: what must not be shown anywhere. It is nil for settings
// that are no JSON.
func Secrets(settings json.RawMessage) []string {
	var all any
	if json.Unmarshal(settings, &all) != nil {
		return nil
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if len(v) >= shortest {
				out = append(out, v)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(all)
	return out
}

// Send has the transport send one message. Its error is a
// [*surface.DeliveryError], whose class says whether anything was written.
func (c *Client) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	m, err := encodeSend(r)
	if err != nil {
		return surface.Receipt{}, refused("send", Invalid, err.Error(), "")
	}
	var out *vakv1.SendResponse
	if d := c.deliver(ctx, "send", m, func(ctx context.Context, opt grpc.CallOption) (err error) {
		out, err = c.transport.Send(ctx, m, opt)
		return err
	}); d != nil {
		return surface.Receipt{}, d
	}
	return parseAnswer("send", r.Target, out.Receipt, out.Outcome)
}

// Edit has the transport change the message that ref names to r, if it can. Its
// error is a [*surface.DeliveryError].
func (c *Client) Edit(ctx context.Context, ref surface.Ref, r surface.SendRequest) (surface.Receipt, error) {
	m := &vakv1.EditRequest{Ref: encodeRef(ref)}
	var err error
	if m.Send, err = encodeSend(r); err == nil {
		err = validRef(ref)
	}
	if err != nil {
		return surface.Receipt{}, refused("edit", Invalid, err.Error(), "")
	}
	var out *vakv1.EditResponse
	if d := c.deliver(ctx, "edit", m, func(ctx context.Context, opt grpc.CallOption) (err error) {
		out, err = c.transport.Edit(ctx, m, opt)
		return err
	}); d != nil {
		return surface.Receipt{}, d
	}
	return parseAnswer("edit", r.Target, out.Receipt, out.Outcome)
}

// Delete has the transport take back the message that ref names, if it can. Its
// error is a [*surface.DeliveryError].
func (c *Client) Delete(ctx context.Context, t surface.Target, ref surface.Ref) error {
	m := &vakv1.DeleteRequest{Target: encodeTarget(t), Ref: encodeRef(ref)}
	err := validTarget(t)
	if err == nil {
		err = validRef(ref)
	}
	if err != nil {
		return refused("delete", Invalid, err.Error(), "")
	}
	var out *vakv1.DeleteResponse
	if d := c.deliver(ctx, "delete", m, func(ctx context.Context, opt grpc.CallOption) (err error) {
		out, err = c.transport.Delete(ctx, m, opt)
		return err
	}); d != nil {
		return d
	}
	if out.Outcome != nil {
		return parseOutcome("delete", t, out.Outcome)
	}
	return nil
}

// deliver makes a call, and says of one that failed whether anything was
// written. gRPC tells the peer of a call that was handed to a connection, and of
// no other.
func (c *Client) deliver(ctx context.Context, op string, m proto.Message, call func(context.Context, grpc.CallOption) error) *surface.DeliveryError {
	if n := proto.Size(m); n > MaxMessage {
		return refused(op, TooLarge, fmt.Sprintf("the request takes %d bytes, %d are allowed", n, MaxMessage), "it is parted in two, once")
	}
	ctx, cancel := deadline(ctx, SendTimeout)
	defer cancel()
	var to peer.Peer
	err := call(ctx, grpc.Peer(&to))
	if err == nil {
		return nil
	}
	return undelivered(fail(ctx, op, err), to.Addr != nil)
}

// refused is a call that never left this process.
func refused(op string, kind Kind, message, hint string) *surface.DeliveryError {
	return undelivered(&Error{Op: op, Kind: kind, Source: FromHost, Message: message, Hint: hint}, false)
}

// undelivered classifies a call that has no outcome. written says that the
// request may have been.
func undelivered(e *Error, written bool) *surface.DeliveryError {
	d := &surface.DeliveryError{Class: surface.Unknown, Hint: e.Hint, Err: e}
	switch {
	case e.Kind == NotConfigured:
		d.Class, d.Code = surface.Transient, CodeNotConfigured
	case e.Kind == Unimplemented && e.Op != "send":
		d.Class, d.Code = surface.Permanent, CodeUnimplemented
	case e.Kind == TooLarge && !written: // half of it may do
		d.Class, d.Code = surface.TooLong, CodeNotSent
	case !written, e.Kind == Unimplemented, e.Kind == Invalid: // the plugin's code saw none of it
		d.Class, d.Code = surface.Transient, CodeNotSent
	case e.Kind == Unavailable:
		d.Code = CodeDied
	case e.Kind == Deadline:
		d.Code = CodeDeadline
	case e.Kind == Canceled:
		d.Code = CodeCanceled
	case e.Kind == Contract, e.Kind == TooLarge:
		d.Code = CodeContract
	default:
		d.Code = CodeFailed
	}
	return d
}

func encodeSend(r surface.SendRequest) (*vakv1.SendRequest, error) {
	if err := validTarget(r.Target); err != nil {
		return nil, err
	}
	for _, s := range []string{r.Key, r.Job, string(r.Kind), string(r.Form), r.Chunk.Text, r.Chunk.Plain} {
		if !utf8.ValidString(s) {
			return nil, fmt.Errorf("the request is not valid UTF-8")
		}
	}
	const most = 1 << 30
	if r.Part < 0 || r.Part > most || r.Of < 0 || r.Of > most || r.Attempt < 0 || r.Attempt > most {
		return nil, fmt.Errorf("part, of or attempt is no number of one")
	}
	if r.Mentions != "" && r.Mentions != surface.LiveMentions {
		return nil, fmt.Errorf("mentions: want %q or nothing", surface.LiveMentions)
	}
	m := &vakv1.SendRequest{
		Key: r.Key, Job: r.Job, Part: int32(r.Part), Of: int32(r.Of), Attempt: int32(r.Attempt),
		Target: encodeTarget(r.Target), Kind: string(r.Kind), Form: string(r.Form), Packet: r.Packet, Silent: r.Silent,
		Mentions: r.Mentions,
	}
	var err error
	if m.Chunk, err = surface.AppendChunk(nil, r.Chunk); err != nil {
		return nil, fmt.Errorf("chunk: its native form is no JSON")
	}
	if len(r.Actions) > 0 {
		if m.Actions, err = wire.JSON(r.Actions); err != nil {
			return nil, fmt.Errorf("actions: they cannot be encoded")
		}
	}
	if r.ReplyTo != nil {
		if err := validRef(*r.ReplyTo); err != nil {
			return nil, err
		}
		m.ReplyTo = encodeRef(*r.ReplyTo)
	}
	return m, nil
}

func encodeTarget(t surface.Target) *vakv1.Target {
	return &vakv1.Target{Account: t.Account, Address: t.Address, Thread: t.Thread}
}

func encodeRef(r surface.Ref) *vakv1.Ref { return &vakv1.Ref{Id: r.ID, Opaque: r.Opaque} }
