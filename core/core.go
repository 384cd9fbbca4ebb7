package core

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/builtin"
	"github.com/seed-1ae66336/vak/core/internal/epoch"
	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/install"
	"github.com/seed-1ae66336/vak/core/internal/journal"
	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/catalog"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Config says what a Core owns, where the plugins are and what their profiles
// are overridden with. The zero value holds the user's own home and has the
// built-in surface only.
type Config struct {
	// Home is the directory that the Core holds: one process may, at a time.
	// Empty: what VAK_HOME says, else vak in the user's data directory. It is made
	// with mode 0700 if it is not there.
	Home string

	// ReadOnly holds no home: nothing is locked, written or served, and any number
	// of processes may do it. It is for those that only render.
	ReadOnly bool

	// NoControl holds the home without a control socket, so that the vak command
	// cannot ask this process anything. There is none on Windows either way.
	NoControl bool

	// Version is of the program that holds the home, for those who find it held.
	// Empty: that of package core.
	Version string

	// Plugins are directories with one directory for each plugin, searched in
	// order; of two plugins with the same id the first wins. Behind them come those
	// that "vak plugin install" put into the home and that are enabled, also where the
	// home is only read.
	Plugins []string

	// FirstParty are directories whose plugins came with the program itself. They
	// are trusted like it: they run, marked so, where the kernel has no sandbox.
	FirstParty []string

	// AllowUnsandboxed runs plugins that vak does not ship even where the kernel
	// offers no sandbox for them. They can then do what this process's user can.
	AllowUnsandboxed bool

	// InProcess are surfaces that the embedding program provides itself; they run
	// in its process, come before every plugin, and are trusted like it.
	InProcess []surface.Plugin

	// File is the configuration, a vak.toml. Empty: the one in the home, where that
	// is there. Below it lies output.toml of the home, where that is there. Both are
	// read again when they change.
	File string

	// Project is the directory of a project, whose .vak/output.toml is the lowest
	// file of the configuration. It is read only where the user trusts the project,
	// see [Trust]; [Core.Ignored] tells where it is not. Empty: there is none.
	Project string

	// Set overrides values of the configuration, whatever files and environment
	// say: path=value, as in targets.ops.urgency=ambient.
	Set []string

	// Secrets resolves the references to secrets in the configuration. Nil:
	// env:NAME and file:PATH.
	Secrets func(ctx context.Context, reference string) (string, error)

	// Accounts are what transports are configured with, besides those of the
	// configuration. A surface whose transport needs no settings has an account
	// without a name by itself.
	Accounts []Account

	// TurnMax is how long a turn goes by the epoch in which it began, so that its
	// plugins can be called although they were revoked since. 0: 24 hours.
	TurnMax time.Duration

	// NoDelivery accepts and shows jobs and sends none: they wait for the next
	// process that holds the home.
	NoDelivery bool

	// Settings overrides the profile of every surface, whatever the configuration
	// says of it or of a target.
	Settings Settings

	// Surfaces overrides profiles by surface id, after Settings. A name that no
	// plugin has is an error of Open.
	Surfaces map[string]Settings

	// Log takes what operators should know. Nil: nothing is logged.
	Log hclog.Logger
}

// An Account is one identity that a surface's transport sends as.
type Account struct {
	Surface  string
	Name     string          // as targets name it; empty for the surface's main one
	Settings json.RawMessage // by the schema in the plugin's description, secrets and all; kept in memory only
}

// A Core compiles answers and has them rendered by the surfaces' own
// processes. It is safe for concurrent use until Close.
type Core struct {
	host    *host.Host
	log     hclog.Logger
	config  Config
	started time.Time
	hold    *hold // nil where it is read only

	reconciling sync.Mutex // of who looks at what is wanted, and takes it over
	seen        map[string]fileState
	plugins     *install.Store // nil: there is no home
	trusted     atomic.Pointer[trusted]
	configured  atomic.Pointer[configured]
	schemas     schemas
	templates   templates

	catalog *epoch.Store // nil: there is no home
	current atomic.Pointer[snapshot]
	leases  leases
	old     oldEpochs
	studied atomic.Pointer[catalog.Catalog] // the one made last
	shelf   chan shelved

	store    store.Store // nil where it is read only, like all that follows
	outbox   *outbox.Outbox
	sessions sessions
	answers  answers
	work     sync.WaitGroup // what runs beside the callers
	ending   sync.Mutex     // of whoever begins something there, or ends it all
	closing  <-chan struct{}
	stop     func() // closes that, and waits for what runs
}

