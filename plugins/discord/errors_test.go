package main

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestMeanings has the platform answer with every code of the table.
func TestMeanings(t *testing.T) {
	d := newDiscord(t, fake.DiscordOptions{})
	var table []sdktest.Reply
	seen := map[string]bool{}
	for _, m := range meanings() {
		if seen[m.code] {
			t.Errorf("%s stands twice", m.code)
		}
		seen[m.code] = true
		code, err := strconv.Atoi(m.code)
		if err != nil {
			t.Fatal(err)
		}
		answer := fake.DiscordError(http.StatusBadRequest, code, "said: "+token)
		if code < 1000 {
			answer = fake.Answer{Status: code, Body: "<html>" + token}
		}
		table = append(table, sdktest.Reply{Answers: []fake.Answer{answer}, Class: m.class, Code: m.code, Hint: m.hint, Why: m.code})
	}
	newBot(t, d.API(), nil).Replies(t, d.Server, part("a"), table)
}

// TestClasses pins what the codes mean, so that the table cannot change unseen.
func TestClasses(t *testing.T) {
	for class, codes := range map[surface.Class][]int{
		surface.TargetGone:  {10003, 10004, 10015, 50001, 50007, 50008, 50013, 50083, 160005},
		surface.Permanent:   {10008, 40001, 50027, 200000, 240000, 99999},
		surface.Payload:     {50035, 50006, 50109},
		surface.TooLong:     {40005},
		surface.RateLimited: {20016, 20028, 40062, 130000, 30046},
	} {
		for _, code := range codes {
			if m := find(http.StatusBadRequest, code); m.class != class {
				t.Errorf("%d is %s, want %s", code, m.class, class)
			}
		}
	}
}

