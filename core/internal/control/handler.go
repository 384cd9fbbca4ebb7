package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/hashicorp/go-hclog"
)

// maxBody bounds what is read of a request.
const maxBody = 1 << 20

// Handler is the API over b. It authenticates nobody. log takes what is not told
// to a client; it may not be nil.
func Handler(b Backend, log hclog.Logger) http.Handler {
	a := &api{backend: b, log: log}
	mux := http.NewServeMux()
	a.route(mux, "GET", "/v1/status", func(*http.Request) (any, error) { return b.Status(), nil })
	a.route(mux, "GET", "/v1/plugins", func(*http.Request) (any, error) { return b.Plugins(), nil })
	a.route(mux, "GET", "/v1/plugins/{id}", func(r *http.Request) (any, error) { return a.plugin(r.PathValue("id")) })
	a.route(mux, "POST", "/v1/plugins/{id}/restart", func(r *http.Request) (any, error) {
		if _, err := a.plugin(r.PathValue("id")); err != nil {
			return nil, err
		}
		if err := b.Restart(r.Context(), r.PathValue("id")); err != nil {
			return nil, err
		}
		return a.plugin(r.PathValue("id"))
	})
	a.route(mux, "GET", "/v1/doctor", func(r *http.Request) (any, error) { return b.Doctor(r.Context()), nil })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a.fail(w, &Error{Kind: NotFound, What: "there is no " + strconv.Quote(r.URL.Path)})
	})
	return mux
}

type api struct {
	backend Backend
	log     hclog.Logger
}

// route serves one method of a path, and a problem for every other.
func (a *api) route(mux *http.ServeMux, method, path string, do func(*http.Request) (any, error)) {
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method && !(method == "GET" && r.Method == "HEAD") {
			w.Header().Set("Allow", method)
			a.failAs(w, http.StatusMethodNotAllowed, &Error{Kind: BadRequest, What: fmt.Sprintf("%s %s is not allowed", r.Method, path), Mend: "use " + method})
			return
		}
		defer func() {
			if p := recover(); p != nil {
				a.fail(w, fmt.Errorf("panic: %v", p))
			}
		}()
		// No request has a body that means anything. What comes is read, so that
		// the connection can be used again, and bounded.
		if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
			a.failAs(w, http.StatusRequestEntityTooLarge, &Error{Kind: BadRequest, What: fmt.Sprintf("the body cannot be read or is over %d bytes", maxBody)})
			return
		}
		v, err := do(r)
		if err != nil {
			a.fail(w, err)
			return
		}
		a.write(w, http.StatusOK, "application/json", v)
	})
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
