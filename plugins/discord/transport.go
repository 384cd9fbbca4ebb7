package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// What Discord takes. (Channels resource, "Create Message"; the length of content
// is in code points.)
const (
	maxContent = 2000
	maxNonce   = 25

	suppressEmbeds        = 1 << 2
	suppressNotifications = 1 << 12
)

// transport sends as one bot.
type transport struct {
	api, token string
	client     *send.Client
}

// message is the body of a create and, without what only that has, of an edit.
type message struct {
	Content         string     `json:"content"`
	Nonce           string     `json:"nonce,omitempty"`
	EnforceNonce    bool       `json:"enforce_nonce,omitempty"`
	AllowedMentions mentions   `json:"allowed_mentions"`
	Flags           int        `json:"flags"`
	Reference       *reference `json:"message_reference,omitempty"`
}

// mentions says what may notify. A body without it lets everything.
type mentions struct {
	Parse []string `json:"parse"` // never nil
}

type reference struct {
	Message string `json:"message_id"`
	Channel string `json:"channel_id,omitempty"`
	Fail    bool   `json:"fail_if_not_exists"` // false: a reply to what is gone is an ordinary message
}

// place is what is kept in the Opaque of a Ref.
type place struct {
	Channel string `json:"channel"`
}

// Send posts one message. The nonce has Discord return the first message where
// the same is posted again within some minutes.
func (t *transport) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	channel, err := channelOf(r.Target)
	if err != nil {
		return surface.Receipt{}, err
	}
	m, err := body(r)
	if err != nil {
		return surface.Receipt{}, err
	}
	if len(r.Key) > maxNonce || !utf8.ValidString(r.Key) {
		return surface.Receipt{}, refuse(surface.Permanent, "nonce", "the key of a part is too long for Discord")
	}
	m.Nonce, m.EnforceNonce = r.Key, r.Key != ""
	m.Reference = replyTo(r.ReplyTo, channel)
	a, err := t.call(ctx, http.MethodPost, "/channels/"+channel+"/messages", m)
	if e := failed(a, err); e != nil && m.Reference != nil && noReply(a) {
		m.Reference = nil // nothing was posted, and the answer matters more than what it answers
		a, err = t.call(ctx, http.MethodPost, "/channels/"+channel+"/messages", m)
	}
	return receipt(channel, a, err)
}

// Edit changes a message, which keeps its place and notifies nobody anew.
func (t *transport) Edit(ctx context.Context, ref surface.Ref, r surface.SendRequest) (surface.Receipt, error) {
	channel, err := channelOfRef(ref, r.Target)
	if err != nil {
		return surface.Receipt{}, err
	}
	m, err := body(r)
	if err != nil {
		return surface.Receipt{}, err
	}
	a, err := t.call(ctx, http.MethodPatch, "/channels/"+channel+"/messages/"+ref.ID, m)
	return receipt(channel, a, err)
}

// Delete takes a message back. That it is gone already is as good.
func (t *transport) Delete(ctx context.Context, target surface.Target, ref surface.Ref) error {
	channel, err := channelOfRef(ref, target)
	if err != nil {
		return err
	}
	a, err := t.call(ctx, http.MethodDelete, "/channels/"+channel+"/messages/"+ref.ID, nil)
	if e := failed(a, err); e != nil && e.Code != codeUnknownMessage {
		return e
	}
	return nil
}

// message is the body for r, after its part was held to what Discord takes.
func body(r surface.SendRequest) (*message, error) {
	m := &message{Flags: suppressEmbeds, AllowedMentions: mentions{Parse: []string{}}}
	if r.Silent { // an edit, too, has to name the flags that are set
		m.Flags |= suppressNotifications
	}
	switch r.Form {
	case surface.FormText:
		m.Content = r.Chunk.Text
		live := r.Mentions == surface.LiveMentions
		if live {
			m.AllowedMentions.Parse = []string{"users"}
		}
		if liveToken(m.Content, live) {
			return nil, refuse(surface.Payload, "live_token", "the text holds a mention or another live token that rendering escapes; see what renders it")
		}
	case surface.FormPlain:
		m.Content = plainContent(r.Chunk.Plain)
	default:
		return nil, refuse(surface.Payload, "form", "Discord is sent text only")
	}
	switch {
	case !utf8.ValidString(m.Content):
		return nil, refuse(surface.Payload, "utf8", "the text is not UTF-8")
	case utf8.RuneCountInString(m.Content) > maxContent:
		return nil, refuse(surface.TooLong, "content", "Discord takes 2000 characters")
	case strings.TrimSpace(m.Content) == "":
		return nil, refuse(surface.Payload, "empty", "there is nothing to read in it")
	}
	return m, nil
}

// call makes one request, and none twice.
func (t *transport) call(ctx context.Context, method, path string, m *message) (send.Answer, error) {
	q := send.Request{Method: method, URL: t.api + path, Header: http.Header{"Authorization": {"Bot " + t.token}}}
	if m != nil {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(m); err != nil {
			return send.Answer{}, refuse(surface.Payload, "json", "")
		}
		q.Body = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
		q.Header.Set("Content-Type", "application/json")
	}
	return t.client.Do(ctx, q)
}

// receipt reads the answer to a message.
func receipt(channel string, a send.Answer, err error) (surface.Receipt, error) {
	if e := failed(a, err); e != nil {
		return surface.Receipt{}, e
	}
	var said struct {
		ID      string `json:"id"`
		Channel string `json:"channel_id"`
	}
	if json.Unmarshal(a.Body, &said) != nil || !snowflake(said.ID) {
		return surface.Receipt{}, refuse(surface.Unknown, "answer", "Discord took the message, but what it said of it cannot be read")
	}
	if snowflake(said.Channel) {
		channel = said.Channel
	}
	opaque, err := json.Marshal(place{channel})
	if err != nil {
		return surface.Receipt{}, refuse(surface.Unknown, "answer", "")
	}
	return surface.Receipt{Refs: []surface.Ref{{ID: said.ID, Opaque: opaque}}, Wait: exhausted(a.Header)}, nil
}

// channelOf is where a message goes: a thread is a channel of its own.
func channelOf(t surface.Target) (string, error) {
	if !snowflake(t.Address) || t.Thread != "" && !snowflake(t.Thread) {
		return "", refuse(surface.Permanent, "address", "a target is the id of a channel, with that of a thread behind it if need be: discord:CHANNEL/THREAD")
	}
	if t.Thread != "" {
		return t.Thread, nil
	}
	return t.Address, nil
}

// channelOfRef is where a message is.
func channelOfRef(ref surface.Ref, t surface.Target) (string, error) {
	if !snowflake(ref.ID) {
		return "", refuse(surface.Permanent, "ref", "it names no message of Discord's")
	}
	var p place
	if json.Unmarshal(ref.Opaque, &p) == nil && snowflake(p.Channel) {
		return p.Channel, nil
	}
	return channelOf(t)
}

// replyTo is nil for what cannot be replied to from here.
func replyTo(ref *surface.Ref, channel string) *reference {
	if ref == nil || !snowflake(ref.ID) {
		return nil
	}
	var p place
	if json.Unmarshal(ref.Opaque, &p) == nil && p.Channel != "" && p.Channel != channel {
		return nil // Discord refuses replies across channels
	}
	return &reference{Message: ref.ID, Channel: channel}
}

// snowflake reports whether s is an id, so that it may stand in a path.
func snowflake(s string) bool {
	if len(s) < 15 || len(s) > 20 {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}
