package main

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestMeanings has the receiver answer with every status of the table.
func TestMeanings(t *testing.T) {
	w := newWebhook(t, fake.WebhookOptions{})
	s := newSender(t, w.URL, nil)
	seen := map[int]bool{}
	for i, m := range meanings() {
		if seen[m.status] {
			t.Errorf("%d stands twice", m.status)
		}
		seen[m.status] = true
		w.Next(fake.Answer{Status: m.status, Body: "planted " + secret})
		_, err := s.Send(t.Context(), part())
		if e := sdktest.Failure(t, err); e.Class != m.class || e.Code != strconv.Itoa(m.status) || e.Hint != m.hint || len(w.Requests()) != i+1 {
			t.Errorf("%d: %v, want %s; %d requests for %d posts", m.status, err, m.class, len(w.Requests()), i+1)
		}
	}
}

func TestStatuses(t *testing.T) {
	after := func(status int, v string) fake.Answer {
		return fake.Answer{Status: status, Header: http.Header{"Retry-After": {v}}}
	}
	for _, k := range []struct {
		answer fake.Answer
		class  surface.Class // empty: it is taken
		code   string
		wait   time.Duration
		why    string
	}{
		{fake.Answer{Status: 200, Body: "<html>"}, "", "", 0, "what it says is no matter"},
		{fake.Answer{Status: 202}, "", "", 0, "taken to be worked on"},
		{fake.Answer{Status: 204}, "", "", 0, "nothing to say"},
		{fake.Answer{Status: 301, Header: http.Header{"Location": {"http://127.0.0.1:1/planted"}}}, surface.Permanent, "301", 0, "a redirect is not followed"},
		{fake.Answer{Status: 307, Header: http.Header{"Location": {"/elsewhere"}}}, surface.Permanent, "307", 0, "nor one that keeps the body"},
		{fake.Answer{Status: 400}, surface.Permanent, "400", 0, "refused"},
		{fake.Answer{Status: 401}, surface.Permanent, "401", 0, "the secret is wrong"},
		{fake.Answer{Status: 403}, surface.Permanent, "403", 0, "or may not"},
		{fake.Answer{Status: 404}, surface.Permanent, "404", 0, "the address is wrong"},
		{fake.Answer{Status: 408}, surface.Transient, "408", 0, "too slow"},
		{after(409, "3"), surface.Transient, "409", 3 * time.Second, "still at it"},
		{fake.Answer{Status: 410}, surface.TargetGone, "410", 0, "no more"},
		{fake.Answer{Status: 413}, surface.Permanent, "413", 0, "a packet cannot be halved"},
		{fake.Answer{Status: 418}, surface.Permanent, "418", 0, "a status that is new"},
		{fake.Answer{Status: 422}, surface.Permanent, "422", 0, "refused for what it says"},
		{fake.Answer{Status: 429}, surface.RateLimited, "429", 0, "too much"},
		{after(429, "1.5"), surface.RateLimited, "429", 1500 * time.Millisecond, "with seconds"},
		{after(429, "Thu, 01 Jan 2099 00:00:00 GMT"), surface.RateLimited, "429", 24 * time.Hour, "with a date"},
		{after(429, "soon"), surface.RateLimited, "429", 0, "with words"},
		{fake.Answer{Status: 500}, surface.Transient, "500", 0, "in trouble"},
		{fake.Answer{Status: 501}, surface.Transient, "501", 0, "in any trouble"},
		{after(502, "7"), surface.Transient, "502", 7 * time.Second, "a gateway"},
		{after(503, "60"), surface.Transient, "503", time.Minute, "closed for now"},
		{fake.Answer{Status: 504}, surface.Transient, "504", 0, "a gateway that waits"},
		{after(599, "1"), surface.Transient, "599", time.Second, "trouble of its own"},
		{fake.Answer{Status: 503, Header: http.Header{"Webhook-Delivery": {"abort-message"}}}, surface.Permanent, "abort-message", 0, "it wants no further attempt"},
		{fake.Answer{Status: 200, Header: http.Header{"Webhook-Delivery": {"abort-message"}}}, "", "", 0, "and has it already"},
	} {
		w := newWebhook(t, fake.WebhookOptions{})
		w.Next(k.answer)
		s := newSender(t, w.URL, nil)
		_, err := s.Send(t.Context(), part())
		if e := sdktest.Failure(t, err); e.Class != k.class || e.Code != k.code || e.RetryAfter != k.wait || len(w.Requests()) != 1 {
			t.Errorf("%s: %v after %v, want %s (%s) after %v; %d requests", k.why, err, e.RetryAfter, k.class, k.code, k.wait, len(w.Requests()))
		}
	}
}

// TestOtherStatuses reads those that are not in the table by their hundreds.
func TestOtherStatuses(t *testing.T) {
	for status, says := range map[int]string{299: "refuses", 300: "redirects", 399: "redirects", 400: "refuses", 499: "refuses", 500: "trouble", 599: "trouble"} {
		if m := find(status); m.status != status || !strings.Contains(m.hint, says) {
			t.Errorf("%d: %+v, want a hint with %q", status, m, says)
		}
	}
}

// TestRefusedThere has the fake refuse by itself, as receivers do.
func TestRefusedThere(t *testing.T) {
	for _, k := range []struct {
		options fake.WebhookOptions
		class   surface.Class
		code    string
	}{
		{fake.WebhookOptions{Secret: another}, surface.Permanent, "401"},
		{fake.WebhookOptions{Gone: true}, surface.TargetGone, "410"},
		{fake.WebhookOptions{Largest: 100}, surface.Permanent, "413"},
		{fake.WebhookOptions{Now: func() time.Time { return time.Now().Add(time.Hour) }}, surface.Permanent, "400"},
	} {
		w := newWebhook(t, k.options)
		s := newSender(t, w.URL, nil)
		_, err := s.Send(t.Context(), part())
		if e := sdktest.Failure(t, err); e.Class != k.class || e.Code != k.code {
			t.Errorf("%v, want %s (%s)", err, k.class, k.code)
		}
	}
}
