package main

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

const (
	secret  = "whsec_cGxhbnRlZCBwbGFudGVkIHBsYW50ZWQh"
	another = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldY"
	key     = "notices/1:0:webhook:ops"
	packet  = `{"schema_version":1,"target":"webhook:ops%2Fcalls","text":"é","ts":"2026-01-02T03:04:05.000Z","job_id":"notices/1:0:webhook:ops","delivery":{"schema_version":1,"job_id":"notices/1:0:webhook:ops","target":"webhook:ops%2Fcalls","surface":"webhook","kind":"alert","fallback_markdown":"<b> & \"é\"","chunks":[]}}`
)

// newSender configures an account that may reach loopback.
func newSender(t testing.TB, to string, more map[string]any) *sdktest.Sender {
	t.Helper()
	return sdktest.Send(t, plugin(), account(to+"/hook?planted=1", more), "planted", "cGxhbnRl", "/hook")
}

func account(url string, more map[string]any) surface.Account {
	s := map[string]any{"url": url, "secret": secret, "allow": []string{"127.0.0.1"}}
	for k, v := range more {
		if s[k] = v; v == nil {
			delete(s, k)
		}
	}
	b, _ := json.Marshal(s)
	return surface.Account{Settings: b}
}

func newWebhook(t *testing.T, o fake.WebhookOptions) *fake.Webhook {
	w := fake.NewWebhook(o)
	t.Cleanup(w.Close)
	return w
}

func part() surface.SendRequest {
	return surface.SendRequest{
		Key: key, Job: "notices/1:0:webhook:ops", Of: 1, Attempt: 1, Kind: surface.Alert, Form: surface.FormText,
		Target: surface.Target{Surface: "webhook", Address: "ops"},
		Chunk:  surface.Chunk{Text: "text", Plain: "plain"}, Packet: json.RawMessage(packet),
	}
}

func with(change func(*surface.SendRequest)) surface.SendRequest {
	r := part()
	change(&r)
	return r
}

func TestModes(t *testing.T) {
	for _, mode := range []string{"", structured, binary, plain} {
		w := newWebhook(t, fake.WebhookOptions{Secret: secret})
		s := newSender(t, w.URL, map[string]any{"mode": mode})
		got, err := s.Send(t.Context(), part())
		if err != nil || len(got.Refs) != 1 || got.Refs[0].ID != key {
			t.Errorf("%s: %+v, %v", mode, got, err)
			continue
		}
		m := w.Messages()[0]
		if !m.Trusted || m.ID != key {
			t.Errorf("%s: %+v", mode, m)
		}
		data := []byte(m.Body)
		if mode == plain {
			if m.Event != nil || m.Type != "application/json" {
				t.Errorf("plain: %+v", m)
			}
		} else {
			if e := m.Event; e == nil || e.ID != "notices/1:0:webhook:ops" || e.Source != "urn:vak:webhook:ops%2Fcalls" || e.Type != "vak.delivery.alert" {
				t.Errorf("%s: %+v", mode, m.Event)
				continue
			}
			data = m.Event.Data
		}
		if string(data) != packet {
			t.Errorf("%s: the packet arrives as %s", mode, data)
		}
	}
}

