package core

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/host/sandbox"
)

// Handler answers the API: /v1/status, /v1/plugins, /v1/plugins/{id},
// /v1/plugins/{id}/restart and /v1/doctor, in JSON. The control socket serves
// the same.
//
// It authenticates nobody. Whoever reaches it may see every path and restart
// every plugin, so a program that serves it elsewhere has to decide who may.
func (c *Core) Handler() http.Handler { return control.Handler(backend{c}, c.log.Named("api")) }

// A backend is what the API shows of a Core.
type backend struct{ core *Core }

func (b backend) Status() control.Status {
	return control.Status{
		Version: b.core.config.Version, PID: os.Getpid(), Started: b.core.started.UTC(),
		Home: b.core.Home(), Held: b.core.hold != nil, Control: b.core.ControlSocket(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Plugins: len(b.core.surfaces),
	}
}

func (b backend) Plugins() []control.Plugin {
	found := b.core.host.Surfaces()
	out := make([]control.Plugin, len(found))
	for i, s := range found {
		out[i] = plugin(s)
		// The same order: both are the host's.
		if len(s.Info.Profiles) > 0 {
			out[i].Profiles[0] = b.core.surfaces[i].Profile
		}
	}
	return out
}

// plugin is s as the API shows it.
func plugin(s host.Surface) control.Plugin {
	p := control.Plugin{
		ID: s.Info.ID, Version: s.Info.Version, Kind: "surface", State: states[s.State],
		Path: s.Path, SHA256: s.SHA256, Error: faultOf(s.Err),
		DocVersion: s.Info.DocVersion, Blocks: s.Info.Blocks, Profiles: append(s.Info.Profiles[:0:0], s.Info.Profiles...),
	}
	return p
}

// states are the host's states as the API names them.
var states = map[host.State]control.State{
	host.StateBuiltin: control.Builtin,
	host.StateReady:   control.Stopped,
	host.StateRunning: control.Ready,
	host.StateBroken:  control.Broken,
}

// faultOf is err as the API shows it, or nil. What a plugin says is bounded by
// the host and escaped by whoever shows it.
func faultOf(err error) *control.Fault {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*host.Error](err)
	if !ok {
		return &control.Fault{Kind: "failed", Message: err.Error()}
	}
	return &control.Fault{Kind: string(e.Kind), Source: string(e.Source), Message: e.Message, Hint: e.Hint}
}

// Restart ends the process of a plugin and starts it anew, whatever it did
// before.
func (b backend) Restart(ctx context.Context, id string) error {
	if b.core.hold == nil {
		return &control.Error{
			Kind: control.NotRunning, What: fmt.Sprintf("nothing runs: no process holds the home %s", b.core.Home()),
			Mend: "start one with \"vak serve\"; a plugin starts anew with it",
		}
	}
	s, err := b.core.Surface(id)
	if err != nil {
		return &control.Error{Kind: control.NotFound, What: err.Error()}
	}
	if s.Path == "" && s.Err == nil {
		return &control.Error{Kind: control.Refused, What: fmt.Sprintf("%s is part of vak itself and has no process", id), Mend: "start vak again"}
	}
	r, ok := any(b.core.host).(interface {
		Restart(context.Context, string) error
	})
	if !ok {
		return &control.Error{Kind: control.Refused, What: "this vak cannot restart a single plugin", Mend: "start vak again"}
	}
	if err := r.Restart(ctx, id); err != nil {
		f := faultOf(err)
		return &control.Error{Kind: control.Failed, What: fmt.Sprintf("plugin %s did not start: %s", id, f.Message), Mend: f.Hint}
	}
	return nil
}

// guests are the process groups of the plugins.
func (b backend) guests() []int {
	if h, ok := any(b.core.host).(interface{ ProcessGroups() []int }); ok {
		return h.ProcessGroups()
	}
	return nil
}

func (b backend) Doctor(ctx context.Context) control.Report {
	return control.Examine(ctx, control.Patient{Status: b.Status(), Plugins: b.Plugins(), Sandbox: sandboxCheck()})
}

// sandboxCheck says what the kernel gives plugins that render.
func sandboxCheck() control.Check {
	c := control.Check{Name: "sandbox", Result: control.Fine}
	level := sandbox.Supported()
	c.What = level.String()
	if !level.Sandboxed() {
		c.Result, c.What = control.Warn, level.String()+": plugins are not sandboxed here"
		c.Mend = "run vak on Linux 5.13 or newer with Landlock; until then run no plugin that you do not trust"
	}
	if gaps := level.Gaps(false); len(gaps) > 0 {
		c.What += ". " + strings.Join(gaps, " ")
	}
	return c
}
