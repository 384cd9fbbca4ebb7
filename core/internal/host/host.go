package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Config says where the plugins are. The zero value has no surface at all.
type Config struct {
	// Dirs are directories that hold a folder for each plugin. Of two plugins
	// with the same id the first wins.
	Dirs []string

	// Builtin are surfaces that run in the host's own process. They come before
	// every directory.
	Builtin []surface.Plugin

	// Log takes what operators should know, and the plugins' own logs. Nil:
	// nothing is logged.
	Log hclog.Logger

	// RuntimeDir is the directory for sockets; it is made with mode 0700. Empty:
	// vak under XDG_RUNTIME_DIR, else /tmp/vak-UID. Its path has to be short.
	RuntimeDir string

	// MutualTLS asks for TLS on every connection to a plugin, on top of what the
	// kernel says of the peer. Where the kernel says nothing (other than on
	// Linux) it is always on. It makes a start about 30 ms longer.
	MutualTLS bool

	// RenderTimeout bounds one attempt to render, the start of a process
	// included; 0 means 5 s. There are at most two attempts.
	RenderTimeout time.Duration

	// StartTimeout bounds the start of a process; 0 means 5 s.
	StartTimeout time.Duration

	// StopTimeout is how long a process gets to end by itself; 0 means 1 s.
	// After it comes SIGTERM, after twice the time SIGKILL.
	StopTimeout time.Duration
}

// A Host renders with plugins. It is safe for concurrent use.
type Host struct {
	log     hclog.Logger
	sockets sockets
	slots   []*slot // sorted as Surfaces returns them
	byID    map[string]*slot
	work    sync.WaitGroup // processes that start or stop
}

// RendererInfo names what rendered.
type RendererInfo struct{ ID, Version string }

// Open reads the manifests and starts nothing. It fails if a directory cannot be
// read; what is wrong with one plugin is told by Surfaces and hinders no other.
//
// On Linux, starting a plugin sets the close-on-exec flag of every open file of
// this process, so that no plugin inherits one.
func Open(c Config) (*Host, error) {
	if c.Log == nil {
		c.Log = hclog.NewNullLogger()
	}
	c.RenderTimeout = orDefault(c.RenderTimeout, 5*time.Second)
	c.StartTimeout = orDefault(c.StartTimeout, 5*time.Second)
	c.StopTimeout = orDefault(c.StopTimeout, time.Second)

	var all []Surface
	builtin := map[string]*hostapi.Client{}
	for _, p := range c.Builtin {
		if err := p.Info.Validate(); err != nil {
			return nil, &Error{Op: "open", Plugin: p.Info.ID, Kind: BadManifest, Source: FromHost, Message: "built-in surface: " + err.Error(), Err: err}
		}
		all = append(all, Surface{Info: p.Info, State: StateBuiltin})
		if builtin[p.Info.ID] == nil {
			builtin[p.Info.ID] = hostapi.Local(p, c.Log.Named(p.Info.ID))
		}
	}
	found, err := discover(c.Dirs)
	if err != nil {
		return nil, err
	}
	h := &Host{log: c.Log, sockets: sockets{base: c.RuntimeDir}, byID: map[string]*slot{}}
	for _, s := range settle(append(all, found...)) {
		sl := &slot{host: h, config: c, surface: s}
		if s.State == StateBuiltin {
			sl.builtin = builtin[s.Info.ID]
		}
		if s.State == StateBroken {
			e, _ := errors.AsType[*Error](s.Err)
			c.Log.Warn("plugin cannot be used", "plugin", s.Info.ID, "dir", s.Dir, "kind", string(e.Kind), "reason", e.Message)
		}
		h.slots = append(h.slots, sl)
		if _, taken := h.byID[s.Info.ID]; !taken {
			h.byID[s.Info.ID] = sl
		}
	}
	return h, nil
}

// Surfaces lists what was found, sorted by id, with broken ones behind the one
// that is used. The caller owns the slice.
func (h *Host) Surfaces() []Surface {
	out := make([]Surface, len(h.slots))
	for i, s := range h.slots {
		out[i] = s.snapshot()
	}
	return out
}

// Render has a surface render r. It takes at most twice the time for one
// attempt, and less if ctx ends before. Its error is an *Error.
//
// A second attempt, on a fresh process, follows where the first one found the
// process gone, silent or not keeping the protocol. What the renderer itself
// refused it would refuse again.
func (h *Host) Render(ctx context.Context, surfaceID string, r surface.RenderRequest) (surface.Rendering, RendererInfo, error) {
	s, ok := h.byID[surfaceID]
	if !ok {
		return surface.Rendering{}, RendererInfo{}, h.unknown(surfaceID)
	}
	by := RendererInfo{ID: s.surface.Info.ID, Version: s.surface.Info.Version}
	for attempt := 1; ; attempt++ {
		out, again, err := s.render(ctx, r)
		if err == nil {
			return out, by, nil
		}
		again = again && attempt == 1
		h.log.Warn("render failed", "plugin", by.ID, "version", by.Version, "kind", string(err.Kind), "source", string(err.Source), "again", again)
		if !again {
			return surface.Rendering{}, by, err
		}
	}
}

// fresh reports whether another process may do better.
func (e *Error) fresh() bool {
	switch e.Kind {
	case Unavailable, Deadline, Panic, Contract, StartFailed:
		return e.Source != FromHost
	}
	return false
}

func (h *Host) unknown(id string) *Error {
	var known []string
	for _, s := range h.slots {
		if s.surface.State != StateBroken {
			known = append(known, s.surface.Info.ID)
		}
	}
	slices.Sort(known)
	hint := "no surface is installed"
	if len(known) > 0 {
		hint = "known are " + strings.Join(known, ", ")
	}
	return &Error{Op: "render", Kind: NotFound, Source: FromHost, Message: fmt.Sprintf("there is no surface %q", id), Hint: hint}
}

// Close ends every process and waits for them: at most about twice StopTimeout,
// however they behave. Calls that are under way fail. A second Close does
// nothing.
func (h *Host) Close() error {
	for _, s := range h.slots {
		s.close()
	}
	h.work.Wait()
	return h.sockets.close()
}

func orDefault(d, def time.Duration) time.Duration {
	if d <= 0 {
		return def
	}
	return d
}
