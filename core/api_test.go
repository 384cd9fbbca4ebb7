package core

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/control"
)

// apiOf is a core and a client of its API.
func apiOf(t *testing.T, c Config) (*Core, *control.Client) {
	t.Helper()
	c.NoControl = true
	if c.Home == "" {
		c.Home = filepath.Join(t.TempDir(), "home")
	}
	core, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { core.Close() })
	return core, control.Local(core.Handler())
}

func TestAPIDelivers(t *testing.T) {
	_, c := apiOf(t, Config{NoDelivery: true})
	ctx := t.Context()
	d := control.Delivery{Markdown: "hello", Session: "demo", TurnKey: "k", Deliveries: []control.To{{Target: "log:a"}, {Target: "log:b", ID: "odd/id:1%"}}}
	first, err := c.Deliver(ctx, d)
	if err != nil || first.Entry != "demo/2" || first.Repeated || len(first.Jobs) != 2 || first.Jobs[0].ID != "demo/1:1:log:a" || first.Jobs[1].State != control.Pending {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := c.Deliver(ctx, d)
	if err != nil || !again.Repeated || again.Entry != first.Entry || again.Jobs[0].ID != "demo/1:1:log:a" || again.Jobs[1].ID != "odd/id:1%" {
		t.Errorf("again: %+v, %v", again, err)
	}
	d.Markdown = "other"
	if _, err := c.Deliver(ctx, d); !errors.Is(err, control.Conflict) {
		t.Errorf("other content under the same key: %v", err)
	}
	alert := control.Delivery{Markdown: "fire", Alert: control.Raw(Alert{Critical}), Deliveries: []control.To{{Target: "log:a", ID: "once"}}}
	if a, err := c.Deliver(ctx, alert); err != nil || a.Repeated || a.Jobs[0].Kind != "alert" || a.Entry != "" {
		t.Errorf("an alert: %+v, %v", a, err)
	}
	if a, err := c.Deliver(ctx, alert); err != nil || !a.Repeated || len(a.Jobs) != 1 {
		t.Errorf("the same alert: %+v, %v", a, err)
	}
	alert.Session = "other"
	if a, err := c.Deliver(ctx, alert); err != nil || !a.Repeated || len(a.Jobs) != 1 {
		t.Errorf("the same alert for a session: %+v, %v", a, err)
	}
	if s, err := c.Status(ctx); err != nil || s.ReadOnly || s.PendingJobs != 3 {
		t.Errorf("status %+v, %v", s, err)
	}
	if h, err := c.History(ctx, "once"); err != nil || len(h) != 1 || h[0].Kind != "submitted" {
		t.Errorf("history %+v, %v", h, err)
	}
	if p, err := c.Packet(ctx, "once"); err != nil || p.JobID != "once" || !strings.Contains(p.FallbackMarkdown, "fire") {
		t.Errorf("packet %+v, %v", p, err)
	}
	if j, err := c.Act(ctx, control.ActHold, "odd/id:1%"); err != nil || j.State != control.Held || j.Reason != "by_hand" {
		t.Errorf("hold: %+v, %v", j, err)
	}
	if _, err := c.Act(ctx, control.ActHold, "odd/id:1%"); !errors.Is(err, control.BadState) {
		t.Errorf("hold again: %v", err)
	}
	if a, err := c.ActOn(ctx, control.ActRequest{Action: control.ActDiscard, Target: "log:a"}); err != nil || a.Count != 2 {
		t.Errorf("discard all: %+v, %v", a, err)
	}
	if all, err := c.Targets(ctx); err != nil || len(all) != 1 || all[0].Target != "log:b" || all[0].Held != 1 {
		t.Errorf("targets %+v, %v", all, err)
	}
	if s, err := c.Sessions(ctx); err != nil || len(s) != 2 || s[0].ID != "demo" || s[0].Records != 3 || s[0].Last.IsZero() {
		t.Errorf("sessions %+v, %v", s, err)
	}
	if v, err := c.Verify(ctx, ""); err != nil || len(v) != 2 || !v[0].OK || !v[1].OK {
		t.Errorf("verify %+v, %v", v, err)
	}
}

// TestAPIRefuses holds that what is refused leaves nothing behind.
func TestAPIRefuses(t *testing.T) {
	c, client := apiOf(t, Config{NoDelivery: true})
	to := func(target, id string) []control.To { return []control.To{{Target: target, ID: id}} }
	for _, k := range []struct {
		d    control.Delivery
		kind control.Kind
		why  string
	}{
		{control.Delivery{Markdown: "x"}, control.Invalid, "no target"},
		{control.Delivery{Markdown: "x", Deliveries: to("nowhere:a", "")}, control.UnknownSurface, "a surface that nobody has"},
		{control.Delivery{Markdown: "x", Deliveries: to("log", "")}, control.Invalid, "half a target"},
		{control.Delivery{Markdown: "x", Deliveries: to("log:..%2Fx", "")}, control.Invalid, "an address that the surface has not"},
		{control.Delivery{Markdown: "x", Deliveries: to("log:a", "a b")}, control.Invalid, "an id with a space"},
		{control.Delivery{Markdown: "x", Deliveries: append(to("log:a", "a"), to("log:b", "a")...)}, control.Invalid, "an id for two"},
		{control.Delivery{Markdown: "x", Deliveries: append(to("log:a", "a"), to("nowhere:b", "")...)}, control.UnknownSurface, "one good and one bad"},
		{control.Delivery{Markdown: "x", Deliveries: []control.To{{Target: "log:a", Cadence: "hourly"}}}, control.Invalid, "an unknown cadence"},
		{control.Delivery{Markdown: "x", Kind: "system", Deliveries: to("log:a", "")}, control.Invalid, "a kind that never goes out"},
		{control.Delivery{Markdown: "x", Kind: "user", Alert: json.RawMessage(`{"severity":"info"}`), Deliveries: to("log:a", "")}, control.Invalid, "a kind and another content"},
		{control.Delivery{Alert: json.RawMessage(`{"severity":"mild"}`), Deliveries: to("log:a", "")}, control.Invalid, "no severity"},
		{control.Delivery{Alert: json.RawMessage(`{"severity":"info","extra":1}`), Deliveries: to("log:a", "")}, control.BadRequest, "an unknown member"},
		{control.Delivery{Markdown: "x", MarkdownB64: []byte("y"), Deliveries: to("log:a", "")}, control.Invalid, "two texts"},
		{control.Delivery{Markdown: "x", TurnKey: "k", Deliveries: to("log:a", "")}, control.Invalid, "a turn of no session"},
		{control.Delivery{Markdown: "x", Session: "../etc", Deliveries: to("log:a", "")}, control.Invalid, "no session"},
		{control.Delivery{Markdown: "x", Session: "s", TurnKey: strings.Repeat("k", maxKey+1), Deliveries: to("log:a", "")}, control.Invalid, "a long key"},
		{control.Delivery{Markdown: strings.Repeat("x", MaxSource+1), Deliveries: to("log:a", "")}, control.TooLarge, "a long text"},
		{control.Delivery{Markdown: "x", Session: "s", Deliveries: to("nowhere:a", "")}, control.UnknownSurface, "a turn that could not be completed"},
	} {
		if _, err := client.Deliver(t.Context(), k.d); !errors.Is(err, k.kind) {
			t.Errorf("%s: %v", k.why, err)
		}
	}
	if ids, err := c.Sessions(t.Context()); err != nil || len(ids) > 0 {
		t.Errorf("left: %v, %v", ids, err)
	}
	for j, err := range client.Jobs(t.Context(), control.JobFilter{States: control.JobStates}) {
		t.Errorf("left: %+v, %v", j, err)
	}
	ro, err := Open(t.Context(), Config{Home: c.Home(), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	if _, err := control.Local(ro.Handler()).Deliver(t.Context(), control.Delivery{Markdown: "x", Deliveries: to("log:a", "")}); !errors.Is(err, control.NotRunning) {
		t.Errorf("a core that keeps nothing: %v", err)
	}
	if s, err := control.Local(ro.Handler()).Status(t.Context()); err != nil || !s.ReadOnly || s.Why == "" {
		t.Errorf("its status: %+v, %v", s, err)
	}
}

// TestDoctorKeeps has the doctor look at an outbox with something of everything,
// and at a session that was changed.
func TestDoctorKeeps(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	_, client := apiOf(t, Config{Home: home, NoDelivery: true})
	for _, id := range []string{"goes", "held", "dead"} {
		if _, err := client.Deliver(t.Context(), control.Delivery{Markdown: "hello", Session: "demo", Deliveries: []control.To{{Target: "log:a", ID: id}}}); err != nil {
			t.Fatal(err)
		}
	}
	client.Act(t.Context(), control.ActHold, "held")
	client.Act(t.Context(), control.ActDead, "dead")
	find := func(r control.Report, name string) control.Check {
		i := slices.IndexFunc(r.Checks, func(c control.Check) bool { return c.Name == name })
		if i < 0 {
			return control.Check{}
		}
		return r.Checks[i]
	}
	r, err := client.Doctor(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]string{
		"journal":      {"ok", "can be written"},
		"disk":         {"", "free"},
		"outbox":       {"ok", "1 pending, 0 sending, the oldest waits for 0s; held: 1 by_hand"},
		"dead letters": {"warn", "1 by_hand"},
		"ledger":       {"ok", "1 session with 9 records, all in order"},
	} {
		if c := find(r, name); want[0] != "" && string(c.Result) != want[0] || !strings.Contains(c.What, want[1]) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if r, _ := client.Doctor(t.Context(), false); find(r, "ledger").Name != "" {
		t.Error("sessions are read although nobody asked for it")
	}
	path := filepath.Join(home, "sessions", "demo.jsonl")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(b), "hello", "jello", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err = client.Doctor(t.Context(), true)
	if err != nil || r.OK || find(r, "session demo").Result != control.Fail || find(r, "ledger").Result != control.Fail {
		t.Errorf("a changed session: %+v, %v", r.Checks, err)
	}
}

// TestAPIKey makes the same request twice: it is carried out once.
func TestAPIKey(t *testing.T) {
	c, who := apiOf(t, Config{NoDelivery: true})
	for _, session := range []string{"", "demo"} {
		d := control.Delivery{Markdown: "hello", Session: session, Key: "k" + session, Deliveries: []control.To{{Target: "log:a"}, {Target: "log:b", ID: "own" + session}}}
		first, err := who.Deliver(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		again, err := who.Deliver(t.Context(), d)
		if err != nil || !again.Repeated || again.Jobs[0].ID != first.Jobs[0].ID || again.Jobs[1].ID != first.Jobs[1].ID || again.Entry != first.Entry {
			t.Errorf("in session %q: %+v, %v; first %+v", session, again, err, first)
		}
	}
	n := 0
	for _, err := range c.Jobs(t.Context(), JobFilter{}) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 4 {
		t.Errorf("%d jobs, want 4", n)
	}
}
