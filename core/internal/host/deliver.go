package host

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
	"github.com/seed-1ae66336/vak/core/internal/host/supervise"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// CodeNoTransport is the code of a delivery that was not begun, because there is
// nothing to send with: no such surface, none that sends, or one that is broken,
// quarantined or backing off. Its class is Transient, RetryAfter says when the
// next process is due where that is known, and the cause is an [*Error].
const CodeNoTransport = "no_transport"

// HasTransport reports whether a surface is there that says it can send. Whether
// it can at the moment is another question.
func (h *Host) HasTransport(surfaceID string) bool {
	s, ok := h.find(hostapi.KindSurface, surfaceID)
	return ok && s.info.Transport
}

// CanSend reports whether an account of a surface can send, or will be tried again
// by itself: its transport is there and neither broken nor quarantined.
func (h *Host) CanSend(surfaceID, account string) bool {
	s, ok := h.find(hostapi.KindSurface, surfaceID)
	if !ok {
		return false
	}
	s.mu.Lock()
	o := s.outlets[account]
	s.mu.Unlock()
	if s.why() != nil || !s.info.Transport {
		return false
	}
	return o == nil || o.sup == nil || o.sup.Status().State != supervise.Quarantined
}

// Send has one account of a surface send one message. It starts the account's
// process if there is none. Its error is a [*surface.DeliveryError], always.
//
// It is never tried again here: a process that dies while it sends leaves it
// unknown whether the message arrived, and what is to be done about that is the
// caller's to know. The next Send gets a fresh process.
//
// Surface and account of r's target are those given, whatever r says.
func (h *Host) Send(ctx context.Context, surfaceID string, account surface.Account, r surface.SendRequest) (surface.Receipt, error) {
	r.Target.Surface, r.Target.Account = surfaceID, account.Name
	var out surface.Receipt
	err := h.deliver(ctx, "send", surfaceID, account, func(ctx context.Context, c *hostapi.Client) (err error) {
		out, err = c.Send(ctx, r)
		return err
	})
	return out, err
}

// Edit has the message that ref names changed to r; otherwise it is like Send.
// Where the transport cannot edit, the error's class is Permanent and its code
// hostapi.CodeUnimplemented.
func (h *Host) Edit(ctx context.Context, surfaceID string, account surface.Account, ref surface.Ref, r surface.SendRequest) (surface.Receipt, error) {
	r.Target.Surface, r.Target.Account = surfaceID, account.Name
	var out surface.Receipt
	err := h.deliver(ctx, "edit", surfaceID, account, func(ctx context.Context, c *hostapi.Client) (err error) {
		out, err = c.Edit(ctx, ref, r)
		return err
	})
	return out, err
}

// Delete has the message that ref names taken back; otherwise it is like Edit.
func (h *Host) Delete(ctx context.Context, surfaceID string, account surface.Account, t surface.Target, ref surface.Ref) error {
	t.Surface, t.Account = surfaceID, account.Name
	return h.deliver(ctx, "delete", surfaceID, account, func(ctx context.Context, c *hostapi.Client) error {
		return c.Delete(ctx, t, ref)
	})
}

// deliver makes one call to a transport. Its error is a *surface.DeliveryError.
func (h *Host) deliver(ctx context.Context, op, surfaceID string, account surface.Account, call func(context.Context, *hostapi.Client) error) error {
	s, ok := h.find(hostapi.KindSurface, surfaceID)
	if !ok {
		return noTransport(h.unknown(op, surfaceID), op, 0)
	}
	info := s.info
	named := func(e *Error) *Error { return e.Named(info.ID, info.Version) }
	if e := s.why(); e != nil {
		return noTransport(e, op, 0)
	}
	if !info.Transport {
		return noTransport(named(&Error{
			Kind: NotConfigured, Source: FromPlugin, Message: "the surface renders only, it has no transport",
			Hint: "install a version of it that sends, or deliver elsewhere",
		}), op, 0)
	}
	// What is replaced meanwhile takes nothing more: what is there by now sends.
	left := func(e *Error) error {
		e = s.left(e)
		now, ok := h.find(hostapi.KindSurface, surfaceID)
		switch {
		case e != nil && (e.Kind == Closed || now == s):
			return noTransport(e, op, 0)
		case !ok:
			return noTransport(replaced(s.key), op, 0)
		}
		return h.deliver(ctx, op, surfaceID, account, call)
	}
	o, e := s.outlet(account.Name)
	if e != nil {
		return left(e)
	}
	if s.builtin != nil {
		if e := o.configure(ctx, account.Settings); e != nil {
			return noTransport(named(e), op, 0)
		}
		ctx, cancel := context.WithTimeout(ctx, h.config.SendTimeout)
		defer cancel()
		err := call(ctx, s.outgoing)
		if d, e := failedCall(op, err); e != nil {
			d.Err = named(e)
		}
		return err
	}
	o.want(account.Settings)
	lease, e := o.lease(ctx)
	if e != nil && e.Kind == Closed {
		return left(e)
	}
	if e != nil {
		return noTransport(named(e), op, time.Until(o.sup.Status().Next))
	}
	attempt, cancel := context.WithTimeout(ctx, h.config.SendTimeout)
	defer cancel()
	err := call(attempt, lease.P.API())
	d, e := failedCall(op, err)
	if e == nil { // sent, or the plugin's own word on why not
		lease.Release(nil, false)
		return err
	}
	if e.Kind == Unavailable {
		e = died(e, lease.P.Obituary(), "while it sent")
		if ban := s.ban(); ban != nil {
			e.Message, e.Hint = "it was revoked while it sent: "+ban.Message, "whether the message arrived is not known"
		}
		d.Hint = e.Hint
	}
	e = named(e)
	d.Err = e
	if !e.Fresh() || gaveUp(ctx, attempt, e) {
		lease.Release(nil, false)
	} else {
		lease.Release(e, e.Kind == Unavailable || e.Kind == Deadline)
	}
	return d
}

// failedCall takes apart the error of a call that has no outcome. e is nil where
// there is one.
func failedCall(op string, err error) (d *surface.DeliveryError, e *Error) {
	d, ok := errors.AsType[*surface.DeliveryError](err)
	if !ok {
		return nil, nil
	}
	c, ok := errors.AsType[*hostapi.Error](d.Err)
	if !ok {
		return d, nil
	}
	return d, fault.FromCall(op, c)
}

// died tells of a call how the process ended under it.
func died(e *Error, how *Error, when string) *Error {
	if how == nil {
		return e
	}
	out := *e
	out.Message = strings.Replace(how.Message, "by itself", when, 1)
	out.Hint, out.Tail = how.Hint, how.Tail
	return &out
}

// noTransport is a delivery that was not begun.
func noTransport(e *Error, op string, wait time.Duration) *surface.DeliveryError {
	cause := *e
	cause.Op = op
	return &surface.DeliveryError{Class: surface.Transient, Code: CodeNoTransport, RetryAfter: max(0, wait), Hint: e.Hint, Err: &cause}
}
