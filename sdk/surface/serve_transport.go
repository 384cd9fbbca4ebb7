package surface

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
)

// maxAccounts bounds the accounts of one process.
const maxAccounts = 64

// The optional abilities of a transport, as Describe names them.
const (
	featureEdit   = "edit"
	featureDelete = "delete"
)

// transports are the configured accounts of a process.
type transports struct {
	mu  sync.RWMutex
	all map[string]Transport
}

func (t *transports) get(account string) (Transport, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out, ok := t.all[account]
	return out, ok
}

// put reports whether there was room.
func (t *transports) put(account string, tr Transport) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.all[account]; !ok && len(t.all) >= maxAccounts {
		return false
	}
	if t.all == nil {
		t.all = map[string]Transport{}
	}
	t.all[account] = tr
	return true
}

// features lists what at least one account can do beside sending.
func (t *transports) features() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var edits, deletes bool
	for _, tr := range t.all {
		_, e := tr.(Editor)
		_, d := tr.(Deleter)
		edits, deletes = edits || e, deletes || d
	}
	var out []string
	if edits {
		out = append(out, featureEdit)
	}
	if deletes {
		out = append(out, featureDelete)
	}
	return out
}

// Configure has the author's code make the transport of one account, which takes
// the place of the one before. Where it fails, the one before stays.
func (s *server) Configure(ctx context.Context, m *vakv1.ConfigureRequest) (_ *vakv1.ConfigureResponse, err error) {
	if err := s.Enter(); err != nil {
		return nil, err
	}
	defer s.Leave()
	defer s.RecoverInto(&err, "configure")

	if s.plugin.NewTransport == nil {
		return nil, notConfigured("this surface has no transport", "it renders only; deliver its chunks by other means")
	}
	account, err := parseAccount(m)
	if err != nil {
		return nil, unreadable(err)
	}
	t, err := s.plugin.NewTransport(ctx, account)
	if ctx.Err() != nil {
		return nil, wire.ContextFailure(ctx)
	}
	if err != nil {
		f := &wire.Failure{Kind: wire.Failed, Source: wire.FromPlugin, Message: "the account cannot be used: " + typeOf(err), Err: err}
		if d := (*DeliveryError)(nil); errors.As(err, &d) && d != nil {
			f.Message, f.Hint = "the account cannot be used: "+string(class(d.Class)), d.Hint
			if d.Code != "" {
				f.Message += " (" + d.Code + ")"
			}
		}
		return nil, f
	}
	if t == nil {
		return nil, &wire.Failure{Kind: wire.Failed, Source: wire.FromPlugin, Message: "NewTransport returned neither a transport nor an error", Hint: "tell the plugin's author"}
	}
	if !s.transports.put(account.Name, t) {
		return nil, &wire.Failure{Kind: wire.Failed, Source: wire.FromPlugin, Message: fmt.Sprintf("one process serves %d accounts at most", maxAccounts)}
	}
	return &vakv1.ConfigureResponse{}, nil
}

// Send has the author's transport send one message.
func (s *server) Send(ctx context.Context, m *vakv1.SendRequest) (*vakv1.SendResponse, error) {
	t, done, err := s.transport(m.GetTarget())
	if err != nil {
		return nil, err
	}
	defer done()
	req, err := s.parseSend(m)
	if err != nil {
		return nil, unreadable(err)
	}
	receipt, outcome := s.deliver(ctx, "send", func(ctx context.Context) (Receipt, error) { return t.Send(ctx, req) })
	return &vakv1.SendResponse{Receipt: receipt, Outcome: outcome}, nil
}

// Edit has the author's transport change one message, if it can.
func (s *server) Edit(ctx context.Context, m *vakv1.EditRequest) (*vakv1.EditResponse, error) {
	t, done, err := s.transport(m.GetSend().GetTarget())
	if err != nil {
		return nil, err
	}
	defer done()
	e, ok := t.(Editor)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this transport cannot edit")
	}
	ref, err := parseRef(m.Ref)
	if err != nil {
		return nil, unreadable(err)
	}
	req, err := s.parseSend(m.Send)
	if err != nil {
		return nil, unreadable(err)
	}
	receipt, outcome := s.deliver(ctx, "edit", func(ctx context.Context) (Receipt, error) { return e.Edit(ctx, ref, req) })
	return &vakv1.EditResponse{Receipt: receipt, Outcome: outcome}, nil
}

// Delete has the author's transport take one message back, if it can.
func (s *server) Delete(ctx context.Context, m *vakv1.DeleteRequest) (*vakv1.DeleteResponse, error) {
	t, done, err := s.transport(m.GetTarget())
	if err != nil {
		return nil, err
	}
	defer done()
	d, ok := t.(Deleter)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this transport cannot delete")
	}
	ref, err := parseRef(m.Ref)
	if err != nil {
		return nil, unreadable(err)
	}
	target, err := s.parseTarget(m.Target)
	if err != nil {
		return nil, unreadable(err)
	}
	_, outcome := s.deliver(ctx, "delete", func(ctx context.Context) (Receipt, error) { return Receipt{}, d.Delete(ctx, target, ref) })
	return &vakv1.DeleteResponse{Outcome: outcome}, nil
}

// transport is the one of the target's account. done is called when the call is
// over. Nothing was written where it fails, and the failure says so.
func (s *server) transport(target *vakv1.Target) (_ Transport, done func(), _ error) {
	if err := s.Enter(); err != nil {
		return nil, nil, notConfigured("the plugin is shutting down", "")
	}
	t, ok := s.transports.get(target.GetAccount())
	if !ok {
		s.Leave()
		if s.plugin.NewTransport == nil {
			return nil, nil, notConfigured("this surface has no transport", "it renders only; deliver its chunks by other means")
		}
		return nil, nil, notConfigured("the account is not configured", "")
	}
	return t, s.Leave, nil
}

// deliver makes the call and says what came of it.
func (s *server) deliver(ctx context.Context, call string, f func(context.Context) (Receipt, error)) (r *vakv1.Receipt, o *vakv1.Outcome) {
	defer func() {
		if v := recover(); v != nil {
			why := s.Panicked(v, call)
			r, o = nil, &vakv1.Outcome{Class: string(Unknown), Code: wire.Panic, Message: why.Message, Hint: why.Hint}
		}
	}()
	ctx, cancel := early(ctx)
	defer cancel()
	receipt, err := f(ctx)
	if err != nil {
		return nil, s.outcome(err)
	}
	if r, err = encodeReceipt(receipt); err != nil { // it went out all the same
		return nil, &vakv1.Outcome{Class: string(Unknown), Code: "receipt", Message: err.Error(), Hint: "tell the plugin's author"}
	}
	return r, nil
}

// margin is how much earlier the author's code sees the deadline than the host
// does, at most; it is a tenth where there is little time.
const margin = 500 * time.Millisecond

// early ends a little before ctx, so that an answer in time arrives in time.
func early(ctx context.Context) (context.Context, context.CancelFunc) {
	at, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, at.Add(-min(margin, time.Until(at)/10)))
}

func notConfigured(message, hint string) error {
	return &wire.Failure{Kind: wire.NotConfigured, Source: wire.FromPlugin, Message: message, Hint: hint}
}

func unreadable(err error) error {
	return &wire.Failure{
		Kind: wire.Invalid, Source: wire.FromPlugin, Err: err,
		Message: "the request cannot be read: " + err.Error(),
		Hint:    "host and plugin may be of different versions; update the older one",
	}
}
