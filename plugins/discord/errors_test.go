package main

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestMeanings has the platform answer with every code of the table.
func TestMeanings(t *testing.T) {
	d := newDiscord(t, fake.DiscordOptions{})
	b := newBot(t, d.API(), nil)
	seen := map[string]bool{}
	for i, m := range meanings() {
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
		d.Next(answer)
		_, err = b.Send(t.Context(), part("a"))
		if e := b.failure(t, err); e.Class != m.class || e.Code != m.code || e.Hint != m.hint || len(d.Requests()) != i+1 {
			t.Errorf("%s: %v, want %s; %d requests for %d parts", m.code, err, m.class, len(d.Requests()), i+1)
		}
	}
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
	for _, k := range []struct {
		answer fake.Answer
		class  surface.Class
		code   string
		wait   time.Duration
		why    string
	}{
		{fake.Answer{Status: 400, Body: form("content", "BASE_TYPE_MAX_LENGTH")}, surface.TooLong, "BASE_TYPE_MAX_LENGTH", 0, "the text is too long"},
		{fake.Answer{Status: 400, Body: form("nonce", "BASE_TYPE_MAX_LENGTH")}, surface.Payload, "50035", 0, "something else is, which halving does not mend"},
		{fake.Answer{Status: 400, Body: form("content", "BASE_TYPE_REQUIRED")}, surface.Payload, "50035", 0, "another fault of the text"},
		{fake.Answer{Status: 400, Body: `{"code":50035,"errors":"?"}`}, surface.Payload, "50035", 0, "a tree that is none"},
		{fake.Answer{Status: 400, Body: `{"code":1234567}`}, surface.Permanent, "1234567", 0, "a code that is new"},
		{fake.Answer{Status: 418}, surface.Permanent, "418", 0, "a status that is new"},
		{fake.Answer{Status: 403, Body: "<html>"}, surface.Permanent, "403", 0, "a proxy's page"},
		{fake.Answer{Status: 307, Header: http.Header{"Location": {"http://127.0.0.1:1"}}}, surface.Permanent, "307", 0, "no redirect is followed"},
		{fake.Answer{Status: 401, Body: `{"message":"401: Unauthorized","code":0}`}, surface.Permanent, "401", 0, "a token that is not valid"},
		{fake.Answer{Status: 404, Body: `{"message":"404: Not Found","code":0}`}, surface.Permanent, "404", 0, "a wrong api"},
		{fake.Answer{Status: 500}, surface.Transient, "500", 0, "their trouble"},
		{fake.Answer{Status: 502, Body: "<html>"}, surface.Transient, "502", 0, "their gateway's"},
		{fake.Answer{Status: 503, Header: http.Header{"Retry-After": {"30"}}}, surface.Transient, "503", 30 * time.Second, "with a time"},
		{fake.Answer{Status: 504}, surface.Transient, "504", 0, "a gateway that waits"},
		{fake.DiscordRateLimit(1500*time.Millisecond, false), surface.RateLimited, "429", 2 * time.Second, "the header rounds up, and both are honoured"},
		{fake.Answer{Status: 429, Body: `{"retry_after":0.65,"global":true}`}, surface.RateLimited, "429", 650 * time.Millisecond, "in the body alone"},
		{fake.Answer{Status: 429, Body: "error code: 1015", Header: http.Header{"Retry-After": {"120"}}}, surface.RateLimited, "429", 2 * time.Minute, "in the header alone, from the front"},
		{fake.Answer{Status: 429, Body: `{"retry_after":-1}`}, surface.RateLimited, "429", 0, "no time at all"},
		{fake.Answer{Status: 429, Body: `{"retry_after":1e99}`}, surface.RateLimited, "429", 24 * time.Hour, "more than a day"},
		{fake.Answer{Status: 429, Body: `{"code":20016,"retry_after":5,"message":"slow"}`}, surface.RateLimited, "20016", 5 * time.Second, "slow mode"},
		{fake.Answer{Status: 503, Body: `{"code":130000}`}, surface.RateLimited, "130000", 0, "overloaded"},
	} {
		d := newDiscord(t, fake.DiscordOptions{})
		d.Next(k.answer)
		b := newBot(t, d.API(), nil)
		_, err := b.Send(t.Context(), part("a"))
		if e := b.failure(t, err); e.Class != k.class || e.Code != k.code || e.RetryAfter != k.wait || len(d.Requests()) != 1 {
			t.Errorf("%s: %v after %v, want %s (%s) after %v", k.why, err, e.RetryAfter, k.class, k.code, k.wait)
		}
	}
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
		if e := b.failure(t, err); e.Class != k.class || e.Code != k.code {
			t.Errorf("%v, want %s (%s)", err, k.class, k.code)
		}
	}
	d := newDiscord(t, fake.DiscordOptions{Burst: 1, Per: time.Hour})
	b := newBot(t, d.API(), nil)
	if _, err := b.Send(t.Context(), part("a")); err != nil {
		t.Fatal(err)
	}
	_, err := b.Send(t.Context(), with(part("b"), func(r *surface.SendRequest) { r.Key = "b" }))
	if e := b.failure(t, err); e.Class != surface.RateLimited || e.RetryAfter < 59*time.Minute {
		t.Errorf("past the rate: %v after %v", err, e.RetryAfter)
	}
}
