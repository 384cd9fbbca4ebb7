package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

const (
	token  = "planted.secret-token"
	room   = "1100000000000000042"
	thread = "1100000000000000077"
	gone   = "1200000000000000001"
)

// newBot configures an account with a few settings more.
func newBot(t testing.TB, api string, more map[string]string) *sdktest.Sender {
	t.Helper()
	return sdktest.Send(t, plugin(), account(api, more), "planted")
}

func account(api string, more map[string]string) surface.Account {
	s := map[string]string{"token": token, "api": api}
	for k, v := range more {
		s[k] = v
	}
	b, _ := json.Marshal(s)
	return surface.Account{Settings: b}
}

func newDiscord(t *testing.T, o fake.DiscordOptions) *fake.Discord {
	o.Token = token
	d := fake.NewDiscord(o)
	t.Cleanup(d.Close)
	return d
}

// part is a request to send text.
func part(text string) surface.SendRequest {
	return surface.SendRequest{
		Key: "k234567890123456789012345", Job: "j", Of: 1, Attempt: 1, Kind: surface.Assistant, Form: surface.FormText,
		Target: surface.Target{Surface: "discord", Address: room},
		Chunk:  surface.Chunk{Text: text, Plain: text},
	}
}

// with changes a request.
func with(r surface.SendRequest, change func(*surface.SendRequest)) surface.SendRequest {
	change(&r)
	return r
}

