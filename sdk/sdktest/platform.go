package sdktest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// maxBody bounds what a Platform keeps of one request.
const maxBody = 1 << 20

// A Platform is a fake of the service behind a surface: an HTTP server that
// remembers what it was asked and answers what the test says. It is safe for
// concurrent use.
type Platform struct {
	// URL is where it listens, http://127.0.0.1 with a port.
	URL string

	mu      sync.Mutex
	asked   []Asked
	answers []Answer
	always  Answer
}

// Asked is one request that a Platform got.
type Asked struct {
	Method, Path string // Path with the query, as it was sent
	Header       http.Header
	Body         string // at most 1 MiB of it
}

// An Answer is what a Platform says.
type Answer struct {
	Status int // 0 means 200
	Header http.Header
	Body   string

	// After delays the answer; a client that gives up earlier gets none.
	After time.Duration

	// Cut closes the connection instead of answering, after the request was
	// read: the client cannot know what became of it.
	Cut bool
}

// NewPlatform starts a Platform, which lasts as long as the test. It answers
// every request with always but for those that [Platform.Next] says otherwise of.
func NewPlatform(t testing.TB, always Answer) *Platform {
	t.Helper()
	p := &Platform{always: always}
	s := httptest.NewServer(http.HandlerFunc(p.serve))
	p.URL = s.URL
	t.Cleanup(func() {
		s.CloseClientConnections() // whoever waits for a late answer waits no more
		s.Close()
	})
	return p
}

// Next queues answers for the next requests, in order.
func (p *Platform) Next(answers ...Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = append(p.answers, answers...)
}

// Asked returns the requests so far, in the order in which they came.
func (p *Platform) Asked() []Asked {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Asked(nil), p.asked...)
}

func (p *Platform) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBody)) // what is cut off counts as well
	p.mu.Lock()
	p.asked = append(p.asked, Asked{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone(), Body: string(body)})
	a := p.always
	if len(p.answers) > 0 {
		a, p.answers = p.answers[0], p.answers[1:]
	}
	p.mu.Unlock()
	if a.After > 0 {
		wait := time.NewTimer(a.After)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
			return
		}
	}
	if a.Cut {
		panic(http.ErrAbortHandler)
	}
	for k, v := range a.Header {
		w.Header()[k] = v
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	io.WriteString(w, a.Body)
}