func TestStatuses(t *testing.T) {
	form := func(field, code string) string {
		return fmt.Sprintf(`{"message":"Invalid Form Body","code":50035,"errors":{%q:{"_errors":[{"code":%q,"message":"Must be fewer."}]}}}`, field, code)
	}
	d := newDiscord(t, fake.DiscordOptions{})
	newBot(t, d.API(), nil).Replies(t, d.Server, part("a"), []sdktest.Reply{
		{Answers: []fake.Answer{fake.Answer{Status: 400, Body: form("content", "BASE_TYPE_MAX_LENGTH")}}, Class: surface.TooLong, Code: "BASE_TYPE_MAX_LENGTH", Why: "the text is too long"},
		{Answers: []fake.Answer{fake.Answer{Status: 400, Body: form("nonce", "BASE_TYPE_MAX_LENGTH")}}, Class: surface.Payload, Code: "50035", Why: "something else is, which halving does not mend"},
		{Answers: []fake.Answer{fake.Answer{Status: 400, Body: form("content", "BASE_TYPE_REQUIRED")}}, Class: surface.Payload, Code: "50035", Why: "another fault of the text"},
		{Answers: []fake.Answer{fake.Answer{Status: 400, Body: `{"code":50035,"errors":"?"}`}}, Class: surface.Payload, Code: "50035", Why: "a tree that is none"},
		{Answers: []fake.Answer{fake.Answer{Status: 400, Body: `{"code":1234567}`}}, Class: surface.Permanent, Code: "1234567", Why: "a code that is new"},
		{Answers: []fake.Answer{fake.Answer{Status: 418}}, Class: surface.Permanent, Code: "418", Why: "a status that is new"},
		{Answers: []fake.Answer{fake.Answer{Status: 403, Body: "<html>"}}, Class: surface.Permanent, Code: "403", Why: "a proxy's page"},
		{Answers: []fake.Answer{fake.Answer{Status: 307, Header: http.Header{"Location": {"http://127.0.0.1:1"}}}}, Class: surface.Permanent, Code: "307", Why: "no redirect is followed"},
		{Answers: []fake.Answer{fake.Answer{Status: 401, Body: `{"message":"401: Unauthorized","code":0}`}}, Class: surface.Permanent, Code: "401", Why: "a token that is not valid"},
		{Answers: []fake.Answer{fake.Answer{Status: 404, Body: `{"message":"404: Not Found","code":0}`}}, Class: surface.Permanent, Code: "404", Why: "a wrong api"},
		{Answers: []fake.Answer{fake.Answer{Status: 500}}, Class: surface.Transient, Code: "500", Why: "their trouble"},
		{Answers: []fake.Answer{fake.Answer{Status: 502, Body: "<html>"}}, Class: surface.Transient, Code: "502", Why: "their gateway's"},
		{Answers: []fake.Answer{fake.Answer{Status: 503, Header: http.Header{"Retry-After": {"30"}}}}, Class: surface.Transient, Code: "503", After: 30 * time.Second, Why: "with a time"},
		{Answers: []fake.Answer{fake.Answer{Status: 504}}, Class: surface.Transient, Code: "504", Why: "a gateway that waits"},
		{Answers: []fake.Answer{fake.DiscordRateLimit(1500*time.Millisecond, false)}, Class: surface.RateLimited, Code: "429", After: 2 * time.Second, Why: "the header rounds up, and both are honoured"},
		{Answers: []fake.Answer{fake.Answer{Status: 429, Body: `{"retry_after":0.65,"global":true}`}}, Class: surface.RateLimited, Code: "429", After: 650 * time.Millisecond, Why: "in the body alone"},
		{Answers: []fake.Answer{fake.Answer{Status: 429, Body: "error code: 1015", Header: http.Header{"Retry-After": {"120"}}}}, Class: surface.RateLimited, Code: "429", After: 2 * time.Minute, Why: "in the header alone, from the front"},
		{Answers: []fake.Answer{fake.Answer{Status: 429, Body: `{"retry_after":-1}`}}, Class: surface.RateLimited, Code: "429", Why: "no time at all"},
		{Answers: []fake.Answer{fake.Answer{Status: 429, Body: `{"retry_after":1e99}`}}, Class: surface.RateLimited, Code: "429", After: 24 * time.Hour, Why: "more than a day"},
		{Answers: []fake.Answer{fake.Answer{Status: 429, Body: `{"code":20016,"retry_after":5,"message":"slow"}`}}, Class: surface.RateLimited, Code: "20016", After: 5 * time.Second, Why: "slow mode"},
		{Answers: []fake.Answer{fake.Answer{Status: 503, Body: `{"code":130000}`}}, Class: surface.RateLimited, Code: "130000", Why: "overloaded"},
	})
}

// TestRefusedThere has the fake refuse by itself, as Discord does.
func TestRefusedThere(t *testing.T) {
	for _, k := range []struct {
		options fake.DiscordOptions
		token   string
		class   surface.Class
		code    string
	}{
		{fake.DiscordOptions{Channels: map[string]int{}}, token, surface.TargetGone, "10003"},
		{fake.DiscordOptions{Channels: map[string]int{room: 50007}}, token, surface.TargetGone, "50007"},
		{fake.DiscordOptions{Channels: map[string]int{room: 240000}}, token, surface.Permanent, "240000"},
		{fake.DiscordOptions{}, "another", surface.Permanent, "401"},
	} {
		d := newDiscord(t, k.options)
		b := newBot(t, d.API(), map[string]string{"token": k.token})
		_, err := b.Send(t.Context(), part("a"))
		if e := sdktest.Failure(t, err); e.Class != k.class || e.Code != k.code {
			t.Errorf("%v, want %s (%s)", err, k.class, k.code)
		}
	}
	d := newDiscord(t, fake.DiscordOptions{Burst: 1, Per: time.Hour})
	b := newBot(t, d.API(), nil)
	if _, err := b.Send(t.Context(), part("a")); err != nil {
		t.Fatal(err)
	}
	_, err := b.Send(t.Context(), with(part("b"), func(r *surface.SendRequest) { r.Key = "b" }))
	if e := sdktest.Failure(t, err); e.Class != surface.RateLimited || e.RetryAfter < 59*time.Minute {
		t.Errorf("past the rate: %v after %v", err, e.RetryAfter)
	}
}
