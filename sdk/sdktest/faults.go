package sdktest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Reply is what a platform answers to one message, and what has to follow.
type Reply struct {
	Answers  []Answer      // one for each request that is made
	Class    surface.Class // empty: the message counts as sent
	Code     string
	Hint     string // empty: any
	After    time.Duration
	Requests int // how many are made; 0: one
	Why      string
}

// Replies has the platform answer the message r in every way of a table, and
// fails the test where anything else follows than the table says.
func (s *Sender) Replies(t testing.TB, p *Platform, r surface.SendRequest, table []Reply) {
	t.Helper()
	for _, row := range table {
		before := len(p.Requests())
		p.Next(row.Answers...)
		_, err := s.Send(context.Background(), r)
		if row.Class == "" && err != nil {
			t.Errorf("%s: %v", row.Why, err)
		} else if row.Class != "" {
			e := Refused(t, row.Why, err, row.Class, row.Code)
			if e.Class != "" && (row.Hint != "" && e.Hint != row.Hint || e.RetryAfter != row.After) {
				t.Errorf("%s: hint %q after %v, want %q after %v", row.Why, e.Hint, e.RetryAfter, row.Hint, row.After)
			}
		}
		if n, want := len(p.Requests())-before, max(row.Requests, 1); n != want {
			t.Errorf("%s: %d requests, want %d", row.Why, n, want)
		}
	}
}

// EveryRow fails the test for each row of a table that no case in file leads to, and
// that is thus tried by nobody. The file is a JSON list of cases, of whose members Case
// has those that matter. Leads finds the row of a case, as what uses the table does.
func EveryRow[Row comparable, Case any](t testing.TB, file string, table []Row, leads func(Case) Row) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	tried := map[Row]bool{}
	for _, c := range cases {
		tried[leads(c)] = true
	}
	for _, row := range table {
		if !tried[row] {
			t.Errorf("no case of %s leads to %+v", file, row)
		}
	}
}

// TransportConformance holds the transport behind s to the rules of
// [surface.Transport] that no platform changes. p is the platform that the
// account is set to send to, and takes r. The message is sent about a dozen times,
// under its one key, and p is closed in the end.
//
//  1. Each call makes one request, and none is repeated.
//  2. Where the connection breaks after the request was written, or no answer
//     comes in time, the outcome is Unknown.
//  3. Where nobody listens it is Transient.
//  4. 429 is RateLimited, with the time that the header Retry-After asks for.
//  5. 503 with such a time is Transient or RateLimited, and honours it.
//  6. A redirect is not followed, and is no success.
//  7. An answer of success that cannot be read is a success or Unknown, never
//     an outcome after which the message is sent again as if it were not there.
//  8. A refusal that cannot be read is an error, and never Unknown.
//  9. Errors and the log tell no setting, and no word that the platform said.
//  10. The plain form is sent where it is asked for: the request holds its words.
//     Where whole packets are sent there is no such form.
func TransportConformance(t testing.TB, s *Sender, p *Platform, r surface.SendRequest) {
	t.Helper()
	const chatter = "what-the-platform-said"
	if s.t != nil {
		s.mu.Lock()
		s.words = append(s.words, chatter)
		s.mu.Unlock()
	}
	if _, err := s.Send(context.Background(), r); err != nil {
		t.Fatalf("the platform does not take the message that is to be tried: %v", err)
	}
	if len(r.Packet) == 0 { // a packet is sent as it is
		plain := r
		plain.Form, plain.Chunk.Text, plain.Chunk.Plain, plain.Chunk.Native = surface.FormPlain, "**markup**", "words", nil
		if _, err := s.Send(context.Background(), plain); err != nil {
			t.Errorf("the plain form: %v", err)
		} else if all := p.Requests(); !strings.Contains(all[len(all)-1].Body, plain.Chunk.Plain) {
			t.Error("the plain form: the request does not hold it; send Chunk.Plain where Form is plain")
		}
	}
	after := http.Header{"Retry-After": {"7"}}
	away := http.Header{"Location": {p.URL + "/" + chatter}}
	unclear := []surface.Class{surface.Unknown}
	for _, c := range []struct {
		answer  Answer
		want    []surface.Class
		success bool // the message may count as sent
		wait    time.Duration
		why     string
	}{
		{Answer{Cut: true}, unclear, false, 0, "cut before it was taken"},
		{Answer{Cut: true, Accept: true}, unclear, false, 0, "cut after it was taken"},
		{Answer{Header: http.Header{"Content-Length": {"100"}}, Body: "half"}, unclear, false, 0, "half an answer"},
		{Answer{Status: 429, Header: after, Body: "<html>" + chatter}, []surface.Class{surface.RateLimited}, false, 7 * time.Second, "429"},
		{Answer{Status: 503, Header: after, Body: "<html>" + chatter}, []surface.Class{surface.Transient, surface.RateLimited}, false, 7 * time.Second, "503"},
		{Answer{Status: 307, Header: away}, []surface.Class{surface.Permanent}, false, 0, "a redirect"},
		{Answer{Body: "<html>" + chatter}, unclear, true, 0, "success that is a page"},
		{Answer{}, unclear, true, 0, "success that is nothing"},
		{Answer{Body: `{"ok":true,"id":"` + chatter}, unclear, true, 0, "success that breaks off"},
		{Answer{Body: strings.Repeat(" ", 2<<20)}, unclear, true, 0, "success without an end"},
		{Answer{Status: 403, Body: "<html>" + chatter}, []surface.Class{surface.Permanent, surface.TargetGone}, false, 0, "a refusal that is a page"},
		{Answer{Status: 403, Body: "\x00\xff{" + chatter}, []surface.Class{surface.Permanent, surface.TargetGone}, false, 0, "a refusal that is nothing known"},
		{Answer{After: time.Hour}, unclear, false, 0, "no answer in time"}, // last: it leaves no connection open
	} {
		before := len(p.Requests())
		p.Next(c.answer)
		ctx, cancel := context.Background(), context.CancelFunc(func() {})
		if c.answer.After > 0 {
			ctx, cancel = context.WithTimeout(ctx, time.Second)
		}
		_, err := s.Send(ctx, r)
		cancel()
		s.judge(t, c.why, err, c.success, c.want, c.wait)
		if n := len(p.Requests()) - before; n != 1 {
			t.Errorf("%s: %d requests, want 1", c.why, n)
		}
	}
	p.Close()
	_, err := s.Send(context.Background(), r)
	s.judge(t, "nobody listens", err, false, []surface.Class{surface.Transient}, 0)
}

// judge fails the test unless err is of one of the classes, with a time to wait.
func (s *Sender) judge(t testing.TB, why string, err error, success bool, want []surface.Class, wait time.Duration) {
	t.Helper()
	if err == nil {
		if !success {
			t.Errorf("%s: it counts as sent", why)
		}
		return
	}
	e, ok := errors.AsType[*surface.DeliveryError](err)
	if !ok {
		t.Errorf("%s: %v is no DeliveryError", why, err)
		return
	}
	for _, class := range want {
		if e.Class == class && e.RetryAfter == wait {
			return
		}
	}
	t.Errorf("%s: %v after %v, want one of %v after %v", why, err, e.RetryAfter, want, wait)
}
