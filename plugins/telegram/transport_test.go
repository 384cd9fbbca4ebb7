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

const token = "42:" + secret

// A post is a transport over the wire form, and the platform behind it.
type post struct {
	*sdktest.Sender
	platform *fake.Telegram
}

// postOffice opens one.
func postOffice(t testing.TB, o fake.TelegramOptions) *post {
	t.Helper()
	o.Token = token
	p := &post{platform: fake.NewTelegram(o)}
	t.Cleanup(p.platform.Close)
	p.Sender = sdktest.Send(t, plugin(), account(p.platform.URL), secret, "chatter")
	return p
}

func account(url string) surface.Account {
	b, _ := json.Marshal(map[string]string{"token": token, "api": url})
	return surface.Account{Settings: b}
}

// part is a message in HTML for the chat -100500.
func part(text string) surface.SendRequest {
	return surface.SendRequest{
		Key: "k", Job: "j", Of: 1, Attempt: 1, Kind: surface.Assistant, Form: surface.FormText,
		Target: surface.Target{Surface: "telegram", Address: "-100500"}, Chunk: surface.Chunk{Text: text, Plain: text},
	}
}

func plain(text string) surface.SendRequest {
	r := part(text)
	r.Form = surface.FormPlain
	return r
}

// TestMeanings has the server say every line of the table, with words around it
// that must not be told.
func TestMeanings(t *testing.T) {
	p := postOffice(t, fake.TelegramOptions{})
	var table []sdktest.Reply
	for _, m := range meanings() {
		table = append(table, sdktest.Reply{
			Answers: []fake.Answer{fake.TelegramError(m.status, "Some: "+strings.ToUpper(m.words)+": chatter", 0)},
			Class:   m.class, Code: m.code, Hint: m.hint, Why: fmt.Sprint(m.status, " ", m.words),
		})
	}
	p.Replies(t, p.platform.Server, part("a"), table)
	if n := len(p.platform.Messages()); n != 0 {
		t.Errorf("%d messages were taken", n)
	}
}

// TestWords holds the table to what the server says, word for word.
func TestWords(t *testing.T) {
	for _, k := range []struct {
		status int
		says   string
		class  surface.Class
		code   string
	}{
		{400, `Bad Request: can't parse entities: Can't find end tag corresponding to start tag "b"`, surface.Payload, "cannot_parse_entities"},
		{400, `Bad Request: can't parse entities: Unsupported start tag "p" at byte offset 0`, surface.Payload, "cannot_parse_entities"},
		{400, "Bad Request: message is too long", surface.TooLong, "message_too_long"},
		{400, "Bad Request: text is too long", surface.TooLong, "text_too_long"},
		{400, "Bad Request: message caption is too long", surface.TooLong, "caption_too_long"},
		{400, "Bad Request: ENTITIES_TOO_LONG", surface.TooLong, "entities_too_long"},
		{400, "Bad Request: reply markup is too long", surface.TooLong, "reply_markup_too_long"},
		{400, "Bad Request: message text is empty", surface.Permanent, "empty"},
		{400, "Bad Request: text must be non-empty", surface.Permanent, "empty"},
		{400, "Bad Request: chat not found", surface.Permanent, "chat_not_found"},
		{400, "Bad Request: message thread not found", surface.Permanent, "thread_not_found"},
		{400, "Bad Request: message to be replied not found", surface.Permanent, "reply_not_found"},
		{400, "Bad Request: group chat was upgraded to a supergroup chat", surface.Permanent, "group_upgraded"},
		{400, "Bad Request: not enough rights to send text messages to the chat", surface.Permanent, "no_rights"},
		{400, "Bad Request: TOPIC_CLOSED", surface.Permanent, "topic_closed"},
		{400, "Bad Request: something new", surface.Permanent, "400"},
		{401, "Unauthorized", surface.Permanent, "401"},
		{403, "Forbidden: bot was blocked by the user", surface.TargetGone, "blocked"},
		{403, "Forbidden: user is deactivated", surface.TargetGone, "user_deactivated"},
		{403, "Forbidden: bot was kicked from the supergroup chat", surface.TargetGone, "kicked"},
		{403, "Forbidden: bot is not a member of the channel chat", surface.TargetGone, "not_a_member"},
		{403, "Forbidden: bot can't initiate conversation with a user", surface.TargetGone, "not_started"},
		{403, "Forbidden: something new", surface.Permanent, "403"},
		{404, "Not Found", surface.Permanent, "404"},
		{404, "Not Found: method not found", surface.Permanent, "404"},
		{409, "Conflict: terminated by other getUpdates request", surface.Permanent, "409"},
		{418, "I'm a teapot", surface.Permanent, "418"},
		{429, "Too Many Requests: retry after 5", surface.RateLimited, "429"},
		{500, "Internal Server Error: restart", surface.Transient, "500"},
		{502, "Bad Gateway", surface.Transient, "502"},
		{503, "", surface.Transient, "503"},
		{504, "Gateway Timeout", surface.Unknown, "504"},
		{599, "", surface.Transient, "599"},
	} {
		if m := find(k.status, k.says); m.class != k.class || m.code != k.code {
			t.Errorf("%d %s: %s (%s), want %s (%s)", k.status, k.says, m.class, m.code, k.class, k.code)
		}
	}
}

