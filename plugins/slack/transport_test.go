package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// secret is the part of the token that nobody but the platform may see.
const secret = "planted-secret"

const token = "xoxb-" + secret

// A post is a transport over the wire form, and the platform behind it.
type post struct {
	*sdktest.Sender
	platform *fake.Slack
}

// postOffice opens one.
func postOffice(t testing.TB, o fake.SlackOptions) *post {
	t.Helper()
	o.Token = token
	if o.Now == nil {
		o.Now = func() time.Time { return time.Unix(1_700_000_000, 0) }
	}
	p := &post{platform: fake.NewSlack(o)}
	t.Cleanup(p.platform.Close)
	p.Sender = sdktest.Send(t, plugin(), account(p.platform.API()), secret, "chatter")
	return p
}

func account(api string) surface.Account {
	b, _ := json.Marshal(map[string]string{"token": token, "api": api})
	return surface.Account{Settings: b}
}

// part is a message in mrkdwn for the channel C100.
func part(text string) surface.SendRequest {
	return surface.SendRequest{
		Key: "k", Job: "j", Of: 1, Attempt: 1, Kind: surface.Assistant, Form: surface.FormText,
		Target: surface.Target{Surface: "slack", Address: "C100"}, Chunk: surface.Chunk{Text: text, Plain: text},
	}
}

func plain(text string) surface.SendRequest {
	r := part(text)
	r.Form = surface.FormPlain
	return r
}

// answered has Slack say a code, or a status for a code that is one.
func answered(code string) fake.Answer {
	if strings.Trim(code, "0123456789") != "" {
		return fake.SlackError(code)
	}
	a := fake.Answer{Body: "<html>chatter"}
	fmt.Sscan(code, &a.Status)
	return a
}

// TestMeanings has Slack say every line of the table.
func TestMeanings(t *testing.T) {
	p := postOffice(t, fake.SlackOptions{})
	var table []sdktest.Reply
	for _, m := range meanings() {
		table = append(table, sdktest.Reply{Answers: []fake.Answer{answered(m.code)}, Class: m.class, Code: m.code, Hint: m.hint, Why: m.code})
	}
	p.Replies(t, p.platform.Server, part("a"), table)
	if n := len(p.platform.Messages()); n != 0 {
		t.Errorf("%d messages were taken", n)
	}
}

// TestFacts holds the table to what is known of Slack.
func TestFacts(t *testing.T) {
	for class, codes := range map[surface.Class]string{
		surface.RateLimited: "ratelimited rate_limited 429",
		surface.Transient:   "service_unavailable request_timeout 500 502 503 599",
		surface.Unknown:     "internal_error fatal_error 504",
		surface.Payload:     "invalid_blocks invalid_blocks_format msg_blocks_too_long msg_blocks_too_many block_mismatch",
		surface.TooLong:     "msg_too_long 413",
		surface.Permanent: "channel_not_found not_in_channel is_archived no_text restricted_action messages_tab_disabled cannot_reply_to_message " +
			"invalid_auth not_authed token_revoked token_expired account_inactive missing_scope no_permission " +
			"message_not_found cant_update_message edit_window_closed streaming_state_conflict something_new 302 400 403 404",
	} {
		for _, code := range strings.Fields(codes) {
			status, said := 200, code
			if a := answered(code); a.Status != 0 {
				status, said = a.Status, ""
			}
			if m := find(status, said); m.class != class || m.code != code {
				t.Errorf("%s: %s (%s), want %s", code, m.class, m.code, class)
			}
		}
	}
}

