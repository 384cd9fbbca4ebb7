package supervise

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

// fake is a process that does what the test says.
type fake struct {
	pid      int
	ended    chan struct{}
	once     sync.Once
	check    func(context.Context) *fault.Error
	stopped  chan struct{}
	killed   bool
	stubborn bool // it takes for ever to end when it is asked
}

func (f *fake) PID() int               { return f.pid }
func (f *fake) Ended() <-chan struct{} { return f.ended }
func (f *fake) die()                   { f.once.Do(func() { close(f.ended) }) }
func (f *fake) Kill()                  { f.killed = true; f.die() }
func (f *fake) Stop() {
	if f.stubborn {
		<-f.ended
	}
	f.die()
	close(f.stopped)
}
func (f *fake) Obituary() *fault.Error {
	return &fault.Error{Op: "run", Kind: fault.Unavailable, Source: fault.FromPlugin, Message: "exit status 2"}
}
func (f *fake) Check(ctx context.Context) *fault.Error {
	if f.check == nil {
		return nil
	}
	return f.check(ctx)
}

// rig is a supervisor of fakes.
type rig struct {
	*Supervisor[*fake]
	t     *testing.T
	work  sync.WaitGroup
	mu    sync.Mutex
	all   []*fake
	fail  *fault.Error // of the next starts
	takes time.Duration
	check func(context.Context) *fault.Error
}

func newRig(t *testing.T, p Policy) *rig {
	r := &rig{t: t}
	if p.Random == nil {
		p.Random = func() float64 { return 0.5 } // no jitter
	}
	r.Supervisor = New(Config[*fake]{
		Start: func(ctx context.Context) (*fake, *fault.Error) {
			r.mu.Lock()
			takes, fail := r.takes, r.fail
			r.mu.Unlock()
			select {
			case <-time.After(takes):
			case <-ctx.Done():
				return nil, &fault.Error{Kind: fault.Canceled}
			}
			if fail != nil {
				return nil, fail
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			f := &fake{pid: len(r.all) + 1, ended: make(chan struct{}), stopped: make(chan struct{}), check: r.check}
			r.all = append(r.all, f)
			return f, nil
		},
		Policy: p, Log: hclog.NewNullLogger(), Work: &r.work,
	})
	t.Cleanup(func() {
		r.Close()
		r.work.Wait()
		for _, f := range r.all {
			select {
			case <-f.stopped:
			default:
				t.Errorf("process %d was not stopped", f.pid)
			}
		}
	})
	return r
}

func (r *rig) lease() *Lease[*fake] {
	r.t.Helper()
	l, e := r.Lease(context.Background())
	if e != nil {
		r.t.Fatal(e)
	}
	return l
}

func (r *rig) nth(i int) *fake {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[i]
}

func (r *rig) is(want State) Status[*fake] {
	r.t.Helper()
	synctest.Wait()
	s := r.Status()
	if s.State != want {
		r.t.Fatalf("state %s, want %s (%+v)", s.State, want, s)
	}
	return s
}

func trouble(source fault.Source) *fault.Error {
	return &fault.Error{Op: "start", Kind: fault.StartFailed, Source: source, Message: "no luck", Hint: "try"}
}

func TestStartsOnceForAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		r.takes = time.Second
		r.is(Stopped)
		for range 8 {
			r.work.Go(func() { r.lease().Release(nil, false) })
		}
		r.is(Starting)
		time.Sleep(2 * time.Second)
		if s := r.is(Ready); s.Process.pid != 1 || s.Restarts != 0 || s.Calls != 0 {
			t.Errorf("status %+v", s)
		}
	})
}

func TestCallerGivesUpWhileItStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		r.takes = time.Second
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		if _, e := r.Lease(ctx); e == nil || e.Kind != fault.Deadline {
			t.Fatalf("err = %v", e)
		}
		time.Sleep(time.Second)
		r.is(Ready) // for the others
	})
}

