package core_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/ledger"
)

func begin(t *testing.T, c *core.Core, session, key string) *core.Turn {
	t.Helper()
	s, err := c.Session(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	turn, err := s.Begin(t.Context(), core.TurnOptions{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// jobs are the ids of the jobs in some states.
func jobs(t *testing.T, c *core.Core, states ...core.JobState) string {
	t.Helper()
	var out []string
	for j, err := range c.Jobs(t.Context(), core.JobFilter{States: states}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, j.ID+" "+j.Reason)
	}
	return strings.TrimSpace(strings.Join(out, ", "))
}

var whenComplete = core.Posture{Cadence: core.OnCompletion}

// TestCrashedTurn has what was held for a turn that no one ended go when the home
// is opened again.
func TestCrashedTurn(t *testing.T) {
	home := t.TempDir()
	c := open(t, home)
	turn := begin(t, c, "demo", "")
	ids, err := turn.Deliver(t.Context(), core.Draft{Markdown: "first"}, core.Delivery{Target: "log:a", Posture: whenComplete})
	if err != nil || jobs(t, c) != ids[0]+" until_complete" {
		t.Fatalf("%v, %v, %s", ids, err, jobs(t, c))
	}
	c.Close()
	c = open(t, home)
	logged(t, home, "a", "first\n")
	var last ledger.Record
	s, _ := c.Session(t.Context(), "demo")
	for b, err := range s.Lines(t.Context(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		r, err := ledger.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if r.Body.Kind() != ledger.KindPresentation { // that of a job comes when it is rendered
			last = r
		}
	}
	if end, ok := last.Body.(*ledger.Turn); !ok || end.Phase != ledger.End || end.Status != ledger.Partial || last.Turn != turn.ID() {
		t.Errorf("the turn ends with %+v of turn %v", last.Body, last.Turn)
	}
}

// TestHeldUntilComplete has what was held for a turn go before the answer that
// ends it.
func TestHeldUntilComplete(t *testing.T) {
	home := t.TempDir()
	c := open(t, home)
	turn := begin(t, c, "demo", "")
	for _, text := range []string{"one", "two"} {
		if _, err := turn.Deliver(t.Context(), core.Draft{Markdown: text}, core.Delivery{Target: "log:a", Posture: whenComplete}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := turn.Deliver(t.Context(), core.Draft{Markdown: "now", Alert: &core.Alert{Severity: core.Info}}, core.Delivery{Target: "log:b", Posture: whenComplete}); err != nil {
		t.Fatal(err)
	}
	logged(t, home, "b", "Notice\n\nnow\n") // an alert waits for nobody
	if _, err := turn.Complete(t.Context(), core.Draft{Markdown: "done"}, core.Delivery{Target: "log:a", Posture: whenComplete}); err != nil {
		t.Fatal(err)
	}
	logged(t, home, "a", "one\ntwo\ndone\n")
	if _, err := turn.Append(t.Context(), &ledger.Message{Role: ledger.User}); !errors.Is(err, core.ErrTurn) {
		t.Errorf("an ended turn takes a record: %v", err)
	}
	if _, err := turn.Deliver(t.Context(), core.Draft{Markdown: "x"}, core.Delivery{Target: "log:a"}); !errors.Is(err, core.ErrTurn) {
		t.Errorf("an ended turn delivers: %v", err)
	}
}

// TestDeliverOnce has a delivery's id stand for its content.
func TestDeliverOnce(t *testing.T) {
	home := t.TempDir()
	c := open(t, home)
	to := core.Delivery{Target: "log:a", ID: "x"}
	for range 2 {
		if ids, err := c.Deliver(t.Context(), core.Draft{Markdown: "text"}, to); err != nil || ids[0] != "x" {
			t.Fatalf("%v, %v", ids, err)
		}
	}
	logged(t, home, "a", "text\n")
	c.Close()
	c = open(t, home)
	if _, err := c.Deliver(t.Context(), core.Draft{Markdown: "text"}, to); err != nil {
		t.Errorf("the same after a restart: %v", err)
	}
	if _, err := c.Deliver(t.Context(), core.Draft{Markdown: "other"}, to); !errors.Is(err, core.ErrConflict) {
		t.Errorf("other content: %v", err)
	}
	if _, err := c.Deliver(t.Context(), core.Draft{Markdown: "text"}, core.Delivery{Target: "log:b", ID: "x"}); !errors.Is(err, core.ErrConflict) {
		t.Errorf("another target: %v", err)
	}
	if ids, err := c.Deliver(t.Context(), core.Draft{Markdown: "text"}, core.Delivery{Target: "log:a"}); err != nil || ids[0] == "x" {
		t.Errorf("equal text without an id is another delivery: %v, %v", ids, err)
	}
	logged(t, home, "a", "text\ntext\n")
}

// TestRefused has nothing accepted of what cannot be delivered.
func TestRefused(t *testing.T) {
	c := open(t, t.TempDir())
	good := core.Delivery{Target: "log:a"}
	for _, k := range []struct {
		draft core.Draft
		to    []core.Delivery
		kind  error
		why   string
	}{
		{core.Draft{Markdown: "a"}, nil, core.ErrDelivery, "no target"},
		{core.Draft{Markdown: "a"}, []core.Delivery{good, {Target: "log"}}, core.ErrTarget, "no address"},
		{core.Draft{Markdown: "a"}, []core.Delivery{good, {Target: "log:../x"}}, core.ErrTarget, "an address with a slash too many"},
		{core.Draft{Markdown: "a"}, []core.Delivery{good, {Target: "log:..%2Fx"}}, core.ErrTarget, "an address that the surface has not"},
		{core.Draft{Markdown: "a"}, []core.Delivery{good, {Target: "fax:1"}}, core.ErrUnknownSurface, "a surface that there is not"},
		{core.Draft{Markdown: "a"}, []core.Delivery{good, {Target: "log:b", ID: "a b"}}, core.ErrDelivery, "an id with a space"},
		{core.Draft{Markdown: "a"}, []core.Delivery{{Target: "log:a", ID: "x"}, {Target: "log:b", ID: "x"}}, core.ErrDelivery, "an id twice"},
		{core.Draft{Markdown: "a"}, []core.Delivery{{Target: "log:a", Posture: core.Posture{Cadence: "hourly"}}}, core.ErrDelivery, "a cadence that there is not"},
		{core.Draft{Markdown: "a"}, []core.Delivery{{Target: "log:a", Posture: core.Posture{Urgency: "now"}}}, core.ErrDelivery, "an urgency that there is not"},
		{core.Draft{Markdown: strings.Repeat("a", core.MaxSource+1)}, []core.Delivery{good}, core.ErrTooLarge, "more than 4 MiB"},
		{core.Draft{Markdown: "a", Kind: "internal"}, []core.Delivery{good}, core.ErrDraft, "a kind that goes to nobody"},
	} {
		if _, err := c.Deliver(t.Context(), k.draft, k.to...); !errors.Is(err, k.kind) {
			t.Errorf("%s: %v", k.why, err)
		}
	}
	if left := jobs(t, c, core.JobStates...); left != "" {
		t.Errorf("accepted all the same: %s", left)
	}
	if ids, err := c.Sessions(t.Context()); err != nil || len(ids) != 0 {
		t.Errorf("sessions %v, %v", ids, err)
	}
	for _, id := range []string{"", ".", "a/b", "a b", strings.Repeat("x", 65)} {
		if _, err := c.Session(t.Context(), id); !errors.Is(err, core.ErrSession) {
			t.Errorf("session %q: %v", id, err)
		}
	}
}

// TestReadOnly has a core without a home keep nothing.
func TestReadOnly(t *testing.T) {
	c, err := core.Open(t.Context(), core.Config{ReadOnly: true, Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Deliver(t.Context(), core.Draft{Markdown: "a"}, core.Delivery{Target: "log:a"}); !errors.Is(err, core.ErrReadOnly) {
		t.Errorf("deliver: %v", err)
	}
	if _, err := c.Session(t.Context(), "a"); !errors.Is(err, core.ErrReadOnly) {
		t.Errorf("session: %v", err)
	}
}

// TestTurnBegunTwice has two callers begin one turn: once one has ended it, it is over
// for the other.
func TestTurnBegunTwice(t *testing.T) {
	c := open(t, t.TempDir())
	one, two := begin(t, c, "demo", "k"), begin(t, c, "demo", "k")
	if one.ID() != two.ID() {
		t.Fatalf("%v and %v", one.ID(), two.ID())
	}
	if err := one.End(t.Context(), ledger.Cancelled, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Append(t.Context(), &ledger.Message{Role: ledger.User, Markdown: "late"}); !errors.Is(err, core.ErrTurn) {
		t.Errorf("Append to a turn that is over: %v", err)
	}
	if _, err := two.Deliver(t.Context(), core.Draft{Markdown: "late"}, core.Delivery{Target: "log:a"}); !errors.Is(err, core.ErrTurn) {
		t.Errorf("Deliver in a turn that is over: %v", err)
	}
	if err := begin(t, c, "demo", "k").End(t.Context(), ledger.Cancelled, ""); !errors.Is(err, core.ErrTurn) {
		t.Errorf("End of a turn that is over: %v", err)
	}
}
