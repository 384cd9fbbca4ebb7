package control

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

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
	a.route(mux, "/v1/jobs/{id}/why", get(func(r *http.Request) (any, error) { return b.WhyJob(r.Context(), r.PathValue("id")) }))
	a.route(mux, "/v1/why", get(a.why))
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
