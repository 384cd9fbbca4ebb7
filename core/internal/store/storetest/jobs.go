package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

func exists(w *world) {
	w.queue("t", "j")
	w.refused(store.Commit{Jobs: []store.Put{w.pending("j", "u")}}, store.Exists, "an id that is taken")
	gone := w.change(w.job("j"), 0, store.Pending, "x")
	gone.Row.Job = "k"
	w.refused(store.Commit{Jobs: []store.Put{gone}}, store.NotFound, "a change of what is not there")
	w.settle(w.claimed("it is due", "j")["j"], store.Delivered)
	w.refused(store.Commit{Jobs: []store.Put{w.pending("j", "t")}}, store.Exists, "the id of a job that is done")
	w.reopen()
	w.refused(store.Commit{Jobs: []store.Put{w.pending("j", "t")}}, store.Exists, "also later")
	_, err := w.s.Job(ctx, "none")
	w.want("no such job", errors.Is(err, store.NotFound), true)
	_, err = w.s.History(ctx, "none")
	w.want("no such history", errors.Is(err, store.NotFound), true)
}

func twoClaimers(w *world) {
	const lanes, each = 20, 10
	for i := range each {
		for l := range lanes {
			w.queue(fmt.Sprint("t", l), fmt.Sprint("j", l, "-", i))
		}
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	inFlight := map[string]string{}
	order := map[string][]string{}
	for range 4 {
		wg.Go(func() {
			for {
				c, err := w.s.Claim(ctx, w.now, 3)
				if err != nil {
					w.Error(err)
					return
				}
				mu.Lock()
				if len(c.Jobs) == 0 && len(inFlight) == 0 {
					mu.Unlock()
					return
				}
				for _, j := range c.Jobs {
					if other := inFlight[j.Row.Target]; other != "" {
						w.Errorf("%s was claimed while %s was in flight", j.Row.Job, other)
					}
					inFlight[j.Row.Target] = j.Row.Job
				}
				mu.Unlock()
				for _, j := range c.Jobs {
					mu.Lock()
					delete(inFlight, j.Row.Target)
					order[j.Row.Target] = append(order[j.Row.Target], j.Row.Job)
					mu.Unlock()
					if _, err := w.s.Commit(ctx, store.Commit{Settles: true, Jobs: []store.Put{w.change(j.Row, j.Lease, store.Delivered, "delivered")}}); err != nil {
						w.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	for l := range lanes {
		var want []string
		for i := range each {
			want = append(want, fmt.Sprint("j", l, "-", i))
		}
		w.want("order of a lane", order[fmt.Sprint("t", l)], want)
	}
}

func leases(w *world) {
	w.queue("t", "j", "k")
	first := w.claimed("the head", "j")["j"]
	w.claimed("one in flight")
	begun := w.change(first.Row, first.Lease, store.Sending, "begun")
	begun.Keep = true
	w.add(begun)
	w.refused(store.Commit{Jobs: []store.Put{w.change(w.job("j"), 0, store.Discarded, "x")}}, store.Lost, "a job that somebody sends")
	w.refused(store.Commit{Jobs: []store.Put{w.change(w.job("j"), first.Lease+1, store.Delivered, "x")}}, store.Lost, "another lease")
	w.now = w.now.Add(store.LeaseTime - time.Second)
	w.add(begun) // keeps it
	w.now = w.now.Add(store.LeaseTime - time.Second)
	w.claimed("it was kept")
	w.now = w.now.Add(2 * time.Second)
	w.refused(store.Commit{Jobs: []store.Put{w.change(first.Row, first.Lease, store.Delivered, "x")}}, store.Lost, "a lease that has ended cannot settle")
	second := w.claimed("its lease has ended", "j")["j"]
	if second.Lease == first.Lease || second.Row.State != store.Sending {
		w.Errorf("claimed again as %+v", second)
	}
	w.refused(store.Commit{Jobs: []store.Put{w.change(first.Row, first.Lease, store.Delivered, "x")}}, store.Lost, "the first one is late")
	w.settle(second, store.Delivered)
	w.want("history", w.history("j"), "queued begun begun delivered")
	third := w.claimed("then the next", "k")["k"]
	w.reopen()
	w.refused(store.Commit{Jobs: []store.Put{w.change(third.Row, third.Lease, store.Delivered, "x")}}, store.Lost, "a lease ends with its process")
	w.claimed("and is free at once", "k")
}

func stalePlace(w *world) {
	w.queue("t", "j")
	old := w.job("j")
	w.add(w.change(old, 0, store.Pending, "touched"))
	w.refused(store.Commit{Jobs: []store.Put{w.change(old, 0, store.Discarded, "x")}}, store.Lost, "it has changed meanwhile")
	w.reopen()
	w.add(w.change(w.job("j"), 0, store.Discarded, "discarded"))
	w.want("history", w.history("j"), "queued touched discarded")
	w.claimed("nothing is left")
}

func (w *world) held(job, target, hold string, due time.Time) store.Put {
	p := w.pending(job, target)
	p.Row.State, p.Row.Reason, p.Row.Hold, p.Row.Due = store.Held, "policy", hold, due
	return p
}

func held(w *world) {
	w.add(w.held("h", "t", "turn", time.Time{}), w.held("due", "t", "digest", w.now.Add(time.Minute)))
	w.queue("t", "j")
	w.want("when to ask", w.claims(0).Next.Equal(w.now), true)
	w.settle(w.claimed("held jobs are in no lane", "j")["j"], store.Delivered)
	c := w.claims(10)
	w.want("no hold is due", len(c.Holds), 0)
	w.want("when to ask again", c.Next.Equal(w.now.Add(time.Minute)), true)
	w.reopen()
	w.now = w.now.Add(time.Hour)
	c = w.claims(10)
	if len(c.Jobs) != 0 || len(c.Holds) != 1 || c.Holds[0].Job != "due" || c.Holds[0].Reason != "policy" {
		w.Errorf("an hour later: %+v", c)
	}
	w.want("told once", len(w.claims(10).Holds), 0)
	w.add(w.change(c.Holds[0], 0, store.Pending, "freed"))
	w.claimed("it stands in its lane now", "due")
	w.now = w.now.Add(1000 * time.Hour)
	w.want("one without a time is never told", len(w.claims(10).Holds), 0)
}

func release(w *world) {
	w.add(w.held("h1", "t", "a/1", time.Time{}))
	w.add(w.held("other", "t", "a/2", time.Time{}))
	w.add(w.held("h2", "t", "a/1", time.Time{}), w.held("u1", "u", "a/1", time.Time{}))
	w.queue("t", "j")
	w.commit(store.Commit{Session: "a", Records: []ledger.Record{message("done")}, Release: "a/1", Jobs: []store.Put{w.pending("last", "t")}})
	want := []string{"j", "last", "h1", "h2"}
	got := strings.Fields(w.listed(store.Filter{Target: "t"}))
	slices.Sort(got)
	sorted := slices.Sorted(slices.Values(append(slices.Clone(want), "other")))
	w.want("listed", got, sorted)
	w.reopen()
	var order []string
	for range want {
		c := w.claim()
		for name, j := range c {
			if j.Row.Target == "t" {
				order = append(order, name)
			}
			w.settle(j, store.Delivered)
		}
	}
	at := func(name string) int { return slices.Index(order, name) }
	if len(order) != 4 || at("j") != 0 || at("h1") > at("h2") || at("h1") < 0 || at("last") != 3 {
		w.Errorf("they went as %v, what the commit itself brings goes last", order)
	}
	w.want("history", w.history("h1"), "queued released delivered")
	w.want("the other one stays", w.listed(store.Filter{States: []store.State{store.Held}}), "other")
	w.commit(store.Commit{Release: "a/1"}) // nobody is held for it any more
	w.commit(store.Commit{Release: "nothing"})
}

// releaseRaces has jobs held for a turn while the turn ends: none is forgotten
// that was there before.
func releaseRaces(w *world) {
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			hold := fmt.Sprint("a/", i)
			job := "j" + hold
			if _, err := w.s.Commit(ctx, store.Commit{Jobs: []store.Put{w.held(job, "t", hold, time.Time{})}}); err != nil {
				w.Error(err)
			}
			if _, err := w.s.Commit(ctx, store.Commit{Release: hold}); err != nil {
				w.Error(err)
			}
			if r, err := w.s.Job(ctx, job); err != nil || r.State != store.Pending || r.Hold != "" {
				w.Errorf("%s is %s, %v", job, r.State, err)
			}
		})
	}
	wg.Wait()
}

func fastLane(w *world) {
	w.queue("t", "slow")
	p := w.pending("fast", "t")
	p.Row.Fast = true
	w.add(p)
	c := w.claimed("two lanes", "slow", "fast")
	w.settle(c["fast"], store.Delivered)
	w.claimed("the first one is still in flight")
}

func heads(w *world) {
	late := w.pending("late", "t")
	late.Row.Due = w.now.Add(time.Minute)
	w.add(late)
	w.queue("t", "next")
	w.queue("u", "other")
	w.claimed("a head that is not due blocks its own lane alone", "other")
	w.want("when to ask again", w.claims(1).Next.Equal(w.now.Add(time.Minute)), true)
	w.now = w.now.Add(time.Minute)
	w.settle(w.claimed("now it is due", "late")["late"], store.Delivered)
	tail := w.change(w.job("next"), 0, store.Pending, "moved")
	w.queue("t", "third")
	tail.Tail = true
	w.add(tail)
	w.reopen()
	c := w.claim()
	if _, ok := c["third"]; !ok {
		w.Errorf("what went to the tail is not behind: %v", c)
	}
}

func probe(w *world) {
	w.queue("t", "first", "second", "third")
	for n := 1; n <= store.ProbeAfter; n++ {
		c := w.claimed("the head", "first")["first"]
		failed := w.change(c.Row, c.Lease, store.Pending, "failed")
		failed.Row.Attempts, failed.Row.Due = n, w.now.Add(time.Hour)
		w.add(failed)
		if n < store.ProbeAfter {
			w.claimed("it holds its lane back")
			w.now = w.now.Add(time.Hour)
		}
	}
	w.reopen()
	c := w.claimed("after four failures the next may go", "second")["second"]
	w.want("probe", c.Probe, true)
	w.claimed("but one at a time")
	w.settle(c, store.Delivered)
	w.now = w.now.Add(time.Hour)
	c = w.claimed("when it is due again it goes first", "first")["first"]
	w.want("no probe", c.Probe, false)
}

func targets(w *world) {
	w.queue("t", "j")
	w.queue("u", "k")
	until := w.now.Add(time.Minute)
	w.commit(store.Commit{Targets: []store.TargetRow{{Target: "t", Until: until, Why: "rate_limited", Failures: 2}, {Target: "u", Closed: true, Why: "gone"}}})
	w.claimed("neither may go")
	for range 2 {
		all, err := w.s.Targets(ctx)
		w.must(err)
		if len(all) != 2 || all[0].Target != "t" || !all[0].Until.Equal(until) || all[0].Failures != 2 || all[0].Pending != 1 || !all[1].Closed || all[1].Oldest.IsZero() {
			w.Errorf("targets are %+v", all)
		}
		w.reopen()
	}
	w.want("when to ask again", w.claims(1).Next.Equal(until), true)
	w.now = until
	w.claimed("its time has come", "j")
	w.commit(store.Commit{Targets: []store.TargetRow{{Target: "u"}}})
	w.claimed("it was opened", "k")
}

func finished(w *world) {
	w.queue("t", "a", "b", "c")
	for i, state := range []store.State{store.Delivered, store.DeadLetter, store.Discarded} {
		name := string(rune('a' + i))
		w.now = w.now.Add(time.Second)
		c := w.claimed("the next", name)[name]
		begun := w.change(c.Row, c.Lease, store.Sending, "begun")
		begun.Keep = true
		w.add(begun)
		w.settle(c, state)
	}
	for range 2 {
		w.claimed("all are done")
		w.want("live", w.listed(store.Filter{}), "")
		w.want("the latest first", w.listed(store.Filter{States: []store.State{store.Delivered, store.DeadLetter, store.Discarded}}), "c b a")
		w.want("dead", w.listed(store.Filter{States: []store.State{store.DeadLetter}}), "b")
		w.want("history", w.history("a"), "queued begun delivered")
		r := w.job("a")
		if r.State != store.Delivered || r.Digest != "d-a" || r.Kind != "assistant" || r.Target != "t" || !r.Updated.Equal(w.now.Add(-2*time.Second)) {
			w.Errorf("a is %+v", r)
		}
		w.want("nothing is live", w.s.Health(ctx).Live, 0)
		w.reopen()
	}
	again := w.change(w.job("b"), 0, store.Pending, "replayed")
	again.Row.Due = w.now
	w.add(again)
	w.claimed("a dead letter may be replayed", "b")
	w.want("history", w.history("b"), "queued begun dead_letter replayed")
}

func lists(w *world) {
	w.queue("t2", "b1", "b2")
	w.queue("t1", "a1")
	h := w.held("h", "t1", "turn", time.Time{})
	w.add(h)
	w.claim()
	for range 2 {
		w.want("all", w.listed(store.Filter{}), "a1 h b1 b2")
		w.want("one target", w.listed(store.Filter{Target: "t2"}), "b1 b2")
		w.want("held", w.listed(store.Filter{States: []store.State{store.Held}}), "h")
		w.want("a hold", w.listed(store.Filter{Hold: "turn"}), "h")
		w.want("a reason", w.listed(store.Filter{Reason: "policy"}), "h")
		w.want("nothing", w.listed(store.Filter{Reason: "other"}), "")
		w.reopen()
	}
}

func changed(w *world) {
	drain := func() bool {
		select {
		case <-w.s.Changed():
			return true
		default:
			return false
		}
	}
	drain()
	w.queue("t", "j")
	w.want("a new job is signalled", drain(), true)
	w.commit(store.Commit{Targets: []store.TargetRow{{Target: "t", Closed: true}}})
	w.want("a target too", drain(), true)
	c := w.claims(1)
	w.want("closed", len(c.Jobs), 0)
	w.want("nothing to wait for", c.Next.IsZero(), true)
}

func reopen(w *world) {
	w.queue("t", "j1", "j2", "j3")
	w.settle(w.claim()["j1"], store.Delivered)
	for range 3 {
		w.reopen()
		w.want("lane", w.listed(store.Filter{}), "j2 j3")
	}
	w.want("health", w.s.Health(ctx).Live, 2)
	if h := w.s.Health(ctx); h.ReadOnly != nil || h.NewWork != nil || len(h.Torn) != 0 {
		w.Errorf("health is %+v", h)
	}
}

func closed(w *world) {
	w.queue("t", "j")
	w.must(w.s.Close())
	w.must(w.s.Close())
	w.refused(store.Commit{Jobs: []store.Put{w.pending("k", "t")}}, store.Closed, "a store that is closed")
	if _, err := w.s.Claim(ctx, w.now, 1); !errors.Is(err, store.Closed) {
		w.Errorf("claim: %v", err)
	}
	if _, err := w.s.Job(ctx, "j"); !errors.Is(err, store.Closed) {
		w.Errorf("job: %v", err)
	}
	for _, err := range w.s.Read(ctx, "a", 1) {
		w.want("read", errors.Is(err, store.Closed), true)
	}
}
