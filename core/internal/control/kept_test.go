package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/core/packet"
)

// kept is the part of a fake that keeps things.
type kept struct {
	lock      sync.Mutex
	jobs      []Job
	got       []Delivery
	acted     []string
	sessions  map[string][][]byte
	templates []Template
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
