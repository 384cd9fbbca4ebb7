package oracle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

const (
	secret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	another = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNk"
)

// posted are what packets say, and what is to be read of their events.
var posted = []struct{ job, target, kind, source, header string }{
	{"t1:0:webhook:ops", "webhook:ops", "assistant", "urn:vak:webhook:ops", "t1:0:webhook:ops"},
	{"s.1/1:0:webhook:ops%2Fcalls", "webhook:ops%2Fcalls", "alert", "urn:vak:webhook:ops%2Fcalls", "s%2E1/1:0:webhook:ops%252Fcalls"},
	{`a b "quoted" 100 % %41 é 日本 😀`, "webhook:%C3%A9%20x", "task_summary", "urn:vak:webhook:%C3%A9%20x", "a%20b%20%22quoted%22%20100%20%25%20%2541%20%C3%A9%20%E6%97%A5%E6%9C%AC%20%F0%9F%98%80"},
}

// receiver starts the libraries that receivers use.
func receiver(t *testing.T) *Receiver {
	t.Helper()
	node, modules := tools(t)
	r, err := StartReceiver(node, modules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// packetOf is a delivery with a text that is hard to sign and to encode.
func packetOf(job, target, kind string) json.RawMessage {
	text := "<b> & \"é\" \u2028 日本 😀 \\ \u0001 100 %\n" + strings.Repeat("long ", 3000)
	b, err := json.Marshal(map[string]any{
		"schema_version": 1, "job_id": job, "target": target, "text": text, "ts": "2026-01-02T03:04:05.000Z",
		"delivery": map[string]any{"schema_version": 1, "job_id": job, "target": target, "surface": "webhook", "kind": kind, "fallback_markdown": text, "chunks": []any{}},
	})
	if err != nil {
		panic(err)
	}
	return b
}

// post has the built binary post every packet, and returns the requests.
func post(t *testing.T, mode string, secrets ...string) []Sent {
	t.Helper()
	p := sdktest.NewPlatform(t, sdktest.Answer{Status: 204})
	settings := map[string]any{"url": p.URL + "/hook?a=b", "mode": mode, "allow": []string{"127.0.0.1"}}
	if len(secrets) > 0 {
		settings["secret"] = secrets
	}
	s := sender(t, "webhook", settings)
	for i, w := range posted {
		if _, err := s.Send(t.Context(), surface.SendRequest{
			Key: fmt.Sprintf("k-%d", i), Job: w.job, Of: 1, Attempt: 1, Kind: surface.Kind(w.kind), Form: surface.FormText,
			Target: surface.Target{Surface: "webhook", Address: "ops"}, Packet: packetOf(w.job, w.target, w.kind),
		}); err != nil {
			t.Fatalf("%s: %v", w.job, err)
		}
	}
	out := sentTo("webhook", mode, p.Requests())
	if len(out) != len(posted) {
		t.Fatalf("%d requests for %d packets", len(out), len(posted))
	}
	return out
}

// TestStandardWebhooks has the library verify what the built binary signed, and
// sign the same: both have to come to the same bytes.
func TestStandardWebhooks(t *testing.T) {
	r := receiver(t)
	for _, mode := range []string{"structured", "binary", "plain"} {
		for _, secrets := range [][]string{{secret}, {secret, another}, {another, secret}} {
			for i, s := range post(t, mode, secrets...) {
				why := fmt.Sprintf("%s, %d secrets, request %d", mode, len(secrets), i)
				id, at := s.Header.Get("Webhook-Id"), s.Header.Get("Webhook-Timestamp")
				seconds, err := strconv.ParseInt(at, 10, 64)
				if err != nil || id != posted[i].header || s.Header.Get("Idempotency-Key") != `"`+id+`"` {
					t.Errorf("%s: id %q, time %q, %v", why, id, at, err)
				}
				var ours []string
				for _, k := range secrets {
					if err := r.Verify(k, s); err != nil {
						t.Errorf("%s: %v", why, err)
					}
					signature, err := r.Sign(k, id, seconds, s.Body)
					if err != nil {
						t.Fatal(err)
					}
					ours = append(ours, signature)
				}
				if got := s.Header.Get("Webhook-Signature"); got != strings.Join(ours, " ") {
					t.Errorf("%s: signed %q, the library signs %q", why, got, ours)
				}
				wrong := func(what, secret string, change func(*Sent)) {
					t.Helper()
					spoiled := s
					spoiled.Header = s.Header.Clone()
					change(&spoiled)
					if err := r.Verify(secret, spoiled); err == nil {
						t.Errorf("%s: %s is trusted", why, what)
					}
				}
				wrong("another body", secrets[0], func(s *Sent) { s.Body += " " })
				wrong("another time", secrets[0], func(s *Sent) { s.Header.Set("Webhook-Timestamp", strconv.FormatInt(seconds-1, 10)) })
				wrong("an old one", secrets[0], func(s *Sent) { s.Header.Set("Webhook-Timestamp", strconv.FormatInt(seconds-3600, 10)) })
				wrong("another id", secrets[0], func(s *Sent) { s.Header.Set("Webhook-Id", id+"x") })
				wrong("another's secret", "whsec_eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4", func(*Sent) {})
				wrong("what is not signed", secrets[0], func(s *Sent) { s.Header.Del("Webhook-Signature") })
			}
		}
	}
}

// TestCloudEvents has the library read the events of both modes.
func TestCloudEvents(t *testing.T) {
	r := receiver(t)
	for _, mode := range []string{"structured", "binary"} {
		for i, s := range post(t, mode) {
			w, packet := posted[i], packetOf(posted[i].job, posted[i].target, posted[i].kind)
			e, err := r.Event(s)
			if err != nil {
				t.Errorf("%s, request %d: %v", mode, i, err)
				continue
			}
			if e.ID != w.job || e.Source != w.source || e.Type != "vak.delivery."+w.kind || e.SpecVersion != "1.0" || e.DataContentType != "application/json" {
				t.Errorf("%s, request %d: id %q, source %q, type %q, version %q, %q", mode, i, e.ID, e.Source, e.Type, e.SpecVersion, e.DataContentType)
			}
			var got, want any
			if err := json.Unmarshal(e.Data, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(packet, &want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, request %d: the data is not the packet", mode, i)
			}
			raw := s.Body // as it is: a receiver may compare bytes
			if mode == "structured" {
				var members struct{ Data json.RawMessage }
				if err := json.Unmarshal([]byte(s.Body), &members); err != nil {
					t.Fatal(err)
				}
				raw = string(members.Data)
			}
			if raw != string(packet) {
				t.Errorf("%s, request %d: the packet's bytes have changed", mode, i)
			}
		}
	}
}

// TestCloudEventsComplains takes what an event needs away.
func TestCloudEventsComplains(t *testing.T) {
	r := receiver(t)
	binary, structured := post(t, "binary")[0], post(t, "structured")[0]
	if _, err := r.Event(binary); err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct{ header, value string }{
		{"Ce-Source", ""}, {"Ce-Type", ""}, {"Ce-Source", "urn:a%20b"}, {"Ce-Id", "é"}, {"Ce-Id", "a b"}, {"Ce-Id", `"`}, {"Ce-Id", "100%"},
	} {
		s := binary
		s.Header = binary.Header.Clone()
		if s.Header.Set(k.header, k.value); k.value == "" {
			s.Header.Del(k.header)
		}
		if e, err := r.Event(s); err == nil {
			t.Errorf("%s: %q is read as %+v", k.header, k.value, e)
		}
	}
	for _, member := range []string{"id", "source", "type"} {
		var all map[string]json.RawMessage
		if err := json.Unmarshal([]byte(structured.Body), &all); err != nil {
			t.Fatal(err)
		}
		delete(all, member)
		b, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		s := structured
		s.Body = string(b)
		if e, err := r.Event(s); err == nil {
			t.Errorf("without %s: %+v", member, e)
		}
	}
}
