package host

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/host/bundle"
	"github.com/seed-1ae66336/vak/core/internal/host/fault"
	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/core/internal/host/supervise"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// A slot is the place of one plugin.
type slot struct {
	host       *Host
	builtin    *hostapi.Client // instead of a process
	outgoing   *hostapi.Client // of a built-in that sends
	firstParty bool
	sup        *supervise.Supervisor[*process.Process] // nil for a built-in

	mu    sync.Mutex
	found bundle.Bundle // read anew when its files have changed and it is to be started

	outlets map[string]*outlet // by account
	closed  bool
}

func newSlot(h *Host, b bundle.Bundle) *slot {
	s := &slot{host: h, firstParty: h.isFirstParty(b.Dir)}
	s.found = s.admit(b)
	s.sup = supervise.New(supervise.Config[*process.Process]{
		Start:   s.start,
		Changed: func() bool { return s.bundle().Changed() },
		Policy:  h.config.Policy,
		Log:     h.log.With("plugin", b.Info.ID, "version", b.Info.Version),
		Work:    &h.work,
	})
	return s
}

func (s *slot) bundle() bundle.Bundle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found
}

// role is that of the process which has no credential.
func (s *slot) role() string {
	if s.bundle().Kind == hostapi.KindSkill {
		return hostapi.RoleSkill
	}
	return hostapi.RoleRender
}

// admit adds to a bundle that it may not run here, if so.
func (s *slot) admit(b bundle.Bundle) bundle.Bundle {
	if b.Err == nil && !s.host.mayRun(s.firstParty) {
		b.Err = unsandboxed("there is no sandbox for it on this system", nil).Named(b.Info.ID, b.Info.Version)
	}
	if may := s.host.config.Admit; b.Err == nil && may != nil {
		if err := may(b.Dir, b.SHA256); err != nil {
			b.Err = &Error{
				Op: "open", Plugin: b.Info.ID, Version: b.Info.Version, Kind: Untrusted, Source: FromHost,
				Message: err.Error(), Err: err,
			}
		}
	}
	return b
}

