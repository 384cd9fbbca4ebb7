package host

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/host/bundle"
	"github.com/seed-1ae66336/vak/core/internal/host/fault"
	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A slot is the place of one plugin, exactly as it was found. What is in its folder
// later is another's.
type slot struct {
	host       *Host
	key        Key
	kind       string          // of plugin
	info       surface.Info    // of a pack id and version only
	builtin    *hostapi.Client // instead of a process
	outgoing   *hostapi.Client // of a built-in that sends
	firstParty bool

	// Guarded by Host.mu.
	listed  bool   // it was found by the last look
	current bool   // it is what its id stands for
	problem *Error // why it is listed and not current
	holds   int    // of those who want it callable all the same
	banned  *Error // why it must not run

	// Guarded by Host.syncing.
	asked   string // Places.Stamp when Admit was asked
	refused *Error // what it said

	mu      sync.Mutex                   // taken with Host.mu held, never the other way round
	found   bundle.Bundle                // of the same Key always
	sup     *keeper[*process.Process]    // nil for a built-in
	outlets map[string]*outlet           // by account
	closed  bool                         // nothing is started
	leaving map[supervisor]chan struct{} // start nothing any more; closed when nothing of one runs
	former  map[supervisor]*outlet       // those of the leaving that were an outlet's
}

func newSlot(h *Host, b bundle.Bundle) *slot {
	s := &slot{host: h, key: keyOf(b), kind: b.Kind, info: b.Info, firstParty: h.isFirstParty(b.Dir), found: b}
	s.sup = s.newRenderer()
	return s
}

// bundle is what was found, last.
func (s *slot) bundle() bundle.Bundle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found
}

// refound takes a bundle of the same Key whose files look different. Somebody may have
// mended the binary: what went wrong before is forgotten.
func (s *slot) refound(b bundle.Bundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.found.SameFiles(b) {
		for sup := range s.serving() {
			sup.Forgive()
		}
	}
	s.found = b
}

// role is that of the process which has no credential.
func (s *slot) role() string {
	if s.kind == hostapi.KindSkill {
		return hostapi.RoleSkill
	}
	return hostapi.RoleRender
}

// intrinsic is why the plugin cannot run here, whoever asks.
func (s *slot) intrinsic() *Error {
	b := s.bundle()
	if b.Err == nil && s.builtin == nil && !s.host.mayRun(s.firstParty) {
		return unsandboxed("there is no sandbox for it on this system", nil).Named(b.Info.ID, b.Info.Version)
	}
	return b.Err
}

// unusable is why what is current, or is called by its Key, cannot be called.
func (s *slot) unusable() *Error {
	if e := s.intrinsic(); e != nil {
		return e
	}
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	if s.banned != nil {
		return s.banned
	}
	if s.listed && s.holds == 0 {
		return s.problem
	}
	return nil
}

// ban is why the plugin must not run, so that what ran of it was killed.
func (s *slot) ban() *Error {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	return s.banned
}

// start starts what renders, or lowers.
func (s *slot) start(ctx context.Context) (*process.Process, *Error) {
	return s.launch(ctx, s.role(), s.host.log.Named(s.key.ID))
}

// launch starts the plugin in a role, if its folder still holds it.
func (s *slot) launch(ctx context.Context, role string, log hclog.Logger) (*process.Process, *Error) {
	b := s.bundle()
	if e := s.unusable(); e != nil {
		return nil, e
	}
	named := func(e *Error) *Error { return e.Named(b.Info.ID, b.Info.Version) }
	if b.Replaced() {
		return nil, replaced(s.key)
	}
	h := s.host
	g := h.grants(b.Dir)
	c := process.Config{
		Bundle:       b,
		Role:         role,
		Sockets:      h.sockets,
		Log:          log,
		MutualTLS:    h.config.MutualTLS,
		StartTimeout: h.config.StartTimeout,
		StopTimeout:  h.config.StopTimeout,
		Interpreter:  g.Interpreter,
		Track:        h.groups.track,
	}
	if role == hostapi.RoleTransport {
		c.Env = g.environment()
	}
	if !h.config.noSandbox {
		c.Confine = confine(role, g)
	}
	p, e := process.Start(ctx, c)
	if e != nil {
		return nil, named(e)
	}
	return p, nil
}

// replaced is the error of a call to a plugin that is not there any more.
func replaced(k Key) *Error {
	return &Error{
		Op: "start", Plugin: k.ID, Kind: NotFound, Source: FromHost, Message: k.Dir + " does not hold the plugin any more that it did",
		Hint: "it was replaced or removed; the next turn uses what is there now",
	}
}

// grants are what the plugin in a folder has.
func (h *Host) grants(folder string) Grants {
	h.mu.Lock()
	granted := h.places.Grants
	h.mu.Unlock()
	if granted == nil {
		return Grants{}
	}
	return granted(folder)
}

// environment are the variables that are set of those that were granted.
func (g Grants) environment() []string {
	var out []string
	for _, name := range g.Env {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return out
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
	info := s.info
	refused := func(e *Error) (bool, *Error) {
		broken := *e
		broken.Op = c.op
		return false, &broken
	}
	if e := s.unusable(); e != nil {
		return refused(e)
	}
	ctx, cancel := context.WithTimeout(caller, s.host.config.RenderTimeout)
	defer cancel()
	named := func(e *Error) *Error { return e.Named(info.ID, info.Version) }
	if s.builtin != nil {
		if err := c.ask(ctx, s.builtin); err != nil {
			return false, named(fault.FromCall(c.op, err))
		}
		return false, nil
	}
	sup := s.renders()
	acquire := sup.Lease
	if failed != nil && failed.Op == c.op && outOfOrder(failed) {
		acquire = sup.LeaseAgain
	}
	lease, e := acquire(ctx)
	if e != nil {
		if e.Kind == Closed {
			if e = s.left(e); e == nil {
				return s.attempt(caller, c, failed)
			}
			return refused(e)
		}
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
