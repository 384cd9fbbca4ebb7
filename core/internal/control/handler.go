package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
)

// maxBody bounds what is read of a request, and maxDelivery of one that brings an
// answer: 4 MiB of markdown of which every byte may be escaped, and the rest.
const (
	maxBody     = 1 << 20
	maxDelivery = 6*(4<<20) + maxBody
)

// slowTime bounds requests that read a whole ledger or change many jobs.
const slowTime = 10 * time.Minute

// Handler is the API over b. It authenticates nobody. log takes what is not told
// to a client; it may not be nil.
func Handler(b Backend, log hclog.Logger) http.Handler {
	a := &api{backend: b, log: log}
	mux := http.NewServeMux()
	a.route(mux, "/v1/status", get(func(r *http.Request) (any, error) { return b.Status(r.Context()), nil }))
	a.route(mux, "/v1/plugins", get(func(*http.Request) (any, error) { return b.Plugins(), nil }))
	a.route(mux, "/v1/plugins/{id}", get(func(r *http.Request) (any, error) { return a.plugin(r.PathValue("id")) }))
	a.route(mux, "/v1/reload", post(maxBody, func(r *http.Request) (any, error) { return b.Reload(r.Context()) }))
	a.route(mux, "/v1/plugins/{id}/restart", post(maxBody, func(r *http.Request) (any, error) {
		// So that what starts is what lies there now, also where it was just put there.
		if _, err := b.Reload(r.Context()); err != nil && !errors.Is(err, NotRunning) {
			log.Warn("before a restart, what has changed cannot be taken over", "cause", err)
		}
		if _, err := a.plugin(r.PathValue("id")); err != nil {
			return nil, err
		}
		if err := b.Restart(r.Context(), r.PathValue("id")); err != nil {
			return nil, err
		}
		return a.plugin(r.PathValue("id"))
	}))
	a.route(mux, "/v1/doctor", slow(get(func(r *http.Request) (any, error) {
		full, err := flag(r, "full")
		if err != nil {
			return nil, err
		}
		return b.Doctor(r.Context(), full), nil
	})))
	a.routeJobs(mux)
	a.routeSessions(mux)
	a.routeTemplates(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a.fail(w, &Error{Kind: NotFound, What: fmt.Sprintf("there is no %.200q", r.URL.Path)})
	})
	return mux
}

type api struct {
	backend Backend
	log     hclog.Logger
}

// An endpoint is one method of a path.
type endpoint struct {
	method string
	body   int64 // bytes that it may have
	slow   bool
	do     func(*http.Request) (any, error)
}

func get(do func(*http.Request) (any, error)) endpoint {
	return endpoint{method: "GET", body: maxBody, do: do}
}

func post(body int64, do func(*http.Request) (any, error)) endpoint {
	return endpoint{method: "POST", body: body, do: do}
}

// slow gives e more time than a command likes to wait.
func slow(e endpoint) endpoint {
	e.slow = true
	return e
}

// lines is an answer of one JSON value a line.
type lines []byte

// route serves the methods of a path, and a problem for every other.
func (a *api) route(mux *http.ServeMux, path string, endpoints ...endpoint) {
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, e := range endpoints {
			if r.Method == e.method || e.method == "GET" && r.Method == "HEAD" {
				a.serve(w, r, e)
				return
			}
			allowed = append(allowed, e.method)
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		a.failAs(w, http.StatusMethodNotAllowed, &Error{Kind: BadRequest, What: fmt.Sprintf("%.20s %s is not allowed", r.Method, path), Mend: "use " + strings.Join(allowed, " or ")})
	})
}

func (a *api) serve(w http.ResponseWriter, r *http.Request, e endpoint) {
	defer func() {
		if p := recover(); p != nil {
			a.fail(w, fmt.Errorf("panic: %v", p))
		}
	}()
	if e.slow {
		// Where it cannot be set, as in process, there is no deadline either.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(slowTime))
	}
	// Also what means nothing is read, so that the connection can be used again.
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, e.body))
	if err != nil {
		a.failAs(w, http.StatusRequestEntityTooLarge, &Error{Kind: BadRequest, What: fmt.Sprintf("the body cannot be read or is over %d bytes", e.body)})
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	v, err := e.do(r)
	if err != nil {
		a.fail(w, err)
		return
	}
	if l, ok := v.(lines); ok {
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.Write(l)
		return
	}
	a.write(w, http.StatusOK, "application/json", v)
}

func (a *api) plugin(id string) (*Plugin, error) {
	all := a.backend.Plugins()
	known := make([]string, 0, len(all))
	for i := range all {
		if all[i].ID == id {
			return &all[i], nil
		}
		known = append(known, all[i].ID)
	}
	return nil, &Error{Kind: NotFound, What: fmt.Sprintf("there is no plugin %q", id), Mend: "known are " + listed(known)}
}

func (a *api) fail(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		a.log.Error("a request failed", "cause", err)
		e = &Error{Kind: Internal, What: "vak failed", Mend: "see its log"}
	}
	a.failAs(w, e.Kind.status(), e)
}

func (a *api) failAs(w http.ResponseWriter, status int, e *Error) {
	detail := e.What
	if e.Err != nil {
		detail += ": " + e.Err.Error()
	}
	a.write(w, status, "application/problem+json", problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status,
		Detail: detail, Kind: e.Kind, Mend: e.Mend,
	})
}

func (a *api) write(w http.ResponseWriter, status int, contentType string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		a.log.Error("an answer cannot be written", "cause", err)
		status, b = http.StatusInternalServerError, []byte(`{"type":"about:blank","kind":"internal"}`)
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	w.Write(append(b, '\n')) // a client that went away has no use for the error
}

// number reads a number of the query, between bounds.
func number[T ~int | ~uint64](r *http.Request, name string, without, lo, hi T) (T, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return without, nil
	}
	n, err := strconv.ParseUint(text, 10, 62)
	if err != nil || T(n) < lo || T(n) > hi {
		return 0, &Error{Kind: Invalid, What: fmt.Sprintf("%s cannot be %.40q", name, text), Mend: fmt.Sprintf("use %d to %d", lo, hi)}
	}
	return T(n), nil
}

// flag reads a yes or no of the query.
func flag(r *http.Request, name string) (bool, error) {
	switch text := r.URL.Query().Get(name); text {
	case "", "false", "0":
		return false, nil
	case "true", "1":
		return true, nil
	default:
		return false, &Error{Kind: Invalid, What: fmt.Sprintf("%s cannot be %.40q", name, text), Mend: "use true or false"}
	}
}
