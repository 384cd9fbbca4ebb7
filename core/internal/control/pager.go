package control

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

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