func TestSend(t *testing.T) {
	d := newDiscord(t, fake.DiscordOptions{})
	b := newBot(t, d.API(), nil)
	got, err := b.Send(t.Context(), part("**hello** <https://example.org> `@everyone`"))
	if err != nil {
		t.Fatal(err)
	}
	m := d.Messages()[0]
	if len(got.Refs) != 1 || got.Refs[0].ID != m.ID || string(got.Refs[0].Opaque) != `{"channel":"`+room+`"}` {
		t.Errorf("receipt %+v", got)
	}
	if m.Channel != room || m.Content != "**hello** <https://example.org> `@everyone`" || m.Silent || m.Flags != suppressEmbeds || len(m.Notified) != 0 {
		t.Errorf("%+v", m)
	}

	again, err := b.Send(t.Context(), part("**hello**"))
	if err != nil || again.Refs[0].ID != m.ID || len(d.Messages()) != 1 {
		t.Errorf("the same key: %+v, %v, %d messages", again, err, len(d.Messages()))
	}

	second := with(part("b"), func(r *surface.SendRequest) {
		r.Key, r.Silent, r.ReplyTo = "other", true, &got.Refs[0]
	})
	if _, err := b.Send(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if m2 := d.Messages()[1]; !m2.Silent || m2.ReplyTo != m.ID {
		t.Errorf("%+v", m2)
	}

	inThread := with(part("c"), func(r *surface.SendRequest) { r.Key, r.Target.Thread, r.ReplyTo = "third", thread, &got.Refs[0] })
	posted, err := b.Send(t.Context(), inThread)
	if err != nil {
		t.Fatal(err)
	}
	if m3 := d.Messages()[2]; m3.Channel != thread || m3.ReplyTo != "" || string(posted.Refs[0].Opaque) != `{"channel":"`+thread+`"}` {
		t.Errorf("a thread is a channel, and a reply does not cross: %+v, %+v", m3, posted)
	}

	if _, err := b.Edit(t.Context(), posted.Refs[0], with(part("changed"), func(r *surface.SendRequest) { r.Key = "" })); err != nil {
		t.Fatal(err)
	}
	if m3 := d.Messages()[2]; m3.Content != "changed" || m3.Edited != 1 || m3.Flags&suppressEmbeds == 0 {
		t.Errorf("the message in the thread is changed by its ref, not by the target: %+v", m3)
	}
	for _, why := range []string{"it is deleted", "what is gone already is"} {
		if err := b.Delete(t.Context(), inThread.Target, posted.Refs[0]); err != nil || !d.Messages()[2].Deleted {
			t.Errorf("%s: %v", why, err)
		}
	}
	_, err = b.Edit(t.Context(), posted.Refs[0], part("too late"))
	if e := sdktest.Failure(t, err); e.Class != surface.Permanent || e.Code != "10008" {
		t.Errorf("a change of what is gone: %v", err)
	}
	if err := b.Delete(t.Context(), surface.Target{Surface: "discord", Address: "general"}, surface.Ref{ID: gone}); sdktest.Failure(t, err).Code != "address" {
		t.Errorf("an address that is no id: %v", err)
	}
}

// TestReplyGone has the platform refuse what is replied to. Nothing was posted,
// so the answer goes without it.
func TestReplyGone(t *testing.T) {
	reply := with(part("a"), func(r *surface.SendRequest) { r.ReplyTo = &surface.Ref{ID: gone} })
	for _, k := range []struct {
		next     []fake.Answer
		class    surface.Class
		requests int
		why      string
	}{
		{nil, "", 1, "fail_if_not_exists is false"},
		{[]fake.Answer{fake.DiscordError(400, 160002, "Cannot reply without permission to read message history")}, "", 2, "the history may not be read"},
		{[]fake.Answer{fake.DiscordError(404, 10008, "Unknown Message")}, "", 2, "the message is gone"},
		{[]fake.Answer{{Status: 400, Body: `{"code":50035,"message":"Invalid Form Body","errors":{"message_reference":{"_errors":[{"code":"REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE"}]}}}`}}, "", 2, "one of the system's"},
		{[]fake.Answer{fake.DiscordError(400, 160002, ""), fake.DiscordError(400, 160002, "")}, surface.Permanent, 2, "once and no more"},
		{[]fake.Answer{fake.DiscordError(403, 50013, "Missing Permissions")}, surface.TargetGone, 1, "another trouble"},
		{[]fake.Answer{{Status: 500}}, surface.Transient, 1, "it may have been posted"},
		{[]fake.Answer{{Cut: true, Accept: true}}, surface.Unknown, 1, "it was posted"},
	} {
		d := newDiscord(t, fake.DiscordOptions{})
		d.Next(k.next...)
		b := newBot(t, d.API(), nil)
		_, err := b.Send(t.Context(), reply)
		if e := sdktest.Failure(t, err); e.Class != k.class || len(d.Requests()) != k.requests {
			t.Errorf("%s: %v, %d requests", k.why, err, len(d.Requests()))
		}
	}
}

// TestRefusedHere sends what no request is made for.
func TestRefusedHere(t *testing.T) {
	text := func(s string) surface.SendRequest { return part(s) }
	plain := func(s string) surface.SendRequest {
		return with(part("x"), func(r *surface.SendRequest) { r.Form, r.Chunk.Plain = surface.FormPlain, s })
	}
	for _, k := range []struct {
		r     surface.SendRequest
		live  bool
		class surface.Class // empty: it is sent
		code  string
		why   string
	}{
		{text(strings.Repeat("é", 2000)), false, "", "", "2000 characters"},
		{text(strings.Repeat("é", 2001)), false, surface.TooLong, "content", "one too many"},
		{plain(strings.Repeat("é", 2000)), false, "", "", "2000 characters, plain"},
		{plain(strings.Repeat("é", 2001)), false, surface.TooLong, "content", "one too many, plain"},
		{text("\n \n"), false, surface.Payload, "empty", "nothing to read"},
		{with(text("a"), func(r *surface.SendRequest) { r.Form = surface.FormNative }), false, surface.Payload, "form", "there is no native form"},
		{with(text("a"), func(r *surface.SendRequest) { r.Target.Address = "../../users/@me" }), false, surface.Permanent, "address", "an address that leaves its place"},
		{with(text("a"), func(r *surface.SendRequest) { r.Target.Thread = "1" }), false, surface.Permanent, "address", "a thread that is none"},
		{with(text("a"), func(r *surface.SendRequest) { r.Key = strings.Repeat("k", 26) }), false, surface.Permanent, "nonce", "a key of 26"},
		{text("hi @everyone"), false, surface.Payload, "live_token", "everyone"},
		{text("@here"), false, surface.Payload, "live_token", "whoever is here"},
		{text("<@1> and <@!2>"), false, surface.Payload, "live_token", "users"},
		{text("<@&1>"), false, surface.Payload, "live_token", "a role"},
		{text("<#1>"), false, surface.Payload, "live_token", "a channel"},
		{text("see <t:1700000000:R>"), false, surface.Payload, "live_token", "a time"},
		{text("<a:wave:1>"), false, surface.Payload, "live_token", "an emoji"},
		{text("</deploy now:1>"), false, surface.Payload, "live_token", "a command"},
		{text("<id:guide>"), false, surface.Payload, "live_token", "a page of the server"},
		{text("`` `@here` `` and `@here\n"), false, surface.Payload, "live_token", "code that is not closed"},
		{text("\\\\@everyone"), false, surface.Payload, "live_token", "the backslash is escaped, not the mention"},
		{text("\\@everyone \\<@1> `<@1>` ```\n@here\n``` <https://example.org/@here>"), false, "", "", "escaped, in code, in an address"},
		{text("a@everyone.example \\@everyone"), false, surface.Payload, "live_token", "Discord sees it inside of a word, too"},
		{text("<@1> hello"), true, "", "", "users, where they may be notified"},
		{text("@everyone hello"), true, "", "", "an unescaped one that notifies nobody"},
		{text("<@&1>"), true, surface.Payload, "live_token", "a role never"},
		{plain("@everyone <@1> <@&2>"), true, "", "", "plain text is escaped here"},
	} {
		d := newDiscord(t, fake.DiscordOptions{})
		if k.live {
			k.r.Mentions = surface.LiveMentions
		}
		b := newBot(t, d.API(), nil)
		_, err := b.Send(t.Context(), k.r)
		e, want := sdktest.Failure(t, err), 0
		if k.class == "" {
			want = 1
		}
		if e.Class != k.class || e.Code != k.code || len(d.Requests()) != want {
			t.Errorf("%s: %v, %d requests", k.why, err, len(d.Requests()))
			continue
		}
		for _, m := range d.Messages() {
			wanted := []string(nil)
			if k.r.Chunk.Text == "<@1> hello" {
				wanted = []string{"<@1>"}
			}
			if !slices.Equal(m.Notified, wanted) {
				t.Errorf("%s: %v are notified", k.why, m.Notified)
			}
		}
	}
}

// TestTransportConformance has the platform fail in every way that platforms do.
func TestTransportConformance(t *testing.T) {
	d := newDiscord(t, fake.DiscordOptions{})
	sdktest.TransportConformance(t, newBot(t, d.API(), nil), d.Server, part("a"))
}

// TestBroken sends a part again whose answer was lost: the platform knows its key.
func TestBroken(t *testing.T) {
	for _, k := range []struct {
		next  fake.Answer
		class surface.Class
		why   string
	}{
		{fake.Answer{Cut: true}, surface.Unknown, "cut before it is taken"},
		{fake.Answer{Cut: true, Accept: true}, surface.Unknown, "cut after it is taken"},
		{fake.Answer{Accept: true, Body: "<html>"}, surface.Unknown, "an answer that cannot be read"},
		{fake.Answer{Accept: true, Body: `{"id":"../x"}`}, surface.Unknown, "an id that is none"},
		{fake.Answer{Status: 502, Accept: true}, surface.Transient, "a gateway fails behind it"},
	} {
		d := newDiscord(t, fake.DiscordOptions{})
		d.Next(k.next)
		b := newBot(t, d.API(), nil)
		_, err := b.Send(t.Context(), part("a"))
		if e := sdktest.Failure(t, err); e.Class != k.class || len(d.Requests()) != 1 {
			t.Errorf("%s: %v, %d requests", k.why, err, len(d.Requests()))
		}
		if _, err := b.Send(t.Context(), part("a")); err != nil || len(d.Messages()) != 1 {
			t.Errorf("%s: sent again under its key there are %d messages, %v", k.why, len(d.Messages()), err)
		}
	}
}

func TestAccount(t *testing.T) {
	sdktest.Accounts(t, plugin(), []sdktest.AccountCase{
		{Settings: `{"token":"t"}`, Why: "a token is enough"},
		{Settings: `{"token":"t","api":"https://proxy.example/api/v10/"}`, Why: "all of it"},
		{Settings: `{"token":"t","api":"http://localhost:1234/api"}`, Why: "a test on loopback"},
		{Settings: `{}`, Code: "token", Why: "no token"},
		{Settings: ``, Code: "settings", Why: "no settings"},
		{Settings: `{"token":"t","tokken":"t"}`, Code: "settings", Why: "an unknown setting"},
		{Settings: `{"token":"Bot planted"}`, Code: "token", Why: "the word Bot in front"},
		{Settings: `{"token":"planted\r\nX: y"}`, Code: "token", Why: "a header in it"},
		{Settings: `{"token":"t","mentions":"live"}`, Code: "settings", Why: "what the policy decides"},
		{Settings: `{"token":"t","api":"http://planted.example"}`, Code: "api", Why: "a token over the open net"},
		{Settings: `{"token":"t","api":"http://planted:8080"}`, Code: "api", Why: "a token over a near one"},
		{Settings: `{"token":"t","api":"https://planted:x@example.org"}`, Code: "api", Why: "a password"},
		{Settings: `{"token":"t","api":"https://example.org/?planted"}`, Code: "api", Why: "a query"},
		{Settings: `{"token":"t","api":"https://:443/planted"}`, Code: "api", Why: "no host"},
	}, "planted")
}