func TestAnswersWithoutWords(t *testing.T) {
	p := postOffice(t, fake.TelegramOptions{})
	p.Replies(t, p.platform.Server, part("a"), []sdktest.Reply{
		{Answers: []fake.Answer{fake.Answer{Status: 502, Body: "<html>chatter"}}, Class: surface.Transient, Code: "502", Why: "a proxy's page"},
		{Answers: []fake.Answer{fake.Answer{Status: 403, Body: "<html>chatter"}}, Class: surface.Permanent, Code: "403", Why: "a firewall's page"},
		{Answers: []fake.Answer{fake.Answer{Status: 302, Header: http.Header{"Location": {"/chatter"}}}}, Class: surface.Permanent, Code: "302", Why: "a redirect"},
		{Answers: []fake.Answer{fake.Answer{Body: "<html>chatter"}}, Class: surface.Unknown, Code: "answer", Why: "success that is no JSON"},
		{Answers: []fake.Answer{fake.Answer{Body: ""}}, Class: surface.Unknown, Code: "answer", Why: "success that is nothing"},
		{Answers: []fake.Answer{fake.Answer{Body: `{"ok":true,"result":{"message_id":1`}}, Class: surface.Unknown, Code: "answer", Why: "half an answer"},
		{Answers: []fake.Answer{fake.Answer{Body: `{"ok":false}`}}, Class: surface.Unknown, Code: "answer", Why: "neither yes nor why not"},
		{Answers: []fake.Answer{fake.Answer{Body: `{"ok":true,"pad":"` + strings.Repeat("x", 1<<20) + `"}`}}, Class: surface.Unknown, Code: "answer", Why: "an answer without an end"},
		{Answers: []fake.Answer{fake.Answer{Body: `{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked from the group chat"}`}}, Class: surface.TargetGone, Code: "kicked", Why: "a refusal with the wrong status"},
		{Answers: []fake.Answer{fake.Answer{Status: 400, Body: `{"ok":false,"error_code":400,"parameters":{"migrate_to_chat_id":"nonsense"}}`}}, Class: surface.Permanent, Code: "400", Why: "moved to nowhere"},
	})
	p.platform.Next(fake.Answer{Body: `{"ok":true,"result":true}`})
	if r, err := p.Send(t.Context(), part("a")); err != nil || len(r.Refs) != 0 {
		t.Errorf("taken, but not shown: %+v, %v", r, err)
	}
}

func TestRetryAfter(t *testing.T) {
	p := postOffice(t, fake.TelegramOptions{})
	header := func(v string) http.Header { return http.Header{"Retry-After": {v}} }
	p.Replies(t, p.platform.Server, part("a"), []sdktest.Reply{
		{Answers: []fake.Answer{fake.TelegramError(429, "Too Many Requests: retry after 7", 7)}, Class: surface.RateLimited, Code: "429", After: 7 * time.Second, Why: "in every place"},
		{Answers: []fake.Answer{fake.Answer{Status: 429, Body: `{"ok":false,"error_code":429,"parameters":{"retry_after":8}}`}}, Class: surface.RateLimited, Code: "429", After: 8 * time.Second, Why: "in the parameters"},
		{Answers: []fake.Answer{fake.Answer{Status: 429, Header: header("9")}}, Class: surface.RateLimited, Code: "429", After: 9 * time.Second, Why: "in the header"},
		{Answers: []fake.Answer{fake.Answer{Status: 429, Body: `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 10"}`}}, Class: surface.RateLimited, Code: "429", After: 10 * time.Second, Why: "in words"},
		{Answers: []fake.Answer{fake.Answer{Status: 429, Header: header("3"), Body: `{"ok":false,"error_code":429,"parameters":{"retry_after":11}}`}}, Class: surface.RateLimited, Code: "429", After: 11 * time.Second, Why: "the longest counts"},
		{Answers: []fake.Answer{fake.Answer{Status: 429, Body: `{"ok":false,"error_code":429,"parameters":{"retry_after":1e300}}`}}, Class: surface.RateLimited, Code: "429", After: 24 * time.Hour, Why: "a day at most"},
		{Answers: []fake.Answer{fake.Answer{Status: 429, Body: `{"ok":false,"error_code":429,"parameters":{"retry_after":-1}}`}}, Class: surface.RateLimited, Code: "429", Why: "less than nothing"},
		{Answers: []fake.Answer{fake.Answer{Status: 429}}, Class: surface.RateLimited, Code: "429", Why: "nowhere"},
		{Answers: []fake.Answer{{Status: 503, Header: header("12")}}, Class: surface.Transient, Code: "503", After: 12 * time.Second, Why: "a server in trouble"},
	})
}