// refresh reads the bundle anew if it is another than it was.
func (s *slot) refresh() bundle.Bundle {
	old := s.bundle()
	if e := old.Err; e != nil && e.Kind == Duplicate || !old.Changed() {
		return old
	}
	b := s.admit(bundle.Read(old.Dir))
	if b.Kind == "" {
		b.Kind = old.Kind
	}
	if id := old.Info.ID; b.Err == nil && old.Kind != "" && b.Kind != old.Kind {
		b.Err = &Error{
			Op: "open", Plugin: id, Kind: BadManifest, Source: FromHost,
			Message: fmt.Sprintf("%s held a plugin of the kind %s and now holds one of the kind %s", old.Dir, old.Kind, b.Kind),
			Hint:    "start vak again, so that it is found as what it is",
		}
		b.Kind, b.Info.ID = old.Kind, id
	} else if b.Err == nil && b.Info.ID != id {
		b.Err = &Error{
			Op: "open", Plugin: id, Kind: BadManifest, Source: FromHost,
			Message: fmt.Sprintf("%s held the surface %q and now holds %q", old.Dir, id, b.Info.ID),
			Hint:    "start vak again, so that it is found under its new name",
		}
		b.Info.ID = id
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = b
	return b
}

// start starts what renders, or lowers.
func (s *slot) start(ctx context.Context) (*process.Process, *Error) {
	return s.launch(ctx, s.role(), s.host.log.Named(s.bundle().Info.ID), confine)
}

// launch starts what is installed by now in a role.
func (s *slot) launch(ctx context.Context, role string, log hclog.Logger, within process.Confine) (*process.Process, *Error) {
	b := s.refresh()
	if b.Err != nil {
		return nil, b.Err
	}
	h := s.host
	if h.config.noSandbox {
		within = nil
	}
	p, e := process.Start(ctx, process.Config{
		Bundle:       b,
		Role:         role,
		Sockets:      h.sockets,
		Log:          log,
		MutualTLS:    h.config.MutualTLS,
		StartTimeout: h.config.StartTimeout,
		StopTimeout:  h.config.StopTimeout,
		Confine:      within,
		Track:        h.groups.track,
	})
	if e != nil {
		return nil, e.Named(b.Info.ID, b.Info.Version)
	}
	return p, nil
}

// A call is one question to a plugin: it is asked once more where a fresh process
// may do better.
type call struct {
	op    string
	while string // for people: "while it rendered"
	ask   func(context.Context, *hostapi.Client) error
}

// attempt makes a call once. again says that a fresh process may do better. failed
// is the error of the attempt before, or nil: what goes wrong with one answer
// counts once against the plugin.
func (s *slot) attempt(caller context.Context, c call, failed *Error) (again bool, _ *Error) {
	b := s.bundle()
	if b.Err != nil {
		broken := *b.Err
		broken.Op = c.op
		return false, &broken
	}
	ctx, cancel := context.WithTimeout(caller, s.host.config.RenderTimeout)
	defer cancel()
	named := func(e *Error) *Error { return e.Named(b.Info.ID, b.Info.Version) }
	if s.builtin != nil {
		if err := c.ask(ctx, s.builtin); err != nil {
			return false, named(fault.FromCall(c.op, err))
		}
		return false, nil
	}
	acquire := s.sup.Lease
	if failed != nil && failed.Op == c.op && outOfOrder(failed) {
		acquire = s.sup.LeaseAgain
	}
	lease, e := acquire(ctx)
	if e != nil {
		return e.Fresh() && !gaveUp(caller, ctx, e), named(e)
	}
	err := c.ask(ctx, lease.P.API())
	if err == nil {
		lease.Release(nil, false)
		return false, nil
	}
	e = fault.FromCall(c.op, err)
	if e.Kind == Unavailable {
		e = died(e, lease.P.Obituary(), c.while)
	}
	if e.Hint == "" && e.Kind == Deadline {
		e.Hint = "see the plugin's log"
	}
	if !e.Fresh() || gaveUp(caller, ctx, e) {
		lease.Release(nil, false)
		return false, named(e)
	}
	e = named(e)
	// A panic and a broken promise are trouble with one call, and another process
	// may do better; a process that dies or hangs is out of order itself.
	lease.Release(e, outOfOrder(e))
	return true, e
}

// outOfOrder reports whether an error of a call tells of a process that died or
// hangs.
func outOfOrder(e *Error) bool { return e.Kind == Unavailable || e.Kind == Deadline }

// gaveUp reports whether e came of the caller's own haste, which is not the
// plugin's fault: it gave less time than an attempt has.
func gaveUp(caller, attempt context.Context, e *Error) bool {
	if caller.Err() != nil {
		return true
	}
	its, ok := caller.Deadline()
	ours, _ := attempt.Deadline()
	return e.Kind == Deadline && ok && !ours.Before(its)
}

// supervisors are those of the renderer and of every transport.
func (s *slot) supervisors() []supervisor {
	if s.sup == nil {
		return nil
	}
	out := []supervisor{s.sup}
	for _, o := range s.sending() {
		out = append(out, o.sup)
	}
	return out
}

// A supervisor is one of whatever kind of process.
type supervisor interface {
	Restart(context.Context) *Error
	Close()
}

// sending lists the accounts that were used, by name.
func (s *slot) sending() []*outlet {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Collect(maps.Values(s.outlets))
	slices.SortFunc(out, func(a, b *outlet) int { return strings.Compare(a.account, b.account) })
	return out
}

// close ends every process. None starts any more.
func (s *slot) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	for _, sup := range s.supervisors() {
		sup.Close()
	}
}

// isFirstParty reports whether a plugin's folder is in one of the directories
// that are the operator's own.
func (h *Host) isFirstParty(folder string) bool {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	for _, dir := range h.config.FirstParty {
		if rel, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// mayRun reports whether a plugin may run here: there is a sandbox, or it needs
// none.
func (h *Host) mayRun(firstParty bool) bool {
	return supported().Sandboxed() && !h.config.lacksSandbox || firstParty || h.config.AllowUnsandboxed
}

func unsandboxed(message string, err error) *Error {
	return &Error{
		Op: "start", Kind: Unsandboxed, Source: FromHost, Message: message, Err: err,
		Hint: "see \"vak doctor\"; if you trust the plugin as much as vak itself, use --allow-unsandboxed",
	}
}
