package host

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/core/internal/host/supervise"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// An outlet is what sends for one account of one surface: a process of its own,
// which has this account's settings and nobody else's.
//
// The settings are kept in memory for as long as the outlet is, since a process
// that ends is replaced by itself. They are in nothing else: no argument, no
// environment, no log, no error and no status.
type outlet struct {
	slot    *slot
	account string
	sup     *keeper[*sender] // nil for a built-in

	mu       sync.Mutex
	settings json.RawMessage // canonical; of the next process
	known    bool            // settings were given, and of a built-in it is configured with them
}

// A sender is a process that is configured.
type sender struct {
	*process.Process
	settings json.RawMessage
	hide     secrets
}

// Obituary says how it ended, and quotes no setting.
func (s *sender) Obituary() *Error { return discreet(s.Process.Obituary(), s.hide) }

// outlet returns that of an account, or an error once the host is closed.
func (s *slot) outlet(account string) (*outlet, *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &Error{Op: "start", Kind: Closed, Source: FromHost, Message: "the host is closed"}
	}
	o, ok := s.outlets[account]
	if ok {
		return o, nil
	}
	o = &outlet{slot: s, account: account}
	if s.builtin == nil {
		o.sup = newKeeper(supervise.Config[*sender]{
			Start:  o.start,
			Policy: s.host.config.Policy,
			Log:    s.host.log.With("plugin", s.key.ID, "version", s.info.Version, "role", hostapi.RoleTransport, "account", account),
		})
	}
	if s.outlets == nil {
		s.outlets = map[string]*outlet{}
	}
	s.outlets[account] = o
	return o, nil
}

// want takes the settings that the account has by now. Where they are others
// than before, what went wrong with those before is forgotten.
func (o *outlet) want(settings json.RawMessage) {
	settings = canonical(settings)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known && bytes.Equal(o.settings, settings) {
		return
	}
	changed := o.known
	o.settings, o.known = settings, true
	if changed {
		o.sup.Forgive()
	}
}

func (o *outlet) wanted() json.RawMessage {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.settings
}

// start starts a process and hands the account over. A process that does not
// take it did not start.
func (o *outlet) start(ctx context.Context) (*sender, *Error) {
	settings := o.wanted()
	h := o.slot.host
	hide := secretsOf(settings)
	log := h.log.Named(o.slot.key.ID).Named(hostapi.RoleTransport).With("account", o.account)
	p, e := o.slot.launch(ctx, hostapi.RoleTransport, discreetLogger{log, hide})
	if e != nil {
		return nil, discreet(e, hide)
	}
	s := &sender{Process: p, settings: settings, hide: hide}
	ctx, cancel := context.WithTimeout(ctx, h.config.ConfigureTimeout)
	defer cancel()
	err := p.API().Configure(ctx, surface.Account{Name: o.account, Settings: settings})
	if err == nil {
		return s, nil
	}
	e = fault.FromCall("configure", err)
	if e.Kind == Unavailable {
		e = died(e, s.Obituary(), "while it was configured")
	}
	if ctx.Err() != nil { // it is not to be used, and shall not take its time to end
		p.Kill()
	}
	p.Stop()
	info := o.slot.info
	return nil, e.Named(info.ID, info.Version)
}

// lease returns a process that has the settings which the account has by now.
// One that has others serves what it has and takes no more.
func (o *outlet) lease(ctx context.Context) (*supervise.Lease[*sender], *Error) {
	for {
		l, e := o.sup.Lease(ctx)
		if e != nil {
			return nil, e
		}
		if bytes.Equal(l.P.settings, o.wanted()) {
			return l, nil
		}
		l.Release(&Error{Op: "configure", Kind: Canceled, Source: FromHost, Message: "the settings of the account have changed"}, false)
	}
}

// configure makes a built-in ready, if it is not.
func (o *outlet) configure(ctx context.Context, settings json.RawMessage) *Error {
	settings = canonical(settings)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known && bytes.Equal(o.settings, settings) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, o.slot.host.config.ConfigureTimeout)
	defer cancel()
	if err := o.slot.outgoing.Configure(ctx, surface.Account{Name: o.account, Settings: settings}); err != nil {
		return fault.FromCall("configure", err)
	}
	o.settings, o.known = settings, true
	return nil
}

// canonical is b without insignificant space, so that a file that was only
// indented anew is no change.
func canonical(b json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, b) != nil { // the plugin will refuse it
		return bytes.Clone(b)
	}
	return out.Bytes()
}

// hidden stands in place of a setting that a plugin writes to its log.
const hidden = "[setting]"

// secrets are the strings that stand in settings, the longest first: an address
// that is hidden without its host, which is a setting too, would show its path.
type secrets []string

// secretsOf lists those of settings, each as it is and as JSON has it.
func secretsOf(settings json.RawMessage) secrets {
	out := secrets(hostapi.Secrets(settings))
	for _, s := range out {
		for _, escape := range []bool{true, false} {
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(escape)
			if enc.Encode(s) != nil {
				continue // of strings there is no error
			}
			if quoted := b.String()[1 : b.Len()-2]; quoted != s { // without quotes and the end of the line
				out = append(out, quoted)
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(out)
}

// hide returns text without them. A strings.Replacer would take seconds to make
// for a long one.
func (s secrets) hide(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}

// discreet is e without settings in the words that are the plugin's own.
func discreet(e *Error, hide secrets) *Error {
	if e == nil {
		return nil
	}
	out := *e
	out.Tail = hide.hide(e.Tail)
	return &out
}

// A discreetLogger takes a plugin's log, in which a careless author may have
// written a setting.
type discreetLogger struct {
	hclog.Logger
	hide secrets
}

// Log logs what the plugin wrote.
func (l discreetLogger) Log(level hclog.Level, msg string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = l.hide.hide(s)
		}
	}
	l.Logger.Log(level, l.hide.hide(msg), args...)
}
