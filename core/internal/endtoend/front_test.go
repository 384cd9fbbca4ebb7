package endtoend

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
)

// A front stands before a platform. What is not scripted for a chat it passes on.
type front struct {
	*httptest.Server
	platform *platform
	passer   *http.Client

	mu     sync.Mutex
	seen   map[string][]seen  // by chat, in the order in which they came
	next   map[string][]reply // by chat
	strays []string           // requests that no chat can be told of
}

// A reply is what a chat says to the next request.
type reply struct {
	fake.Answer
	pass  bool // whatever else is said, the platform says it
	slow  bool // the answer's body comes in many pieces
	short bool // the connection ends in the middle of the answer's body
}

// A seen is one request.
type seen struct {
	at   time.Time
	chat string
	form string // text or plain; of a webhook, packet
	text string
	key  string // by which the platform recognises it
	body string
	head http.Header
}

func (s seen) marked() bool { return strings.Contains(s.text, "(possible duplicate)\n") }

func newFront(t *testing.T, p *platform) *front {
	f := &front{
		platform: p, seen: map[string][]seen{}, next: map[string][]reply{},
		passer: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(func() {
		f.Server.CloseClientConnections()
		f.Server.Close()
		f.passer.CloseIdleConnections()
		p.close()
		if len(f.strays) > 0 {
			t.Errorf("%s was asked for what nobody knows: %q", p.id, f.strays)
		}
	})
	return f
}

// script says what a chat answers to the requests to come.
func (f *front) script(chat string, replies ...reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next[chat] = append(f.next[chat], replies...)
}

// to are the requests for a chat so far.
func (f *front) to(chat string) []seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]seen(nil), f.seen[chat]...)
}

func (f *front) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s, ok := f.platform.read(r, body)
	s.at, s.body, s.head = time.Now(), string(body), r.Header.Clone()
	a := reply{pass: true}
	f.mu.Lock()
	if ok {
		f.seen[s.chat] = append(f.seen[s.chat], s)
		if next := f.next[s.chat]; len(next) > 0 {
			a, f.next[s.chat] = next[0], next[1:]
		}
	} else {
		f.strays = append(f.strays, r.Method+" "+r.URL.Path)
	}
	f.mu.Unlock()
	if a.pass || a.Accept {
		passed := f.pass(r, body)
		if a.pass {
			a.Answer = fake.Answer{Status: passed.Status, Header: passed.Header, Body: passed.Body, Cut: a.Cut}
		}
	}
	f.answer(w, a)
}

// pass has the platform answer.
func (f *front) pass(r *http.Request, body []byte) fake.Answer {
	q, err := http.NewRequest(r.Method, f.platform.url+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return fake.Answer{Status: http.StatusBadGateway}
	}
	q.Header = r.Header.Clone()
	a, err := f.passer.Do(q)
	if err != nil {
		return fake.Answer{Status: http.StatusBadGateway}
	}
	defer a.Body.Close()
	b, _ := io.ReadAll(a.Body)
	a.Header.Del("Content-Length")
	return fake.Answer{Status: a.StatusCode, Header: a.Header, Body: string(b)}
}

func (f *front) answer(w http.ResponseWriter, a reply) {
	if a.Cut {
		panic(http.ErrAbortHandler)
	}
	for k, v := range a.Header {
		w.Header()[k] = v
	}
	if a.short {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.Body)+100))
	}
	w.WriteHeader(max(a.Status, http.StatusOK))
	step := max(len(a.Body), 1)
	if a.slow {
		step = 7
	}
	for b := a.Body; b != ""; {
		n := min(step, len(b))
		if _, err := io.WriteString(w, b[:n]); err != nil {
			return
		}
		if b = b[n:]; a.slow {
			http.NewResponseController(w).Flush()
		}
	}
	if a.short {
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}
