package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/core/packet"
)

// kept is the part of a fake that keeps things.
type kept struct {
	lock     sync.Mutex
	jobs     []Job
	got      []Delivery
	acted    []string
	sessions map[string][][]byte
}

func (k *kept) Deliver(_ context.Context, d Delivery) (Accepted, error) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.got = append(k.got, d)
	switch d.Session {
	case "conflict":
		return Accepted{}, &Error{Kind: Conflict, What: "it was", Mend: "use another"}
	case "full":
		return Accepted{}, &Error{Kind: Full, What: "no room"}
	}
	return Accepted{Jobs: []Job{{ID: "j"}}}, nil
}

func (k *kept) Jobs(_ context.Context, f JobFilter) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		k.lock.Lock()
		all := slices.Clone(k.jobs)
		k.lock.Unlock()
		slices.SortStableFunc(all, func(a, b Job) int {
			if a.State.Live() != b.State.Live() {
				return map[bool]int{true: -1, false: 1}[a.State.Live()]
			}
			if !a.State.Live() {
				return b.Updated.Compare(a.Updated)
			}
			return strings.Compare(a.Target, b.Target)
		})
		for _, j := range all {
			is := j.State.Live()
			if len(f.States) > 0 {
				is = slices.Contains(f.States, j.State)
			}
			if is && (f.Target == "" || f.Target == j.Target) && (f.Reason == "" || f.Reason == j.Reason) && !yield(j, nil) {
				return
			}
		}
	}
}

func (k *kept) Job(_ context.Context, id string) (Job, error) {
	k.lock.Lock()
	defer k.lock.Unlock()
	for _, j := range k.jobs {
		if j.ID == id {
			return j, nil
		}
	}
	return Job{}, &Error{Kind: NotFound, What: fmt.Sprintf("there is no job %q", id)}
}

func (k *kept) History(ctx context.Context, id string) ([]JobEvent, error) {
	_, err := k.Job(ctx, id)
	return []JobEvent{{Kind: "submitted", Body: json.RawMessage(`{"job":"<x>"}`)}}, err
}

func (k *kept) Packet(ctx context.Context, id string) (packet.Packet, error) {
	_, err := k.Job(ctx, id)
	return packet.Packet{JobID: id, Surface: "log"}, err
}

