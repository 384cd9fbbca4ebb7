package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

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