func TestAnswersWithoutCodes(t *testing.T) {
	p := postOffice(t, fake.SlackOptions{})
	p.Replies(t, p.platform.Server, part("a"), []sdktest.Reply{
		{Answers: []fake.Answer{fake.Answer{Status: 502, Body: "<html>chatter"}}, Class: surface.Transient, Code: "502", Why: "a proxy's page"},
		{Answers: []fake.Answer{fake.Answer{Status: 302, Header: http.Header{"Location": {"/chatter"}}}}, Class: surface.Permanent, Code: "302", Why: "a redirect"},
		{Answers: []fake.Answer{fake.Answer{Status: 403, Body: `{"ok":false,"error":"is_archived"}`}}, Class: surface.Permanent, Code: "is_archived", Why: "a code with another status"},
		{Answers: []fake.Answer{fake.Answer{Body: "<html>chatter"}}, Class: surface.Unknown, Code: "answer", Why: "success that is no JSON"},
		{Answers: []fake.Answer{fake.Answer{Body: ""}}, Class: surface.Unknown, Code: "answer", Why: "success that is nothing"},
		{Answers: []fake.Answer{fake.Answer{Body: `{"ok":true,"ts":"1`}}, Class: surface.Unknown, Code: "answer", Why: "half an answer"},
		{Answers: []fake.Answer{fake.Answer{Body: `{"ok":false}`}}, Class: surface.Unknown, Code: "answer", Why: "neither yes nor why not"},
		{Answers: []fake.Answer{fake.Answer{Body: `{"ok":true,"pad":"` + strings.Repeat("x", 1<<20) + `"}`}}, Class: surface.Unknown, Code: "answer", Why: "an answer without an end"},
		{Answers: []fake.Answer{fake.SlackError("Some chatter, not a code")}, Class: surface.Permanent, Code: "refused", Why: "words where a code should be"},
		{Answers: []fake.Answer{fake.SlackError("something_new")}, Class: surface.Permanent, Code: "something_new", Why: "a code that is new"},
	})
	p.platform.Next(fake.Answer{Body: `{"ok":true}`})
	if r, err := p.Send(t.Context(), part("a")); err != nil || len(r.Refs) != 0 {
		t.Errorf("taken, but not shown: %+v, %v", r, err)
	}
}

func TestRetryAfter(t *testing.T) {
	p := postOffice(t, fake.SlackOptions{})
	after := func(a fake.Answer, v string) fake.Answer {
		a.Header = http.Header{"Retry-After": {v}}
		return a
	}
	p.Replies(t, p.platform.Server, part("a"), []sdktest.Reply{
		{Answers: []fake.Answer{fake.SlackRateLimit(30)}, Class: surface.RateLimited, Code: "ratelimited", After: 30 * time.Second, Why: "as Slack does"},
		{Answers: []fake.Answer{after(fake.SlackError("rate_limited"), "7")}, Class: surface.RateLimited, Code: "rate_limited", After: 7 * time.Second, Why: "with status 200"},
		{Answers: []fake.Answer{after(fake.Answer{Status: 429}, "8")}, Class: surface.RateLimited, Code: "429", After: 8 * time.Second, Why: "without a body"},
		{Answers: []fake.Answer{fake.Answer{Status: 429}}, Class: surface.RateLimited, Code: "429", Why: "nowhere"},
		{Answers: []fake.Answer{after(fake.Answer{Status: 503}, "9")}, Class: surface.Transient, Code: "503", After: 9 * time.Second, Why: "in trouble"},
		{Answers: []fake.Answer{after(fake.Answer{Status: 429}, "1e300")}, Class: surface.RateLimited, Code: "429", After: 24 * time.Hour, Why: "a day at most"},
	})
}

func TestConnections(t *testing.T) {
	p := postOffice(t, fake.SlackOptions{})
	sdktest.TransportConformance(t, p.Sender, p.platform.Server, part("a"))
	if n := len(p.platform.Messages()); n != 3 {
		t.Errorf("%d messages, want the first, the plain one and the one that was cut after it was taken", n)
	}
}

