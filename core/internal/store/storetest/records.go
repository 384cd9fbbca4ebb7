package storetest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

func seq(n ledger.Seq) *ledger.Seq { return &n }

func records(w *world) {
	w.want("a session that is not there", w.texts("none", 1), "[]")
	first := w.commit(store.Commit{Session: "a", Records: []ledger.Record{message("one"), message("two\n\"2\" <é>\xff")}})
	second := w.commit(store.Commit{Session: "a", Records: []ledger.Record{message("three")}})
	other := w.commit(store.Commit{Session: "b", Records: []ledger.Record{message("four")}})
	w.want("first", first.First, 1)
	w.want("second", second.First, 3)
	w.want("another session", other.First, 1)
	if !(first.Number < second.Number && second.Number < other.Number) {
		w.Errorf("commits are %d, %d, %d", first.Number, second.Number, other.Number)
	}
	for range 2 {
		w.want("from 1", w.texts("a", 1), []string{"one", "two\n\"2\" <é>\xff", "three"})
		w.want("from 3", w.texts("a", 3), "[three]")
		w.want("behind the end", w.texts("a", 4), "[]")
		head, err := w.s.Head(ctx, "a")
		w.want("head", fmt.Sprint(head, err), "3 <nil>")
		head, err = w.s.Head(ctx, "none")
		w.want("no head", fmt.Sprint(head, err), "0 <nil>")
		names, err := w.s.Sessions(ctx)
		w.want("sessions", fmt.Sprint(names, err), "[a b] <nil>")
		w.reopen()
	}
	for b, err := range w.s.Read(ctx, "a", 1) { // who stops early stops
		w.must(err)
		w.want("line", strings.Contains(string(b), "one"), true)
		break
	}
}

func conflict(w *world) {
	w.commit(store.Commit{Session: "a", Expect: seq(0), Records: []ledger.Record{message("one")}})
	c := store.Commit{
		ID: "c", Session: "a", Expect: seq(0), Records: []ledger.Record{message("late")}, Jobs: []store.Put{w.pending("j", "t")},
		Targets: []store.TargetRow{{Target: "t", Closed: true}}, Begin: "a/9",
	}
	w.refused(c, store.Conflict, "the session has gone on")
	w.want("nothing is there", w.texts("a", 1), "[one]")
	w.want("no job", w.listed(store.Filter{}), "")
	all, err := w.s.Targets(ctx)
	w.want("no target", fmt.Sprint(all, err), "[] <nil>")
	open, err := w.s.OpenTurns(ctx)
	w.want("no turn", fmt.Sprint(open, err), "[] <nil>")
	c.Expect = seq(1)
	w.want("now it fits", w.commit(c).Repeated, false)
	w.reopen()
	w.want("both", w.texts("a", 1), "[one late]")
	w.refused(store.Commit{Session: "a", Expect: seq(5)}, store.Conflict, "a commit without records may rely on a session too")
}

func idempotent(w *world) {
	c := store.Commit{ID: "once", Session: "a", Records: []ledger.Record{message("one")}, Jobs: []store.Put{w.pending("j", "t")}}
	first := w.commit(c)
	w.commit(store.Commit{Session: "a", Records: []ledger.Record{message("two")}})
	for range 2 {
		again := w.commit(c)
		w.want("the same", again, store.Committed{Number: first.Number, First: first.First, Repeated: true})
		w.want("once", w.texts("a", 1), "[one two]")
		w.reopen()
	}
	var wg sync.WaitGroup
	results := make([]store.Committed, 8)
	for i := range results {
		wg.Go(func() {
			done, err := w.s.Commit(ctx, store.Commit{ID: "race", Session: "b", Records: []ledger.Record{message("one")}})
			if err != nil {
				w.Error(err)
			}
			results[i] = done
		})
	}
	wg.Wait()
	fresh := 0
	for _, r := range results {
		if r.Number != results[0].Number {
			w.Errorf("two commits under one id: %v", results)
		}
		if !r.Repeated {
			fresh++
		}
	}
	w.want("commits that were made", fresh, 1)
	w.want("at once", w.texts("b", 1), "[one]")
}

func invalid(w *world) {
	long := strings.Repeat("x", store.MaxID+1)
	none := w.pending("j", "t")
	none.Entries = nil
	state := w.pending("j", "t")
	state.Row.State = "lost"
	text := w.pending("j\xff", "t")
	for _, c := range []struct {
		c    store.Commit
		want store.Kind
		why  string
	}{
		{store.Commit{Records: []ledger.Record{message("x")}}, store.Invalid, "records without a session"},
		{store.Commit{Session: "../a", Records: []ledger.Record{message("x")}}, store.Invalid, "a session that is no name"},
		{store.Commit{Session: "a", Records: []ledger.Record{{}}}, store.Invalid, "a record without a body"},
		{store.Commit{ID: long}, store.TooLarge, "a long id"},
		{store.Commit{Jobs: []store.Put{w.pending(long, "t")}}, store.TooLarge, "a long job id"},
		{store.Commit{Jobs: []store.Put{w.pending("", "t")}}, store.Invalid, "a job without an id"},
		{store.Commit{Jobs: []store.Put{w.pending("j", "t"), w.pending("j", "t")}}, store.Invalid, "a job twice"},
		{store.Commit{Jobs: []store.Put{none}}, store.Invalid, "a change without an entry"},
		{store.Commit{Jobs: []store.Put{state}}, store.Invalid, "a state that there is not"},
		{store.Commit{Jobs: []store.Put{text}}, store.Invalid, "an id that is not UTF-8"},
		{store.Commit{Targets: []store.TargetRow{{}}}, store.Invalid, "a target without a name"},
		{store.Commit{Session: "a", Records: []ledger.Record{message(strings.Repeat("x", ledger.MaxLine))}}, store.TooLarge, "a record that is too long"},
	} {
		w.refused(c.c, c.want, c.why)
	}
	names, err := w.s.Sessions(ctx)
	w.want("no session", fmt.Sprint(names, err), "[] <nil>")
	w.want("no job", w.listed(store.Filter{}), "")
	w.commit(store.Commit{}) // says nothing, and may
}