func TestConnections(t *testing.T) {
	p := postOffice(t, fake.TelegramOptions{})
	sdktest.TransportConformance(t, p.Sender, p.platform.Server, part("a"))
	if n := len(p.platform.Messages()); n != 3 {
		t.Errorf("%d messages, want the first, the plain one and the one that was cut after it was taken", n)
	}
}

func TestMoved(t *testing.T) {
	p := postOffice(t, fake.TelegramOptions{Chats: []fake.TelegramChat{{ID: -100500, UpgradedTo: -1001234567890123}, {ID: -1001234567890123}}})
	r := part("a")
	r.Target.Account = ""
	_, err := p.Send(t.Context(), r)
	e := sdktest.Refused(t, "upgraded", err, surface.Moved, "group_upgraded")
	if e.Moved == nil || *e.Moved != (surface.Target{Surface: "telegram", Address: "-1001234567890123"}) {
		t.Fatalf("moved to %+v", e.Moved)
	}
	r.Target = *e.Moved
	if _, err := p.Send(t.Context(), r); err != nil {
		t.Errorf("the new address: %v", err)
	}
}

func TestReplies(t *testing.T) {
	p := postOffice(t, fake.TelegramOptions{})
	first, err := p.Send(t.Context(), part("question"))
	if err != nil || len(first.Refs) != 1 {
		t.Fatal(first, err)
	}
	reply := part("answer")
	reply.ReplyTo = &first.Refs[0]
	if _, err := p.Send(t.Context(), reply); err != nil {
		t.Fatal(err)
	}
	if err := p.Delete(t.Context(), reply.Target, first.Refs[0]); err != nil {
		t.Fatal(err)
	}
	before := len(p.platform.Requests())
	if _, err := p.Send(t.Context(), reply); err != nil {
		t.Errorf("a reply to what is gone: %v", err)
	}
	if n := len(p.platform.Requests()) - before; n != 1 {
		t.Errorf("the server drops the reply in %d requests", n)
	}

	// A server that refuses instead is asked again, once.
	gone := fake.TelegramError(400, "Bad Request: message to be replied not found", 0)
	p.platform.Next(gone)
	before = len(p.platform.Requests())
	if _, err := p.Send(t.Context(), reply); err != nil {
		t.Errorf("refused once: %v", err)
	}
	all := p.platform.Requests()[before:]
	if len(all) != 2 || !strings.Contains(all[0].Body, "reply_parameters") || strings.Contains(all[1].Body, "reply_parameters") {
		t.Errorf("refused once: %+v", all)
	}
	p.platform.Next(gone, gone)
	before = len(p.platform.Requests())
	_, err = p.Send(t.Context(), reply)
	sdktest.Refused(t, "refused twice", err, surface.Permanent, codeNoReply)
	if n := len(p.platform.Requests()) - before; n != 2 {
		t.Errorf("refused twice: %d requests", n)
	}
	var replies []int64
	for _, m := range p.platform.Messages() {
		replies = append(replies, m.ReplyTo)
	}
	if fmt.Sprint(replies) != "[0 1 0 0]" {
		t.Errorf("replies to %v", replies)
	}
	other := part("x")
	other.Target.Address, other.ReplyTo = "-100600", &first.Refs[0]
	if _, err := p.Send(t.Context(), other); err != nil {
		t.Error(err)
	}
	if m := p.platform.Requests(); strings.Contains(m[len(m)-1].Body, "reply_parameters") {
		t.Error("it replies to a message of another chat by its number")
	}
}

