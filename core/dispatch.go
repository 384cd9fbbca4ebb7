package core

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/config"
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
	_, ok := d.account(t)
	return ok && d.core.host.CanSend(t.Surface, t.Account)
}

// account is what the transport for t is configured with: secrets are references
// where the account is from vak.toml.
func (d dispatch) account(t surface.Target) (Account, bool) {
	for _, a := range d.core.config.Accounts {
		if a.Surface == t.Surface && a.Name == t.Account {
			return a, true
		}
	}
	if settings, ok := d.core.configured.Load().file.Surfaces[t.Surface].Accounts[t.Account]; ok {
		return Account{Surface: t.Surface, Name: t.Account, Settings: settings}, true
	}
	s, ok := d.core.current.Load().surface(t.Surface)
	return Account{}, ok && t.Account == "" && len(s.info.Account) == 0
}

// Send implements [outbox.Transports]. Secrets are looked up for every message, so
// that one that has changed is used from then on: the host starts the transport
// anew when its settings differ.
func (d dispatch) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	absent := func(hint string) (surface.Receipt, error) {
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Transient, Code: host.CodeNoTransport, RetryAfter: time.Minute, Hint: hint}
	}
	a, ok := d.account(r.Target)
	if !ok {
		return absent("configure the account")
	}
	account := surface.Account{Name: a.Name, Settings: a.Settings}
	if len(a.Settings) > 0 {
		settings, err := config.Resolve(ctx, a.Settings, d.core.secret)
		if err != nil {
			d.core.log.Error("a secret of an account cannot be read", "surface", r.Target.Surface, "account", r.Target.Account, "cause", err)
			return absent("a secret of its account cannot be read: " + err.Error())
		}
		account.Settings = settings
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
// receiver has the id of the message to go by, always. The log is a file.
//
// The rates are those that the platforms publish. Telegram: a message a second
// for a chat, twenty a minute for a group, thirty a second for a bot. (Bots FAQ)
// Slack: a message a second for a channel. (Rate limits; that for a workspace is
// not told, and comes as a refusal.) Discord: fifty requests a second for a bot;
// what a channel takes its answers say, and five in five seconds is where it
// starts.
func traits(t surface.Target) outbox.Traits {
	switch t.Surface {
	case "telegram":
		chat := []outbox.Rate{{Messages: 1, Per: time.Second}}
		if strings.HasPrefix(t.Address, "-") || strings.HasPrefix(t.Address, "@") { // a group or a channel
			chat = append(chat, outbox.Rate{Messages: 20, Per: time.Minute})
		}
		return outbox.Traits{Chat: chat, Account: []outbox.Rate{{Messages: 30, Per: time.Second}}}
	case "slack":
		return outbox.Traits{Chat: []outbox.Rate{{Messages: 1, Per: time.Second}}}
	case "discord":
		return outbox.Traits{
			Chat:    []outbox.Rate{{Messages: 5, Per: 5 * time.Second}},
			Account: []outbox.Rate{{Messages: 50, Per: time.Second}}, Window: 2 * time.Minute,
		}
	case "webhook":
		return outbox.Traits{Window: -1}
	}
	return outbox.Traits{}
}
