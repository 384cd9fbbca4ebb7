package endtoend

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// An answer is one that no table has, and what must come of it.
type answer struct {
	why     string
	replies []reply
	check   func(t *testing.T, v *vak, chat string)
	more    func(d *core.Delivery) // nil: as always
}

// parked is the chat whose target wants a doubtful job to be parked.
const parked = 900

// unreadable is what follows from an answer that takes the message and cannot be
// read: for a webhook it is the status that counts, for the others it is a doubt.
func unreadable(id string) func(t *testing.T, v *vak, chat string) {
	if id == "webhook" {
		return once
	}
	return doubted(1)
}

// once is a job that has arrived, with one request.
func once(t *testing.T, v *vak, chat string) {
	t.Helper()
	delivered(t, v, chat, 0)
	v.said(t, chat, "text")
}

// doubted is a job that may have arrived, and is sent again. There are so many
// messages then where the platform does not recognise the second.
func doubted(messages int) func(t *testing.T, v *vak, chat string) {
	return func(t *testing.T, v *vak, chat string) {
		t.Helper()
		recognised := v.platform.id == "webhook" || v.platform.id == "discord"
		counted(t, v.failed(t, chat), "unknown")
		again(t, v, chat, !recognised)
		if recognised {
			messages = 1
		}
		if texts, _ := v.platform.took(); len(texts[chat]) != messages {
			t.Errorf("arrived %q", texts[chat])
		}
		if all := v.to(chat); v.platform.id == "webhook" && all[0].body != all[1].body {
			t.Error("the second attempt has another body")
		}
	}
}

// put is what a job that may have arrived is parked as, until somebody looks.
func put(t *testing.T, v *vak, chat string) {
	t.Helper()
	if v.platform.id == "webhook" || v.platform.id == "discord" { // there is no doubt to be had
		doubted(1)(t, v, chat)
		return
	}
	if j := v.until(t, chat, over); j.State != core.JobHeld || j.Reason != "unknown_outcome" || !j.Parked {
		t.Fatalf("it is %+v", j)
	}
	v.said(t, chat, "text")
	again(t, v, chat, true)
}

// dead is a dead letter for a reason, after requests of these forms.
func dead(reason string, forms ...string) func(t *testing.T, v *vak, chat string) {
	return func(t *testing.T, v *vak, chat string) {
		t.Helper()
		if j := v.until(t, chat, over); j.State != core.JobDeadLetter || j.Reason != reason {
			t.Errorf("it is %+v", j)
		}
		v.said(t, chat, forms...)
	}
}

// waited is a job that goes on after a time that lies between two, and that nothing
// was counted against.
func waited(least, most time.Duration) func(t *testing.T, v *vak, chat string) {
	return func(t *testing.T, v *vak, chat string) {
		t.Helper()
		f := v.failed(t, chat)
		if wait := f.body.Next.Sub(f.at); f.body.Counted || !f.body.Waits || wait < least-time.Second/2 || wait > most+time.Second/2 {
			t.Errorf("%v, after %v, want %v to %v", f, wait, least, most)
		}
		if most > 5*time.Second {
			v.said(t, chat, "text")
			return
		}
		delivered(t, v, chat, 0)
		if all := v.said(t, chat, "text", "text"); all[1].at.Before(f.body.Next.Add(-time.Millisecond)) || all[1].marked() {
			t.Errorf("the second came at %v, due was %v, and says %q", all[1].at, f.body.Next, all[1].text)
		}
	}
}

// later is a refusal whose header asks for a time.
func later(p *platform, status int, after string) []reply {
	a := p.refuse(status, 0, map[string]string{"slack": "ratelimited", "telegram": "Too Many Requests"}[p.id])
	header := http.Header{}
	for k, v := range a.Header {
		header[k] = v
	}
	if after != "" {
		header.Set("Retry-After", after)
	}
	a.Header = header
	return []reply{{Answer: a}}
}

