package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"

	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// transport sends as one bot.
type transport struct {
	base   string // where the methods are, the token included
	client *send.Client
}

// message is the body of sendMessage, and with an id that of editMessageText.
type message struct {
	Chat    any          `json:"chat_id"` // a number or an @name
	ID      int64        `json:"message_id,omitempty"`
	Thread  int64        `json:"message_thread_id,omitempty"`
	Text    string       `json:"text"`
	Mode    string       `json:"parse_mode,omitempty"`
	Preview noPreview    `json:"link_preview_options"`
	Silent  bool         `json:"disable_notification,omitempty"`
	Reply   *replyParams `json:"reply_parameters,omitempty"`
}

// noPreview turns off the preview of links.
type noPreview struct {
	Disabled bool `json:"is_disabled"`
}

// replyParams names what is replied to.
type replyParams struct {
	Message int64 `json:"message_id"`
	Without bool  `json:"allow_sending_without_reply"`
}

// removal is the body of deleteMessage.
type removal struct {
	Chat any   `json:"chat_id"`
	ID   int64 `json:"message_id"`
}

// place is what is kept in the Opaque of a Ref: the chat, as a target has it.
type place struct {
	Chat string `json:"chat"`
}

// Send sends one message.
func (t *transport) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	m := message{Preview: noPreview{true}, Silent: r.Silent}
	var err error
	if m.Chat, err = chatOf(r.Target.Address); err != nil {
		return surface.Receipt{}, err
	}
	if m.Thread, err = threadOf(r.Target.Thread); err != nil {
		return surface.Receipt{}, err
	}
	if m.Text, m.Mode, err = content(r); err != nil {
		return surface.Receipt{}, err
	}
	m.Reply = replyTo(r.ReplyTo, r.Target.Address)
	result, e := t.call(ctx, "sendMessage", m, r.Target)
	if e != nil && e.Code == codeNoReply && m.Reply != nil {
		m.Reply = nil // nothing was sent, and the answer matters more than what it answers
		result, e = t.call(ctx, "sendMessage", m, r.Target)
	}
	if e != nil {
		return surface.Receipt{}, e
	}
	return receipt(result, r.Target.Address), nil
}

// Edit changes a message. Where it says the same already, all is well.
func (t *transport) Edit(ctx context.Context, ref surface.Ref, r surface.SendRequest) (surface.Receipt, error) {
	m := message{Preview: noPreview{true}}
	chat, id, err := messageOf(ref, r.Target)
	if err != nil {
		return surface.Receipt{}, err
	}
	m.ID = id
	if m.Chat, err = chatOf(chat); err != nil {
		return surface.Receipt{}, err
	}
	if m.Text, m.Mode, err = content(r); err != nil {
		return surface.Receipt{}, err
	}
	result, e := t.call(ctx, "editMessageText", m, r.Target)
	switch {
	case e != nil && e.Code == codeNotModified:
		return surface.Receipt{Refs: []surface.Ref{ref}}, nil
	case e != nil:
		return surface.Receipt{}, e
	}
	return receipt(result, chat), nil
}

// Delete takes a message back. That it is gone already is as good.
func (t *transport) Delete(ctx context.Context, target surface.Target, ref surface.Ref) error {
	chat, id, err := messageOf(ref, target)
	if err != nil {
		return err
	}
	m := removal{ID: id}
	if m.Chat, err = chatOf(chat); err != nil {
		return err
	}
	if _, e := t.call(ctx, "deleteMessage", m, target); e != nil && e.Code != codeGone {
		return e
	}
	return nil
}

// call makes one request, and none twice.
func (t *transport) call(ctx context.Context, method string, body any, to surface.Target) (json.RawMessage, *surface.DeliveryError) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return nil, refuse(surface.Payload, "json", "")
	}
	a, err := t.client.Do(ctx, send.Request{
		URL: t.base + method, Body: bytes.TrimSuffix(b.Bytes(), []byte("\n")),
		Header: http.Header{"Content-Type": {"application/json"}},
	})
	return failed(a, err, to)
}

// receipt names the message that the server shows. One that shows none took the
// message all the same.
func receipt(result json.RawMessage, address string) surface.Receipt {
	var shown struct {
		ID   int64 `json:"message_id"`
		Chat struct {
			ID int64 `json:"id"`
		} `json:"chat"`
	}
	if json.Unmarshal(result, &shown) != nil || shown.ID <= 0 {
		return surface.Receipt{}
	}
	p := place{address}
	if shown.Chat.ID != 0 {
		p.Chat = strconv.FormatInt(shown.Chat.ID, 10) // an @name may pass to another chat
	}
	opaque, err := json.Marshal(p)
	if err != nil {
		return surface.Receipt{}
	}
	return surface.Receipt{Refs: []surface.Ref{{ID: strconv.FormatInt(shown.ID, 10), Opaque: opaque}}}
}

// What chats look like: ids have at most 52 significant bits.
var (
	chatForm = regexp.MustCompile(`^-?[1-9][0-9]{0,17}$`)
	nameForm = regexp.MustCompile(`^@[A-Za-z][A-Za-z0-9_]{3,31}$`)
)

// chatOf is a chat as the API wants it.
func chatOf(address string) (any, error) {
	switch {
	case nameForm.MatchString(address):
		return address, nil
	case chatForm.MatchString(address):
		return json.Number(address), nil
	}
	return nil, refuse(surface.Permanent, "address", "a target is the id of a chat or an @name, with the id of a topic behind it if need be: telegram:CHAT/TOPIC")
}

// threadOf is the id of a topic, or 0 for none.
func threadOf(thread string) (int64, error) {
	if thread == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(thread, 10, 32)
	if err != nil || n <= 0 {
		return 0, refuse(surface.Permanent, "thread", hintTopic)
	}
	return n, nil
}

// messageOf is the message that ref names, and the chat that it is in.
func messageOf(ref surface.Ref, t surface.Target) (chat string, id int64, err error) {
	id, err = strconv.ParseInt(ref.ID, 10, 64)
	if err != nil || id <= 0 {
		return "", 0, refuse(surface.Permanent, "ref", "it names no message of Telegram's")
	}
	var p place
	if json.Unmarshal(ref.Opaque, &p) == nil && p.Chat != "" {
		return p.Chat, id, nil
	}
	return t.Address, id, nil
}

// replyTo is nil for what cannot be replied to from here.
func replyTo(ref *surface.Ref, address string) *replyParams {
	if ref == nil {
		return nil
	}
	chat, id, err := messageOf(*ref, surface.Target{Address: address})
	if err != nil || chatForm.MatchString(chat) && chatForm.MatchString(address) && chat != address {
		return nil // the same number names another message there
	}
	return &replyParams{Message: id, Without: true}
}
