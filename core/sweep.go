package core

import (
	"context"
	"path/filepath"
	"sync"
)

// letGo ends the leases of jobs that ended before they were rendered, as one does
// that expires while it waits.
func (c *Core) letGo(ctx context.Context) {
	for _, id := range c.leases.waiting() {
		if r, err := c.store.Job(ctx, id); err == nil && !r.State.Live() {
			c.leases.done(id)
		}
	}
}

// sweep removes from the home's store the plugins that are installed no longer and
// that nothing goes by any more: no epoch of a turn, of a due job or of one that
// waits to be rendered.
func (c *Core) sweep(ctx context.Context) error {
	if c.plugins == nil {
		return nil
	}
	var failed error
	needed := sync.OnceValue(func() map[string]bool {
		var all map[string]bool
		all, failed = c.neededFolders(ctx)
		return all
	})
	err := c.plugins.Sweep(func(digest string) bool {
		all := needed() // of every job that waits: nothing to do for its own sake
		return failed != nil || all[digest]
	})
	if failed != nil {
		return failed
	}
	return err
}

// neededFolders are the folders of the store that something goes by, by name.
func (c *Core) neededFolders(ctx context.Context) (map[string]bool, error) {
	waiting, err := c.outbox.Waiting(ctx)
	if err != nil {
		return nil, storeError(err)
	}
	out := map[string]bool{}
	need := func(s *snapshot) {
		for k := range s.plugins {
			out[filepath.Base(k.Dir)] = true
		}
	}
	need(c.current.Load())
	c.leases.each(need)
	for number := range waiting {
		need(c.epochOf(number))
	}
	return out, nil
}