// TestBacksOff follows a plugin that never starts to its quarantine.
func TestBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		r.fail = trouble(fault.FromPlugin)
		begin := time.Now()
		var at []time.Duration
		for len(at) < 5 {
			_, e := r.Lease(context.Background())
			switch e.Kind {
			case fault.StartFailed:
				at = append(at, time.Since(begin))
			case fault.BackingOff:
				if s := r.is(BackingOff); !strings.Contains(e.Message, "no luck") || e.Hint == "" || !errors.Is(e, fault.StartFailed) || s.Next.IsZero() {
					t.Fatalf("err = %v, status %+v", e, s)
				}
				time.Sleep(10 * time.Millisecond)
			default:
				t.Fatal(e)
			}
		}
		want := []time.Duration{0, 200 * time.Millisecond, 600 * time.Millisecond, 1400 * time.Millisecond, 3000 * time.Millisecond}
		for i := range want {
			if d := at[i] - want[i]; d < 0 || d > 20*time.Millisecond {
				t.Errorf("tried at %v, want %v", at, want)
				break
			}
		}
		r.is(Quarantined)
		time.Sleep(time.Hour) // it does not heal by itself
		began := time.Now()
		_, e := r.Lease(context.Background())
		if e == nil || e.Kind != fault.Quarantined || e.Hint == "" || !strings.Contains(e.Message, "no luck") || time.Since(began) > 0 {
			t.Fatalf("err = %v after %v, want quarantined at once", e, time.Since(began))
		}
		if n := r.starts; n != 5 {
			t.Errorf("%d starts", n)
		}
		r.mu.Lock()
		r.fail = nil
		r.mu.Unlock()
		if e := r.Restart(context.Background()); e != nil {
			t.Fatal(e)
		}
		if s := r.is(Ready); s.Failures != 0 || s.Last == nil {
			t.Errorf("status %+v: want no failure that counts, and the last one told", s)
		}
	})
}

// TestDrainForGood lets those finish who are being served, and nobody else begin.
func TestDrainForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		l := r.lease()
		r.Drain()
		if _, e := r.Lease(context.Background()); e == nil || e.Kind != fault.Closed {
			t.Errorf("a lease while it is drained: %v", e)
		}
		gone := make(chan struct{})
		go func() { r.work.Wait(); close(gone) }()
		synctest.Wait()
		select {
		case <-gone:
			t.Fatal("it is gone while somebody is served")
		default:
		}
		if f := r.nth(0); f.killed || ended(f) {
			t.Error("the process was ended under a call")
		}
		l.Release(nil, false)
		<-gone
		<-r.nth(0).stopped
		idle := newRig(t, Policy{})
		idle.lease().Release(nil, false)
		idle.Drain()
		<-idle.nth(0).stopped
	})
}

// TestAbort kills, whoever is being served.
func TestAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		l := r.lease()
		r.Abort()
		r.work.Wait()
		if f := r.nth(0); !f.killed {
			t.Error("it was asked to end")
		}
		l.Release(&fault.Error{Kind: fault.Unavailable}, true)
		if s := r.Status(); s.Failures != 0 {
			t.Errorf("%d failures, though it was killed", s.Failures)
		}
		stopping := newRig(t, Policy{})
		stopping.lease().Release(nil, false)
		stopping.nth(0).stubborn = true
		stopping.Drain()
		synctest.Wait()
		stopping.Abort() // what was asked to end before is killed, too
		stopping.work.Wait()
		starting := newRig(t, Policy{})
		starting.takes = time.Minute
		go starting.Lease(context.Background())
		synctest.Wait()
		starting.Abort()
		starting.work.Wait()
	})
}

// TestAbortOfAStray kills a process that became ready when nobody was to have it any
// more, and was asked to end.
func TestAbortOfAStray(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var work sync.WaitGroup
		stray, ready := &fake{ended: make(chan struct{}), stopped: make(chan struct{}), stubborn: true}, make(chan struct{})
		s := New(Config[*fake]{
			Start: func(context.Context) (*fake, *fault.Error) { <-ready; return stray, nil },
			Log:   hclog.NewNullLogger(), Work: &work,
		})
		asked := make(chan *fault.Error)
		go func() {
			_, e := s.Lease(context.Background())
			asked <- e
		}()
		synctest.Wait()
		s.Drain()
		close(ready)
		if e := <-asked; e == nil || e.Kind != fault.Closed {
			t.Errorf("a lease while it is drained: %v", e)
		}
		synctest.Wait()
		s.Abort()
		work.Wait()
		if !stray.killed {
			t.Error("it was asked to end")
		}
	})
}

// TestForgive is what is to be started having changed: it is tried at once.
func TestForgive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{Failures: 2, Patience: time.Minute})
		r.fail = trouble(fault.FromPlugin)
		for range 2 {
			r.Lease(context.Background())
		}
		r.is(Quarantined)
		r.Forgive()
		r.fail = nil
		begin := time.Now()
		r.lease().Release(nil, false)
		if took := time.Since(begin); took > 0 {
			t.Errorf("it was tried after %v", took)
		}
		if s := r.is(Ready); s.Failures != 0 || s.Last == nil {
			t.Errorf("status %+v, want no failure and the last one's words", s)
		}
	})
}

