package send

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Config says how calls are made. The zero value is fit for a chat platform.
type Config struct {
	// Timeout bounds a call, from the lookup of the name to the last byte of the
	// answer; 0 is 20 s. A context may end it earlier.
	Timeout time.Duration

	// MaxAnswer is the number of bytes that are read of an answer; 0 is 1 MiB.
	MaxAnswer int64

	// UserAgent is sent with every call; empty: "vak".
	UserAgent string

	// Control sees every address before a connection to it is made, after its name
	// was looked up, and may refuse it. Nil: every address is allowed. See
	// [net.Dialer.Control].
	Control func(network, address string, c syscall.RawConn) error

	// TLS is for tests, and for platforms behind a private authority. Nil: the
	// system's authorities.
	TLS *tls.Config
}

// A Client makes calls. It is safe for concurrent use, and keeps connections open
// between calls.
type Client struct {
	http    *http.Client
	timeout time.Duration
	most    int64
	agent   string
}

// New returns a client.
func New(c Config) *Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: c.Control}
	out := &Client{timeout: c.Timeout, most: c.MaxAnswer, agent: c.UserAgent}
	if out.timeout <= 0 {
		out.timeout = 20 * time.Second
	}
	if out.most <= 0 {
		out.most = 1 << 20
	}
	if out.agent == "" {
		out.agent = "vak"
	}
	out.http = &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: c.TLS, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: out.timeout, IdleConnTimeout: 60 * time.Second,
			MaxIdleConnsPerHost: 4, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return out
}

// A Request is one call.
type Request struct {
	Method string // empty: POST
	URL    string
	Header http.Header // not changed
	Body   []byte      // not changed
}

// An Answer is what came back, whatever its status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Cut    bool // there was more of the body than is read
}

// Do makes one call. It fails where there is no whole answer: then its error is a
// [*surface.DeliveryError] of class Transient when nothing was written, of class
// Unknown when that cannot be told, and of class Permanent for a request that can
// never be made. Its code is one of those below, and no error says where the call
// went.
func (c *Client) Do(ctx context.Context, r Request) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var written atomic.Bool
	q, err := c.request(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		// From here on bytes may be under way. It is a little early, never late.
		WroteHeaders: func() { written.Store(true) },
	}), r)
	if err != nil {
		return Answer{}, &surface.DeliveryError{Class: surface.Permanent, Code: CodeRequest, Hint: "check the address in the configuration"}
	}
	answer, err := c.http.Do(q)
	if err != nil {
		return Answer{}, failure(ctx, err, written.Load())
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, c.most+1))
	if err != nil {
		return Answer{}, failure(ctx, err, true)
	}
	out := Answer{Status: answer.StatusCode, Header: answer.Header, Body: body}
	if int64(len(body)) > c.most {
		out.Body, out.Cut = body[:c.most], true
	}
	return out, nil
}

// request makes the request. It cannot be rewound, so that net/http does not
// repeat it on another connection once a part of it was written, which it
// otherwise does for one with an Idempotency-Key.
func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	method := r.Method
	if method == "" {
		method = http.MethodPost
	}
	q, err := http.NewRequestWithContext(ctx, method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	if q.URL.Scheme != "https" && q.URL.Scheme != "http" || q.URL.Host == "" {
		return nil, errors.New("no address of the web")
	}
	if len(r.Body) > 0 {
		q.GetBody = nil
	}
	for k, v := range r.Header {
		q.Header[k] = v
	}
	if q.Header.Get("User-Agent") == "" {
		q.Header.Set("User-Agent", c.agent)
	}
	return q, nil
}

// CloseIdle closes the connections that are not in use.
func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }
