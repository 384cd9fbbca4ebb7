package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// Handler answers the API that docs/operators.md describes: who this is, plugins,
// deliveries, jobs, targets, sessions, a doctor, in JSON. The control socket
// serves the same.
//
// It authenticates nobody. Whoever reaches it may read every answer, send
// anything anywhere and restart every plugin, so a program that serves it
// elsewhere has to decide who may.
func (c *Core) Handler() http.Handler { return control.Handler(backend{c}, c.log.Named("api")) }

// A backend is what the API shows of a Core.
type backend struct{ core *Core }

func (b backend) Status(ctx context.Context) control.Status {
	s := control.Status{
		Version: b.core.config.Version, PID: os.Getpid(), Started: b.core.started.UTC(),
		Home: b.core.Home(), Held: b.core.hold != nil, Control: b.core.ControlSocket(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Plugins: len(b.core.host.Surfaces()),
		Epoch: b.core.Epoch().Number,
	}
	h, err := b.core.Health(ctx)
	if err = cmp.Or(err, h.ReadOnly, h.NewWork); err != nil {
		s.ReadOnly, s.Why = true, err.Error()
	}
	all, err := b.core.Targets(ctx)
	if err != nil {
		return s // there is nothing to count
	}
	for _, t := range all {
		s.PendingJobs, s.SendingJobs, s.HeldJobs = s.PendingJobs+t.Pending, s.SendingJobs+t.Sending, s.HeldJobs+t.Held
	}
	return s
}

func (b backend) Plugins() []control.Plugin {
	surfaces, packs := map[host.Key]host.Surface{}, map[host.Key]host.Pack{}
	for _, f := range b.core.host.Surfaces() {
		surfaces[f.Key] = f
	}
	for _, p := range b.core.host.Packs() {
		packs[p.Key] = p
	}
	refused := b.core.current.Load().know.refused()
	now := b.core.host.Status()
	out := make([]control.Plugin, len(now))
	for i, s := range now {
		out[i] = control.Plugin{
			ID: s.ID, Version: s.Version, Kind: s.Kind, Role: s.Role, Account: s.Account, State: control.State(s.State),
			PID: s.PID, Started: s.Since.UTC(), Restarts: s.Restarts, Failures: s.Failures, NextTry: s.Next.UTC(),
			Path: s.Path, SHA256: s.SHA256, FirstParty: s.FirstParty, Sandbox: s.Sandbox,
			Current: s.Current, Turns: b.core.leases.holders(s.Key, s.Current),
		}
		if f := s.LastError; f != nil {
			out[i].Error = &control.Fault{Kind: string(f.Kind), Source: string(f.Source), Message: f.Message, Hint: f.Hint, Tail: f.Tail, At: f.At.UTC()}
		}
		if s.Role == hostapi.RoleSkill {
			for _, t := range packs[s.Key].Info.Types {
				out[i].Types = append(out[i].Types, t.Name)
			}
			if e := refused[s.Key]; e != nil && s.Current {
				out[i].State = control.Broken
				out[i].Error = &control.Fault{Kind: "refused", Source: "plugin", Message: e.Error(), Hint: "its cards stay as they were written; tell its author, or remove it"}
			}
		}
		of, ok := surfaces[s.Key]
		if s.Role != hostapi.RoleRender || !ok {
			continue
		}
		out[i].DocVersion, out[i].Blocks, out[i].Profiles = of.Info.DocVersion, of.Info.Blocks, slices.Clone(of.Info.Profiles)
		if len(out[i].Profiles) > 0 {
			out[i].Profiles[0] = b.core.newSurface(of).Profile // as overridden
		}
	}
	return out
}

// Reload takes over what has changed on disk.
func (b backend) Reload(ctx context.Context) (control.Epoch, error) {
	if b.core.hold == nil {
		return control.Epoch{}, &control.Error{
			Kind: control.NotRunning, What: fmt.Sprintf("nothing runs: no process holds the home %s", b.core.Home()),
			Mend: "what begins there reads everything anew",
		}
	}
	e, err := b.core.Reload(ctx)
	if own, ok := errors.AsType[*Error](err); ok {
		err = &control.Error{Kind: control.Failed, What: own.What, Mend: own.Mend, Err: own.Err}
	}
	return control.Epoch(e), err
}

// Restart ends the process of a plugin and starts it anew, whatever it did before.
// The API takes over first what has changed, and goes on where that cannot be: a
// fault in the configuration keeps no plugin from being started.
func (b backend) Restart(ctx context.Context, id string) error {
	if b.core.hold == nil {
		return &control.Error{
			Kind: control.NotRunning, What: fmt.Sprintf("nothing runs: no process holds the home %s", b.core.Home()),
			Mend: "start one with \"vak serve\"; a plugin starts anew with it",
		}
	}
	err := b.core.host.Restart(ctx, id)
	if o := b.core.outbox; o != nil { // what was parked for want of this one goes now
		if err := o.TransportsChanged(ctx); err != nil {
			b.core.log.Warn("parked jobs cannot be released yet", "cause", err)
		}
	}
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

// scanTime bounds the look through finished jobs, of which there may be very
// many, so that a doctor answers in time.
const scanTime = 4 * time.Second

func (b backend) Doctor(ctx context.Context, full bool) control.Report {
	p := control.Patient{Status: b.Status(ctx), Plugins: b.Plugins(), Sandbox: sandboxCheck()}
	h, err := b.core.Health(ctx)
	if err != nil { // it keeps nothing
		return control.Examine(ctx, p)
	}
	p.Kept = &control.Kept{
		ReadOnly: apiError(h.ReadOnly), NewWork: apiError(h.NewWork),
		Segments: h.Segments, Bytes: h.Bytes, Oldest: h.Oldest, Free: h.Free, Reserve: h.Reserve,
	}
	for _, t := range h.Torn {
		p.Kept.Torn = append(p.Kept.Torn, control.Torn(t))
	}
	p.Kept.Targets, p.Kept.TargetsErr = b.Targets(ctx)
	scan, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	states := []control.JobState{control.Pending, control.Sending, control.Held, control.DeadLetter}
	p.Kept.Count(b.Jobs(scan, control.JobFilter{States: states}))
	if full {
		p.Kept.Verified, p.Kept.VerifiedErr = b.verify(ctx)
	}
	return control.Examine(ctx, p)
}

// verify holds every session to its chain.
func (b backend) verify(ctx context.Context) ([]control.Verified, error) {
	all, err := b.Sessions(ctx)
	out := make([]control.Verified, 0, len(all))
	for _, s := range all {
		out = append(out, control.Verify(b.Records(ctx, s.ID, 1), s.ID))
	}
	return out, err
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