func TestThreads(t *testing.T) {
	const other = "1600000000.000001"
	p := postOffice(t, fake.SlackOptions{Channels: []fake.SlackChannel{{ID: "C100", Threads: []string{other}}, {ID: "C200"}}})
	sends := func(why string, r surface.SendRequest, thread string) surface.Ref {
		t.Helper()
		out, err := p.Send(t.Context(), r)
		if err != nil || len(out.Refs) != 1 {
			t.Fatalf("%s: %+v, %v", why, out, err)
		}
		all := p.platform.Messages()
		if got := all[len(all)-1].Thread; got != thread {
			t.Errorf("%s: thread %q, want %q", why, got, thread)
		}
		return out.Refs[0]
	}
	in := part("a")
	in.Target.Thread = other
	inside := sends("a target with a thread", in, other)
	if string(inside.Opaque) != `{"channel":"C100","thread":"`+other+`"}` {
		t.Errorf("opaque: %s", inside.Opaque)
	}
	first := sends("none", part("question"), "")
	reply := part("answer")
	reply.ReplyTo = &first
	sends("a reply begins a thread", reply, first.ID)
	reply.ReplyTo = &inside
	sends("a reply within a thread stays there", reply, other)
	in.ReplyTo = &first
	sends("the target's thread comes first", in, other)
	elsewhere := part("x")
	elsewhere.Target.Address, elsewhere.ReplyTo = "C200", &first
	sends("a reply to another channel", elsewhere, "")

	if err := p.Delete(t.Context(), part("").Target, first); err != nil {
		t.Fatal(err)
	}
	reply.ReplyTo = &first
	before := len(p.platform.Requests())
	sends("a reply to what is gone", reply, "")
	if n := len(p.platform.Requests()) - before; n != 2 {
		t.Errorf("a reply to what is gone: %d requests", n)
	}
	p.platform.Next(fake.SlackError("cannot_reply_to_message"), fake.SlackError("cannot_reply_to_message"))
	before = len(p.platform.Requests())
	_, err := p.Send(t.Context(), reply)
	sdktest.Refused(t, "refused twice", err, surface.Permanent, "cannot_reply_to_message")
	if n := len(p.platform.Requests()) - before; n != 2 {
		t.Errorf("refused twice: %d requests", n)
	}
	in.Target.Thread = "1600000000.000002"
	before = len(p.platform.Requests())
	_, err = p.Send(t.Context(), in)
	sdktest.Refused(t, "a target whose thread is gone", err, surface.Permanent, "thread_not_found")
	if n := len(p.platform.Requests()) - before; n != 1 {
		t.Errorf("a target whose thread is gone: %d requests", n)
	}
}

func TestEditAndDelete(t *testing.T) {
	p := postOffice(t, fake.SlackOptions{})
	direct := part("*one*")
	direct.Target.Address = "U100"
	sent, err := p.Send(t.Context(), direct)
	if err != nil || len(sent.Refs) != 1 || sent.Refs[0].ID != "1700000000.000001" || string(sent.Refs[0].Opaque) != `{"channel":"D100"}` {
		t.Fatalf("%+v, %v", sent, err)
	}
	for _, r := range []surface.SendRequest{part("*two*"), plain("@carol *three* <!here>\n> _x_ a_b")} {
		out, err := p.Edit(t.Context(), sent.Refs[0], r)
		if err != nil || len(out.Refs) != 1 || out.Refs[0].ID != sent.Refs[0].ID || string(out.Refs[0].Opaque) != `{"channel":"D100"}` {
			t.Fatalf("edit: %+v, %v", out, err)
		}
	}
	m := p.platform.Messages()[0]
	if want := "@carol \u2060*three* &lt;!here&gt;\n\u2060&gt; \u2060_x_ a_b"; m.Text != want || m.Edits != 2 || len(m.Notified) > 0 {
		t.Errorf("%+v, want the text %q", m, want)
	}
	for range 2 { // gone already is as good
		if err := p.Delete(t.Context(), part("").Target, sent.Refs[0]); err != nil {
			t.Error(err)
		}
	}
	if m := p.platform.Messages(); len(m) != 1 || !m[0].Deleted {
		t.Errorf("%+v", m)
	}
	_, err = p.Edit(t.Context(), sent.Refs[0], part("four"))
	sdktest.Refused(t, "edit of what is gone", err, surface.Permanent, codeGone)
	before := len(p.platform.Requests())
	for _, ref := range []surface.Ref{{ID: "x"}, {ID: "1.2.3"}, {ID: "1700000000.000001", Opaque: json.RawMessage(`{"channel":"../x"}`)}} {
		_, err = p.Edit(t.Context(), ref, part("a"))
		sdktest.Refused(t, "edit of "+ref.ID, err, surface.Permanent, "ref")
		sdktest.Refused(t, "delete of "+ref.ID, p.Delete(t.Context(), part("").Target, ref), surface.Permanent, "ref")
	}
	if n := len(p.platform.Requests()) - before; n != 0 {
		t.Errorf("%d requests for messages that cannot be", n)
	}
	p.platform.Next(fake.SlackError("cant_delete_message"))
	sdktest.Refused(t, "not its own", p.Delete(t.Context(), part("").Target, sent.Refs[0]), surface.Permanent, "cant_delete_message")
}

