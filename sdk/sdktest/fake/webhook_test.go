package fake

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The example that libraries of Standard Webhooks test with.
const (
	webhookSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	webhookID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	webhookTime      = "1614265330"
	webhookBody      = `{"test": 2432232314}`
	webhookSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func TestWebhook(t *testing.T) {
	w := NewWebhook(WebhookOptions{
		Secret: webhookSecret, Largest: 500, Now: func() time.Time { return time.Unix(1614265330+299, 0) },
	})
	defer w.Close()
	for _, k := range []struct {
		change map[string]string // of headers; empty: without it
		method string
		body   string
		status int
		why    string
	}{
		{nil, "POST", webhookBody, 204, "the published example"},
		{nil, "POST", webhookBody, 204, "once more, under its id"},
		{map[string]string{"Idempotency-Key": `"` + webhookID + `"`}, "POST", webhookBody, 204, "with an idempotency key"},
		{map[string]string{"Idempotency-Key": webhookID}, "POST", webhookBody, 400, "which is a string in quotes"},
		{map[string]string{"Webhook-Signature": "v1,AAAA v2,x v1a,y " + webhookSignature}, "POST", webhookBody, 204, "one of several signatures matches"},
		{map[string]string{"Webhook-Signature": "v1,AAAA"}, "POST", webhookBody, 401, "none does"},
		{map[string]string{"Webhook-Signature": ""}, "POST", webhookBody, 401, "there is none"},
		{map[string]string{"Webhook-Signature": strings.Replace(webhookSignature, "v1", "v2", 1)}, "POST", webhookBody, 401, "one of another version"},
		{nil, "POST", webhookBody + " ", 401, "another body"},
		{map[string]string{"Webhook-Id": "msg_other"}, "POST", webhookBody, 401, "another id"},
		{map[string]string{"Webhook-Id": "a.b"}, "POST", webhookBody, 400, "an id with a dot"},
		{map[string]string{"Webhook-Timestamp": "1614265329"}, "POST", webhookBody, 401, "another time"},
		{map[string]string{"Webhook-Timestamp": "1614265000"}, "POST", webhookBody, 400, "an old one"},
		{map[string]string{"Webhook-Timestamp": "now"}, "POST", webhookBody, 400, "none"},
		{nil, "PUT", webhookBody, 405, "another method"},
		{nil, "POST", strings.Repeat(" ", 501), 413, "too large"},
	} {
		header := map[string]string{
			"Webhook-Id": webhookID, "Webhook-Timestamp": webhookTime, "Webhook-Signature": webhookSignature, "Content-Type": "application/json",
		}
		for name, v := range k.change {
			header[name] = v
		}
		if got := postWebhook(t, w.URL, k.method, k.body, header); got != k.status {
			t.Errorf("%s: %d, want %d", k.why, got, k.status)
		}
	}
	if m := w.Messages(); len(m) != 1 || m[0].Posts != 4 || m[0].ID != webhookID || m[0].Body != webhookBody || !m[0].Trusted || m[0].Event != nil {
		t.Errorf("%+v", m)
	}
}

func TestWebhookEvents(t *testing.T) {
	binary := map[string]string{"Content-Type": "application/json", "Ce-Specversion": "1.0", "Ce-Id": "a%20b", "Ce-Source": "urn:x", "Ce-Type": "t"}
	and := func(name, v string) map[string]string {
		out := map[string]string{}
		for k, v := range binary {
			out[k] = v
		}
		out[name] = v
		return out
	}
	structured := map[string]string{"Content-Type": "application/cloudevents+json; charset=utf-8"}
	for _, k := range []struct {
		header map[string]string
		body   string
		id     string // empty: it is refused
		why    string
	}{
		{structured, `{"specversion":"1.0","id":"a b","source":"urn:x","type":"t","data":{"a":1}}`, "a b", "one body"},
		{structured, `{"specversion":"1.0","id":"a","source":"urn:x","type":"t","data":{},"dataschema2_":1}`, "", "an attribute that cannot be"},
		{structured, `{"specversion":"1.0","id":"a","type":"t","data":{}}`, "", "no source"},
		{structured, `{"specversion":"0.3","id":"a","source":"x","type":"t","data":{}}`, "", "another version"},
		{structured, `{`, "", "no JSON"},
		{structured, `{"specversion":"1.0","id":"a","source":"urn:x","type":"t","data":1} {}`, "", "two of them"},
		{binary, `{"a":1}`, "a b", "in headers"},
		{and("Ce-Type", ""), `{}`, "", "no type"},
		{and("Ce-Id", `a"b`), `{}`, "", "a quote that is not encoded"},
		{and("Ce-Id", "a%zz"), `{}`, "", "what cannot be decoded"},
		{map[string]string{"Content-Type": "text/html"}, `<p>`, "", "no event, and no JSON"},
	} {
		w := NewWebhook(WebhookOptions{})
		header := map[string]string{"Webhook-Id": "i", "Webhook-Timestamp": strconv.FormatInt(time.Now().Unix(), 10)}
		for name, v := range k.header {
			header[name] = v
		}
		status := postWebhook(t, w.URL, "POST", k.body, header)
		m := w.Messages()
		if k.id == "" {
			if status != 400 || len(m) != 0 {
				t.Errorf("%s: %d", k.why, status)
			}
		} else if status != 204 || len(m) != 1 || m[0].Event == nil || m[0].Event.ID != k.id || m[0].Event.Source != "urn:x" || string(m[0].Event.Data) != `{"a":1}` || m[0].Trusted {
			t.Errorf("%s: %d, %+v", k.why, status, m)
		}
		w.Close()
	}
	w := NewWebhook(WebhookOptions{Gone: true})
	defer w.Close()
	if status := postWebhook(t, w.URL, "POST", "{}", nil); status != 410 {
		t.Error(status)
	}
}

// postWebhook posts, without the headers whose value is empty.
func postWebhook(t *testing.T, to, method, body string, header map[string]string) int {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, to, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if v != "" {
			q.Header.Set(k, v)
		}
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	return a.StatusCode
}
