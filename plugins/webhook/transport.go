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

var (
	addresses = regexp.MustCompile(addressForm)
	keys      = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) // a dot would blur what is signed
)

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
// The body is made of the packet alone, and the id is the part's key, so that they
// are the same at each attempt; time and signature are those of this one.
func (t *transport) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	switch {
	case !addresses.MatchString(r.Target.Address) || r.Target.Thread != "":
		return surface.Receipt{}, refuse(surface.Permanent, "address", "a target is webhook:NAME, with up to 64 letters, digits, dots, hyphens and underscores")
	case !keys.MatchString(r.Key):
		return surface.Receipt{}, refuse(surface.Permanent, "key", "the key of a part cannot stand in a header")
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
	header.Set("Webhook-Id", r.Key)
	header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("Idempotency-Key", `"`+r.Key+`"`)
	if len(t.keys) > 0 {
		header.Set("Webhook-Signature", sign.Signature(t.keys, r.Key, now, body))
	}
	a, err := t.client.Do(ctx, send.Request{URL: t.url, Header: header, Body: body})
	if e := failed(a, err, now); e != nil {
		return surface.Receipt{}, e
	}
	return surface.Receipt{Refs: []surface.Ref{{ID: r.Key}}}, nil
}

// An event is a packet as a CloudEvent. Source and id together name it.
type event struct {
	id, source, kind string
	packet           []byte
}

// read makes an event of a packet.
func read(packet []byte) (event, error) {
	var p struct {
		Job    string `json:"job_id"`
		Target string `json:"target"`
		Kind   string `json:"kind"`
	}
	if json.Unmarshal(packet, &p) != nil || p.Job == "" || p.Target == "" || p.Kind == "" {
		return event{}, refuse(surface.Permanent, "packet", "there is no packet to post; the surface's profile has to deliver packets")
	}
	return event{
		id: p.Job, source: "urn:vak:" + escape(p.Target, false), kind: "vak.delivery." + p.Kind, packet: packet,
	}, nil
}

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
			{`{"specversion":`, specVersion}, {`,"id":`, e.id}, {`,"source":`, e.source}, {`,"type":`, e.kind},
		} {
			b.WriteString(m[0])
			b.Write(text(m[1]))
		}
		b.WriteString(`,"datacontenttype":"application/json","data":`)
		b.Write(e.packet) // as it is: encoding it anew would change it
		b.WriteByte('}')
		return b.Bytes(), h
	case binary:
		h.Set("Ce-Specversion", specVersion)
		h.Set("Ce-Id", escape(e.id, true))
		h.Set("Ce-Source", escape(e.source, true))
		h.Set("Ce-Type", escape(e.kind, true))
	}
	return e.packet, h
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
// A source is encoded once already, by a target's own rules, which leave nothing
// but blanks to be careful about.
func escape(s string, percent bool) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '%' && percent {
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
