package outbox

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/internal/store/memory"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A bench is an outbox over a store in memory, with a platform that does what a
// test says. It lives in a bubble of synctest, whose time is its own.
type bench struct {
	t        testing.TB
	store    *memory.Store
	outbox   *Outbox
	platform *platform
	renderer *renderer
	traits   Traits
	policy   Policy
	chance   float64
	workers  int
	wrong    atomic.Int64 // how far the wall clock is off, in nanoseconds
	log      bytes.Buffer
	jobs     int
	stop     func()
}

// An answer is what the platform says to the n-th request that it gets, from 1.
type answer func(ctx context.Context, r surface.SendRequest, n int) error

// inBubble runs a test in a bubble with a bench.
func inBubble(t *testing.T, how answer, test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, how)
		defer func() {
			b.stop()
			time.Sleep(time.Minute) // platforms that were not waited for
			b.platform.check(t)
		}()
		test(b)
	})
}

func newBench(t testing.TB, how answer) *bench {
	b := &bench{t: t, platform: &platform{how: how, start: time.Now(), taken: map[string][]string{}, keys: map[string]string{}, flying: map[string]bool{}}}
	b.renderer, b.chance = &renderer{}, 0.5
	b.store = memory.New(b.now)
	return b.begin()
}

// now is the wall clock.
func (b *bench) now() time.Time { return time.Now().Add(b.off()) }

func (b *bench) off() time.Duration { return time.Duration(b.wrong.Load()) }

func (b *bench) setClock(off time.Duration) { b.wrong.Store(int64(off)) }

// texts are what has arrived at an address.
func (b *bench) texts(address string) []string {
	b.platform.mu.Lock()
	defer b.platform.mu.Unlock()
	return slices.Clone(b.platform.taken[address])
}

// begin starts an outbox over what the store has.
func (b *bench) begin() *bench {
	b.t.Helper()
	log := hclog.New(&hclog.LoggerOptions{Output: &b.log, Level: hclog.Warn, DisableTime: true})
	o, err := New(context.Background(), Config{
		Store: b.store, Renderer: b.renderer, Transports: b.platform, Log: log,
		Now: b.now, Chance: func() float64 { return b.chance }, Workers: b.workers,
		Policy: func(surface.Target) Policy { return b.policy },
		Traits: func(surface.Target) Traits { return b.traits },
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.outbox = o
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); o.Run(ctx) }()
	b.stop = sync.OnceFunc(func() { cancel(); <-done })
	return b
}

// restart ends the outbox and starts another.
func (b *bench) restart() {
	b.t.Helper()
	b.stop()
	b.reopen()
}

// kill ends the outbox as a process ends that is killed: what it does from now on
// is not written down.
func (b *bench) kill() {
	b.t.Helper()
	_ = b.store.Close()
	b.stop()
	b.reopen()
}

func (b *bench) reopen() {
	b.t.Helper()
	if err := b.store.Reopen(); err != nil {
		b.t.Fatal(err)
	}
	b.begin()
}

// submission is what submit accepts: text stands for what is to be rendered, with
// | between its parts.
func (b *bench) submission(target, text string, more ...func(*Submission)) Submission {
	b.t.Helper()
	b.jobs++
	to, err := surface.ParseTarget(target)
	if err != nil {
		b.t.Fatal(err)
	}
	s := Submission{
		Job: fmt.Sprintf("j%d", b.jobs), Target: to, Kind: surface.Assistant, Digest: text,
		Source: ledger.EntryID{Session: "s", Seq: 1}, Turn: ledger.TurnID{Session: "s", Seq: 1},
	}
	for _, m := range more {
		m(&s)
	}
	return s
}

// submit accepts a job and waits until nothing more happens at once.
func (b *bench) submit(target, text string, more ...func(*Submission)) string {
	b.t.Helper()
	s := b.submission(target, text, more...)
	b.accept(store.Commit{}, false, s)
	synctest.Wait()
	return s.Job
}

func (b *bench) accept(c store.Commit, completes bool, subs ...Submission) {
	b.t.Helper()
	c.Jobs = b.outbox.Submit(context.Background(), subs, completes)
	if _, err := b.store.Commit(context.Background(), c); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) apply(a Action, id string) {
	b.t.Helper()
	if _, err := b.outbox.Apply(context.Background(), a, id); err != nil {
		b.t.Errorf("%s: %v", a, err)
	}
	synctest.Wait()
}

func (b *bench) row(id string) store.Row {
	b.t.Helper()
	r, err := b.store.Job(context.Background(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// is checks the state and reason of a job.
func (b *bench) is(id string, s store.State, why Reason) {
	b.t.Helper()
	if r := b.row(id); r.State != s || Reason(r.Reason) != why {
		b.t.Errorf("job %s is %s (%s), want %s (%s)", id, r.State, r.Reason, s, why)
	}
}

// history is the kinds of a job's entries.
func (b *bench) history(id string) string {
	b.t.Helper()
	all, err := b.store.History(context.Background(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	var kinds []string
	for _, e := range all {
		kinds = append(kinds, e.Kind)
	}
	return strings.Join(kinds, " ")
}

// target is the state of a target.
func (b *bench) target(name string) store.TargetRow {
	b.t.Helper()
	all, err := b.store.Targets(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, t := range all {
		if t.Target == name {
			return t.TargetRow
		}
	}
	return store.TargetRow{Target: name}
}

// got checks what has arrived at an address, in order.
func (b *bench) got(address string, want ...string) {
	b.t.Helper()
	if got := b.texts(address); !slices.Equal(got, want) {
		b.t.Errorf("%s got %q, want %q", address, got, want)
	}
}

// asked checks the number of requests.
func (b *bench) asked(want int) {
	b.t.Helper()
	if got := len(b.platform.all()); got != want {
		b.t.Errorf("%d requests, want %d: %v", got, want, b.platform.all())
	}
}

// times are those of the requests, since the beginning.
func (b *bench) times() string {
	var out []string
	for _, r := range b.platform.all() {
		out = append(out, r.at.String())
	}
	return strings.Join(out, " ")
}

// logLines are the warnings and errors of the log.
func (b *bench) logLines() []string {
	return strings.FieldsFunc(b.log.String(), func(r rune) bool { return r == '\n' })
}

func fails(c surface.Class) *surface.DeliveryError {
	return &surface.DeliveryError{Class: c, Code: "400 x"}
}

func server() error { return &surface.DeliveryError{Class: surface.Transient, Code: "502"} }

func kind(k surface.Kind) func(*Submission) { return func(s *Submission) { s.Kind = k } }

func posture(c Cadence, u Urgency) func(*Submission) {
	return func(s *Submission) { s.Posture = Posture{c, u} }
}

// A fullStore has no room while it is full.
type fullStore struct {
	store.Store
	mu   sync.Mutex
	full bool
}

func (f *fullStore) set(full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = full
}

func (f *fullStore) Commit(ctx context.Context, c store.Commit) (store.Committed, error) {
	f.mu.Lock()
	full := f.full
	f.mu.Unlock()
	if full {
		return store.Committed{}, &store.Error{Kind: store.Full, What: "there is no room"}
	}
	return f.Store.Commit(ctx, c)
}