// A Surface is one surface that a [Core] knows, usable or not.
type Surface struct {
	ID      string // of a broken plugin that names none: its folder
	Version string
	State   string          // builtin, stopped, starting, ready, draining, backing_off, quarantined or broken
	Path    string          // of the binary; empty for a built-in surface
	SHA256  string          // of the binary, as its manifest says; empty for a built-in surface
	Profile surface.Profile // as overridden
	Err     error           // why it is broken; else nil

	info surface.Info
	key  host.Key
}

// Open holds the home, finds the plugins and starts none: a plugin starts when
// it first renders. Its error is of kind ErrHeld where another process holds the
// home; that one can be asked by the vak command.
func Open(ctx context.Context, c Config) (_ *Core, err error) {
	if c.Log == nil {
		c.Log = hclog.NewNullLogger()
	}
	c.Version = version(c.Version)
	c.TurnMax = cmp.Or(max(c.TurnMax, 0), turnMax)
	core := &Core{log: c.Log, config: c, started: time.Now(), shelf: make(chan shelved, maxShelved)}
	defer func() {
		if err != nil {
			core.Close()
		}
	}()
	if !c.ReadOnly {
		if core.hold, err = holdHome(c, core.started); err != nil {
			return nil, err
		}
	}
	logs := ""
	if core.hold != nil {
		logs = filepath.Join(core.hold.dir, "log")
	}
	core.host, err = host.Open(host.Config{
		Builtin: append([]surface.Plugin{builtin.Log(logs)}, c.InProcess...), Log: c.Log,
		FirstParty: c.FirstParty, AllowUnsandboxed: c.AllowUnsandboxed,
		RuntimeDir: home.RuntimePath(host.LongestSocket),
	})
	if err != nil {
		return nil, pluginsError(err)
	}
	if err := core.begin(ctx); err != nil {
		return nil, err
	}
	if core.hold != nil {
		if err := core.keep(ctx); err != nil {
			return nil, err
		}
		core.hold.serve(core)
	}
	return core, nil
}

// begin finds the plugins, reads the configuration, and makes the first epoch.
func (c *Core) begin(ctx context.Context) error {
	if dir := c.Home(); dir != "" {
		c.plugins = install.New(dir)
		kept, err := epoch.Open(filepath.Join(dir, "catalog"))
		switch {
		case err == nil:
			c.catalog = kept
			for _, p := range kept.Problems() {
				c.log.Warn("the list of epochs is not as it should be", "cause", p)
			}
		case !c.config.ReadOnly:
			return &Error{Kind: ErrHome, What: "cannot read the epochs", Err: err}
		}
	}
	places, _ := c.places()
	if _, err := c.host.Sync(places); err != nil {
		return pluginsError(err)
	}
	c.seen = c.statesNow()
	if err := c.configure(); err != nil {
		return err
	}
	for name := range c.config.Surfaces {
		if _, ok := c.installed(name); !ok {
			return c.unknown(name)
		}
	}
	_, err := c.publish()
	return err
}

// turnMax is how long a turn keeps its epoch where nothing else is said.
const turnMax = 24 * time.Hour

// keep opens the journal, ends what a crash left open, and starts to deliver.
func (c *Core) keep(ctx context.Context) error {
	j, err := journal.Open(ctx, journal.Config{Dir: c.hold.dir, Log: c.log.Named("journal")})
	if err != nil {
		return storeError(err)
	}
	c.store = j
	c.outbox, err = outbox.New(ctx, outbox.Config{
		Store: j, Renderer: desk{c}, Transports: dispatch{c}, Log: c.log.Named("outbox"),
		Now: time.Now, Chance: rand.Float64, Traits: traits, Policy: c.policy,
	})
	if err != nil {
		return storeError(err)
	}
	if err := c.endOpenTurns(ctx); err != nil {
		c.log.Error("turns that were left open cannot be ended", "cause", err)
	}
	within, cancel := context.WithCancel(context.Background())
	work := &c.work
	c.closing = within.Done()
	c.stop = func() {
		c.ending.Lock()
		cancel()
		c.ending.Unlock()
		work.Wait()
	}
	if !c.config.NoDelivery {
		work.Go(func() { c.outbox.Run(within) })
	}
	work.Go(func() { c.watch(within) })
	work.Go(func() { c.tidy(within) })
	work.Go(func() { c.lowerShelved(within) })
	return nil
}

