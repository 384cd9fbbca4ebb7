package load

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
)

// A weather stands before a platform and lets things fail, by chance.
type weather struct {
	surface  string
	url      string // of the platform
	client   *http.Client
	server   *httptest.Server
	mu       sync.Mutex
	random   *rand.Rand
	onlyBusy bool                 // nothing fails but that it has no time
	faults   map[string]int       // how often what failed
	first    map[string]time.Time // when something was taken, by mark
	failed   map[string]int       // how often what is hard to take was not, by mark
	requests int
}

func newWeather(surface, url string, seed uint64) *weather {
	w := &weather{
		surface: surface, url: url, client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
		random: rand.New(rand.NewPCG(seed, uint64(len(surface)))), faults: map[string]int{}, first: map[string]time.Time{}, failed: map[string]int{},
	}
	w.server = httptest.NewServer(w)
	return w
}

func (w *weather) close() {
	w.server.Close()
	w.client.CloseIdleConnections()
}

// mark is what every paragraph begins with: its lane, its job in it, its number.
var mark = regexp.MustCompile(`\bx([0-9]+)x([0-9]+)x([0-9]+)x`)

// refusedWord stands in messages that the platform shall never take, and hardWord
// in those at which it fails four times first: that is when their lane passes them.
const (
	refusedWord = "unwelcome"
	hardWord    = "indigestible"
	hardFor     = 4
)

// What goes wrong, per mille of the requests.
const (
	trouble = 20 // 5xx
	busy    = 15 // 429
	before  = 15 // the connection ends before it is taken
	after   = 15 // and after
	slow    = 20 // the answer takes its time half-way
)

func (w *weather) ServeHTTP(out http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(io.LimitReader(q.Body, 1<<20))
	if err != nil {
		return
	}
	w.mu.Lock()
	w.requests++
	n, pause, status := w.random.IntN(1000), time.Duration(50+w.random.IntN(250))*time.Millisecond, 500+w.random.IntN(4)
	if w.onlyBusy && n%10 == 0 {
		n = trouble
	} else if w.onlyBusy {
		n = 999
	}
	fault := ""
	for _, f := range []struct {
		name string
		per  int
	}{{"5xx", trouble}, {"429", busy}, {"cut before", before}, {"cut after", after}, {"slow", slow}} {
		if n < f.per {
			fault = f.name
			break
		}
		n -= f.per
	}
	if strings.Contains(string(body), refusedWord) {
		fault = "refused"
	}
	if m := mark.FindString(string(body)); strings.Contains(string(body), hardWord) && w.failed[m] < hardFor {
		w.failed[m]++
		fault = "5xx"
	}
	if fault != "" {
		w.faults[fault]++
	}
	w.mu.Unlock()
	switch fault {
	case "refused":
		write(out, w.refusal())
		return
	case "5xx":
		http.Error(out, "<html>trouble</html>", status)
		return
	case "429":
		write(out, w.busy(pause))
		return
	case "cut before":
		panic(http.ErrAbortHandler)
	}
	a, answer, err := w.forward(q, body)
	if err != nil || fault == "cut after" {
		panic(http.ErrAbortHandler)
	}
	for k, v := range a.Header {
		out.Header()[k] = v
	}
	out.WriteHeader(a.StatusCode)
	if fault == "slow" {
		out.Write(answer[:len(answer)/2])
		http.NewResponseController(out).Flush()
		select {
		case <-time.After(pause):
		case <-q.Context().Done():
			return
		}
		answer = answer[len(answer)/2:]
	}
	out.Write(answer)
}

// forward has the platform answer, and notes when it took what it took.
func (w *weather) forward(q *http.Request, body []byte) (*http.Response, []byte, error) {
	// What the platform has begun it ends, though the client may be gone.
	r, err := http.NewRequest(q.Method, w.url+q.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header = q.Header.Clone()
	a, err := w.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer a.Body.Close()
	answer, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode < 300 && !bytes.Contains(answer, []byte(`"ok":false`)) {
		now := time.Now()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, m := range mark.FindAllString(string(body), -1) {
			if _, ok := w.first[m]; !ok {
				w.first[m] = now
			}
		}
	}
	return a, answer, err
}

func write(out http.ResponseWriter, a fake.Answer) {
	for k, v := range a.Header {
		out.Header()[k] = v
	}
	if a.Status != 0 {
		out.WriteHeader(a.Status)
	}
	io.WriteString(out, a.Body)
}

// refusal is how the platform refuses a message for good.
func (w *weather) refusal() fake.Answer {
	switch w.surface {
	case "telegram":
		return fake.TelegramError(400, "Bad Request: not enough rights to send text messages to the chat", 0)
	case "slack":
		return fake.SlackError("restricted_action")
	case "discord":
		return fake.DiscordError(400, 240000, "Message blocked by harmful links filter")
	}
	return fake.Answer{Status: 413}
}

// busy is how the platform says that it has no time.
func (w *weather) busy(pause time.Duration) fake.Answer {
	switch w.surface {
	case "telegram":
		return fake.TelegramError(429, "Too Many Requests: retry after 1", 1)
	case "slack":
		return fake.SlackRateLimit(1)
	case "discord":
		w.mu.Lock()
		defer w.mu.Unlock()
		return fake.DiscordRateLimit(pause, w.random.IntN(4) == 0)
	}
	return fake.Answer{Status: 429, Header: http.Header{"Retry-After": {"1"}}, Body: "busy"}
}