func TestHostTroubleIsNoFailureOfThePlugin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		r.fail = trouble(fault.FromHost)
		for range 20 {
			r.Lease(context.Background())
			s := r.is(BackingOff)
			if wait := time.Until(s.Next); wait > 30*time.Second {
				t.Fatalf("waits %v", wait)
			}
			time.Sleep(time.Until(s.Next))
		}
		r.is(Stopped)
	})
}

func TestJitter(t *testing.T) {
	for _, c := range []struct {
		n      int
		random float64
		want   time.Duration
	}{
		{1, 0, 160 * time.Millisecond}, {1, 0.5, 200 * time.Millisecond}, {1, 1, 240 * time.Millisecond},
		{2, 0.5, 400 * time.Millisecond}, {8, 0.5, 25600 * time.Millisecond}, {9, 0.5, 30 * time.Second}, {1 << 40, 1, 36 * time.Second},
	} {
		p := Policy{Random: func() float64 { return c.random }}.withDefaults()
		if got := p.backoff(c.n); got != c.want {
			t.Errorf("backoff(%d) with %v = %v, want %v", c.n, c.random, got, c.want)
		}
	}
}

// TestOneDeathIsOneFailure has a process die under four calls.
func TestOneDeathIsOneFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		var leases []*Lease[*fake]
		for range 4 {
			leases = append(leases, r.lease())
		}
		leases[0].P.die()
		for _, l := range leases[:2] {
			l.Release(&fault.Error{Kind: fault.Unavailable, Source: fault.FromPlugin}, true)
		}
		synctest.Wait()
		for _, l := range leases[2:] {
			l.Release(&fault.Error{Kind: fault.Unavailable, Source: fault.FromPlugin}, true)
		}
		if s := r.Status(); s.Failures != 1 {
			t.Errorf("%d failures", s.Failures)
		}
		began := time.Now()
		r.lease().Release(nil, false) // waits for the first backoff
		if took := time.Since(began); took != 200*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

// TestSecondAttemptCountsNoMore has calls kill or hang process after process.
func TestSecondAttemptCountsNoMore(t *testing.T) {
	hang := &fault.Error{Kind: fault.Deadline, Source: fault.FromPlugin}
	crash := &fault.Error{Kind: fault.Unavailable, Source: fault.FromPlugin}
	for _, c := range []struct {
		why  string
		fail func(first, second *Lease[*fake])
		want int // failures after the first one
	}{
		{"it hangs", func(_, l *Lease[*fake]) { l.Release(hang, true) }, 0},
		{"it dies, its caller sees it first", func(_, l *Lease[*fake]) { l.P.die(); l.Release(crash, true) }, 0},
		{"it dies, another caller sees it first", func(first, l *Lease[*fake]) { l.P.die(); first.Release(crash, true); l.Release(crash, true) }, 0},
		{"it dies, the supervisor sees it first", func(_, l *Lease[*fake]) { l.P.die(); synctest.Wait(); l.Release(crash, true) }, 0},
		{"a first attempt hangs beside it", func(first, l *Lease[*fake]) { first.Release(hang, true); l.Release(nil, false) }, 1},
		{"it is over when the process dies", func(_, l *Lease[*fake]) { l.Release(nil, false); l.P.die() }, 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, Policy{})
				r.lease().Release(crash, true)
				second, e := r.LeaseAgain(context.Background())
				if e != nil {
					t.Fatal(e)
				}
				first := r.lease()
				c.fail(first, second)
				synctest.Wait()
				s := r.Status()
				if s.Failures != 1+c.want || s.State != BackingOff {
					t.Errorf("%d failures, state %s; want %d", s.Failures, s.State, 1+c.want)
				}
				if got, want := time.Until(s.Next), time.Duration(1+c.want)*200*time.Millisecond; got != want {
					t.Errorf("waits %v, want %v", got, want)
				}
			})
		})
	}
}

// TestReplacesWhatDiesIdle also shows that a minute of health ends the row.
func TestReplacesWhatDiesIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		r.lease().Release(nil, false)
		for i, healthy := range []time.Duration{0, 0, time.Minute} {
			time.Sleep(healthy)
			r.nth(i).die()
			s := r.is(BackingOff)
			want := []time.Duration{200, 400, 200}[i] * time.Millisecond
			if got := time.Until(s.Next); got != want || !strings.Contains(s.Last.Message, "exit status 2") {
				t.Errorf("death %d: waits %v, want %v; last error %v", i+1, got, want, s.Last)
			}
			time.Sleep(time.Until(s.Next))
			if s := r.is(Ready); s.Process.pid != i+2 || s.Restarts != i+1 || s.Failures != i+1 {
				t.Errorf("status %+v", s)
			}
		}
		// Its failures are forgotten after ten minutes, whatever came between.
		time.Sleep(11 * time.Minute)
		if s := r.is(Ready); s.Failures != 0 {
			t.Errorf("%d failures", s.Failures)
		}
	})
}

