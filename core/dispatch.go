package core

import (
	"context"
	"errors"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A dispatch sends for the outbox through the host's transports.
type dispatch struct{ core *Core }

var _ outbox.Transports = dispatch{}

// Ready implements [outbox.Transports]. A transport that is backing off is ready:
// it is tried again by itself.
func (d dispatch) Ready(t surface.Target) bool {
	account, ok := d.account(t)
	return ok && d.core.host.CanSend(t.Surface, account.Name)
}

// account is what the transport for t is configured with.
func (d dispatch) account(t surface.Target) (surface.Account, bool) {
	for _, a := range d.core.config.Accounts {
		if a.Surface == t.Surface && a.Name == t.Account {
			return surface.Account{Name: a.Name, Settings: a.Settings}, true
		}
	}
	s, ok := d.core.surface(t.Surface)
	return surface.Account{}, ok && t.Account == "" && len(s.info.Account) == 0
}

// Send implements [outbox.Transports].
func (d dispatch) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	account, ok := d.account(r.Target)
	if !ok {
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Transient, Code: host.CodeNoTransport, Hint: "configure the account"}
	}
	receipt, err := d.core.host.Send(ctx, r.Target.Surface, account, r)
	if e, ok := errors.AsType[*surface.DeliveryError](err); ok && e.Code == host.CodeNoTransport && e.RetryAfter <= 0 {
		wait := *e
		wait.RetryAfter = 5 * time.Second
		return receipt, &wait
	}
	return receipt, err
}

// traits are what is known of platforms beyond how they look.
//
// Discord recognises a nonce for a few minutes; two are safe. A webhook's
// receiver has the id of the message to go by, always. The log is a file. The
// paces keep below what the platforms allow one chat: Telegram about one message
// a second and thirty for a bot, Slack one a second for a channel, Discord five
// in five seconds.
func traits(id string) outbox.Traits {
	switch id {
	case "telegram":
		return outbox.Traits{Pace: time.Second, AccountPace: time.Second / 30}
	case "slack":
		return outbox.Traits{Pace: time.Second}
	case "discord":
		return outbox.Traits{Pace: time.Second, Window: 2 * time.Minute}
	case "webhook":
		return outbox.Traits{Window: -1}
	}
	return outbox.Traits{}
}