func turns(w *world) {
	w.commit(store.Commit{Begin: "a/1"})
	w.commit(store.Commit{Begin: "b/1", Session: "b", Records: []ledger.Record{message("x")}})
	w.commit(store.Commit{Begin: "c/1", End: "a/1"})
	for range 2 {
		open, err := w.s.OpenTurns(ctx)
		w.want("open", fmt.Sprint(open, err), "[b/1 c/1] <nil>")
		w.reopen()
	}
}

func manySessions(w *world) {
	const sessions, each = 200, 5
	for i := range each {
		for s := range sessions {
			w.commit(store.Commit{Session: fmt.Sprint("s", s), Records: []ledger.Record{message(fmt.Sprint(s, ":", i))}})
		}
	}
	for range 2 {
		for s := range sessions {
			var want []string
			for i := range each {
				want = append(want, fmt.Sprint(s, ":", i))
			}
			w.want("session", w.texts(fmt.Sprint("s", s), 1), want)
		}
		w.reopen()
	}
}

func concurrentWriters(w *world) {
	const writers, each, sessions = 16, 25, 3
	var wg sync.WaitGroup
	var mu sync.Mutex
	at := map[string]string{} // session and seq: what was acknowledged there
	numbers := map[uint64]bool{}
	for i := range writers {
		wg.Go(func() {
			for n := range each {
				session, text := fmt.Sprint("s", (i+n)%sessions), fmt.Sprint(i, "-", n)
				done, err := w.s.Commit(ctx, store.Commit{Session: session, Records: []ledger.Record{message(text), message(text)},
					Jobs: []store.Put{w.pending("j"+text, "t")}})
				if err != nil {
					w.Error(err)
					return
				}
				mu.Lock()
				for k := range 2 {
					key := fmt.Sprint(session, "/", int(done.First)+k)
					if at[key] != "" {
						w.Errorf("%s was given out twice", key)
					}
					at[key] = text
				}
				if numbers[done.Number] {
					w.Errorf("commit %d was given out twice", done.Number)
				}
				numbers[done.Number] = true
				mu.Unlock()
				if got := readOne(w, session, done.First); got != text {
					w.Errorf("what was acknowledged as %q reads as %q", text, got)
				}
			}
		})
	}
	wg.Wait()
	for range 2 {
		total := 0
		for i := range sessions {
			session := fmt.Sprint("s", i)
			for n, text := range w.texts(session, 1) {
				total++
				w.want("order", text, at[fmt.Sprint(session, "/", n+1)])
			}
		}
		w.want("records", total, 2*writers*each)
		w.want("jobs", strings.Count(w.listed(store.Filter{}), "j"), writers*each)
		w.reopen()
	}
}

// readOne may run beside others, so it must not end the test.
func readOne(w *world, session string, at ledger.Seq) string {
	for b, err := range w.s.Read(ctx, session, at) {
		if err != nil {
			w.Error(err)
			return ""
		}
		r, err := ledger.Parse(b)
		if err != nil {
			w.Error(err)
			return ""
		}
		return r.Body.(*ledger.Message).Markdown
	}
	return ""
}

// commitOrder has writers that each rely on where the session is: what they read
// is what they committed, in that order.
func commitOrder(w *world) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := map[ledger.Seq]string{}
	for i := range 8 {
		wg.Go(func() {
			for n := 0; n < 20; {
				head, err := w.s.Head(ctx, "a")
				if err != nil {
					w.Error(err)
					return
				}
				text := fmt.Sprint(i, "-", n)
				done, err := w.s.Commit(ctx, store.Commit{Session: "a", Expect: seq(head), Records: []ledger.Record{message(text)}})
				if e, ok := err.(*store.Error); ok && e.Kind == store.Conflict {
					continue
				}
				if err != nil {
					w.Error(err)
					return
				}
				if done.First != head+1 {
					w.Errorf("relied on %d and got %d", head, done.First)
				}
				mu.Lock()
				won[done.First] = text
				mu.Unlock()
				n++
			}
		})
	}
	wg.Wait()
	got := w.texts("a", 1)
	w.want("records", len(got), 160)
	for i, text := range got {
		w.want("order", text, won[ledger.Seq(i+1)])
	}
}