func (k *kept) Act(ctx context.Context, a Action, id string) (Job, error) {
	j, err := k.Job(ctx, id)
	if err != nil {
		return j, err
	}
	if j.Reason == "by_hand" {
		return j, &Error{Kind: BadState, What: "no"}
	}
	if j.Reason == "unreadable" {
		return j, &Error{Kind: Store, What: "broken"}
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	k.acted = append(k.acted, string(a)+" "+id)
	return j, nil
}

func (k *kept) Targets(context.Context) ([]Target, error) {
	k.lock.Lock()
	defer k.lock.Unlock()
	var out []Target
	for _, j := range k.jobs {
		if !slices.ContainsFunc(out, func(t Target) bool { return t.Target == j.Target }) {
			out = append(out, Target{Target: j.Target})
		}
	}
	slices.SortFunc(out, func(a, b Target) int { return strings.Compare(a.Target, b.Target) })
	return out, nil
}

func (k *kept) Sessions(context.Context) ([]Session, error) {
	var out []Session
	for id, l := range k.sessions {
		out = append(out, Session{ID: id, Records: ledger.Seq(len(l))})
	}
	slices.SortFunc(out, func(a, b Session) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

func (k *kept) Records(_ context.Context, session string, from ledger.Seq) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i, l := range k.sessions[session] {
			if ledger.Seq(i+1) >= from && !yield(l, nil) {
				return
			}
		}
	}
}

// odd are ids of jobs that a path could take for something else.
var odd = []string{"demo/1:1:log:answers", "..", ".", "act", "a%2Fb", "a?b#c", "history", "//", "%", "+&=;"}

func TestOddIDs(t *testing.T) {
	for name, c := range clientsOf(t, func() *fake {
		f := &fake{}
		for _, id := range odd {
			f.jobs = append(f.jobs, Job{ID: id, Target: "log:a", State: Pending})
		}
		return f
	}) {
		for _, id := range odd {
			if j, err := c.Job(t.Context(), id); err != nil || j.ID != id {
				t.Errorf("%s: job %q: %+v, %v", name, id, j, err)
			}
			if h, err := c.History(t.Context(), id); err != nil || len(h) != 1 || string(h[0].Body) != `{"job":"<x>"}` && string(h[0].Body) != `{"job":"\u003cx\u003e"}` {
				t.Errorf("%s: history of %q: %s, %v", name, id, h, err)
			}
			if p, err := c.Packet(t.Context(), id); err != nil || p.JobID != id {
				t.Errorf("%s: packet of %q: %v, %v", name, id, p.JobID, err)
			}
			if j, err := c.Act(t.Context(), ActRetry, id); err != nil || j.ID != id {
				t.Errorf("%s: retry of %q: %+v, %v", name, id, j, err)
			}
		}
		if _, err := c.Job(t.Context(), "nope"); !errors.Is(err, NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// clientsOf are the two ways to ask a fake.
func clientsOf(t *testing.T, make func() *fake) map[string]*Client {
	t.Helper()
	out := map[string]*Client{"local": Local(Handler(make(), hclog.NewNullLogger()))}
	if Available {
		out["socket"] = Dial(serve(t, Handler(make(), hclog.NewNullLogger()), nil).Path())
	}
	return out
}

func TestDeliver(t *testing.T) {
	f := &fake{}
	c := Local(Handler(f, hclog.NewNullLogger()))
	big := strings.Repeat("\x01", 4<<20) // every byte is escaped
	for _, d := range []Delivery{
		{Markdown: "a <b> & \u2028", Kind: "user", Deliveries: []To{{Target: "log:a", ID: "1", Cadence: "digest", Urgency: "ambient"}}, Session: "s", TurnKey: "k"},
		{Markdown: big},
		{Alert: json.RawMessage(`{"severity":"info"}`)},
	} {
		f.got = nil
		if _, err := c.Deliver(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if want, got := fmt.Sprintf("%+v", d), fmt.Sprintf("%+v", f.got[0]); want != got {
			t.Errorf("%.200s arrives as %.200s", want, got)
		}
	}
	f.got = nil
	if _, err := c.Deliver(t.Context(), Delivery{Markdown: "a\xff"}); err != nil || string(f.got[0].MarkdownB64) != "a\xff" || f.got[0].Markdown != "" {
		t.Errorf("bytes arrive as %+v, %v", f.got, err)
	}
	for session, kind := range map[string]Kind{"conflict": Conflict, "full": Full} {
		if _, err := c.Deliver(t.Context(), Delivery{Session: session}); !errors.Is(err, kind) {
			t.Errorf("%s: %v", session, err)
		}
	}
}

// TestRefused holds what cannot be meant to a problem that holds nothing of it.
func TestRefused(t *testing.T) {
	f := &fake{}
	f.jobs = []Job{{ID: "a", Target: "log:a", State: Pending}}
	h := Handler(f, hclog.NewNullLogger())
	for _, c := range []struct {
		method, path, body string
		status             int
		says, why          string
	}{
		{"POST", "/v1/deliveries", `{"markdown":"secret","also":1}`, 400, `unknown member \"also\"`, "a member that nobody knows"},
		{"POST", "/v1/deliveries", `{"markdown":["secret"]}`, 400, `cannot take the array in \"markdown\"`, "a type that does not fit"},
		{"POST", "/v1/deliveries", `{"deliveries":[{"target":"log:a","to":"secret"}]}`, 400, `unknown member \"to\"`, "one below"},
		{"POST", "/v1/deliveries", `{"markdown":"secret"`, 400, "no whole JSON", "half of it"},
		{"POST", "/v1/deliveries", `{} {}`, 400, "behind", "two of it"},
		{"POST", "/v1/deliveries", ``, 400, "no body", "none of it"},
		{"POST", "/v1/deliveries", `secret`, 400, "is no JSON", "none at all"},
		{"POST", "/v1/deliveries", "{\"markdown\":\"secret\xff\"}", 400, "not UTF-8", "bytes"},
		{"POST", "/v1/deliveries", `{"markdown_b64":"secret!"}`, 400, "cannot be read", "no base64"},
		{"POST", "/v1/deliveries", strings.Repeat(" ", maxDelivery+1), 413, "", "without end"},
		{"POST", "/v1/deliveries", `{"session":"full"}`, 507, "no room", "a full disk"},
		{"POST", "/v1/deliveries", `{"session":"conflict"}`, 409, "it was", "other content"},
		{"GET", "/v1/deliveries", "", 405, "use POST", "looking"},
		{"GET", "/v1/jobs?state=gone", "", 422, "there is no state", "an unknown state"},
		{"GET", "/v1/jobs?target=nowhere", "", 422, "surface:address", "no target"},
		{"GET", "/v1/jobs?reason=why", "", 422, "there is no reason", "an unknown reason"},
		{"GET", "/v1/jobs?limit=1001", "", 422, "use 1 to 1000", "a page too large"},
		{"GET", "/v1/jobs?limit=-1", "", 422, "use 1 to 1000", "less than nothing"},
		{"GET", "/v1/jobs?after=x", "", 422, "after", "a cursor of one's own"},
		{"GET", "/v1/jobs?state=pending&taget=log:a", "", 422, "taget", "a filter that would choose all for a slip"},
		{"GET", "/v1/jobs/act/retry", "", 405, "use POST", "looking must change nothing"},
		{"POST", "/v1/jobs/a/explode", "", 404, "", "an unknown action"},
		{"POST", "/v1/jobs/act", `{"action":"explode","state":["held"]}`, 422, "no action", "an unknown one for many"},
		{"POST", "/v1/jobs/act", `{"action":"retry"}`, 422, "nothing says which", "all jobs there are, for a slip"},
		{"POST", "/v1/jobs/act", `{"action":"retry","state":["held"],"limit":10001}`, 422, "limit", "more than may be"},
		{"GET", "/v1/sessions/nope/records", "", 404, "no session", "an unknown session"},
		{"GET", "/v1/sessions/..%2Fx/records", "", 404, "no session", "a way out"},
		{"GET", "/v1/sessions/demo/records?from=0", "", 422, "from", "before the first"},
		{"GET", "/v1/ledger/verify?session=nope", "", 404, "no session", "an unknown session"},
		{"GET", "/v1/doctor?full=perhaps", "", 422, "true or false", "neither yes nor no"},
	} {
		r, err := http.NewRequest(c.method, "http://vak"+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		a, err := local{h}.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(a.Body)
		var p problem
		if json.Unmarshal(b, &p) != nil || a.StatusCode != c.status || p.Kind == "" || !strings.Contains(string(b), c.says) || strings.Contains(string(b), "secret") {
			t.Errorf("%s: %d %s", c.why, a.StatusCode, b)
		}
	}
	if len(f.acted) > 0 {
		t.Errorf("done: %v", f.acted)
	}
}

// many are jobs of a few targets in all states.
func many(n int) []Job {
	out := make([]Job, n)
	for i := range out {
		out[i] = Job{ID: fmt.Sprint(i), Target: fmt.Sprintf("log:%d", i%7), State: JobStates[i%len(JobStates)], Updated: time.Unix(int64(i), 0)}
	}
	return out
}

func TestPages(t *testing.T) {
	f := &fake{}
	f.jobs = many(2500)
	c := Local(Handler(f, hclog.NewNullLogger()))
	for _, filter := range []JobFilter{{}, {States: JobStates}, {States: []JobState{DeadLetter, Held}}, {Target: "log:3"}, {States: []JobState{Delivered}, Target: "log:2"}} {
		var want, got []string
		for j := range f.Jobs(t.Context(), filter) {
			want = append(want, j.ID)
		}
		for after := ""; ; {
			p, err := c.JobPage(t.Context(), filter, 77, after)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Jobs) > 77 {
				t.Fatalf("a page of %d", len(p.Jobs))
			}
			for _, j := range p.Jobs {
				got = append(got, j.ID)
			}
			if after = p.Next; after == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %d jobs, want %d", filter, len(got), len(want))
		}
		n := 0
		for _, err := range c.Jobs(t.Context(), filter) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != len(want) {
			t.Errorf("%+v: %d jobs, want %d", filter, n, len(want))
		}
	}
}

// TestPagesMove has the last job of a page go on before the next is asked for.
func TestPagesMove(t *testing.T) {
	for why, move := range map[string]func(f *fake){
		"it was delivered": func(f *fake) { f.jobs = slices.Delete(f.jobs, 2, 3) },
		"it is held behind the others": func(f *fake) {
			j := f.jobs[2]
			j.State = Held
			f.jobs = append(slices.Delete(f.jobs, 2, 3), j)
		},
	} {
		f := &fake{}
		for i := range 6 {
			f.jobs = append(f.jobs, Job{ID: fmt.Sprint(i), Target: "log:a", State: Pending})
		}
		c := Local(Handler(f, hclog.NewNullLogger()))
		p, err := c.JobPage(t.Context(), JobFilter{}, 3, "")
		if err != nil || len(p.Jobs) != 3 {
			t.Fatal(p, err)
		}
		move(f)
		got := map[string]bool{}
		for after := p.Next; after != ""; after = p.Next {
			if p, err = c.JobPage(t.Context(), JobFilter{}, 10, after); err != nil {
				t.Fatal(err)
			}
			for _, j := range p.Jobs {
				got[j.ID] = true
			}
		}
		for _, id := range []string{"3", "4", "5"} {
			if !got[id] {
				t.Errorf("%s: job %s is left out", why, id)
			}
		}
	}
}

func TestActOn(t *testing.T) {
	f := &fake{}
	f.jobs = []Job{
		{ID: "1", Target: "log:a", State: Held, Reason: "digest"},
		{ID: "2", Target: "log:a", State: DeadLetter, Reason: "refused"},
		{ID: "3", Target: "log:a", State: Held, Reason: "by_hand"}, // it changes in between
		{ID: "4", Target: "log:b", State: Held, Reason: "digest"},
		{ID: "5", Target: "log:a", State: Pending},
	}
	c := Local(Handler(f, hclog.NewNullLogger()))
	for _, k := range []struct {
		q    ActRequest
		want []string
		more bool
		why  string
	}{
		{ActRequest{Action: ActRetry, Target: "log:a", DryRun: true}, []string{"1", "3", "2"}, false, "a rehearsal counts all"},
		{ActRequest{Action: ActRetry, Target: "log:a"}, []string{"1", "2"}, false, "held ones and dead letters, less one that is in another state by now"},
		{ActRequest{Action: ActRelease, Reason: "digest", Limit: 1}, []string{"1"}, true, "a limit"},
		{ActRequest{Action: ActHold, States: []JobState{Pending}}, []string{"5"}, false, "a state"},
		{ActRequest{Action: ActRelease, Target: "log:nobody"}, nil, false, "nothing"},
		{ActRequest{Action: ActRelease, States: JobStates, DryRun: true}, []string{"1", "3", "4"}, false, "all states, of which one can be released"},
		{ActRequest{Action: ActRelease, States: []JobState{Pending}}, nil, false, "none that can be"},
	} {
		f.acted = nil
		a, err := c.ActOn(t.Context(), k.q)
		if err != nil || !slices.Equal(a.IDs, k.want) || a.Count != len(k.want) || a.More != k.more {
			t.Errorf("%s: %+v, %v", k.why, a, err)
		}
		var want []string
		for _, id := range k.want {
			if !k.q.DryRun {
				want = append(want, string(k.q.Action)+" "+id)
			}
		}
		if !slices.Equal(f.acted, want) {
			t.Errorf("%s: done %v", k.why, f.acted)
		}
	}
	f.jobs = []Job{{ID: "1", Target: "log:a", State: Held, Reason: "unreadable"}}
	if _, err := c.ActOn(t.Context(), ActRequest{Action: ActRetry, Target: "log:a"}); !errors.Is(err, Store) {
		t.Errorf("a store that fails: %v", err)
	}
	f.jobs = many(20_000)
	if a, err := c.ActOn(t.Context(), ActRequest{Action: ActDiscard, Target: "log:1"}); err != nil || len(a.IDs) != min(a.Count, 100) || a.Count < 1000 {
		t.Errorf("many: %d of them, %v", a.Count, err)
	}
}

// chained is a ledger of n records.
func chained(t *testing.T, session string, n int, text string) [][]byte {
	t.Helper()
	chain := ledger.Chain{Session: session}
	var out [][]byte
	for range n {
		line, err := chain.Append(nil, &ledger.Record{Time: time.Unix(1, 0), Body: &ledger.Message{Role: ledger.User, Markdown: text}})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	return out
}

func TestRecords(t *testing.T) {
	f := &fake{}
	broken := chained(t, "broken", 3, "hello")
	broken[1] = []byte(strings.Replace(string(broken[1]), "hello", "jello", 1))
	f.sessions = map[string][][]byte{
		"demo": chained(t, "demo", 3, "hello"), "long": chained(t, "long", 30, strings.Repeat("x", 1<<20)), "broken": broken,
	}
	c := Local(Handler(f, hclog.NewNullLogger()))
	for id, lines := range f.sessions {
		var got [][]byte
		for l, err := range c.Records(t.Context(), id, 1) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, l)
		}
		if !slices.EqualFunc(got, lines, func(a, b []byte) bool { return string(a) == string(b) }) {
			t.Errorf("%s: %d lines", id, len(got))
		}
	}
	n := 0
	for range c.Records(t.Context(), "demo", 3) {
		n++
	}
	if n != 1 {
		t.Errorf("%d lines from the third on", n)
	}
	for _, err := range c.Records(t.Context(), "demo", 4) {
		t.Errorf("behind the last: %v", err)
	}
	v, err := c.Verify(t.Context(), "")
	if err != nil || len(v) != 3 || v[0].OK || v[0].Records != 2 || v[0].What == "" || strings.Contains(v[0].What, "ello") || !v[1].OK || v[1].Records != 3 || v[1].Head == "" {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := c.Verify(t.Context(), "demo"); err != nil || len(v) != 1 || !v[0].OK {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestReasons holds the table to the reasons that the outbox has, and the runbook
// to the table.
func TestReasons(t *testing.T) {
	files, err := filepath.Glob("../outbox/*.go")
	if err != nil || files == nil {
		t.Fatal("no outbox: ", err)
	}
	var has []string
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\s+\w+\s+Reason = "(\w+)"`).FindAllStringSubmatch(string(b), -1) {
			has = append(has, m[1])
		}
	}
	if len(has) < 10 {
		t.Fatalf("the outbox has the reasons %v", has)
	}
	for _, r := range has {
		if !knownReason(r) {
			t.Errorf("nothing says what reason %q means", r)
		}
	}
	runbook, err := os.ReadFile("../../../docs/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Reasons {
		if !slices.Contains(has, r.Reason) {
			t.Errorf("the outbox knows no reason %q", r.Reason)
		}
		if row := fmt.Sprintf("| `%s` | %s | %s | %s |\n", r.Reason, r.Of, r.Means, r.Mend); !strings.Contains(string(runbook), row) {
			t.Errorf("docs/operators.md has no line\n%s", row)
		}
	}
	for _, a := range Actions {
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", a.Action, a.Does, strings.Join(words(a.States), ", ")); !strings.Contains(string(runbook), row) {
			t.Errorf("docs/operators.md has no line\n%s", row)
		}
	}
}

// TestKept has a doctor look at everything that can be wrong with what is kept.
func TestKept(t *testing.T) {
	now := time.Now()
	well := func() *Kept { return &Kept{Segments: 1, Bytes: 5 << 20, Free: 1 << 40, Reserve: 4 << 20} }
	for _, c := range []struct {
		change func(*Kept)
		name   string
		want   Verdict
		says   string
		why    string
	}{
		{func(*Kept) {}, "journal", Fine, "can be written, 5.0 MiB in 1 file", "all is well"},
		{func(*Kept) {}, "disk", Fine, "1024.0 GiB free, and a reserve of 4.0 MiB", "all is well"},
		{func(*Kept) {}, "outbox", Fine, "0 pending, 0 sending", "nothing waits"},
		{func(k *Kept) { k.ReadOnly = &Error{Kind: Store, What: "a sync failed", Mend: "mend it"} }, "journal", Fail, "nothing can be written: a sync failed", "it is broken"},
		{func(k *Kept) { k.NewWork = &Error{Kind: Full, What: "no room"} }, "journal", Fail, "nothing new is accepted: no room", "it is full"},
		{func(k *Kept) { k.Torn = []Torn{{"/h/torn/1", "/h/1.jsonl", 2000}} }, "torn", Warn, "2.0 KiB of /h/1.jsonl in /h/torn/1", "a write was cut off"},
		{func(k *Kept) { k.Free = 1 << 20 }, "disk", Warn, "only 1.0 MiB free", "little room"},
		{func(k *Kept) { k.Reserve = 0 }, "disk", Fail, "the reserve for finishing accepted work is used", "no room"},
		{func(k *Kept) { k.Free = -1 }, "disk", "", "", "nobody knows the room"},
		{func(k *Kept) { k.Jobs[Pending] = map[string]Tally{"": {3, now.Add(-90 * time.Minute)}} }, "outbox", Fine, "3 pending, 0 sending, the oldest waits for 1h30m", "something waits"},
		{func(k *Kept) { k.Jobs[Held] = map[string]Tally{"digest": {1, now}} }, "outbox", Fine, "held: 1 digest, the oldest for 0s", "something is held by policy"},
		{func(k *Kept) { k.Jobs[Held] = map[string]Tally{"no_transport": {2, now.Add(-50 * time.Hour)}} }, "parked", Warn, "2 no_transport, the oldest for 2d2h", "something is parked"},
		{func(k *Kept) {
			k.Jobs[DeadLetter] = map[string]Tally{"refused": {2, now}, "exhausted": {1, now}}
			k.Cut = true
		}, "dead letters", Warn, "at least 1 exhausted, the oldest from 0s ago, 2 refused", "dead letters"},
		{func(k *Kept) { k.Err = &Error{Kind: Store, What: "no"} }, "outbox", Fail, "the jobs cannot be read: no", "jobs cannot be read"},
		{func(k *Kept) { k.Targets = []Target{{Target: "log:a", Closed: true, Why: "target_gone", Held: 2}} }, "target log:a", Warn, "closed: the platform says", "a closed target"},
		{func(k *Kept) {
			k.Targets = []Target{{Target: "log:a", Why: "breaker", Until: now.Add(time.Hour), Pending: 2}}
		}, "target log:a", Warn, "2 wait", "an open breaker"},
		{func(k *Kept) { k.Targets = []Target{{Target: "log:a", Why: "breaker", Until: now.Add(-time.Hour)}} }, "target log:a", "", "", "one that was open"},
		{func(k *Kept) { k.Targets = slices.Repeat([]Target{{Target: "log:a", Closed: true}}, 25) }, "targets", Warn, "5 more", "many targets"},
		{func(k *Kept) { k.Verified = []Verified{{Session: "s", OK: true, Records: 1}} }, "ledger", Fine, "1 session with 1 record, all in order", "all sessions are right"},
		{func(k *Kept) { k.Verified = []Verified{{Session: "s", What: "broken"}} }, "session s", Fail, "broken", "one is not"},
	} {
		k := well()
		k.Count(func(func(Job, error) bool) {})
		c.change(k)
		var r Report
		r.kept(k, now)
		var got Check
		for _, x := range r.Checks {
			if x.Name == c.name {
				got = x
			}
		}
		if got.Result != c.want || !strings.Contains(got.What, c.says) || got.Result != "" && got.Result != Fine && got.Mend == "" {
			t.Errorf("%s: %+v", c.why, got)
		}
		if (c.want == Fail) == r.OK {
			t.Errorf("%s: the report is ok: %v", c.why, r.OK)
		}
	}
}

func TestReplace(t *testing.T) {
	var r Report
	for _, name := range []string{"a", "b", "c", "b"} {
		r.Add(name, Fine, "old", "")
	}
	r.Replace([]Check{{Name: "x", Result: Fail, What: "new", Mend: "mend"}, {Name: "y", Result: Fine}}, "b")
	var got []string
	for _, c := range r.Checks {
		got = append(got, c.Name)
	}
	if !slices.Equal(got, []string{"a", "x", "y", "c"}) || r.OK || r.Checks[1].Mend != "mend" {
		t.Errorf("%+v", r)
	}
	r.Replace([]Check{{Name: "z", Result: Fine}}, "nothing")
	if n := len(r.Checks); n != 5 || r.Checks[4].Name != "z" {
		t.Errorf("%+v", r)
	}
}
