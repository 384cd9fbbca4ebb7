package control

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// MaxPage is the number of jobs of the longest page.
const MaxPage = 1000

func (a *api) routeJobs(mux *http.ServeMux) {
	b := a.backend
	a.route(mux, "/v1/deliveries", post(maxDelivery, func(r *http.Request) (any, error) {
		var d Delivery
		if err := body(r, &d); err != nil {
			return nil, err
		}
		return b.Deliver(r.Context(), d)
	}))
	a.route(mux, "/v1/jobs", slow(get(a.jobs)))
	a.route(mux, "/v1/jobs/{id}", get(func(r *http.Request) (any, error) { return b.Job(r.Context(), r.PathValue("id")) }))
	a.route(mux, "/v1/jobs/act", slow(post(maxBody, a.act)), get(func(r *http.Request) (any, error) { // which is an id, too
		return b.Job(r.Context(), "act")
	}))
	a.route(mux, "/v1/jobs/{id}/history", get(func(r *http.Request) (any, error) {
		events, err := b.History(r.Context(), r.PathValue("id"))
		if events == nil {
			events = []JobEvent{}
		}
		return events, err
	}))
	a.route(mux, "/v1/jobs/{id}/packet", get(func(r *http.Request) (any, error) { return b.Packet(r.Context(), r.PathValue("id")) }))
	for _, row := range Actions {
		a.route(mux, "/v1/jobs/{id}/"+string(row.Action), post(maxBody, func(r *http.Request) (any, error) {
			return b.Act(r.Context(), row.Action, r.PathValue("id"))
		}))
	}
	a.route(mux, "/v1/targets", get(func(r *http.Request) (any, error) {
		all, err := b.Targets(r.Context())
		if all == nil {
			all = []Target{}
		}
		return all, err
	}))
}

// filter reads which jobs are asked for.
func filter(states []string, target, reason string) (JobFilter, error) {
	f := JobFilter{Reason: reason}
	for _, s := range states {
		for word := range strings.SplitSeq(s, ",") {
			if !slices.Contains(JobStates, JobState(word)) {
				return f, &Error{Kind: Invalid, What: fmt.Sprintf("there is no state %.40q", word), Mend: "use " + listed(words(JobStates))}
			}
			f.States = append(f.States, JobState(word))
		}
	}
	if target != "" {
		t, err := surface.ParseTarget(target)
		if err != nil {
			return f, &Error{Kind: Invalid, What: err.Error(), Mend: "for example telegram:-1001234 or log:answers"}
		}
		f.Target = t.String()
	}
	if reason != "" && !knownReason(reason) {
		return f, &Error{Kind: Invalid, What: fmt.Sprintf("there is no reason %.40q", reason), Mend: "docs/operators.md lists them"}
	}
	return f, nil
}

func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

// A cursor is the last job of a page. It is of the same list as long as nobody
// changes the filter.
type cursor struct {
	Target   string    `json:"t"`
	Job      string    `json:"j"`
	Updated  time.Time `json:"u"`
	Held     bool      `json:"h,omitempty"`
	Finished bool      `json:"f,omitempty"`
}

