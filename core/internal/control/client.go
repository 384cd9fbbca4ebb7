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

// answerTime bounds one request, whatever the context says. A restart takes ten
// seconds at most.
const answerTime = 20 * time.Second

// Dial returns a client of the process whose control socket is at path. It
// connects when it is first asked.
func Dial(path string) *Client {
	return &Client{&http.Client{Timeout: answerTime, Transport: &http.Transport{
		DisableKeepAlives: true, // a command asks once or twice
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
	return &Client{&http.Client{Timeout: answerTime, Transport: local{h}}}
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
	return s, c.ask(ctx, "GET", "/v1/status", &s)
}

// Plugins lists the plugins.
func (c *Client) Plugins(ctx context.Context) (p []Plugin, err error) {
	return p, c.ask(ctx, "GET", "/v1/plugins", &p)
}

// Plugin tells all of one plugin.
func (c *Client) Plugin(ctx context.Context, id string) (p Plugin, err error) {
	return p, c.ask(ctx, "GET", "/v1/plugins/"+url.PathEscape(id), &p)
}

// Restart ends the process of a plugin, forgets its failures, starts it anew and
// tells what came of it.
func (c *Client) Restart(ctx context.Context, id string) (p Plugin, err error) {
	return p, c.ask(ctx, "POST", "/v1/plugins/"+url.PathEscape(id)+"/restart", &p)
}

// Doctor checks all that can be checked.
func (c *Client) Doctor(ctx context.Context) (r Report, err error) {
	return r, c.ask(ctx, "GET", "/v1/doctor", &r)
}

func (c *Client) ask(ctx context.Context, method, path string, into any) error {
	unreachable := func(err error) error {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // the address is always the same, and means nothing
		}
		return &Error{Kind: Unreachable, What: "the vak that holds the home does not answer", Mend: "see its log; if it hangs, stop it and start it again", Err: err}
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://vak"+path, nil)
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