// A compacter is a store that keeps more than it has to.
type compacter interface {
	Compact(ctx context.Context, now time.Time) error
}

// tidy drops what is kept no longer: plugins that nobody goes by at once and then
// once an hour, old parts of the journal once a day.
func (c *Core) tidy(ctx context.Context) {
	t := time.NewTicker(time.Hour)
	defer t.Stop()
	for hour := 0; ; hour++ {
		if err := c.sweep(ctx); err != nil && ctx.Err() == nil {
			c.log.Error("plugins that nobody needs cannot be removed", "cause", err)
		}
		if j, ok := c.store.(compacter); ok && hour > 0 && hour%24 == 0 {
			if err := j.Compact(ctx, c.now()); err != nil && ctx.Err() == nil {
				c.log.Error("old parts of the journal cannot be dropped", "cause", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// Close ends the plugin processes and lets go of the home. The Core must not be
// used afterwards.
func (c *Core) Close() error {
	var errs []error
	if c.hold != nil {
		errs = append(errs, c.hold.hangUp()) // before the processes that it shows end
	}
	if c.stop != nil {
		c.stop() // what is being sent gets to its end
	}
	if c.host != nil {
		errs = append(errs, c.host.Close())
	}
	if c.store != nil {
		errs = append(errs, c.store.Close())
	}
	if c.hold != nil {
		errs = append(errs, c.hold.release()) // last: what is written below a home is written by its holder
	}
	return errors.Join(errs...)
}

// Surfaces lists what is found now, by id. Of plugins with the same id the one that
// is used comes first and the others are broken. The caller owns the slice.
func (c *Core) Surfaces() []Surface {
	found := c.host.Surfaces()
	all := make([]Surface, len(found))
	for i, s := range found {
		all[i] = c.newSurface(s)
	}
	return all
}

// Surface returns the surface with the given id. Its error is of kind
// ErrUnknownSurface and names those that there are.
func (c *Core) Surface(id string) (Surface, error) {
	for _, s := range c.Surfaces() {
		if s.ID == id {
			return s, nil
		}
	}
	return Surface{}, c.unknown(id)
}

func (c *Core) unknown(id string) error {
	var ids []string
	for _, s := range c.host.Surfaces() {
		ids = append(ids, s.Info.ID)
	}
	return &Error{
		Kind: ErrUnknownSurface,
		What: fmt.Sprintf("there is no surface %q", id),
		Mend: "known are " + strings.Join(slices.Compact(ids), ", "),
	}
}

func (c *Core) newSurface(s host.Surface) Surface {
	return Surface{
		ID: s.Info.ID, Version: s.Info.Version, State: string(s.State),
		Path: s.Path, SHA256: s.SHA256, Err: s.Err, info: s.Info, key: s.Key,
		Profile: c.lookAt(c.configured.Load(), s.Info.ID, s.Info, surface.Target{}).Profile,
	}
}

// lookAt is the plugin's profile, below what the configuration says of the surface,
// below what it says of the target, below what the program says. Whether names may
// notify, and what follows a card, is nothing that a plugin has a say in.
func (c *Core) lookAt(now *configured, id string, info surface.Info, t surface.Target) look {
	p := conservative(id)
	if len(info.Profiles) > 0 {
		p = info.Profiles[0]
	}
	p.Mentions = ""
	if now.mentions(id, t) == "live" {
		p.Mentions = "live"
	}
	l := look{Profile: p, appendix: appendixOf(now.appendix(id, t))}
	l = now.profiles[t.String()].apply(now.surfaces[id].apply(l))
	l = c.config.Surfaces[id].apply(c.config.Settings.apply(l))
	l.Profile = clamped(l.Profile)
	return l
}

// conservative is the profile of a surface that nothing is known of: plain
// text, 2000 code points a message.
func conservative(id string) surface.Profile {
	return surface.Profile{
		Surface: id,
		Dialect: dialect.PlainText.Name(),
		Limit:   surface.Limit{Max: 2000, Unit: surface.Codepoint, Of: surface.Sent},
		Can:     surface.Capabilities{AccessiblePlain: true},
	}
}