func (c *cursor) String() string {
	b, err := json.Marshal(c)
	if err != nil {
		return "" // of strings, a time and a bool
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseCursor(text string) (*cursor, error) {
	if text == "" {
		return nil, nil
	}
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || c.Job == "" {
		return nil, &Error{Kind: Invalid, What: "after is not what a page gave as next", Mend: "leave it away to begin anew"}
	}
	return &c, nil
}

// jobs answers with one page of jobs.
//
// Live jobs go on while pages are read. A page begins behind the last job of the
// one before; where that has left its lane, so have those before it, and the page
// begins with that target's first. So a job may be told twice, and none that
// stays where it is is left out.
func (a *api) jobs(r *http.Request) (any, error) {
	q := r.URL.Query()
	for name := range q {
		if !slices.Contains([]string{"state", "target", "reason", "limit", "after"}, name) {
			return nil, &Error{Kind: Invalid, What: fmt.Sprintf("jobs are not asked for by %.40q", name), Mend: "use state, target, reason, limit or after"}
		}
	}
	f, err := filter(q["state"], q.Get("target"), q.Get("reason"))
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "limit", 100, 1, MaxPage)
	if err != nil {
		return nil, err
	}
	after, err := parseCursor(q.Get("after"))
	if err != nil {
		return nil, err
	}
	p := pager{page: JobPage{Jobs: []Job{}}, limit: limit}
	live, finished := f, f
	live.States, finished.States = nil, nil
	for _, s := range f.States {
		if s.Live() {
			live.States = append(live.States, s)
		} else {
			finished.States = append(finished.States, s)
		}
	}
	if len(f.States) == 0 || len(live.States) > 0 {
		if err := p.live(r.Context(), a.backend, live, after); err != nil {
			return nil, err
		}
	}
	if len(finished.States) > 0 && !p.full {
		if err := p.finished(r.Context(), a.backend, finished, after); err != nil {
			return nil, err
		}
	}
	return p.page, nil
}

// A pager fills one page.
type pager struct {
	page  JobPage
	limit int
	full  bool // there is another job
}

// add takes a job in, if there is room.
func (p *pager) add(j Job) bool {
	if len(p.page.Jobs) == p.limit {
		last := p.page.Jobs[p.limit-1]
		c := cursor{Target: last.Target, Job: last.ID, Updated: last.Updated, Held: last.State == Held, Finished: !last.State.Live()}
		p.full, p.page.Next = true, c.String()
		return false
	}
	p.page.Jobs = append(p.page.Jobs, j)
	return true
}

// live takes in live jobs, target by target.
func (p *pager) live(ctx context.Context, b Backend, f JobFilter, after *cursor) error {
	if after != nil && after.Finished {
		return nil
	}
	targets := []string{f.Target}
	if f.Target == "" && after != nil {
		all, err := b.Targets(ctx)
		if err != nil {
			return err
		}
		targets = nil
		for _, t := range all {
			if t.Target >= after.Target {
				targets = append(targets, t.Target)
			}
		}
	}
	for _, t := range targets {
		f.Target = t
		skip := after != nil && t == after.Target
		var seen []Job // before the cursor, for as long as it may not be there
		for j, err := range b.Jobs(ctx, f) {
			switch {
			case err != nil:
				return err
			case skip && j.ID == after.Job && (j.State == Held) == after.Held: // else it is in another place
				skip, seen = false, nil
			case skip && len(seen) <= p.limit:
				seen = append(seen, j)
			case skip:
			case !p.add(j):
				return nil
			}
		}
		for _, j := range seen { // the cursor's job is not there any more
			if !p.add(j) {
				return nil
			}
		}
	}
	return nil
}

// finished takes in finished jobs. Others come before them only.
func (p *pager) finished(ctx context.Context, b Backend, f JobFilter, after *cursor) error {
	skip := after != nil && after.Finished
	for j, err := range b.Jobs(ctx, f) {
		if err != nil {
			return err
		}
		if skip {
			if j.ID == after.Job {
				skip = false
				continue
			}
			if !j.Updated.Before(after.Updated) {
				continue
			}
			skip = false // it is live again
		}
		if !p.add(j) {
			return nil
		}
	}
	return nil
}

// actTime bounds one request that changes many jobs, so that its answer comes
// before a client gives up.
const actTime = 10 * time.Second

// workers is the number of targets whose jobs are changed at once: every change
// waits for the disk, which writes many in one go.
const workers = 32

// act does one thing to all jobs of a filter: to those of a target in their order.
func (a *api) act(r *http.Request) (any, error) {
	var q ActRequest
	if err := body(r, &q); err != nil {
		return nil, err
	}
	states := q.Action.states()
	if states == nil {
		return nil, &Error{Kind: Invalid, What: fmt.Sprintf("there is no action %.40q", string(q.Action)), Mend: "use retry, hold, release, dead or discard"}
	}
	if q.Limit < 0 || q.Limit > MaxAct {
		return nil, &Error{Kind: Invalid, What: fmt.Sprintf("limit cannot be %d", q.Limit), Mend: fmt.Sprintf("use 1 to %d", MaxAct)}
	}
	f, err := filter(words(q.States), q.Target, q.Reason)
	if err != nil {
		return nil, err
	}
	f.States = slices.DeleteFunc(f.States, func(s JobState) bool { return !q.Action.may(s) })
	switch {
	case len(q.States) > 0 && len(f.States) == 0:
		return Acted{IDs: []string{}}, nil
	case len(q.States) == 0:
		if q.Target == "" && q.Reason == "" {
			return nil, &Error{Kind: Invalid, What: "nothing says which jobs are meant", Mend: "name a state, a target or a reason"}
		}
		f.States = states
	}
	limit := q.Limit
	if limit == 0 {
		limit = MaxAct
	}
	out := Acted{IDs: []string{}}
	var chosen []Job
	for j, err := range a.backend.Jobs(r.Context(), f) {
		if err != nil {
			return nil, err
		}
		if len(chosen) == limit {
			out.More = true
			break
		}
		chosen = append(chosen, j)
	}
	if !q.DryRun {
		var cut bool
		if chosen, cut, err = a.actOn(r.Context(), q.Action, chosen); err != nil {
			return nil, err
		}
		out.More = out.More || cut
	}
	out.Count = len(chosen)
	for _, j := range chosen[:min(len(chosen), 100)] {
		out.IDs = append(out.IDs, j.ID)
	}
	return out, nil
}

// actOn does an action to jobs and returns those that it was done to. Those that
// changed in between are left alone. cut says that there was no time for all. Of
// an error nothing is told where something was done before it: the next request
// meets it again.
func (a *api) actOn(ctx context.Context, do Action, jobs []Job) (done []Job, cut bool, err error) {
	until := time.Now().Add(actTime)
	lanes := map[string][]int{}
	var order []string
	for i, j := range jobs {
		if lanes[j.Target] == nil {
			order = append(order, j.Target)
		}
		lanes[j.Target] = append(lanes[j.Target], i)
	}
	var mu sync.Mutex
	acted := make([]bool, len(jobs))
	work := make(chan []int)
	var wg sync.WaitGroup
	for range min(workers, len(order)) {
		wg.Go(func() {
			for lane := range work {
				for _, i := range lane {
					mu.Lock()
					stop := err != nil || time.Now().After(until)
					cut = cut || stop
					mu.Unlock()
					if stop {
						break
					}
					_, failed := a.backend.Act(ctx, do, jobs[i].ID)
					mu.Lock()
					switch {
					case failed == nil:
						acted[i] = true
					case errors.Is(failed, BadState), errors.Is(failed, NotFound):
					case err == nil:
						err = failed
					}
					mu.Unlock()
				}
			}
		})
	}
	for _, t := range order {
		work <- lanes[t]
	}
	close(work)
	wg.Wait()
	for i, ok := range acted {
		if ok {
			done = append(done, jobs[i])
		}
	}
	if len(done) > 0 && err != nil {
		return done, true, nil
	}
	return done, cut, err
}