func TestEditAndDelete(t *testing.T) {
	p := postOffice(t, fake.TelegramOptions{})
	sent, err := p.Send(t.Context(), part("<b>one</b>"))
	if err != nil || len(sent.Refs) != 1 || sent.Refs[0].ID != "1" || string(sent.Refs[0].Opaque) != `{"chat":"-100500"}` {
		t.Fatalf("%+v, %v", sent, err)
	}
	for _, text := range []string{"<i>two</i>", "<i>two</i>"} { // the second is not modified
		r, err := p.Edit(t.Context(), sent.Refs[0], part(text))
		if err != nil || len(r.Refs) != 1 || r.Refs[0].ID != "1" || string(r.Refs[0].Opaque) != `{"chat":"-100500"}` {
			t.Fatalf("edit: %+v, %v", r, err)
		}
	}
	if m := p.platform.Messages()[0]; m.Raw != "<i>two</i>" || m.Edits != 1 || m.Deleted || m.Preview {
		t.Errorf("%+v", m)
	}
	elsewhere := part("three")
	elsewhere.Target.Address = "@somewhere_else" // the message stays where it is
	if _, err := p.Edit(t.Context(), sent.Refs[0], elsewhere); err != nil {
		t.Error(err)
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
	for _, ref := range []surface.Ref{{ID: "x"}, {ID: "-1"}, {ID: "1", Opaque: json.RawMessage(`{"chat":"../x"}`)}} {
		code := "ref"
		if ref.Opaque != nil {
			code = "address"
		}
		_, err = p.Edit(t.Context(), ref, part("a"))
		sdktest.Refused(t, "edit of "+ref.ID, err, surface.Permanent, code)
		sdktest.Refused(t, "delete of "+ref.ID, p.Delete(t.Context(), part("").Target, ref), surface.Permanent, code)
	}
	if n := len(p.platform.Requests()) - before; n != 0 {
		t.Errorf("%d requests for messages that cannot be", n)
	}
	p.platform.Next(fake.TelegramError(400, "Bad Request: message can't be deleted", 0))
	sdktest.Refused(t, "too old", p.Delete(t.Context(), part("").Target, sent.Refs[0]), surface.Permanent, "cannot_delete")
}

func TestSettings(t *testing.T) {
	const good = `{"token":"42:planted-secret"`
	sdktest.Accounts(t, plugin(), []sdktest.AccountCase{
		{Settings: good + `}`, Why: "a token is enough"},
		{Settings: good + `,"api":"http://127.0.0.1:8081/"}`, Why: "a server of one's own"},
		{Settings: good + `,"api":"http://bot-api:8081"}`, Why: "one in a network of containers"},
		{Settings: good + `,"api":"http://10.1.2.3:8081"}`, Why: "one in a private network"},
		{Settings: ``, Code: "settings", Why: "nothing"},
		{Settings: `{}`, Code: "token", Why: "no token"},
		{Settings: good + `,"chat":"planted-secret"}`, Code: "settings", Why: "a setting that there is not"},
		{Settings: `{"token":"planted-secret"}`, Code: "token", Why: "no token of Telegram's"},
		{Settings: `{"token":"42:planted-secret/../x"}`, Code: "token", Why: "a path in a token"},
		{Settings: good + `,"mentions":"live"}`, Code: "settings", Why: "what the policy decides"},
		{Settings: good + `,"api":"http://planted-secret.example.org"}`, Code: "api", Why: "the token in the clear"},
		{Settings: good + `,"api":"https://u:planted-secret@x.org"}`, Code: "api", Why: "a name and a password"},
		{Settings: good + `,"api":"https://x.org/?planted-secret"}`, Code: "api", Why: "a query"},
	}, secret)
}

func TestAddresses(t *testing.T) {
	p := postOffice(t, fake.TelegramOptions{})
	for _, k := range []struct{ address, thread, code string }{
		{"-100500", "", ""}, {"42", "17", ""}, {"@some_name", "", ""},
		{"some_name", "", "address"}, {"-0", "", "address"}, {"1e9", "", "address"}, {"@a", "", "address"}, {"@a b", "", "address"},
		{"1234567890123456789", "", "address"}, {"42", "x", "thread"}, {"42", "0", "thread"}, {"42", "-1", "thread"},
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
