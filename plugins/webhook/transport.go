package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/plugins/webhook/internal/sign"
	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// The modes.
const (
	structured = "structured"
	binary     = "binary"
	plain      = "plain"
)

var addresses = regexp.MustCompile(addressForm)

// transport posts packets for one account.
type transport struct {
	url, mode string
	header    http.Header // of the account
	keys      []sign.Key
	client    *send.Client
	now       func() time.Time
}

// Send posts the packet. A packet holds all parts of a job, so it goes with the
// first of them; the others have arrived by then, and nothing is posted for them.
//
// The body is made of what core froze when it rendered the job, and the id is the
// job's, so that they are the same at each attempt; the timestamp and the signature
// are those of this one.
func (t *transport) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	switch {
	case !addresses.MatchString(r.Target.Address) || r.Target.Thread != "":
		return surface.Receipt{}, refuse(surface.Permanent, "address", "a target is webhook:NAME, with up to 64 letters, digits, dots, hyphens and underscores")
	case r.Form == surface.FormNative:
		return surface.Receipt{}, refuse(surface.Payload, "form", "a webhook is sent the packet")
	case r.Part > 0:
		return surface.Receipt{}, nil
	}
	e, err := read(r.Packet)
	if err != nil {
		return surface.Receipt{}, err
	}
	body, header := e.write(t.mode)
	for k, v := range t.header {
		header[k] = v
	}
	now := t.now()
	header.Set("Webhook-Id", e.key())
	header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("Idempotency-Key", `"`+e.key()+`"`)
	if len(t.keys) > 0 {
		header.Set("Webhook-Signature", sign.Signature(t.keys, e.key(), now, body))
	}
	a, err := t.client.Do(ctx, send.Request{URL: t.url, Header: header, Body: body})
	if e := failed(a, err, now); e != nil {
		return surface.Receipt{}, e
	}
	return surface.Receipt{Refs: []surface.Ref{{ID: e.key()}}}, nil
}

// An event is a delivery as a CloudEvent. Source and id together name it.
type event struct {
	id, source, kind, time string
	body                   []byte
}

// read makes an event of a delivery.
func read(body []byte) (event, error) {
	var d struct {
		Job      string `json:"job_id"`
		Target   string `json:"target"`
		Time     string `json:"ts"`
		Delivery struct {
			Kind string `json:"kind"`
		} `json:"delivery"`
	}
	if json.Unmarshal(body, &d) != nil || d.Job == "" || d.Target == "" || d.Delivery.Kind == "" {
		return event{}, refuse(surface.Permanent, "packet", "there is no packet to post; the surface's profile has to deliver packets")
	}
	if _, err := time.Parse(time.RFC3339, d.Time); err != nil {
		return event{}, refuse(surface.Permanent, "packet", "the delivery does not say when it was made")
	}
	return event{
		id: d.Job, source: "urn:vak:" + escape(d.Target, ""), kind: "vak.delivery." + d.Delivery.Kind, time: d.Time, body: body,
	}, nil
}

// key is the id as it stands in the headers by which a receiver knows a repetition:
// the job's, without a dot, which parts what is signed, and without what means
// something between quotes.
func (e event) key() string { return escape(e.id, `%.\`) }

// specVersion is the version of CloudEvents.
const specVersion = "1.0"

// write is the event's body in a mode, and its headers.
func (e event) write(mode string) ([]byte, http.Header) {
	h := http.Header{"Content-Type": {"application/json"}}
	switch mode {
	case structured:
		h.Set("Content-Type", "application/cloudevents+json")
		var b bytes.Buffer
		for _, m := range [][2]string{
			{`{"specversion":`, specVersion}, {`,"id":`, e.id}, {`,"source":`, e.source}, {`,"type":`, e.kind}, {`,"time":`, e.time},
		} {
			b.WriteString(m[0])
			b.Write(text(m[1]))
		}
		b.WriteString(`,"datacontenttype":"application/json","data":`)
		b.Write(e.body) // as it is: encoding it anew would change it
		b.WriteByte('}')
		return b.Bytes(), h
	case binary:
		h.Set("Ce-Specversion", specVersion)
		h.Set("Ce-Id", escape(e.id, "%"))
		h.Set("Ce-Source", escape(e.source, "%"))
		h.Set("Ce-Type", escape(e.kind, "%"))
		h.Set("Ce-Time", e.time)
	}
	return e.body, h
}

// text is s as JSON.
func text(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string always can be
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// escape percent-encodes what cannot stand in a header: blanks, quotes, percent
// signs, and all that is not printable ASCII (CloudEvents' HTTP binding, 3.1.3.2).
// more are characters that are encoded as well. A source is encoded once already,
// by a target's own rules, which leave nothing but blanks to be careful about.
func escape(s, more string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || strings.IndexByte(more, c) >= 0 {
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
