package core

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/install"
)

// watchEvery is the time between two looks at what is wanted, and letGoEvery the
// number of them between two looks at the jobs that have a lease.
const (
	watchEvery = 2 * time.Second
	letGoEvery = 30
)

// watch makes what is used what is wanted, whenever that changes: the files of the
// configuration, the installed plugins, what is revoked, and the plugins in the
// directories. A change that was missed is found by the next look.
func (c *Core) watch(ctx context.Context) {
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	said := "" // what is wrong is told once
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if n%letGoEvery == 0 {
			c.letGo(ctx)
		}
		c.leases.expire(c.now().Add(-c.config.TurnMax))
		err := c.reconcile(ctx, false)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			said = ""
		case err.Error() != said:
			said = err.Error()
			c.log.Error("what has changed is not used, what was goes on", "cause", err)
		}
	}
}

// reconcile looks at what is wanted and takes it over where it is other than what
// is used. With all, also what has not changed since it was looked at last, so that
// what is wrong with it is told again.
func (c *Core) reconcile(ctx context.Context, all bool) error {
	c.reconciling.Lock()
	defer c.reconciling.Unlock()
	places, trusting := c.places()
	changed, err := c.host.Sync(places)
	if err != nil { // of one directory; the others are looked at all the same
		err = pluginsError(err)
	}
	now := c.statesNow()
	edited := !maps.Equal(now, c.seen)
	if c.seen = now; !edited && !changed && !trusting && !all {
		return err
	}
	failed := c.configure()
	if edited && failed == nil {
		c.log.Info("the configuration was read again", "files", c.configured.Load().file.Files)
	}
	published, lost := c.publish()
	if lost == nil && (published || changed || edited) && c.outbox != nil {
		if e := c.outbox.TransportsChanged(ctx); e != nil && ctx.Err() == nil {
			c.log.Error("what waits for a transport cannot be released", "cause", e)
		}
	}
	if lost != nil {
		c.seen = nil // it is tried again with the next look
	}
	return cmp.Or(lost, failed, err)
}

// pluginsError tells what is wrong with a directory of plugins.
func pluginsError(err error) error {
	return &Error{Kind: ErrPlugins, What: "cannot read the plugins", Err: err}
}

// places are where plugins are found now, and what may be done with each. changed
// says that what is installed or revoked is other than at the look before.
func (c *Core) places() (p host.Places, changed bool) {
	p.Dirs = slices.Clone(c.config.Plugins)
	dir := c.Home()
	if dir == "" {
		return p, false
	}
	now := c.trusted.Load()
	if stamp := c.plugins.Stamp(); now == nil || now.stamp != stamp {
		next := &trusted{stamp: stamp}
		var err error
		if next.Snapshot, err = c.plugins.Snapshot(); err != nil {
			// Nothing of the store is used then, and what was revoked stays so.
			c.log.Error("installed plugins cannot be used", "cause", err)
			if next.before = now; now != nil && now.before != nil {
				next.before = now.before
			}
		}
		c.trusted.Store(next)
		now, changed = next, true
	}
	p.Admit, p.Banned, p.Grants, p.Stamp = now.admit, now.Banned, now.grants, now.stamp
	p.Folders = now.Folders()
	dev, grants, err := install.Dev(dir)
	if err != nil {
		c.log.Error("plugins that are being written cannot be used", "cause", err)
	}
	p.First = dev
	own := p.Grants
	p.Grants = func(folder string) host.Grants {
		if slices.Contains(dev, folder) {
			g := grants(folder)
			return host.Grants{Env: g.Env, Read: g.Read, Interpreter: g.Interpreter}
		}
		return own(folder)
	}
	return p, changed
}

// A trusted is what stood in plugins.lock and revoked.json at one look.
type trusted struct {
	*install.Snapshot
	stamp  string
	before *trusted // what could be read before, where a file cannot be now; else nil
}

// Banned says why a plugin must not run, whoever goes by it.
func (t *trusted) Banned(folder, binary string) error {
	if t == nil { // there is no home, or nothing was read before
		return nil
	}
	return cmp.Or(t.Snapshot.Banned(folder, binary), t.before.Banned(folder, binary))
}

// Revoked says why a plugin is not used by what begins now; nil: it may be.
func (t *trusted) Revoked(folder, binary string) error {
	if t == nil {
		return nil
	}
	return cmp.Or(t.Snapshot.Revoked(folder, binary), t.before.Revoked(folder, binary))
}

// admit says why a plugin is not used from now on; nil: it may be.
func (t *trusted) admit(folder, binary string) error {
	return cmp.Or(t.Snapshot.Admit(folder, binary), t.before.Revoked(folder, binary))
}

func (t *trusted) grants(folder string) host.Grants {
	g := t.Snapshot.Grants(folder)
	return host.Grants{Env: g.Env, Read: g.Read, Interpreter: g.Interpreter}
}
