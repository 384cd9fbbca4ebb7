package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A meaning is what follows from a refusal.
type meaning struct {
	status int
	words  string // what the description holds, in small letters; empty: whatever it says
	code   string
	class  surface.Class
	hint   string
}

// The codes that decide what a transport does next.
const (
	codeNotModified = "not_modified"
	codeNoReply     = "reply_not_found"
	codeGone        = "message_not_found"
	codeMoved       = "group_upgraded"
)

const (
	hintLong   = "Telegram takes 4,096 characters"
	hintOurs   = "this is a mistake of vak; please report it with the code"
	hintChat   = "check the id; the user has to write to the bot first, and a group has to have it as a member"
	hintToken  = "put the bot's current token into the account, and check its api"
	hintRights = "let the bot write there"
	hintTopic  = "check the id of the topic"
)

// meanings lists the refusals of the Bot API server that matter to whoever sends
// texts, in the order in which they are looked for: what it says is told apart by
// its words alone. A meaning of a status stands behind those of its words.
func meanings() []meaning {
	return []meaning{
		{400, "message is not modified", codeNotModified, surface.Permanent, "it says that already"},

		// It has to be said in another way.
		{400, "can't parse entities", "cannot_parse_entities", surface.Payload, hintOurs},
		{400, "unsupported start tag", "cannot_parse_entities", surface.Payload, hintOurs},
		{400, "entity_bounds_invalid", "entity_bounds_invalid", surface.Payload, hintOurs},
		{400, "message is too long", "message_too_long", surface.TooLong, hintLong},
		{400, "text is too long", "text_too_long", surface.TooLong, hintLong},
		{400, "caption is too long", "caption_too_long", surface.TooLong, hintLong},
		{400, "message_too_long", "message_too_long", surface.TooLong, hintLong},
		{400, "entities_too_long", "entities_too_long", surface.TooLong, "its markup is too long"},
		{400, "reply markup is too long", "reply_markup_too_long", surface.TooLong, "its buttons are too long"},
		{413, "", "413", surface.TooLong, "the request is too large"},

		// This message will not arrive.
		{400, "message text is empty", "empty", surface.Permanent, "there is nothing to read in it"},
		{400, "text must be non-empty", "empty", surface.Permanent, "there is nothing to read in it"},
		{400, "message to be replied not found", codeNoReply, surface.Permanent, "what it replies to is gone"},
		{400, "replied message not found", codeNoReply, surface.Permanent, "what it replies to is gone"},
		{400, "message to edit not found", codeGone, surface.Permanent, "the message is gone; send it anew"},
		{400, "message to delete not found", codeGone, surface.Permanent, "the message is gone"},
		{400, "message_id_invalid", codeGone, surface.Permanent, "the message is gone; send it anew"},
		{400, "message can't be edited", "cannot_edit", surface.Permanent, "it is too old, or not the bot's own; send it anew"},
		{400, "message can't be deleted", "cannot_delete", surface.Permanent, "it is too old, or the bot may not"},
		{400, "message thread not found", "thread_not_found", surface.Permanent, hintTopic},
		{400, "topic_closed", "topic_closed", surface.Permanent, "open the topic again"},
		{400, "topic_deleted", "thread_not_found", surface.Permanent, hintTopic},
		{400, "chat not found", "chat_not_found", surface.Permanent, hintChat},
		{400, "peer_id_invalid", "chat_not_found", surface.Permanent, hintChat},
		{400, "group chat was upgraded to a supergroup chat", codeMoved, surface.Permanent, "ask the group for its new id"}, // Moved where it is told
		{400, "not enough rights", "no_rights", surface.Permanent, hintRights},
		{400, "have no rights", "no_rights", surface.Permanent, hintRights},
		{400, "need administrator rights", "no_rights", surface.Permanent, hintRights},
		{400, "chat_write_forbidden", "no_rights", surface.Permanent, hintRights},
		{401, "", "401", surface.Permanent, hintToken},
		{404, "method not found", "404", surface.Permanent, "the server at the account's api is older than what it is asked for; update it"},
		{404, "", "404", surface.Permanent, hintToken},
		{409, "", "409", surface.Permanent, "another program uses the bot in a way that excludes this one"},

		// Nothing will arrive there.
		{403, "bot was blocked by the user", "blocked", surface.TargetGone, "the user has to unblock the bot"},
		{403, "user is deactivated", "user_deactivated", surface.TargetGone, "the account of the user is gone"},
		{403, "bot was kicked", "kicked", surface.TargetGone, "add the bot to the chat again"},
		{403, "bot is not a member", "not_a_member", surface.TargetGone, "add the bot to the chat"},
		{403, "bot can't initiate conversation", "not_started", surface.TargetGone, "the user has to write to the bot first"},
		{403, "bot can't send messages to bots", "is_a_bot", surface.TargetGone, "bots do not write to bots"},
		{403, "the group chat was deleted", "chat_deleted", surface.TargetGone, "the chat is gone"},
		{403, "not enough rights", "no_rights", surface.Permanent, hintRights},

		// Later.
		{408, "", "408", surface.Transient, ""},
		{429, "", "429", surface.RateLimited, ""},

		// The request was passed on and nobody knows what became of it.
		{504, "", "504", surface.Unknown, "the server did not answer its own gateway; the message may be there"},
	}
}

