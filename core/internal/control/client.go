package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/home"
)

// A Client asks the API, over a socket or in process. It is safe for concurrent
// use. Errors are of type *Error.
type Client struct{ http *http.Client }

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 20

// answerTime bounds one request, whatever the context says, unless it is one that
// takes long. A restart takes ten seconds at most.
const answerTime = 20 * time.Second

// Dial returns a client of the process whose control socket is at path. It
// connects when it is first asked.
func Dial(path string) *Client {
	return &Client{&http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, // a command asks a few times, with pauses
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, headerTime)
			defer cancel()
			var d net.Dialer
			c, err := d.DialContext(ctx, "unix", path)
			if err != nil {
				return nil, err
			}
			if err := checkServer(c); err != nil {
				c.Close()
				return nil, err
			}
			return c, nil
		},
	}}}
}

// Local returns a client of h in this process.
func Local(h http.Handler) *Client {
	return &Client{&http.Client{Transport: local{h}}}
}

// Find returns a client of the process that holds the home dir. held is false,
// and the client nil, where nobody does. The holder is told with an error too,
// which is of kind Unreachable where it has no socket.
func Find(dir string) (c *Client, holder home.Holder, held bool, err error) {
	holder, held, err = home.Find(dir)
	if err != nil || !held {
		return nil, holder, held, err
	}
	if holder.Control == "" {
		what := fmt.Sprintf("%s holds the home %s and has no control socket", holder, dir)
		mend := "it was started without one; ask the program that embeds vak"
		if !Available {
			what, mend = what+" (this platform has none)", "stop it first"
		}
		return nil, holder, true, &Error{Kind: Unreachable, What: what, Mend: mend}
	}
	return Dial(holder.Control), holder, true, nil
}

// Status tells who answers.
func (c *Client) Status(ctx context.Context) (s Status, err error) {
	return s, c.get(ctx, "/v1/status", &s)
}

// Plugins lists the plugins.
func (c *Client) Plugins(ctx context.Context) (p []Plugin, err error) {
	return p, c.get(ctx, "/v1/plugins", &p)
}

// Plugin tells all of one plugin.
func (c *Client) Plugin(ctx context.Context, id string) (p Plugin, err error) {
	return p, c.get(ctx, "/v1/plugins/"+escape(id), &p)
}

// Restart ends the process of a plugin, forgets its failures, starts it anew and
// tells what came of it.
func (c *Client) Restart(ctx context.Context, id string) (p Plugin, err error) {
	return p, c.ask(ctx, answerTime, "POST", "/v1/plugins/"+escape(id)+"/restart", nil, &p)
}

// Reload has the process take over at once what has changed on disk, of the plugins
// and of the configuration, and tells the epoch that is current then. An error of
// kind Failed says what cannot be used; what can be is taken over all the same.
func (c *Client) Reload(ctx context.Context) (e Epoch, err error) {
	return e, c.ask(ctx, answerTime, "POST", "/v1/reload", nil, &e)
}

// Doctor checks all that can be checked; full reads every session as well, and
// takes as long as that does.
func (c *Client) Doctor(ctx context.Context, full bool) (r Report, err error) {
	if full {
		return r, c.ask(ctx, slowTime, "GET", "/v1/doctor?full=true", nil, &r)
	}
	return r, c.get(ctx, "/v1/doctor", &r)
}

// escape makes a segment of a path of an id, which may hold every printable
// character: also of "..", which would be taken for a step up.
func escape(id string) string { return strings.ReplaceAll(url.PathEscape(id), ".", "%2E") }

func (c *Client) get(ctx context.Context, path string, into any) error {
	return c.ask(ctx, answerTime, "GET", path, nil, into)
}

// ask asks, with body as JSON where there is one, and reads the answer into into,
// which is a *[]byte for one that is no JSON.
func (c *Client) ask(ctx context.Context, within time.Duration, method, path string, body, into any) error {
	unreachable := func(err error) error {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // the address is always the same, and means nothing
		}
		return &Error{Kind: Unreachable, What: "the vak that holds the home does not answer", Mend: "see its log; if it hangs, stop it and start it again", Err: err}
	}
	var sent io.Reader
	if body != nil {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(body); err != nil {
			return err
		}
		sent = &b
	}
	asked, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	r, err := http.NewRequestWithContext(asked, method, "http://vak"+path, sent)
	if err != nil {
		return unreachable(err)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return unreachable(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return unreachable(err)
	}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "application/problem+json") {
		var p problem
		if err := json.Unmarshal(b, &p); err != nil {
			return unreachable(err)
		}
		return &Error{Kind: p.Kind, What: p.Detail, Mend: p.Mend}
	}
	if answer.StatusCode != http.StatusOK {
		return unreachable(fmt.Errorf("it says %s", answer.Status))
	}
	if raw, ok := into.(*[]byte); ok {
		*raw = b
		return nil
	}
	if err := json.Unmarshal(b, into); err != nil {
		return unreachable(err)
	}
	return nil
}

// local is a round trip that goes nowhere.
type local struct{ handler http.Handler }

func (l local) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	a := &answer{header: http.Header{}, status: http.StatusOK}
	l.handler.ServeHTTP(a, r)
	return &http.Response{
		Status: http.StatusText(a.status), StatusCode: a.status, Header: a.header, Request: r,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()),
	}, nil
}

// An answer is an http.ResponseWriter that keeps what is written.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

func listed(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}
