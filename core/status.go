package core

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
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
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Plugins: len(*b.core.surfaces.Load()),
	}
}

func (b backend) Plugins() []control.Plugin {
	b.core.look()
	now := b.core.host.Status()
	found := b.core.host.Surfaces() // in the order of Status, which has more entries
	out := make([]control.Plugin, len(now))
	for i, s := range now {
		out[i] = control.Plugin{
			ID: s.ID, Version: s.Version, Kind: "surface", Role: s.Role, Account: s.Account, State: control.State(s.State),
			PID: s.PID, Started: s.Since.UTC(), Restarts: s.Restarts, Failures: s.Failures, NextTry: s.Next.UTC(),
			Path: s.Path, SHA256: s.SHA256, FirstParty: s.FirstParty, Sandbox: s.Sandbox,
		}
		if f := s.LastError; f != nil {
			out[i].Error = &control.Fault{Kind: string(f.Kind), Source: string(f.Source), Message: f.Message, Hint: f.Hint, Tail: f.Tail, At: f.At.UTC()}
		}
		if s.Role != hostapi.RoleRender {
			continue
		}
		of := found[0]
		found = found[1:]
		out[i].DocVersion, out[i].Blocks, out[i].Profiles = of.Info.DocVersion, of.Info.Blocks, slices.Clone(of.Info.Profiles)
		if len(out[i].Profiles) > 0 {
			out[i].Profiles[0] = newSurface(of, b.core.config).Profile // as overridden
		}
	}
	return out
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
	err := b.core.host.Restart(ctx, id)
	b.core.look()
	e, ok := errors.AsType[*host.Error](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return err
	case e.Kind == host.NotFound:
		return &control.Error{Kind: control.NotFound, What: e.Message, Mend: e.Hint}
	case e.Kind == host.Invalid && e.Source == host.FromHost:
		return &control.Error{Kind: control.Refused, What: id + ": " + e.Message, Mend: e.Hint}
	}
	return &control.Error{Kind: control.Failed, What: fmt.Sprintf("plugin %s did not start: %s", id, e.Message), Mend: e.Hint}
}

// guests are the process groups of the plugins.
func (b backend) guests() []int { return b.core.host.PluginGroups() }

func (b backend) Doctor(ctx context.Context) control.Report {
	return control.Examine(ctx, control.Patient{Status: b.Status(), Plugins: b.Plugins(), Sandbox: sandboxCheck()})
}

// sandboxCheck says what the kernel gives plugins that render.
func sandboxCheck() control.Check {
	level := host.Sandbox()
	c := control.Check{Name: "sandbox", Result: control.Fine, What: level.Level}
	if !level.Whole {
		c.Result = control.Warn
		c.Mend = "run vak on Linux 5.13 or newer with Landlock; plugins that are not vak's own need --allow-unsandboxed here"
	}
	if len(level.Gaps) > 0 {
		c.What += ". " + strings.Join(level.Gaps, " ")
	}
	return c
}