// said is the body of an answer. Its words are not kept: they may quote the
// message.
type said struct {
	OK          bool            `json:"ok"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Result      json.RawMessage `json:"result"`
	Parameters  struct {
		RetryAfter json.Number `json:"retry_after"`
		MigrateTo  json.Number `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// failed says what follows from an answer: nil, and the result, for one that took
// the message.
func failed(a send.Answer, err error, to surface.Target) (json.RawMessage, *surface.DeliveryError) {
	if err != nil {
		if e, ok := errors.AsType[*surface.DeliveryError](err); ok {
			return nil, e
		}
		return nil, refuse(surface.Unknown, "unclassified", "")
	}
	var s said
	dec := json.NewDecoder(bytes.NewReader(a.Body))
	readable := dec.Decode(&s) == nil // a proxy's page is none: its status says enough
	switch {
	case a.Status >= 200 && a.Status < 300 && (!readable || !s.OK && s.Code == 0):
		return nil, refuse(surface.Unknown, "answer", "Telegram answered, but what it said cannot be read")
	case a.Status >= 200 && a.Status < 300 && s.OK:
		return s.Result, nil
	}
	status := a.Status
	if readable && s.Code >= 400 && s.Code < 600 {
		status = s.Code
	}
	m := find(status, s.Description)
	e := refuse(m.class, m.code, m.hint)
	switch {
	case e.Class == surface.RateLimited, e.Class == surface.Transient:
		e.RetryAfter = max(inParameters(s), send.RetryAfter(a.Header, time.Now()), inWords(s.Description))
	case status == http.StatusBadRequest && s.Parameters.MigrateTo != "":
		moved := to
		moved.Address = s.Parameters.MigrateTo.String()
		if chatForm.MatchString(moved.Address) && moved.Address != to.Address {
			e.Class, e.Code, e.Moved, e.Hint = surface.Moved, codeMoved, &moved, "the group has a new id; put it into the configuration"
		}
	}
	return nil, e
}

// find looks a refusal up: by its words, else by its status, else by what is left.
func find(status int, description string) meaning {
	description = strings.ToLower(description)
	for _, m := range meanings() {
		if m.status == status && strings.Contains(description, m.words) {
			return m
		}
	}
	code := strconv.Itoa(status)
	if status >= 500 {
		return meaning{status, "", code, surface.Transient, "Telegram is in trouble"}
	}
	return meaning{status, "", code, surface.Permanent, "see the Bot API's log or documentation for what it refuses so"}
}

func inParameters(s said) time.Duration {
	n, err := s.Parameters.RetryAfter.Float64()
	if err != nil {
		return 0
	}
	return send.Seconds(n)
}

// inWords reads "Too Many Requests: retry after 5", for servers that say it there
// alone.
func inWords(description string) time.Duration {
	_, rest, ok := strings.Cut(strings.ToLower(description), "retry after ")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimRight(rest, ". "))
	if err != nil {
		return 0
	}
	return send.Seconds(float64(n))
}

// refuse is an error without a cause.
func refuse(class surface.Class, code, hint string) *surface.DeliveryError {
	return &surface.DeliveryError{Class: class, Code: code, Hint: hint}
}
