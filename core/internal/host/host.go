package host

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/host/bundle"
	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/core/internal/host/supervise"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Config says how plugins are run. Where they are is told by [Places].
type Config struct {
	// Places are where plugins are first; [Host.Sync] says it anew.
	Places Places

	// Builtin are surfaces that run in the host's own process, both roles of them.
	// They come before every directory.
	Builtin []surface.Plugin

	// Log takes what operators should know, and the plugins' own logs. Nil:
	// nothing is logged. Its sink is written to from many goroutines.
	Log hclog.Logger

	// RuntimeDir is the directory for sockets, an absolute path with room for
	// LongestSocket. It is made with mode 0700 when the first process starts; where
	// it is not this user's alone, no process starts. Windows needs none.
	RuntimeDir string

	// FirstParty are directories whose plugins may run without a sandbox where
	// the kernel has none. Their status says so.
	FirstParty []string

	// AllowUnsandboxed says the same of every plugin.
	AllowUnsandboxed bool

	// MutualTLS asks for TLS on every connection to a plugin, on top of what the
	// kernel says of the peer. Where the kernel says nothing (other than on
	// Linux) it is always on. It makes a start about 30 ms longer.
	MutualTLS bool

	// RenderTimeout bounds one attempt to render or to lower a card, the start of a process
	// included; 0 means 5 s. There are at most two attempts.
	RenderTimeout time.Duration

	// StartTimeout bounds the start of a process; 0 means 5 s.
	StartTimeout time.Duration

	// ConfigureTimeout bounds what comes on top of that for a transport: taking the
	// settings of its account; 0 means 10 s.
	ConfigureTimeout time.Duration

	// SendTimeout bounds one call to a transport that is ready; 0 means 30 s.
	SendTimeout time.Duration

	// StopTimeout is how long a process gets to end by itself; 0 means 1 s.
	// After it comes SIGTERM, after twice the time SIGKILL.
	StopTimeout time.Duration

	// Policy is the patience with failing plugins; the zero value is the default.
	Policy supervise.Policy

	// For tests: what a process does that nothing confines, and a host where the
	// kernel has no sandbox.
	noSandbox, lacksSandbox bool
}

// A Host renders, sends and lowers cards with plugins. It is safe for concurrent use.
type Host struct {
	config  Config
	log     hclog.Logger
	sockets *process.Sockets
	builtin []*slot
	work    sync.WaitGroup // one for each supervisor that is leaving
	groups  groups

	syncing sync.Mutex // of whoever looks at what is on disk
	mu      sync.Mutex // of what follows
	closed  bool
	places  Places
	slots   map[Key]*slot // that can be called: those listed, and those held
	listed  []*slot       // that were found last, sorted as Surfaces and Packs return them
	byID    map[string]*slot
	parting map[*slot]struct{} // that can be called no longer, and still have a process
}

// LongestSocket is the longest path of a socket below Config.RuntimeDir.
const LongestSocket = process.LongestSocket

// RendererInfo names what rendered.
type RendererInfo struct{ ID, Version string }

// Open reads the manifests of the first places and starts nothing. It fails if a
// directory cannot be read; what is wrong with one plugin is told by Surfaces and
// hinders no other. Sockets that hosts left behind which were killed are removed.
//
// On Linux, starting a plugin sets the close-on-exec flag of every open file of
// this process, so that no plugin inherits one.
func Open(c Config) (*Host, error) {
	if c.Log == nil {
		c.Log = hclog.NewNullLogger()
	}
	c.RenderTimeout = orDefault(c.RenderTimeout, 5*time.Second)
	c.StartTimeout = orDefault(c.StartTimeout, 5*time.Second)
	c.ConfigureTimeout = orDefault(c.ConfigureTimeout, hostapi.ConfigureTimeout)
	c.SendTimeout = orDefault(c.SendTimeout, hostapi.SendTimeout)
	c.StopTimeout = orDefault(c.StopTimeout, time.Second)
	c.FirstParty = absolute(c.FirstParty)

	h := &Host{config: c, log: c.Log, byID: map[string]*slot{}, slots: map[Key]*slot{}, parting: map[*slot]struct{}{}}
	for _, p := range c.Builtin {
		if err := p.Info.Validate(); err != nil {
			return nil, &Error{Op: "open", Plugin: p.Info.ID, Kind: BadManifest, Source: FromHost, Message: "built-in surface: " + err.Error(), Err: err}
		}
		if p.Renderer == nil {
			return nil, &Error{Op: "open", Plugin: p.Info.ID, Kind: BadManifest, Source: FromHost, Message: "built-in surface: it has no Renderer"}
		}
		p.Info.Transport = p.NewTransport != nil
		log := c.Log.Named(p.Info.ID)
		h.builtin = append(h.builtin, &slot{
			host: h, key: Key{ID: p.Info.ID}, kind: hostapi.KindSurface, info: p.Info, builtin: hostapi.Local(p, log), outgoing: hostapi.LocalTransport(p, log),
			found: bundle.Bundle{Kind: hostapi.KindSurface, Info: p.Info},
		})
	}
	if _, err := h.Sync(c.Places); err != nil {
		return nil, err
	}
	h.sockets = process.NewSockets(c.RuntimeDir)
	return h, nil
}

