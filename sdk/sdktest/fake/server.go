package fake

import (
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxBody bounds what a Server reads of one request.
const maxBody = 1 << 20

// A Server is an HTTP server on loopback that remembers what it was asked. It is
// safe for concurrent use.
type Server struct {
	// URL is where it listens, http://127.0.0.1 with a port.
	URL string

	server http.Server
	served chan struct{}
	handle func(Request) Answer

	mu       sync.Mutex
	requests []Request
	next     []Answer
	overruns int
}

// A Request is one that a Server got.
type Request struct {
	Method, Path string // Path with the query, as it was sent
	Header       http.Header
	Body         string // at most 1 MiB of it
	Time         time.Time
}

// An Answer is what a Server says.
type Answer struct {
	Status int // 0 means 200
	Header http.Header
	Body   string

	// After delays the answer; a client that gives up earlier gets none.
	After time.Duration

	// Accept has the platform carry the request out all the same, where the answer
	// comes from [Server.Next]: the client hears of a failure and the message is
	// there.
	Accept bool

	// Cut closes the connection instead of answering, after the request was
	// read: the client cannot know what became of it.
	Cut bool
}

// Serve starts a Server that answers by handle, which may be called
// concurrently. It panics where there is no loopback to listen on.
func Serve(handle func(Request) Answer) *Server {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic("fake: " + err.Error())
	}
	s := &Server{URL: "http://" + l.Addr().String(), handle: handle, served: make(chan struct{})}
	s.server = http.Server{Handler: http.HandlerFunc(s.serve), ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.served)
		s.server.Serve(l)
	}()
	return s
}

// Close ends the server. Whoever waits for a late answer waits no more.
func (s *Server) Close() {
	s.server.Close()
	<-s.served
}

// Next queues answers for the next requests, in order, in place of what the
// platform would say.
func (s *Server) Next(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = append(s.next, answers...)
}

// Requests returns the requests so far, in the order in which they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Overruns returns how many requests came faster than the platform's rates allow.
func (s *Server) Overruns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.overruns
}

func (s *Server) overrun() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.overruns++
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBody)) // what is cut off counts as well
	q := Request{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone(), Body: string(body), Time: time.Now()}
	s.mu.Lock()
	s.requests = append(s.requests, q)
	var a Answer
	scripted := len(s.next) > 0
	if scripted {
		a, s.next = s.next[0], s.next[1:]
	}
	s.mu.Unlock()
	switch {
	case !scripted:
		a = s.handle(q)
	case a.Accept:
		s.handle(q)
	}
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
