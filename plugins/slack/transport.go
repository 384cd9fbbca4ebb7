package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"regexp"

	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// transport sends as one bot.
type transport struct {
	base, token string
	client      *send.Client
}

// posted is the body of chat.postMessage.
type posted struct {
	Channel     string `json:"channel"`
	Text        string `json:"text"`
	Mrkdwn      bool   `json:"mrkdwn"`
	Thread      string `json:"thread_ts,omitempty"`
	LinkNames   bool   `json:"link_names"`
	UnfurlLinks bool   `json:"unfurl_links"`
	UnfurlMedia bool   `json:"unfurl_media"`
}

// edited is the body of chat.update. It says how to parse, since an edit that does
// not is read as a client's, in which names are live.
type edited struct {
	Channel   string `json:"channel"`
	TS        string `json:"ts"`
	Text      string `json:"text"`
	Parse     string `json:"parse"`
	LinkNames bool   `json:"link_names"`
}

// deleted is the body of chat.delete.
type deleted struct {
	Channel string `json:"channel"`
	TS      string `json:"ts"`
}

// place is what is kept in the Opaque of a Ref: the channel, and the thread if the
// message is in one.
type place struct {
	Channel string `json:"channel"`
	Thread  string `json:"thread,omitempty"`
}

// Send posts one message. A reply goes into the thread of what it replies to.
func (t *transport) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	m := posted{Channel: r.Target.Address, Thread: r.Target.Thread, Mrkdwn: r.Form == surface.FormText}
	switch {
	case !channelForm.MatchString(m.Channel):
		return surface.Receipt{}, refuse(surface.Permanent, "address", hintAddress)
	case m.Thread != "" && !tsForm.MatchString(m.Thread):
		return surface.Receipt{}, refuse(surface.Permanent, "thread", hintAddress)
	}
	var err error
	if m.Text, err = content(r, false); err != nil {
		return surface.Receipt{}, err
	}
	reply := false
	if m.Thread == "" {
		m.Thread = replyTo(r.ReplyTo, m.Channel)
		reply = m.Thread != ""
	}
	s, e := t.call(ctx, "chat.postMessage", m)
	if e != nil && reply && threadless(e.Code) {
		m.Thread = "" // nothing was posted, and the answer matters more than what it answers
		s, e = t.call(ctx, "chat.postMessage", m)
	}
	if e != nil {
		return surface.Receipt{}, e
	}
	return receipt(s, place{m.Channel, m.Thread}), nil
}

// Edit changes a message.
func (t *transport) Edit(ctx context.Context, ref surface.Ref, r surface.SendRequest) (surface.Receipt, error) {
	p, err := placeOf(ref, r.Target)
	if err != nil {
		return surface.Receipt{}, err
	}
	m := edited{Channel: p.Channel, TS: ref.ID, Parse: "none"}
	if m.Text, err = content(r, true); err != nil {
		return surface.Receipt{}, err
	}
	s, e := t.call(ctx, "chat.update", m)
	if e != nil {
		return surface.Receipt{}, e
	}
	return receipt(s, p), nil
}

// Delete takes a message back. That it is gone already is as good.
func (t *transport) Delete(ctx context.Context, target surface.Target, ref surface.Ref) error {
	p, err := placeOf(ref, target)
	if err != nil {
		return err
	}
	if _, e := t.call(ctx, "chat.delete", deleted{p.Channel, ref.ID}); e != nil && e.Code != codeGone {
		return e
	}
	return nil
}

// call makes one request, and none twice.
func (t *transport) call(ctx context.Context, method string, body any) (said, *surface.DeliveryError) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return said{}, refuse(surface.Payload, "json", "")
	}
	a, err := t.client.Do(ctx, send.Request{
		URL: t.base + method, Body: bytes.TrimSuffix(b.Bytes(), []byte("\n")),
		Header: http.Header{"Authorization": {"Bearer " + t.token}, "Content-Type": {"application/json; charset=utf-8"}},
	})
	return failed(a, err)
}

// receipt names the message that Slack took. Where it does not say which, it took
// it all the same.
func receipt(s said, p place) surface.Receipt {
	if !tsForm.MatchString(s.TS) {
		return surface.Receipt{}
	}
	if channelForm.MatchString(s.Channel) {
		p.Channel = s.Channel // that of a user's direct messages has an id of its own
	}
	opaque, err := json.Marshal(p)
	if err != nil {
		return surface.Receipt{}
	}
	return surface.Receipt{Refs: []surface.Ref{{ID: s.TS, Opaque: opaque}}}
}

// What ids look like.
var (
	channelForm = regexp.MustCompile(`^[CGDUW][A-Z0-9]{1,30}$`)
	tsForm      = regexp.MustCompile(`^[0-9]{1,12}\.[0-9]{1,9}$`)
)

const hintAddress = "a target is the id of a channel or a user, with the ts of a message behind it for its thread: slack:C0123456789/1700000000.000100"

// placeOf is where the message that ref names is.
func placeOf(ref surface.Ref, t surface.Target) (place, error) {
	p := place{Channel: t.Address, Thread: t.Thread}
	if kept := (place{}); json.Unmarshal(ref.Opaque, &kept) == nil && kept.Channel != "" {
		p = kept
	}
	if !tsForm.MatchString(ref.ID) || !channelForm.MatchString(p.Channel) || p.Thread != "" && !tsForm.MatchString(p.Thread) {
		return place{}, refuse(surface.Permanent, "ref", "it names no message of Slack's")
	}
	return p, nil
}

// replyTo is the thread that a reply goes into: that of the message, or the one
// that it begins. It is empty for what cannot be replied to from here.
func replyTo(ref *surface.Ref, channel string) string {
	if ref == nil {
		return ""
	}
	p, err := placeOf(*ref, surface.Target{Address: channel})
	if err != nil || p.Channel != channel && !(p.Channel[0] == 'D' && (channel[0] == 'U' || channel[0] == 'W')) {
		return ""
	}
	if p.Thread != "" {
		return p.Thread
	}
	return ref.ID
}