func TestSettings(t *testing.T) {
	const good = `{"token":"xoxb-planted-secret"`
	sdktest.Accounts(t, plugin(), []sdktest.AccountCase{
		{Settings: good + `}`, Why: "a token is enough"},
		{Settings: good + `,"api":"http://127.0.0.1:8081/api/"}`, Why: "a test's"},
		{Settings: good + `,"api":"https://slack.example.org/api"}`, Why: "a proxy's"},
		{Settings: ``, Code: "settings", Why: "nothing"},
		{Settings: `{}`, Code: "token", Why: "no token"},
		{Settings: good + `,"channel":"planted-secret"}`, Code: "settings", Why: "a setting that there is not"},
		{Settings: `{"token":"planted-secret"}`, Code: "token", Why: "no token of Slack's"},
		{Settings: `{"token":"xoxb-planted-secret\r\nX: y"}`, Code: "token", Why: "a header in a token"},
		{Settings: good + `,"mentions":"live"}`, Code: "settings", Why: "what the policy decides"},
		{Settings: good + `,"api":"http://planted-secret.example.org"}`, Code: "api", Why: "the token in the clear"},
		{Settings: good + `,"api":"http://planted-secret:8080"}`, Code: "api", Why: "or in a network of containers"},
		{Settings: good + `,"api":"https://u:planted-secret@x.org"}`, Code: "api", Why: "a name and a password"},
		{Settings: good + `,"api":"https://x.org/?planted-secret"}`, Code: "api", Why: "a query"},
	}, secret)
}

func TestAddresses(t *testing.T) {
	p := postOffice(t, fake.SlackOptions{})
	for _, k := range []struct{ address, thread, code string }{
		{"C0123ABC", "", ""}, {"G1", "1700000000.000100", ""}, {"D1", "", ""}, {"U1", "", ""},
		{"general", "", "address"}, {"#general", "", "address"}, {"c1", "", "address"}, {"C1/../x", "", "address"},
		{"C1", "x", "thread"}, {"C1", "1700000000", "thread"},
	} {
		r := part("a")
		r.Target.Address, r.Target.Thread = k.address, k.thread
		before := len(p.platform.Requests())
		_, err := p.Send(t.Context(), r)
		if k.code == "" {
			if err != nil {
				t.Errorf("%s/%s: %v", k.address, k.thread, err)
			}
			continue
		}
		sdktest.Refused(t, k.address+"/"+k.thread, err, surface.Permanent, k.code)
		if n := len(p.platform.Requests()) - before; n != 0 {
			t.Errorf("%s/%s: %d requests", k.address, k.thread, n)
		}
	}
}