// answers are those that every platform may give.
func answers(p *platform, trap string) []answer {
	ok := func(body string) []reply {
		return []reply{{Answer: fake.Answer{Body: body, Header: http.Header{"Content-Type": {"application/json"}}}}}
	}
	all := []answer{
		{why: "the connection ends before the message is taken", replies: []reply{{Answer: fake.Answer{Cut: true}}}, check: doubted(1)},
		{why: "the connection ends after the message is taken", replies: []reply{{Answer: fake.Answer{Cut: true, Accept: true}}}, check: doubted(2)},
		{why: "the answer's body breaks off", replies: []reply{{Answer: fake.Answer{Accept: true, Body: `{"ok":true}`}, short: true}}, check: doubted(2)},
		{why: "the answer's body comes in many pieces", replies: []reply{{pass: true, slow: true}}, check: once},
		{why: "200 with what is no JSON", replies: ok("<html>welcome"), check: unreadable(p.id)},
		{why: "200 with JSON of another kind", replies: ok(`[]`), check: unreadable(p.id)},
		{why: "200 with nothing", replies: ok(""), check: unreadable(p.id)},
		{why: "200 that says it is not", replies: ok(`{"ok":false}`), check: unreadable(p.id)},
		{why: "200 with more than anybody reads", replies: ok(`{"ok":` + strings.Repeat(" ", 3<<20) + `true}`), check: unreadable(p.id)},
		{why: "a refusal with more than anybody reads", replies: []reply{{Answer: fake.Answer{Status: 400, Body: strings.Repeat("no ", 1<<20)}}}, check: dead("refused", "text")},
		{why: "a redirect", replies: []reply{{Answer: fake.Answer{Status: 302, Header: http.Header{"Location": {trap}}}}}, check: dead("refused", "text")},
		{why: "a redirect that keeps the body", replies: []reply{{Answer: fake.Answer{Status: 307, Header: http.Header{"Location": {trap}}}}}, check: dead("refused", "text")},
		{why: "a time in seconds", replies: later(p, 429, "30"), check: waited(30*time.Second, 30*time.Second)},
		{why: "a time with a fraction", replies: later(p, 429, "7.5"), check: waited(7500*time.Millisecond, 7500*time.Millisecond)},
		{why: "a time as a date", replies: later(p, 429, time.Now().Add(10*time.Minute).UTC().Format(http.TimeFormat)), check: waited(9*time.Minute, 10*time.Minute)},
		{why: "a date that is past", replies: later(p, 429, "Thu, 01 Jan 1970 00:00:00 GMT"), check: waited(time.Second, time.Second)},
		{why: "a negative time", replies: later(p, 429, "-30"), check: waited(time.Second, time.Second)},
		{why: "an absurd time", replies: later(p, 429, "1e15"), check: waited(24*time.Hour, 24*time.Hour)},
		{why: "a time in words", replies: later(p, 429, "soon"), check: waited(time.Second, time.Second)},
		{why: "no time", replies: later(p, 429, ""), check: waited(time.Second, time.Second)},
	}
	switch p.id {
	case "telegram":
		fields := func(v string) []reply {
			return []reply{{Answer: fake.Answer{Status: 429, Body: `{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":` + v + `}}`}}}
		}
		migrate := fmt.Sprintf(`{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":%s}}`, p.chat(800))
		all = append(all,
			answer{why: "a time in the body", replies: fields("40"), check: waited(40*time.Second, 40*time.Second)},
			answer{why: "a negative time in the body", replies: fields("-1"), check: waited(time.Second, time.Second)},
			answer{why: "an absurd time in the body", replies: fields("1e300"), check: waited(24*time.Hour, 24*time.Hour)},
			answer{why: "a time in its words", replies: []reply{{Answer: fake.TelegramError(429, "Too Many Requests: retry after 50", 0)}}, check: waited(50*time.Second, 50*time.Second)},
			answer{why: "the group is another now", replies: []reply{{Answer: fake.Answer{Status: 400, Body: migrate}}}, check: func(t *testing.T, v *vak, chat string) {
				delivered(t, v, chat, 0)
				v.said(t, chat, "text")
				if to := v.to(v.platform.chat(800)); len(to) != 1 || to[0].marked() {
					t.Errorf("the new chat was asked %d times", len(to))
				}
			}},
			answer{why: "a reply to what is gone", replies: []reply{{Answer: fake.TelegramError(400, "Bad Request: message to be replied not found", 0)}},
				more: func(d *core.Delivery) { d.ReplyTo = &surface.Ref{ID: "7"} }, check: unreplied},
		)
	case "discord":
		fields := func(v string) []reply {
			return []reply{{Answer: fake.Answer{Status: 429, Body: `{"retry_after":` + v + `,"global":false}`}}}
		}
		all = append(all,
			answer{why: "a time in the body", replies: fields("40.25"), check: waited(40250*time.Millisecond, 40250*time.Millisecond)},
			answer{why: "a negative time in the body", replies: fields("-3.5"), check: waited(time.Second, time.Second)},
			answer{why: "an absurd time in the body", replies: fields("1e300"), check: waited(24*time.Hour, 24*time.Hour)},
			answer{why: "a text that is too long, by its field", replies: []reply{{Answer: fake.Answer{Status: 400,
				Body: `{"code":50035,"message":"Invalid Form Body","errors":{"content":{"_errors":[{"code":"BASE_TYPE_MAX_LENGTH"}]}}}`}}}, check: outcomes["halves"]},
			answer{why: "a reply to what is gone", replies: []reply{{Answer: fake.Answer{Status: 400,
				Body: `{"code":50035,"message":"Invalid Form Body","errors":{"message_reference":{"_errors":[{"code":"REPLIES_UNKNOWN_MESSAGE"}]}}}`}}},
				more: func(d *core.Delivery) { d.ReplyTo = &surface.Ref{ID: "1000000000000000007"} }, check: unreplied},
		)
	case "slack":
		all = append(all, answer{why: "a reply to what is gone", replies: []reply{{Answer: fake.SlackError("thread_not_found")}},
			more: func(d *core.Delivery) { d.ReplyTo = &surface.Ref{ID: "1700000000.000100"} }, check: unreplied})
	case "webhook":
		all = append(all, answer{why: "it wants no further attempt", check: dead("refused", "text"),
			replies: []reply{{Answer: fake.Answer{Status: 503, Header: http.Header{"Webhook-Delivery": {"abort-message"}}}}}})
		return append(all, answer{why: "trouble, with a time", replies: later(p, 503, "30"), check: waited(30*time.Second, 30*time.Second)})
	}
	markup := map[string]fake.Answer{"telegram": fake.TelegramError(400, "Bad Request: can't parse entities: no", 0), "slack": fake.SlackError("invalid_blocks"), "discord": fake.DiscordError(400, 50035, "Invalid Form Body")}[p.id]
	long := map[string]fake.Answer{"telegram": fake.TelegramError(400, "Bad Request: message is too long", 0), "slack": fake.SlackError("msg_too_long"), "discord": fake.DiscordError(413, 40005, "Request entity too large")}[p.id]
	return append(all,
		answer{why: "no form of it is taken", replies: []reply{{Answer: markup}, {Answer: markup}}, check: dead("refused", "text", "plain")},
		answer{why: "not even a half of it is taken", replies: []reply{{Answer: long}, {Answer: long}}, check: dead("too_long", "text", "plain")},
		answer{why: "markup, and then the length", replies: []reply{{Answer: markup}, {Answer: long}}, check: func(t *testing.T, v *vak, chat string) {
			delivered(t, v, chat, 0)
			if n := len(v.to(chat)); n < 4 || n > 5 {
				t.Errorf("%d requests", n)
			}
			whole(t, v, chat)
		}},
	)
}