// TestAttempts posts a part again and again: id and body stay, time and signature
// are new, and the receiver takes it once.
func TestAttempts(t *testing.T) {
	var at atomic.Int64 // in seconds
	at.Store(1_767_323_045)
	now := func() time.Time { return time.Unix(at.Load(), 0) }
	w := newWebhook(t, fake.WebhookOptions{Secret: another, Now: now})
	b, err := json.Marshal(map[string]any{"url": w.URL, "secret": []string{secret, another}, "allow": []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := open(t.Context(), surface.Account{Settings: b})
	if err != nil {
		t.Fatal(err)
	}
	tr := made.(*transport)
	tr.now = now
	for n := range 3 {
		if n == 0 {
			w.Next(fake.Answer{Cut: true, Accept: true})
		}
		r := with(func(r *surface.SendRequest) { r.Attempt = n + 1 })
		if n == 2 { // the form is no matter
			r.Form = surface.FormPlain
		}
		_, err := tr.Send(t.Context(), r)
		if (err != nil) != (n == 0) {
			t.Errorf("attempt %d: %v", n+1, err)
		}
		at.Add(3600)
	}
	q := w.Requests()
	if len(q) != 3 || len(w.Messages()) != 1 || w.Messages()[0].Posts != 3 {
		t.Fatalf("%d requests, %+v", len(q), w.Messages())
	}
	for i, name := range []string{"Webhook-Timestamp", "Webhook-Signature"} {
		if a, b := q[0].Header.Get(name), q[1].Header.Get(name); a == b || a == "" {
			t.Errorf("%d: %s stays %q", i, name, a)
		}
	}
	for _, q := range q {
		if q.Body != w.Messages()[0].Body || q.Header.Get("Webhook-Id") != key || q.Header.Get("Idempotency-Key") != `"`+key+`"` {
			t.Errorf("%+v", q)
		}
		for _, s := range []string{secret, another} { // a receiver knows the old secret or the new one
			if !fake.VerifyWebhook(s, q) {
				t.Error("a signature does not verify")
			}
		}
	}
}

func TestUnsignedAndHeaders(t *testing.T) {
	w := newWebhook(t, fake.WebhookOptions{})
	s := newSender(t, w.URL, map[string]any{"secret": nil, "headers": map[string]string{"authorization": "Bearer planted", "X-Team": "ops team"}})
	if _, err := s.Send(t.Context(), part()); err != nil {
		t.Fatal(err)
	}
	h := w.Requests()[0].Header
	if h.Get("Authorization") != "Bearer planted" || h.Get("X-Team") != "ops team" || h.Get("Webhook-Signature") != "" || h.Get("User-Agent") != "vak-webhook/"+version {
		t.Errorf("%v", h)
	}
}

// TestRefusedHere sends what no request is made for.
func TestRefusedHere(t *testing.T) {
	w := newWebhook(t, fake.WebhookOptions{})
	s := newSender(t, w.URL, nil)
	for _, k := range []struct {
		change func(*surface.SendRequest)
		class  surface.Class
		code   string
		why    string
	}{
		{func(r *surface.SendRequest) { r.Target.Address = "https://elsewhere.example" }, surface.Permanent, "address", "an address of the web as a name"},
		{func(r *surface.SendRequest) { r.Target.Address = strings.Repeat("a", 65) }, surface.Permanent, "address", "a long name"},
		{func(r *surface.SendRequest) { r.Target.Address = "ops x" }, surface.Permanent, "address", "a blank in a name"},
		{func(r *surface.SendRequest) { r.Target.Thread = "1" }, surface.Permanent, "address", "there are no threads"},
		{func(r *surface.SendRequest) { r.Form = surface.FormNative }, surface.Payload, "form", "there is no native form"},
		{func(r *surface.SendRequest) { r.Packet = nil }, surface.Permanent, "packet", "no packet"},
		{func(r *surface.SendRequest) { r.Packet = json.RawMessage(`{"job_id":"j"}`) }, surface.Permanent, "packet", "half of one"},
		{func(r *surface.SendRequest) { r.Packet = json.RawMessage(strings.Replace(packet, "2026", "year", 1)) }, surface.Permanent, "packet", "no time"},
		{func(r *surface.SendRequest) { r.Packet = json.RawMessage(`[]`) }, surface.Permanent, "packet", "something else"},
	} {
		_, err := s.Send(t.Context(), with(k.change))
		if e := sdktest.Failure(t, err); e.Class != k.class || e.Code != k.code {
			t.Errorf("%s: %v", k.why, err)
		}
	}
	second := with(func(r *surface.SendRequest) { r.Part, r.Of, r.Key = 1, 2, "other" })
	if got, err := s.Send(t.Context(), second); err != nil || len(got.Refs) != 0 {
		t.Errorf("the second part of what has gone whole: %+v, %v", got, err)
	}
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
	for _, err := range []error{
		func() error { _, err := s.Edit(t.Context(), surface.Ref{ID: key}, part()); return err }(),
		s.Delete(t.Context(), part().Target, surface.Ref{ID: key}),
	} {
		if e := sdktest.Failure(t, err); e.Class != surface.Permanent || e.Code != hostapi.CodeUnimplemented {
			t.Errorf("what is posted stays: %v", err)
		}
	}
}

// TestPrivateAddresses has a server on loopback that no request may reach.
func TestPrivateAddresses(t *testing.T) {
	w := newWebhook(t, fake.WebhookOptions{})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(w.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.169.254", "2130706433", "0x7f.1", "127.1"} {
		for _, allow := range [][]string{nil, {"example.org"}} {
			s := newSender(t, "http://"+host+":"+port, map[string]any{"allow": allow})
			_, err := s.Send(t.Context(), part())
			e := sdktest.Failure(t, err)
			if e.Class != surface.Permanent && e.Code != "name_not_found" || len(w.Requests()) != 0 {
				t.Errorf("%s: %v, %d requests", host, err, len(w.Requests()))
			}
		}
	}
	s := newSender(t, "http://127.0.0.1", map[string]any{"allow": nil})
	_, err = s.Send(t.Context(), part())
	if e := sdktest.Failure(t, err); e.Code != "address_not_allowed" || e.Class != surface.Permanent {
		t.Errorf("loopback at a common port: %v", err)
	}
	s = newSender(t, "http://localhost:"+port, map[string]any{"allow": []string{"LOCALHOST"}})
	if _, err := s.Send(t.Context(), part()); err != nil {
		t.Errorf("allowed by name: %v", err)
	}
}

// TestTransportConformance has the receiver fail in every way that platforms do.
func TestTransportConformance(t *testing.T) {
	w := newWebhook(t, fake.WebhookOptions{})
	sdktest.TransportConformance(t, newSender(t, w.URL, nil), w.Server, part())
}

// TestBroken posts again what was not answered: the receiver knows its id.
func TestBroken(t *testing.T) {
	for _, k := range []struct {
		next fake.Answer
		why  string
	}{
		{fake.Answer{Cut: true}, "cut before it is taken"},
		{fake.Answer{Cut: true, Accept: true}, "cut after it is taken"},
		{fake.Answer{Accept: true, Header: http.Header{"Content-Length": {"10"}}, Body: "half"}, "half an answer"},
	} {
		w := newWebhook(t, fake.WebhookOptions{})
		w.Next(k.next)
		s := newSender(t, w.URL, nil)
		_, err := s.Send(t.Context(), part())
		if e := sdktest.Failure(t, err); e.Class != surface.Unknown || len(w.Requests()) != 1 {
			t.Errorf("%s: %v, %d requests", k.why, err, len(w.Requests()))
		}
		if _, err := s.Send(t.Context(), part()); err != nil || len(w.Messages()) != 1 {
			t.Errorf("%s: sent again there are %d messages, %v", k.why, len(w.Messages()), err)
		}
	}
}
