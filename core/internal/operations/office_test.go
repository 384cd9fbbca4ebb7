package operations

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/binaries"
)

func TestMain(m *testing.M) {
	if home := os.Getenv(hostEnv); home != "" {
		host(home)
		return
	}
	code := m.Run()
	binaries.Remove()
	os.Exit(code)
}

// A post is what the courier posts for a part.
type post struct {
	Key, Job, Text string
	Part, Of, PID  int
	Target         struct{ Address string }
	possibleCopy   bool   // the text says that it may be a duplicate
	bare           string // the text without that
	n              int    // of all posts, from 1
	times          int    // that this part of this job came, from 1
	settledBefore  string // what the job's history said when it came
}

// An office is the platform behind the courier. It answers with a status: 0 takes
// the message and breaks off, and what is not decided it takes.
type office struct {
	t      *testing.T
	url    string
	mu     sync.Mutex
	posts  []post
	decide func(p post) int
	look   func(p post) string
	end    chan struct{} // closed with the test: nobody decides for longer
}

func newOffice(t *testing.T, decide func(p post) int) *office {
	o := &office{t: t, decide: decide, end: make(chan struct{})}
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(o.end) })
	o.url = server.URL
	return o
}

const mark = "(possible duplicate)\n"

func (o *office) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var p post
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		o.t.Errorf("posted: %v", err)
	}
	p.bare, p.possibleCopy = strings.CutPrefix(p.Text, mark)
	if o.look != nil {
		p.settledBefore = o.look(p)
	}
	o.mu.Lock()
	p.n, p.times = len(o.posts)+1, 1
	for _, other := range o.posts {
		if other.Job == p.Job && other.Part == p.Part {
			p.times++
		}
	}
	o.posts = append(o.posts, p)
	o.mu.Unlock()
	status := http.StatusOK
	if o.decide != nil {
		status = o.decide(p)
	}
	switch status {
	case 0:
		panic(http.ErrAbortHandler)
	case http.StatusOK:
		fmt.Fprintf(w, `{"id":"m%d"}`, p.n)
	default:
		w.WriteHeader(status)
	}
}

func (o *office) all() []post {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]post(nil), o.posts...)
}

// came is how often each part of a job was posted.
func (o *office) came(job string) (times []int) {
	for _, p := range o.all() {
		if p.Job != job {
			continue
		}
		for len(times) <= p.Part {
			times = append(times, 0)
		}
		times[p.Part]++
	}
	return times
}

// A vak is a core over a home, with the courier.
type vak struct {
	*core.Core
	t      *testing.T
	config core.Config
	log    *safeBuffer
}

const token = "TOKEN-0123456789"

// account is one of the courier's.
func (o *office) account(name, mode string) core.Account {
	b, _ := json.Marshal(map[string]string{"url": o.url + "/hook-" + token, "token": token, "mode": mode})
	return core.Account{Surface: "courier", Name: name, Settings: b}
}

// begin opens a core whose courier posts to the office.
func begin(t *testing.T, o *office, more ...core.Account) *vak {
	t.Helper()
	dir := binaries.Courier(t)
	v := &vak{t: t, log: &safeBuffer{}}
	v.config = core.Config{
		Home: t.TempDir(), NoControl: true, Plugins: []string{dir}, FirstParty: []string{dir},
		Accounts: append(more, o.account("", "")),
		Log:      hclog.New(&hclog.LoggerOptions{Output: v.log, Level: hclog.Trace}),
	}
	v.open()
	t.Cleanup(func() { v.Close() })
	return v
}

func (v *vak) open() {
	v.t.Helper()
	c, err := core.Open(v.t.Context(), v.config)
	if err != nil {
		v.t.Fatal(err)
	}
	v.Core = c
}

// restart ends the host and begins another over its home.
func (v *vak) restart() {
	v.t.Helper()
	if err := v.Close(); err != nil {
		v.t.Error(err)
	}
	v.open()
}

// send has a text delivered.
func (v *vak) send(id, target, text string) {
	v.t.Helper()
	if _, err := v.Deliver(v.t.Context(), core.Draft{Markdown: text}, core.Delivery{Target: target, ID: id}); err != nil {
		v.t.Fatal(err)
	}
}

// until waits until a job is as it should be.
func (v *vak) until(id string, is func(core.Job) bool) core.Job {
	v.t.Helper()
	return v.untilIn(id, 30*time.Second, is)
}

func (v *vak) untilIn(id string, most time.Duration, is func(core.Job) bool) core.Job {
	v.t.Helper()
	var j core.Job
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var err error
		if j, err = v.Job(v.t.Context(), id); err != nil {
			v.t.Fatal(err)
		}
		if is(j) {
			return j
		}
	}
	v.t.Fatalf("job %s stays %+v; its history:\n%s", id, j, v.history(id))
	return j
}

func state(s core.JobState) func(core.Job) bool {
	return func(j core.Job) bool { return j.State == s }
}

// waits is a job that has failed so often, and is tried again later.
func waits(attempts int) func(core.Job) bool {
	return func(j core.Job) bool { return j.State == core.JobPending && j.Attempts == attempts }
}

// hurry tries a job now that waits.
func (v *vak) hurry(id string) {
	v.t.Helper()
	if _, err := v.Act(v.t.Context(), core.Retry, id); err != nil {
		v.t.Fatal(err)
	}
}

// history is what happened to a job, in one text.
func (v *vak) history(id string) string {
	all, err := v.JobHistory(v.t.Context(), id)
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	for _, e := range all {
		fmt.Fprintf(&out, "%s %s\n", e.Kind, e.Body)
	}
	return out.String()
}

// api is what the API says.
func (v *vak) api(method, path string) string {
	w := httptest.NewRecorder()
	v.Handler().ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Body.String()
}

// parts is a text that becomes n messages of the courier.
func parts(n int) string {
	var out []string
	for i := range n {
		out = append(out, strings.TrimSpace(strings.Repeat(fmt.Sprintf("part%d ", i), 60)))
	}
	return strings.Join(out, "\n\n")
}

// A safeBuffer takes a log.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
