package host

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/supervise"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// State is what became of a surface.
type State string

// The states.
const (
	StateBuiltin     State = "builtin"                    // part of the host, no process
	StateBroken      State = "broken"                     // cannot be used as it is installed; the error says why
	StateStopped           = State(supervise.Stopped)     // no process; the next answer starts one
	StateStarting          = State(supervise.Starting)    // a process is on its way
	StateReady             = State(supervise.Ready)       // has a process
	StateDraining          = State(supervise.Draining)    // its process serves what it has and takes no more
	StateBackingOff        = State(supervise.BackingOff)  // failed, and is tried again at Next
	StateQuarantined       = State(supervise.Quarantined) // failed too often; it is not tried until somebody acts
)

// A Surface is one surface that was found, usable or not.
type Surface struct {
	Info   surface.Info // of a broken one the id at least: the folder's name if nothing better is known
	Path   string       // of the binary; empty for built-in and for some broken ones
	SHA256 string       // of the binary, as the manifest says
	Dir    string       // the plugin's folder; empty for a built-in
	State  State
	Err    error // why it is broken, an *Error; else nil

	Key      Key    // that it is called by
	Manifest []byte // the bytes of its manifest; nil for a built-in
}

// Surfaces lists what was found, sorted by id, with broken ones behind the one
// that is used. The caller owns the slice.
func (h *Host) Surfaces() []Surface {
	var out []Surface
	for _, s := range h.listing() {
		b := s.bundle()
		if b.Kind == hostapi.KindSkill {
			continue
		}
		found := Surface{Info: b.Info, Path: b.Path, SHA256: b.SHA256, Dir: b.Dir, State: s.status().State, Key: s.key, Manifest: b.Manifest}
		if e := s.why(); e != nil { // a nil *Error is no nil error
			found.Err = e
		}
		out = append(out, found)
	}
	return out
}

// listing is what was found last.
func (h *Host) listing() []*slot {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.listed)
}

// why is why a slot that is listed is not used.
func (s *slot) why() *Error {
	if e := s.intrinsic(); e != nil {
		return e
	}
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	return cmp.Or(s.problem, s.banned)
}

// A Status is one plugin at one moment, for people: no message text is in it.
type Status struct {
	ID         string    `json:"id"`
	Version    string    `json:"version,omitempty"`
	Kind       string    `json:"kind"`              // surface or skill
	Role       string    `json:"role"`              // render, transport or skill: what its process is for
	Account    string    `json:"account,omitempty"` // of a transport; empty for the default one
	State      State     `json:"state"`
	PID        int       `json:"pid,omitempty"`        // of the process that takes calls; also its group
	Since      time.Time `json:"since,omitzero"`       // when that became ready
	Calls      int       `json:"calls,omitempty"`      // under way
	Draining   int       `json:"draining,omitempty"`   // processes that serve what they have and take no more
	Restarts   int       `json:"restarts,omitempty"`   // starts but the first
	Failures   int       `json:"failures,omitempty"`   // of its own, in the last ten minutes; five are too many
	Next       time.Time `json:"next,omitzero"`        // when it is tried again, while backing off
	LastError  *Failure  `json:"last_error,omitempty"` // why it is broken, or how it failed last
	Sandbox    string    `json:"sandbox,omitempty"`    // what confines the process, or would; "not sandboxed" for nothing
	FirstParty bool      `json:"first_party,omitempty"`
	SHA256     string    `json:"sha256,omitempty"` // of the binary, as the manifest says
	Path       string    `json:"path,omitempty"`
	Dir        string    `json:"dir,omitempty"`
	Key        Key       `json:"-"`                 // that it is called by
	Current    bool      `json:"current,omitempty"` // false: it is not what its id stands for; somebody may hold it
}

// A Failure is what went wrong with a plugin, as an [Error] says it.
type Failure struct {
	Op      string    `json:"op"`
	Kind    Kind      `json:"kind"`
	Source  Source    `json:"source"`
	Message string    `json:"message"`
	Hint    string    `json:"hint,omitempty"`
	Tail    string    `json:"tail,omitempty"` // end of its standard error, at most 32 KiB
	At      time.Time `json:"at,omitzero"`
}

// Status lists all plugins by id, surfaces in the order of Surfaces and packs in
// that of Packs, in the role that has no credential; a surface is followed by those of its transports that have, or had, a process, by account.
// Behind them come those that are listed no longer, and held or being drained. It
// starts nothing and waits for nothing.
func (h *Host) Status() []Status {
	h.mu.Lock()
	all := slices.Clone(h.listed)
	var old []*slot
	for _, s := range h.slots {
		if !s.listed {
			old = append(old, s)
		}
	}
	old = slices.AppendSeq(old, maps.Keys(h.parting))
	h.mu.Unlock()
	slices.SortFunc(old, func(a, b *slot) int {
		return cmp.Or(strings.Compare(a.key.ID, b.key.ID), strings.Compare(a.key.SHA256, b.key.SHA256), strings.Compare(a.key.Dir, b.key.Dir))
	})
	out := make([]Status, 0, len(all)+len(old))
	for _, s := range append(all, old...) {
		out = append(out, s.status())
		if s.builtin != nil {
			continue
		}
		for _, o := range s.sending() {
			out = append(out, o.status())
		}
	}
	return out
}

func (s *slot) status() Status {
	out := s.identity(s.role())
	if s.builtin != nil {
		out.State, out.Sandbox = StateBuiltin, ""
		if e := s.why(); e != nil {
			out.State, out.LastError = StateBroken, failure(e, time.Time{})
		}
		return out
	}
	fill(&out, s, s.renders().Status())
	return out
}

func (o *outlet) status() Status {
	out := o.slot.identity(hostapi.RoleTransport)
	out.Account = o.account
	fill(&out, o.slot, o.sup.Status())
	return out
}

// identity is what is known without a process.
func (s *slot) identity(role string) Status {
	b := s.bundle()
	s.host.mu.Lock()
	current := s.current
	s.host.mu.Unlock()
	return Status{
		Key: s.key, Current: current, ID: b.Info.ID, Version: b.Info.Version, Kind: cmp.Or(b.Kind, hostapi.KindSurface), Role: role, SHA256: b.SHA256, Path: b.Path, Dir: b.Dir, FirstParty: s.firstParty,
		Sandbox: Sandbox().Level,
	}
}

// confined is a process of either role.
type confined interface {
	supervise.Process
	Level() string
}

// fill takes what a supervisor says of one of the processes of s.
func fill[P confined](out *Status, s *slot, now supervise.Status[P]) {
	out.State, out.Since, out.Next = State(now.State), now.Since, now.Next
	out.Calls, out.Draining, out.Restarts, out.Failures = now.Calls, now.Draining, now.Restarts, now.Failures
	out.LastError = failure(now.Last, now.LastAt)
	var none P
	if now.Process != none {
		out.PID, out.Sandbox = now.Process.PID(), now.Process.Level()
	} else if e := s.why(); e != nil {
		out.State, out.LastError, out.Sandbox = StateBroken, failure(e, time.Time{}), ""
	}
}

func failure(e *Error, at time.Time) *Failure {
	if e == nil {
		return nil
	}
	return &Failure{Op: e.Op, Kind: e.Kind, Source: e.Source, Message: e.Message, Hint: e.Hint, Tail: e.Tail, At: at}
}

// Restart forgets what the plugin has done wrong that an id stands for, and replaces its processes, those of its transports included: the
// old ones serve what they have. It returns when the new ones are ready, or why
// one is not, as an *Error. A plugin that has no process is started, too.
func (h *Host) Restart(ctx context.Context, id string) error {
	h.mu.Lock()
	s, ok := h.byID[id]
	h.mu.Unlock()
	if !ok {
		return h.unknown("restart", id)
	}
	b := s.bundle()
	if s.builtin != nil {
		return &Error{
			Op: "restart", Plugin: id, Version: b.Info.Version, Kind: Invalid, Source: FromHost,
			Message: "it is a part of vak and has no process", Hint: "start vak again instead",
		}
	}
	if e := s.unusable(); e != nil {
		return e.Named(id, b.Info.Version)
	}
	all := s.supervisors()
	failed := make([]*Error, len(all))
	var wg sync.WaitGroup
	for i, sup := range all {
		wg.Go(func() { failed[i] = sup.Restart(ctx) })
	}
	wg.Wait()
	for _, e := range failed {
		if e != nil {
			return e.Named(id, b.Info.Version)
		}
	}
	h.log.Info("plugin restarted", "plugin", id, "version", s.bundle().Info.Version)
	return nil
}

// PluginGroups lists the process groups of all plugin processes, those included
// that start or stop. A peer that belongs to one is a plugin, or came from one.
func (h *Host) PluginGroups() []int {
	h.groups.mu.Lock()
	defer h.groups.mu.Unlock()
	out := make([]int, 0, len(h.groups.all))
	for g := range h.groups.all {
		out = append(out, g)
	}
	slices.Sort(out)
	return out
}