// Render has a surface render r. It takes at most twice the time for one
// attempt, and less if ctx ends before. Its error is an *Error.
//
// A second attempt, on a fresh process, follows where the first one found the
// process gone, silent or not keeping the protocol. What the renderer itself
// refused it would refuse again. A plugin that failed before, several times in a
// row, is not tried until its time has come, and one that failed too often is
// not tried at all: both errors come at once and hold the last failure.
func (h *Host) Render(ctx context.Context, k Key, r surface.RenderRequest) (surface.Rendering, RendererInfo, error) {
	s, e := h.at("render", hostapi.KindSurface, k)
	if e != nil {
		return surface.Rendering{}, RendererInfo{}, e
	}
	var out surface.Rendering
	by, err := h.call(ctx, s, call{"render", "while it rendered", func(ctx context.Context, c *hostapi.Client) (err error) {
		out, err = c.Render(ctx, r)
		return err
	}})
	if err != nil {
		return surface.Rendering{}, by, err
	}
	return out, by, nil
}

// find is the plugin that an id stands for now, if it is of that kind.
func (h *Host) find(kind, id string) (*slot, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.byID[id]
	if !ok || (kind == hostapi.KindSkill) != (s.kind == hostapi.KindSkill) {
		return nil, false
	}
	return s, true
}

// at is the slot of a plugin that is listed, or held.
func (h *Host) at(op, kind string, k Key) (*slot, *Error) {
	h.mu.Lock()
	s, ok := h.slots[k]
	_, known := h.byID[k.ID]
	h.mu.Unlock()
	switch {
	case ok && (kind == hostapi.KindSkill) == (s.kind == hostapi.KindSkill):
		return s, nil
	case !ok && k.Dir != "":
		e := replaced(k)
		e.Op = op
		return nil, e
	case known:
		return nil, &Error{
			Op: op, Plugin: k.ID, Kind: NotFound, Source: FromHost, Message: fmt.Sprintf("the plugin %q is of another kind, or was found elsewhere", k.ID),
			Hint: "\"vak plugin list\" shows what there is",
		}
	}
	return nil, h.unknown(op, k.ID)
}

// call asks a plugin, at most twice, and says which version of it was asked last.
func (h *Host) call(ctx context.Context, s *slot, c call) (RendererInfo, *Error) {
	var first *Error
	for {
		info := s.info
		by := RendererInfo{ID: info.ID, Version: info.Version}
		again, err := s.attempt(ctx, c, first)
		if err == nil {
			return by, nil
		}
		again = again && first == nil
		h.log.Warn(c.op+" failed", "plugin", by.ID, "version", by.Version, "kind", string(err.Kind), "source", string(err.Source), "again", again)
		if again {
			first = err
			continue
		}
		if first != nil && (err.Kind == BackingOff || err.Kind == Quarantined) {
			err = first // how it failed says more than that it will not be tried again
		}
		return by, err
	}
}

func (h *Host) unknown(op, id string) *Error {
	noun, of := "surface", func(kind string) bool { return kind != hostapi.KindSkill }
	switch op {
	case "restart":
		noun, of = "plugin", func(string) bool { return true }
	case "lower", "check_card":
		noun, of = "skill pack", func(kind string) bool { return kind == hostapi.KindSkill }
	}
	var known []string
	for _, s := range h.listing() {
		if of(s.kind) && s.unusable() == nil {
			known = append(known, s.key.ID)
		}
	}
	slices.Sort(known)
	hint := "no " + noun + " is installed"
	if len(known) > 0 {
		hint = "known are " + strings.Join(known, ", ")
	}
	return &Error{Op: op, Kind: NotFound, Source: FromHost, Message: fmt.Sprintf("there is no %s %q", noun, id), Hint: hint}
}

// Close ends every process and waits for them: at most about twice StopTimeout,
// however they behave. Calls that are under way fail. A second Close does
// nothing.
func (h *Host) Close() error {
	h.mu.Lock()
	if !h.closed {
		h.closed = true
		for s := range h.everySlot() {
			s.mu.Lock()
			s.end(supervisor.Close)
			s.mu.Unlock()
		}
	}
	h.mu.Unlock()
	h.work.Wait()
	return h.sockets.Close()
}

// groups are the process groups of plugins.
type groups struct {
	mu  sync.Mutex
	all map[int]struct{}
}

func (g *groups) track(group int, lives bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !lives {
		delete(g.all, group)
		return
	}
	if g.all == nil {
		g.all = map[int]struct{}{}
	}
	g.all[group] = struct{}{}
}

func orDefault(d, def time.Duration) time.Duration {
	if d <= 0 {
		return def
	}
	return d
}

func absolute(dirs []string) []string {
	out := make([]string, 0, len(dirs))
	for _, d := range dirs {
		if abs, err := filepath.Abs(d); err == nil {
			out = append(out, abs)
		}
	}
	return out
}