// unreplied is a job that arrives though what it replies to is gone.
func unreplied(t *testing.T, v *vak, chat string) {
	t.Helper()
	delivered(t, v, chat, 0)
	all := v.said(t, chat, "text", "text")
	field := map[string]string{"telegram": `"reply_parameters"`, "discord": `"message_reference"`, "slack": `"thread_ts"`}[v.platform.id]
	if !strings.Contains(all[0].body, field) || strings.Contains(all[1].body, field) {
		t.Errorf("said %s and %s", all[0].body, all[1].body)
	}
}

// TestAnswers plays what no table of refusals has.
func TestAnswers(t *testing.T) {
	for id := range platforms {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
			t.Cleanup(trap.Close)
			p := platforms[id]()
			file := filepath.Join(t.TempDir(), "vak.toml")
			config := fmt.Sprintf("[targets.before]\nto = %q\nunknown = \"park\"\n[targets.after]\nto = %q\nunknown = \"park\"\n", id+":"+p.chat(parked), id+":"+p.chat(parked+1))
			p.close()
			if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(filepath.Dir(binaries.Build(t)), "plugins")
			closed := httptest.NewServer(http.NotFoundHandler())
			closed.Close() // nobody listens there
			all := answers(p, trap.URL)
			var waiting []int
			for n, a := range all {
				if a.replies[0].Status == http.StatusTooManyRequests {
					waiting = append(waiting, n)
				}
			}
			more, alone := lone(id, waiting)
			more["stranger"], more["nowhere"] = strangers[id], map[string]any{where[id]: closed.URL}
			v := beginWith(t, id, core.Config{Plugins: []string{dir}, FirstParty: []string{dir}, File: file}, more)
			v.alone = alone
			for n, a := range all {
				chat := v.platform.chat(n)
				v.script(chat, a.replies...)
				if a.more == nil {
					a.more = func(*core.Delivery) {}
				}
				v.deliver(chat, v.target(chat), text(chat), a.more)
			}
			for n, accept := range []bool{false, true} {
				chat := v.platform.chat(parked + n)
				v.script(chat, reply{Answer: fake.Answer{Cut: true, Accept: accept}})
				v.deliver(chat, v.target(chat), text(chat))
			}
			stranger, nowhere := v.platform.chat(700), v.platform.chat(701)
			v.deliver(stranger, v.target(stranger)+":stranger", text(stranger))
			v.deliver(nowhere, v.target(nowhere)+":nowhere", text(nowhere))
			for n, a := range all {
				t.Run(a.why, func(t *testing.T) { a.check(t, v, v.platform.chat(n)) })
			}
			t.Run("parked, before it is taken", func(t *testing.T) { put(t, v, v.platform.chat(parked)) })
			t.Run("parked, after it is taken", func(t *testing.T) { put(t, v, v.platform.chat(parked+1)) })
			t.Run("an account that nobody knows", func(t *testing.T) { dead("refused", "text")(t, v, stranger) })
			t.Run("nobody listens", func(t *testing.T) {
				f := v.failed(t, nowhere)
				counted(t, f, "transient")
				if f.body.Code != "connection_refused" || len(v.to(nowhere)) > 0 {
					t.Errorf("%v", f)
				}
			})
			t.Run("others go on", func(t *testing.T) {
				chat := v.platform.chat(702)
				v.deliver(chat, v.target(chat), text(chat))
				once(t, v, chat)
				if texts, notified := v.platform.took(); !slices.Equal([]int{len(texts[chat]), len(notified)}, []int{1, 0}) {
					t.Errorf("arrived %q, notified %q", texts[chat], notified)
				}
			})
		})
	}
}

// strangers are accounts that the platform does not know.
var strangers = map[string]map[string]any{
	"telegram": {"token": "1:stranger"},
	"slack":    {"token": "xoxb-stranger"},
	"discord":  {"token": "stranger"},
	"webhook":  {"secret": "whsec_c3RyYW5nZXIgc3RyYW5nZXIgc3RyYW5nZXI="},
}

// where is the setting that says where a platform is.
var where = map[string]string{"telegram": "api", "slack": "api", "discord": "api", "webhook": "url"}
