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

// Config says where the plugins are. The zero value has no surface at all.
type Config struct {
	// Dirs are directories that hold a folder for each plugin. Of two plugins
	// with the same id the first wins.
	Dirs []string

	// Folders are folders of one plugin each. They come behind Dirs.
	Folders []string

	// Admit says why the plugin in a folder, whose manifest names the sha256 of its
	// binary, may not be started. It is asked when a manifest was read, and called
	// concurrently. Nil: each may.
	Admit func(folder, binary string) error

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
	slots   []*slot // sorted as Surfaces and Packs return them
	byID    map[string]*slot
	work    sync.WaitGroup // goroutines of the supervisors
	groups  groups
}

// LongestSocket is the longest path of a socket below Config.RuntimeDir.
const LongestSocket = process.LongestSocket

// RendererInfo names what rendered.
type RendererInfo struct{ ID, Version string }

// Open reads the manifests and starts nothing. It fails if a directory cannot be
// read; what is wrong with one plugin is told by Surfaces and hinders no other.
// Sockets that hosts left behind which were killed are removed.
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

	h := &Host{config: c, log: c.Log, byID: map[string]*slot{}}
	for _, p := range c.Builtin {
		if err := p.Info.Validate(); err != nil {
			return nil, &Error{Op: "open", Plugin: p.Info.ID, Kind: BadManifest, Source: FromHost, Message: "built-in surface: " + err.Error(), Err: err}
		}
		if p.Renderer == nil {
			return nil, &Error{Op: "open", Plugin: p.Info.ID, Kind: BadManifest, Source: FromHost, Message: "built-in surface: it has no Renderer"}
		}
		p.Info.Transport = p.NewTransport != nil
		log := c.Log.Named(p.Info.ID)
		h.slots = append(h.slots, &slot{
			host: h, builtin: hostapi.Local(p, log), outgoing: hostapi.LocalTransport(p, log), found: bundle.Bundle{Kind: hostapi.KindSurface, Info: p.Info},
		})
	}
	found, err := bundle.Discover(c.Dirs)
	if err != nil {
		return nil, err
	}
	for _, folder := range c.Folders {
		found = append(found, bundle.Read(folder))
	}
	for _, b := range found {
		h.slots = append(h.slots, newSlot(h, b))
	}
	h.settle()
	h.sockets = process.NewSockets(c.RuntimeDir)
	return h, nil
}

// settle marks the later one of two usable plugins with the same id as broken
// and sorts by id, the usable one before the broken ones.
func (h *Host) settle() {
	for _, s := range h.slots {
		if s.found.Err != nil {
			continue
		}
		id := s.found.Info.ID
		winner, taken := h.byID[id]
		if !taken {
			h.byID[id] = s
			continue
		}
		place := func(s *slot) string {
			if s.found.Dir == "" {
				return "a surface in vak's own process"
			}
			return s.found.Dir
		}
		same := "the same surface"
		if s.found.Kind == hostapi.KindSkill || winner.found.Kind == hostapi.KindSkill {
			same = "a plugin of the same id"
		}
		s.found.Err = &Error{
			Op: "open", Plugin: id, Version: s.found.Info.Version, Kind: Duplicate, Source: FromHost,
			Message: fmt.Sprintf("%s is not used: %s provides %s", place(s), place(winner), same),
			Hint:    "remove one of them",
		}
	}
	slices.SortStableFunc(h.slots, func(a, b *slot) int {
		if c := strings.Compare(a.found.Info.ID, b.found.Info.ID); c != 0 {
			return c
		}
		return boolInt(a.found.Err != nil) - boolInt(b.found.Err != nil)
	})
	for _, s := range h.slots {
		if e := s.found.Err; e != nil {
			h.log.Warn("plugin cannot be used", "plugin", s.found.Info.ID, "dir", s.found.Dir, "kind", string(e.Kind), "reason", e.Message)
		}
		if _, taken := h.byID[s.found.Info.ID]; !taken {
			h.byID[s.found.Info.ID] = s
		}
	}
}

// Render has a surface render r. It takes at most twice the time for one
// attempt, and less if ctx ends before. Its error is an *Error.
//
// A second attempt, on a fresh process, follows where the first one found the
// process gone, silent or not keeping the protocol. What the renderer itself
// refused it would refuse again. A plugin that failed before, several times in a
// row, is not tried until its time has come, and one that failed too often is
// not tried at all: both errors come at once and hold the last failure.
func (h *Host) Render(ctx context.Context, surfaceID string, r surface.RenderRequest) (surface.Rendering, RendererInfo, error) {
	s, ok := h.find(hostapi.KindSurface, surfaceID)
	if !ok {
		return surface.Rendering{}, RendererInfo{}, h.unknown("render", surfaceID)
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

// find is the plugin that has an id, if it is of that kind.
func (h *Host) find(kind, id string) (*slot, bool) {
	s, ok := h.byID[id]
	if !ok || (kind == hostapi.KindSkill) != (s.bundle().Kind == hostapi.KindSkill) {
		return nil, false
	}
	return s, true
}

// call asks a plugin, at most twice, and says which version of it was asked last.
func (h *Host) call(ctx context.Context, s *slot, c call) (RendererInfo, *Error) {
	var first *Error
	for {
		info := s.bundle().Info
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
	noun, every := "surface", op == "restart"
	if every {
		noun = "plugin"
	}
	var known []string
	for _, s := range h.slots {
		if b := s.bundle(); b.Err == nil && (every || b.Kind != hostapi.KindSkill) {
			known = append(known, b.Info.ID)
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
	for _, s := range h.slots {
		s.close()
	}
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

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
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
