package outbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	t        *testing.T
	store    store.Store
	outbox   *Outbox
	platform *platform
	traits   Traits
	policy   Policy
	jobs     int
	stop     func()
}

// newBench starts an outbox. how says what the platform answers to a request, nil
// for taking it.
func newBench(t *testing.T, how func(surface.SendRequest) error) *bench {
	b := &bench{t: t, store: memory.New(time.Now), platform: &platform{how: how, start: time.Now()}}
	b.restart()
	t.Cleanup(func() { b.stop() })
	return b
}

// restart starts another outbox over the same store.
func (b *bench) restart() {
	b.t.Helper()
	if b.stop != nil {
		b.stop()
	}
	o, err := New(b.t.Context(), Config{
		Store: b.store, Renderer: renderer{}, Transports: b.platform, Log: hclog.NewNullLogger(),
		Now: time.Now, Chance: func() float64 { return 0.5 },
		Policy: func(surface.Target) Policy { return b.policy },
		Traits: func(string) Traits { return b.traits },
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.outbox = o
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); o.Run(ctx) }()
	b.stop = sync.OnceFunc(func() { cancel(); <-done })
}

// submit accepts a job. Its text is that of its parts with | between them.
func (b *bench) submit(target, text string, more ...func(*Submission)) string {
	b.t.Helper()
	b.jobs++
	to, err := surface.ParseTarget(target)
	if err != nil {
		b.t.Fatal(err)
	}
	s := Submission{Job: fmt.Sprintf("j%d", b.jobs), Target: to, Kind: surface.Assistant, Digest: text, Source: ledger.EntryID{Session: "s", Seq: 1}}
	for _, m := range more {
		m(&s)
	}
	puts := b.outbox.Submit(b.t.Context(), []Submission{s}, false)
	if _, err := b.store.Commit(b.t.Context(), store.Commit{Jobs: puts}); err != nil {
		b.t.Fatal(err)
	}
	return s.Job
}

func (b *bench) row(id string) store.Row {
	b.t.Helper()
	r, err := b.store.Job(b.t.Context(), id)
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

// A platform takes messages.
type platform struct {
	how   func(surface.SendRequest) error
	start time.Time

	mu       sync.Mutex
	away     bool // no transport
	requests []string
	times    []time.Duration
	taken    map[string][]string // texts by address
	keys     map[string]int
	flying   map[string]bool
	broken   []string
}

func (p *platform) Ready(surface.Target) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.away
}

func (p *platform) Send(_ context.Context, r surface.SendRequest) (surface.Receipt, error) {
	lane := r.Target.String() + fmt.Sprint(r.Kind == surface.Alert)
	p.mu.Lock()
	if p.flying == nil {
		p.taken, p.keys, p.flying = map[string][]string{}, map[string]int{}, map[string]bool{}
	}
	if p.flying[lane] {
		p.broken = append(p.broken, "two at once to "+lane)
	}
	p.flying[lane] = true
	text := r.Chunk.Text
	if r.Form == surface.FormPlain {
		text = r.Chunk.Plain
	}
	p.requests = append(p.requests, text)
	p.times = append(p.times, time.Since(p.start).Round(time.Second))
	p.mu.Unlock()
	var err error
	if p.how != nil {
		err = p.how(r)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flying[lane] = false
	if err != nil {
		return surface.Receipt{}, err
	}
	p.taken[r.Target.Address] = append(p.taken[r.Target.Address], text)
	p.keys[r.Key]++
	return surface.Receipt{Refs: []surface.Ref{{ID: fmt.Sprint(len(p.requests))}}}, nil
}

// got checks what has arrived at an address.
func (b *bench) got(address string, want ...string) {
	b.t.Helper()
	b.platform.mu.Lock()
	defer b.platform.mu.Unlock()
	if got := b.platform.taken[address]; !slices.Equal(got, want) {
		b.t.Errorf("%s got %q, want %q", address, got, want)
	}
	for _, v := range b.platform.broken {
		b.t.Error(v)
	}
}

// A renderer has the parts of a job in its digest.
type renderer struct{}

func (renderer) Render(_ context.Context, s *Submission) (Rendering, error) {
	var r Rendering
	for _, text := range strings.Split(s.Digest, "|") {
		if text != "" {
			r.Parts = append(r.Parts, Part{Chunk: surface.Chunk{Text: "<" + text + ">", Plain: text}})
		}
	}
	return r, nil
}

func (renderer) Annotate(_ *Submission, c surface.Chunk, words string) []surface.Chunk {
	c.Text, c.Plain = "("+words+") "+c.Text, "("+words+") "+c.Plain
	return []surface.Chunk{c}
}

func (renderer) Halve(_ *Submission, c surface.Chunk) []surface.Chunk {
	n := len(c.Plain) / 2
	if n == 0 {
		return nil
	}
	return []surface.Chunk{{Plain: c.Plain[:n]}, {Plain: c.Plain[n:]}}
}

func (renderer) Packet(context.Context, *Submission, *Rendering) ([]byte, error) {
	return []byte("{}"), nil
}

func TestInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(r surface.SendRequest) error { time.Sleep(time.Second); return nil })
		one, two := b.submit("chat:a", "1|2|3"), b.submit("chat:a", "4|5")
		b.submit("chat:b", "x")
		time.Sleep(time.Minute)
		b.got("a", "<1>", "<2>", "<3>", "<4>", "<5>")
		b.got("b", "<x>")
		b.is(one, store.Delivered, "")
		b.is(two, store.Delivered, "")
	})
}

func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(r surface.SendRequest) error { return &surface.DeliveryError{Class: surface.Transient} })
		id := b.submit("chat:a", "1")
		time.Sleep(100 * time.Hour)
		b.is(id, store.DeadLetter, Exhausted)
		want := "[0s 5s 35s 2m35s 12m35s 42m35s 1h42m35s 3h42m35s 7h42m35s 15h42m35s 23h42m35s 31h42m35s]"
		if got := fmt.Sprint(b.platform.times); got != want {
			t.Errorf("tried at %s, want %s: until a day and ten attempts are over", got, want)
		}
	})
}
