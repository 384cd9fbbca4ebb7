package outbox

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Config is what an outbox works with. All of it is required but where a field
// says otherwise.
type Config struct {
	Store      store.Store
	Renderer   Renderer
	Transports Transports
	Log        hclog.Logger

	// Now is the wall clock, and Chance gives numbers from 0 to 1.
	Now    func() time.Time
	Chance func() float64

	// Policy is what a target wants; nil: the zero Policy for all.
	Policy func(surface.Target) Policy

	// Traits are what the platform of a target is like; nil: the zero Traits for all.
	Traits func(surface.Target) Traits

	// Workers is the number of jobs of one account that are under way at once; 0
	// is 256. Most of them wait for the platform, and none for another account.
	Workers int
}

// Traits are what a platform does with messages, beyond how they look.
type Traits struct {
	// Window is how long the platform recognises the key of a message that it
	// took, so that sending it again makes no second one; negative: always.
	Window time.Duration

	// Chat is what the target's chat takes, its threads together, and Account what
	// all chats of its account take: as much as every one of the rates allows. None
	// is no bound.
	Chat, Account []Rate
}

// A Renderer makes of a submission what is sent. It is called concurrently.
type Renderer interface {
	// Render renders. It fails with ctx, or where the content cannot be read.
	Render(ctx context.Context, s *Submission) (Rendering, error)

	// Annotate returns a chunk that says the words too, or several where one has no
	// room for them, of which the plain text is sent.
	Annotate(s *Submission, c surface.Chunk, words string) []surface.Chunk

	// Halve parts a chunk's plain text in two; fewer: it cannot be parted.
	Halve(s *Submission, c surface.Chunk) []surface.Chunk
}

// Transports send. They are called concurrently.
type Transports interface {
	// Ready reports whether there is an enabled transport for a target that works,
	// or will be tried again by itself.
	Ready(t surface.Target) bool

	// Send sends one message. Its error is a *surface.DeliveryError. One that was not
	// begun for want of a transport is Transient, with the code no_transport, and says
	// after what time to try again.
	Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error)
}

const (
	// pick is the number of jobs of one fair pick over the lanes.
	pick = 100

	// tick is the time between two looks for what no event told of: missed
	// wake-ups, jumps of the clock, leases that ended.
	tick = 30 * time.Second

	// sendTime bounds one call of a transport, and renderTime one rendering. What
	// has not come back a grace later is not waited for any more.
	sendTime   = 45 * time.Second
	renderTime = 30 * time.Second
	grace      = 2 * time.Second

	// farewell is how long an attempt may go on after the outbox was told to stop.
	farewell = 5 * time.Second

	// mostClaimed is the number of jobs that are claimed at once, at work or waiting
	// for a place among those of their account.
	mostClaimed = 16_384
)

// An Outbox delivers. It is safe for concurrent use.
type Outbox struct {
	config  Config
	log     hclog.Logger
	clock   clock
	pacer   pacer
	tempo   Tempo
	targets targets
	waiting waiting
	wake    chan struct{}

	mu      sync.Mutex
	running map[string]*run          // by job
	places  map[string]chan struct{} // for jobs under way, by account
}

// New returns an outbox that does nothing before Run.
func New(ctx context.Context, c Config) (*Outbox, error) {
	if c.Workers == 0 {
		c.Workers = 256
	}
	if c.Policy == nil {
		c.Policy = func(surface.Target) Policy { return Policy{} }
	}
	if c.Traits == nil {
		c.Traits = func(surface.Target) Traits { return Traits{} }
	}
	o := &Outbox{
		config: c, log: c.Log, wake: make(chan struct{}, 1), tempo: tempoOf(ctx),
		running: map[string]*run{}, places: map[string]chan struct{}{},
	}
	known, err := c.Store.Targets(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range known {
		o.targets.set(t.TargetRow)
		if t.Held > 0 {
			o.waiting.add(t.Target)
		}
	}
	o.clock.wall = c.Now
	var live []store.Row
	for r, err := range c.Store.Jobs(ctx, store.Filter{}) {
		if err != nil {
			o.log.Warn("a job cannot be read", "cause", err)
			continue
		}
		o.clock.notBefore(r.Updated)
		if c.Now().Sub(r.Updated) <= recent {
			live = append(live, r)
		}
	}
	o.recall(ctx, live, known)
	return o, nil
}

// Run delivers until ctx ends, and then until what is under way has been written
// down.
func (o *Outbox) Run(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	claimed := make(chan struct{}, mostClaimed)
	timer := time.NewTimer(0)
	defer timer.Stop()
	var reconciled time.Time
	ticks := 0
	for {
		now := o.clock.now()
		if now.Sub(reconciled) >= tick || now.Before(reconciled) {
			reconciled = now
			o.reconcile(ctx, ticks)
			ticks++
		}
		wait := tick
		if free := cap(claimed) - len(claimed); free > 0 {
			next, full, err := o.claim(ctx, now, min(free, pick), claimed, &work)
			switch {
			case err != nil && ctx.Err() == nil:
				o.log.Error("cannot look for what is due", "cause", err)
			case full:
				wait = 0
			case !next.IsZero():
				wait = min(max(next.Sub(now), time.Millisecond), tick)
			}
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-o.config.Store.Changed():
		case <-o.wake:
		case <-timer.C:
		}
	}
}

// claim starts what may go. full says that there may be more.
func (o *Outbox) claim(ctx context.Context, now time.Time, most int, claimed chan struct{}, work *sync.WaitGroup) (next time.Time, full bool, err error) {
	claims, fresh, err := o.take(ctx, now, most)
	if err != nil {
		return time.Time{}, false, err
	}
	for _, r := range fresh {
		claimed <- struct{}{}
		work.Go(func() {
			defer func() {
				<-claimed
				o.nudge()
			}()
			o.deliver(ctx, r)
		})
	}
	o.due(ctx, claims.Holds)
	return claims.Next, len(claims.Jobs)+len(claims.Holds) >= most, nil
}

// nudge has Run look again.
func (o *Outbox) nudge() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// put writes what became of a job, and of its target where how is not nil.
func (o *Outbox) put(ctx context.Context, p store.Put, target string, how change, more ...store.Put) error {
	return o.targets.change(target, how, func(row *store.TargetRow) error {
		c := store.Commit{Jobs: append([]store.Put{p}, more...), Settles: true}
		if row != nil {
			c.Targets = []store.TargetRow{*row}
		}
		// What happened has happened: it is written down though somebody lost patience.
		_, err := o.config.Store.Commit(context.WithoutCancel(ctx), c)
		return err
	})
}

func isLost(err error) bool { return errors.Is(err, store.Lost) }

// unreadable reports whether err is of one damaged job, which concerns no other.
func unreadable(err error) bool { return errors.Is(err, store.Corrupt) }
