package send

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

const secret = "123456:AA-planted-secret"

// fails makes a call that has to fail, and checks how.
func fails(t *testing.T, c *Client, url string, class surface.Class, code string) {
	t.Helper()
	_, err := c.Do(t.Context(), Request{URL: url + "/bot" + secret + "/sendMessage", Body: []byte("text")})
	e, ok := errors.AsType[*surface.DeliveryError](err)
	if !ok || e.Class != class || e.Code != code {
		t.Errorf("got %v, want %s (%s)", err, class, code)
	}
	if err != nil && strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, e), "planted") {
		t.Errorf("the error tells the address: %v", err)
	}
}

func TestNotWritten(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := "http://" + l.Addr().String()
	l.Close()
	c := New(Config{})
	fails(t, c, free, surface.Transient, CodeRefused)
	fails(t, c, "http://there-is-no-such-name.invalid", surface.Transient, CodeLookup)
	fails(t, c, "ftp://example.com", surface.Permanent, CodeRequest)
	fails(t, c, "http://", surface.Permanent, CodeRequest)
	fails(t, c, "http://[::1", surface.Permanent, CodeRequest)

	s := httptest.NewTLSServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer s.Close()
	fails(t, c, s.URL, surface.Transient, CodeTLS)
	fails(t, c, strings.Replace(s.URL, "https", "http", 1)+"x:y", surface.Permanent, CodeRequest)

	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	fails(t, c, strings.Replace(plain.URL, "http", "https", 1), surface.Transient, CodeBroken) // net/http says so in words only
	blocked := New(Config{Control: func(string, string, syscall.RawConn) error { return fmt.Errorf("%w: private", ErrBlocked) }})
	fails(t, blocked, plain.URL, surface.Permanent, CodeBlocked)
}

// TestWritten has the other side take the request and give no whole answer.
func TestWritten(t *testing.T) {
	var calls atomic.Int32
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		io.Copy(io.Discard, r.Body)
		switch {
		case strings.HasPrefix(r.URL.Path, "/drop"):
			panic(http.ErrAbortHandler)
		case strings.HasPrefix(r.URL.Path, "/short"):
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("half"))
		case strings.HasPrefix(r.URL.Path, "/slow"):
			<-release
		case strings.HasPrefix(r.URL.Path, "/drip"):
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-release
		}
	}))
	defer s.Close()
	defer close(release)
	c := New(Config{Timeout: 300 * time.Millisecond})
	fails(t, c, s.URL+"/drop", surface.Unknown, CodeBroken)
	fails(t, c, s.URL+"/short", surface.Unknown, CodeBroken)
	fails(t, c, s.URL+"/slow", surface.Unknown, CodeTimeout)
	fails(t, c, s.URL+"/drip", surface.Unknown, CodeTimeout)
	if n := calls.Load(); n != 4 {
		t.Errorf("%d requests, want 4: none is repeated", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := New(Config{}).Do(ctx, Request{URL: s.URL + "/slow", Body: []byte("x")})
	if e, ok := errors.AsType[*surface.DeliveryError](err); !ok || e.Class != surface.Unknown || e.Code != CodeCanceled {
		t.Errorf("a caller who gives up gets %v", err)
	}
}

// TestNotRepeated closes a connection that was kept open, with a request on it
// that net/http would repeat for its Idempotency-Key.
func TestNotRepeated(t *testing.T) {
	var calls atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if calls.Add(1) > 1 {
			panic(http.ErrAbortHandler)
		}
	}))
	defer s.Close()
	c := New(Config{})
	r := Request{URL: s.URL, Body: []byte("x"), Header: http.Header{"Idempotency-Key": {`"k"`}}}
	if _, err := c.Do(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), r); err == nil {
		t.Error("the second call has an answer")
	}
	if n := calls.Load(); n != 2 {
		t.Errorf("%d requests for 2 calls", n)
	}
}

func TestAnswers(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.Header.Get("User-Agent") != "vak-test" || r.Header.Get("X-A") != "b" || string(b) != "body" || r.Method != "PATCH" {
			t.Errorf("%s %v %q", r.Method, r.Header, b)
		}
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case "/long":
			w.Write(make([]byte, 100))
		default:
			w.WriteHeader(http.StatusTooManyRequests)
			w.Write([]byte("slow down"))
		}
	}))
	defer s.Close()
	roots := s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	c := New(Config{UserAgent: "vak-test", MaxAnswer: 64, TLS: &tls.Config{RootCAs: roots}})
	for _, k := range []struct {
		path   string
		status int
		body   int
		cut    bool
		why    string
	}{
		{"/", 429, 9, false, "a status is for the platform's package to judge"},
		{"/away", 307, 0, false, "no redirect is followed"},
		{"/long", 200, 64, true, "an answer is bounded"},
	} {
		a, err := c.Do(t.Context(), Request{Method: "PATCH", URL: s.URL + k.path, Body: []byte("body"), Header: http.Header{"X-A": {"b"}}})
		if err != nil || a.Status != k.status || len(a.Body) != k.body || a.Cut != k.cut {
			t.Errorf("%s: %d, %d bytes, %v, %v", k.why, a.Status, len(a.Body), a.Cut, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, k := range []struct {
		in   string
		want time.Duration
		why  string
	}{
		{"", 0, "no demand"},
		{"7", 7 * time.Second, "seconds"},
		{" 0.25 ", 250 * time.Millisecond, "with a fraction"},
		{"Fri, 02 Jan 2026 03:05:05 GMT", time.Minute, "a date"},
		{"Fri, 02 Jan 2026 03:00:00 GMT", 0, "a date that is over"},
		{"-5", 0, "less than nothing"},
		{"NaN", 0, "not a number"},
		{"1e300", 24 * time.Hour, "more than a day"},
		{"soon", 0, "words"},
	} {
		if got := RetryAfter(http.Header{"Retry-After": {k.in}}, now); got != k.want {
			t.Errorf("%s: %q is %v, want %v", k.why, k.in, got, k.want)
		}
	}
}
