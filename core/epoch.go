package core

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// An Epoch names what is known at one time of skills, renderers, profiles and
// templates. A turn goes by the one in which it began, to its end.
type Epoch struct {
	Number uint64    `json:"number"` // grows with every change; 0: nobody holds the home, so that it was not kept
	Digest string    `json:"digest"` // of all that is in it
	At     time.Time `json:"at,omitzero"`
}

// Epoch is the one that a turn which begins now would go by.
func (c *Core) Epoch() Epoch { return c.current.Load().Epoch }

// Reload takes over what has changed of the configuration and of the plugins, as
// is done by itself a moment later. What cannot be used is told and costs nothing
// else; then the epoch is that of before. When it returns, no process of a plugin
// that is to stop at once runs any more.
func (c *Core) Reload(ctx context.Context) (Epoch, error) {
	err := c.reconcile(ctx, true)
	return c.Epoch(), err
}

// A snapshot is an epoch as renderings go by it. What is in it never changes. Who
// renders pins it, so that its plugins can be called until then.
type snapshot struct {
	Epoch
	surfaces  []Surface         // by id
	looks     map[string]look   // of surfaces, by id; "": of those that nobody knows
	targets   map[string]look   // of those that have one of their own, by their text
	templates map[string]usable // by id
	know      *knowledge        // of cards and recipes
	plugins   map[host.Key]bool // all that can be called

	pins    atomic.Int64 // one is the core's own, while it is the current one
	release func()       // lets the plugins go; called once, after the last pin
}

// surface is the one with an id.
func (s *snapshot) surface(id string) (Surface, bool) {
	i, ok := slices.BinarySearchFunc(s.surfaces, id, func(s Surface, id string) int { return strings.Compare(s.ID, id) })
	if !ok {
		return Surface{}, false
	}
	return s.surfaces[i], true
}

// lookOf is how what goes to a target looks.
func (s *snapshot) lookOf(t surface.Target) look {
	if l, ok := s.targets[t.String()]; ok {
		return l
	}
	if l, ok := s.looks[t.Surface]; ok {
		return l
	}
	l := s.looks[""]
	l.Surface = t.Surface
	return l
}

// pin keeps the plugins of s callable until unpin. It fails where they were let go
// of already.
func (s *snapshot) pin() bool {
	for {
		n := s.pins.Load()
		if n == 0 {
			return false
		}
		if s.pins.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (s *snapshot) unpin() {
	if s.pins.Add(-1) == 0 {
		s.release()
	}
}

// pinned is the current epoch, pinned.
func (c *Core) pinned() *snapshot {
	for {
		if s := c.current.Load(); s.pin() {
			return s
		}
	}
}

// use makes the plugins of an epoch callable until release is called. Where nothing
// pins the epoch any more, only those are that are still there and not revoked.
func (c *Core) use(s *snapshot) (release func()) {
	if s.pin() {
		return s.unpin
	}
	trusted := c.trusted.Load()
	keys := make([]host.Key, 0, len(s.plugins))
	for k := range s.plugins {
		if k.Dir == "" || trusted.Revoked(k.Dir, k.SHA256) == nil {
			keys = append(keys, k)
		}
	}
	release, _ = c.host.Hold(keys) // what is missing is told where it is called
	return release
}

// epochOf is the epoch with a number, in which something was accepted. One that
// cannot be read any more is told, and the current one takes its place: what was
// accepted goes out. A pin is the caller's to take.
func (c *Core) epochOf(number uint64) *snapshot {
	now := c.current.Load()
	if number == now.Number || number == 0 { // 0: accepted before there were any
		return now
	}
	if s := c.leases.epoch(number); s != nil {
		return s
	}
	c.old.Lock()
	defer c.old.Unlock()
	for _, s := range c.old.kept {
		if s.Number == number {
			return s
		}
	}
	s, err := c.recall(number)
	if err != nil {
		c.log.Error("an epoch cannot be read, the current one takes its place", "epoch", number, "cause", err)
		return now
	}
	if len(c.old.kept) == maxOld {
		c.old.kept = slices.Delete(c.old.kept, 0, 1)
	}
	c.old.kept = append(c.old.kept, s)
	return s
}

// maxOld is the number of epochs of before that are kept in memory for jobs which
// wait.
const maxOld = 16
