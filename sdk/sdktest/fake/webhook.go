package fake

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// WebhookOptions say what a [Webhook] is like. The zero value takes whatever is
// posted to it, signed or not.
type WebhookOptions struct {
	// Secret is what posts have to be signed with: whsec_ and base64. Empty: the
	// signature is not looked at.
	Secret string

	// Tolerance is how far the time of a post may be from Now; 0 is five minutes.
	Tolerance time.Duration

	// Largest is the number of bytes of a body that are taken; 0: any.
	Largest int

	// Gone has it refuse everything with 410.
	Gone bool

	// Now is the clock; nil: the system's.
	Now func() time.Time
}

// Webhook is a receiver of webhooks that keeps to Standard Webhooks and knows
// CloudEvents. A post under an id that was taken is not taken again.
type Webhook struct {
	*Server
	options WebhookOptions

	mu       sync.Mutex
	messages []WebhookMessage
}

// A WebhookMessage is one that arrived.
type WebhookMessage struct {
	ID      string // of the header webhook-id
	Posts   int    // how often it was posted
	Type    string // of the content
	Body    string
	Event   *WebhookEvent // nil for what is no event
	Trusted bool          // its signature was verified
}

// A WebhookEvent is a CloudEvent, in whichever mode it came.
type WebhookEvent struct {
	ID, Source, Type string
	Data             json.RawMessage
}

// NewWebhook starts a Webhook.
func NewWebhook(o WebhookOptions) *Webhook {
	if o.Tolerance <= 0 {
		o.Tolerance = 5 * time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	w := &Webhook{options: o}
	w.Server = Serve(w.answer)
	return w
}

// Messages returns what arrived, in order.
func (w *Webhook) Messages() []WebhookMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := slices.Clone(w.messages)
	for i, m := range out {
		if m.Event != nil {
			e := *m.Event
			e.Data = slices.Clone(e.Data)
			out[i].Event = &e
		}
	}
	return out
}

func (w *Webhook) answer(q Request) Answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	refuse := func(status int, why string) Answer {
		return Answer{Status: status, Header: http.Header{"Content-Type": {"text/plain"}}, Body: why}
	}
	id := q.Header.Get("Webhook-Id")
	switch {
	case w.options.Gone:
		return refuse(http.StatusGone, "no more, please")
	case q.Method != http.MethodPost:
		return refuse(http.StatusMethodNotAllowed, "webhooks are posted")
	case w.options.Largest > 0 && len(q.Body) > w.options.Largest:
		return refuse(http.StatusRequestEntityTooLarge, "too large")
	case id == "" || strings.Contains(id, "."):
		return refuse(http.StatusBadRequest, "webhook-id is missing, or has a dot")
	}
	if key := q.Header.Get("Idempotency-Key"); key != "" && key != `"`+id+`"` {
		return refuse(http.StatusBadRequest, "the idempotency key is not the id in quotes")
	}
	seconds, err := strconv.ParseInt(q.Header.Get("Webhook-Timestamp"), 10, 64)
	if err != nil {
		return refuse(http.StatusBadRequest, "webhook-timestamp is no number")
	}
	if w.options.Now().Sub(time.Unix(seconds, 0)).Abs() > w.options.Tolerance {
		return refuse(http.StatusBadRequest, "webhook-timestamp is too old or in the future")
	}
	if w.options.Secret != "" && !VerifyWebhook(w.options.Secret, q) {
		return refuse(http.StatusUnauthorized, "no signature matches")
	}
	event, why := webhookEvent(q)
	if why != "" {
		return refuse(http.StatusBadRequest, why)
	}
	for i := range w.messages {
		m := &w.messages[i]
		if m.ID != id {
			continue
		}
		if m.Posts++; m.Body != q.Body {
			return refuse(http.StatusUnprocessableEntity, "the id was used for another body")
		}
		return Answer{Status: http.StatusNoContent}
	}
	w.messages = append(w.messages, WebhookMessage{
		ID: id, Posts: 1, Type: q.Header.Get("Content-Type"), Body: q.Body, Event: event, Trusted: w.options.Secret != "",
	})
	return Answer{Status: http.StatusNoContent}
}

// VerifyWebhook reports whether one of the signatures of a request is that of
// secret, as Standard Webhooks has it: the base64 of the HMAC-SHA256 over the id,
// the timestamp and the body, with a dot between each, behind "v1,". It does not
// look at the time.
func VerifyWebhook(secret string, q Request) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return false
	}
	signed := bytes.Join([][]byte{
		[]byte(q.Header.Get("Webhook-Id")), []byte(q.Header.Get("Webhook-Timestamp")), []byte(q.Body),
	}, []byte{'.'})
	mac := hmac.New(sha256.New, key)
	mac.Write(signed)
	want := mac.Sum(nil)
	for _, s := range strings.Fields(q.Header.Get("Webhook-Signature")) {
		version, value, _ := strings.Cut(s, ",")
		got, err := base64.StdEncoding.DecodeString(value)
		if version == "v1" && err == nil && hmac.Equal(got, want) {
			return true
		}
	}
	return false
}

// webhookEvent reads a CloudEvent of either mode. It returns nil for what is
// none, and why it is refused.
func webhookEvent(q Request) (*WebhookEvent, string) {
	kind, _, _ := strings.Cut(q.Header.Get("Content-Type"), ";")
	var e struct {
		SpecVersion string          `json:"specversion"`
		ID          string          `json:"id"`
		Source      string          `json:"source"`
		Type        string          `json:"type"`
		Time        string          `json:"time"`
		DataType    string          `json:"datacontenttype"`
		Data        json.RawMessage `json:"data"`
	}
	switch {
	case kind == "application/cloudevents+json":
		dec := json.NewDecoder(strings.NewReader(q.Body))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&e); err != nil {
			return nil, "the event is no JSON, or has an attribute that is not known"
		}
		if _, err := dec.Token(); err != io.EOF {
			return nil, "something stands behind the event"
		}
	case q.Header.Get("Ce-Specversion") != "":
		for name, into := range map[string]*string{
			"Ce-Specversion": &e.SpecVersion, "Ce-Id": &e.ID, "Ce-Source": &e.Source, "Ce-Type": &e.Type, "Ce-Time": &e.Time,
		} {
			raw := q.Header.Get(name)
			if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' }) {
				return nil, name + " is not percent-encoded"
			}
			v, err := url.PathUnescape(raw)
			if err != nil {
				return nil, name + " cannot be decoded"
			}
			*into = v
		}
		e.Data = json.RawMessage(q.Body)
	case kind == "application/json":
		if !json.Valid([]byte(q.Body)) {
			return nil, "the body is no JSON"
		}
		return nil, ""
	default:
		return nil, "the content is of no type that is known"
	}
	if _, err := url.Parse(e.Source); err != nil || e.SpecVersion != "1.0" || e.ID == "" || e.Source == "" || e.Type == "" || !json.Valid(e.Data) {
		return nil, "a required attribute of the event is missing or wrong"
	}
	if _, err := time.Parse(time.RFC3339, e.Time); e.Time != "" && err != nil {
		return nil, "the time of the event is no RFC 3339"
	}
	return &WebhookEvent{ID: e.ID, Source: e.Source, Type: e.Type, Data: e.Data}, ""
}
