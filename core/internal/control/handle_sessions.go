package control

import (
	"fmt"
	"net/http"

	"github.com/seed-1ae66336/vak/core/ledger"
)

// The bounds of one page of records. A record may be larger than the second; it
// is a page then.
const (
	MaxRecords  = 10_000
	recordsPage = 8 << 20
)

func (a *api) routeSessions(mux *http.ServeMux) {
	b := a.backend
	a.route(mux, "/v1/sessions", slow(get(func(r *http.Request) (any, error) {
		all, err := b.Sessions(r.Context())
		if all == nil {
			all = []Session{}
		}
		return all, err
	})))
	a.route(mux, "/v1/sessions/{id}/records", slow(get(a.records)))
	a.route(mux, "/v1/ledger/verify", slow(get(a.verify)))
}

// records answers with lines of a session's ledger, as they are on disk. A page
// that ends early for an error is one that the next begins with.
func (a *api) records(r *http.Request) (any, error) {
	id := r.PathValue("id")
	if err := ledger.CheckSession(id); err != nil {
		return nil, noSession(id)
	}
	from, err := number[ledger.Seq](r, "from", 1, 1, 1<<53)
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "limit", 1000, 1, MaxRecords)
	if err != nil {
		return nil, err
	}
	var out lines
	n := 0
	for line, err := range a.backend.Records(r.Context(), id, from) {
		if err != nil {
			if n > 0 {
				break
			}
			return nil, err
		}
		if n == limit || n > 0 && len(out)+len(line) > recordsPage {
			break
		}
		out = append(append(out, line...), '\n')
		n++
	}
	if n == 0 {
		if err := a.known(r, id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// known reports an error for a session that is not there.
func (a *api) known(r *http.Request, id string) error {
	for _, err := range a.backend.Records(r.Context(), id, 1) {
		return err
	}
	return noSession(id)
}

func noSession(id string) error {
	return &Error{Kind: NotFound, What: fmt.Sprintf("there is no session %.80q", id), Mend: "\"vak ledger list\" shows them"}
}

// verify holds one session, or all of them, to their chains.
func (a *api) verify(r *http.Request) (any, error) {
	ids := []string{r.URL.Query().Get("session")}
	if id := ids[0]; id == "" {
		all, err := a.backend.Sessions(r.Context())
		if err != nil {
			return nil, err
		}
		ids = nil
		for _, s := range all {
			ids = append(ids, s.ID)
		}
	} else if ledger.CheckSession(id) != nil {
		return nil, noSession(id)
	}
	out := make([]Verified, 0, len(ids))
	for _, id := range ids {
		v := Verify(a.backend.Records(r.Context(), id, 1), id)
		if r.Context().Err() != nil {
			return nil, r.Context().Err()
		}
		if v.OK && v.Records == 0 {
			return nil, noSession(id)
		}
		out = append(out, v)
	}
	return out, nil
}