// TestReplacementThatFailsIsNotRepeated: a crash at start costs one start, not
// a quarantine, while nobody needs the plugin.
func TestReplacementThatFailsIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		r.lease().Release(nil, false)
		r.mu.Lock()
		r.fail = trouble(fault.FromPlugin)
		r.mu.Unlock()
		r.nth(0).die()
		time.Sleep(time.Hour)
		if s := r.is(Stopped); s.Restarts != 1 {
			t.Errorf("%d restarts, want 1", s.Restarts)
		}
	})
}

func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		var mu sync.Mutex
		asked, silent := 0, false
		r.check = func(ctx context.Context) *fault.Error {
			mu.Lock()
			asked++
			s := silent
			mu.Unlock()
			if !s {
				return nil
			}
			<-ctx.Done()
			return &fault.Error{Op: "check", Kind: fault.Deadline, Source: fault.FromPlugin, Message: "no answer in time"}
		}
		count := func() int { mu.Lock(); defer mu.Unlock(); return asked }
		l := r.lease()
		time.Sleep(65 * time.Second) // between two checks
		if n := count(); n != 0 {
			t.Errorf("asked %d times while busy", n)
		}
		l.Release(nil, false)
		time.Sleep(30 * time.Second)
		if n := count(); n != 3 {
			t.Errorf("asked %d times in 30 s of rest", n)
		}
		mu.Lock()
		silent = true
		mu.Unlock()
		time.Sleep(11 * time.Second)
		r.is(Ready) // one miss is none
		time.Sleep(5*time.Second + time.Millisecond)
		s := r.is(BackingOff)
		if !strings.Contains(s.Last.Message, "idle process does not answer") || s.Last.Kind != fault.Deadline {
			t.Errorf("last error %v", s.Last)
		}
		select {
		case <-r.nth(0).stopped:
		default:
			t.Error("it was not stopped")
		}
		time.Sleep(time.Second)
		r.is(Ready)
	})
}

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		r.takes = time.Second
		old := r.lease()
		if e := r.Restart(context.Background()); e != nil {
			t.Fatal(e)
		}
		if s := r.is(Ready); s.Process.pid != 2 || s.Draining != 1 || s.Calls != 1 || s.Failures != 0 || s.Restarts != 1 {
			t.Errorf("status %+v", s)
		}
		select {
		case <-old.P.stopped:
			t.Error("the old one was stopped under its call")
		default:
		}
		old.Release(nil, false)
		synctest.Wait()
		<-old.P.stopped

		// One that did wrong serves the others to the end, too.
		a, b := r.lease(), r.lease()
		a.Release(&fault.Error{Kind: fault.Deadline, Source: fault.FromPlugin}, true)
		time.Sleep(time.Second) // the backoff has passed
		if s := r.is(Draining); s.Calls != 1 {
			t.Errorf("status %+v", s)
		}
		b.Release(nil, false)
		r.is(Stopped)
	})
}

func TestRestartReplacesWhatIsOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		r.takes = time.Second
		r.work.Go(func() { r.lease().Release(nil, false) })
		r.is(Starting)
		if e := r.Restart(context.Background()); e != nil {
			t.Fatal(e)
		}
		if s := r.is(Ready); s.Process.pid != 2 {
			t.Errorf("process %d serves: it was started before somebody asked", s.Process.pid)
		}
	})
}

func TestCloseEndsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Policy{})
		r.lease() // never released
		r.Restart(context.Background())
		r.takes = time.Hour
		failed := make(chan *fault.Error, 1)
		r.nth(1).die()
		synctest.Wait()
		go func() {
			_, e := r.Lease(context.Background())
			failed <- e
		}()
		time.Sleep(300 * time.Millisecond)
		r.is(Starting)
		r.Close()
		r.work.Wait()
		if e := <-failed; e == nil || e.Kind != fault.Closed {
			t.Errorf("err = %v", e)
		}
		if _, e := r.Lease(context.Background()); e == nil || e.Kind != fault.Closed {
			t.Errorf("err = %v", e)
		}
		if e := r.Restart(context.Background()); e == nil || e.Kind != fault.Closed {
			t.Errorf("err = %v", e)
		}
	})
}
