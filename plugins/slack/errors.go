package main

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"time"

	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A meaning is what follows from a code.
type meaning struct {
	code  string // Slack's own, or an HTTP status where the body has none
	class surface.Class
	hint  string
}

// The codes that a transport itself knows.
const (
	codeTooLong = "msg_too_long"
	codeGone    = "message_not_found"
)

const (
	hintLong    = "Slack takes 4,000 characters"
	hintOurs    = "this is a mistake of vak; please report it with the code"
	hintToken   = "put the bot's current token into the account"
	hintScope   = "give the app the scope chat:write and install it again"
	hintAllowed = "the workspace or the channel does not let the app write there; ask its administrators"
	hintThread  = "what the thread hangs on is gone, or cannot be replied to"
	hintAnew    = "send it anew"
	hintDoubt   = "Slack failed half-way; the message may be there"
	hintTrouble = "Slack is in trouble"
)

// meanings lists the codes of Slack that matter to whoever posts messages.
func meanings() []meaning {
	return []meaning{
		// Later.
		{"ratelimited", surface.RateLimited, ""},
		{"rate_limited", surface.RateLimited, ""},
		{"message_limit_exceeded", surface.RateLimited, "the workspace sends too many messages"},
		{"429", surface.RateLimited, ""},
		{"service_unavailable", surface.Transient, hintTrouble},
		{"request_timeout", surface.Transient, "Slack did not get the whole request"},
		{"team_added_to_org", surface.Transient, "the workspace is being moved into an organisation"},
		{"408", surface.Transient, ""},

		// By Slack's own words, part of it may have been done all the same.
		{"internal_error", surface.Unknown, hintDoubt},
		{"fatal_error", surface.Unknown, hintDoubt},
		{"504", surface.Unknown, "Slack did not answer its own gateway; the message may be there"},

		// It has to be said in another way.
		{"invalid_blocks", surface.Payload, hintOurs},
		{"invalid_blocks_format", surface.Payload, hintOurs},
		{"msg_blocks_too_long", surface.Payload, hintOurs},
		{"msg_blocks_too_many", surface.Payload, hintOurs},
		{"block_mismatch", surface.Payload, hintOurs},
		{"markdown_text_conflict", surface.Payload, hintOurs},
		{"invalid_attachments", surface.Payload, hintOurs},
		{codeTooLong, surface.TooLong, hintLong},
		{"413", surface.TooLong, "the request is too large"},

		// This message will not arrive.
		{"no_text", surface.Permanent, "there is nothing to read in it"},
		{"channel_not_found", surface.Permanent, "check the id of the channel, and invite the bot if it is private"},
		{"not_in_channel", surface.Permanent, "invite the bot to the channel"},
		{"is_archived", surface.Permanent, "open the channel again"},
		{"restricted_action", surface.Permanent, hintAllowed},
		{"restricted_action_read_only_channel", surface.Permanent, hintAllowed},
		{"restricted_action_thread_locked", surface.Permanent, hintAllowed},
		{"restricted_action_thread_only_channel", surface.Permanent, hintAllowed},
		{"restricted_action_non_threadable_channel", surface.Permanent, hintAllowed},
		{"messages_tab_disabled", surface.Permanent, "turn on the messages tab on the app's page App Home"},
		{"cannot_reply_to_message", surface.Permanent, hintThread},
		{"thread_not_found", surface.Permanent, hintThread},
		{"invalid_thread_ts", surface.Permanent, hintThread},
		{codeGone, surface.Permanent, "the message is gone; send it anew"},
		{"cant_update_message", surface.Permanent, "a bot changes only what it wrote itself"},
		{"edit_window_closed", surface.Permanent, "it is too old to be changed; " + hintAnew},
		{"streaming_state_conflict", surface.Permanent, hintAnew},
		{"cant_delete_message", surface.Permanent, "a bot deletes only what it wrote itself"},
		{"compliance_exports_prevent_deletion", surface.Permanent, "the workspace lets nothing be deleted"},
		{"not_authed", surface.Permanent, hintToken},
		{"invalid_auth", surface.Permanent, hintToken},
		{"token_revoked", surface.Permanent, hintToken},
		{"token_expired", surface.Permanent, hintToken},
		{"account_inactive", surface.Permanent, hintToken},
		{"missing_scope", surface.Permanent, hintScope},
		{"no_permission", surface.Permanent, hintScope},
		{"access_denied", surface.Permanent, hintAllowed},
		{"unknown_method", surface.Permanent, "check the account's api"},
	}
}

// threadless reports whether a reply was refused for what it replies to, and so
// that nothing was posted.
func threadless(code string) bool {
	switch code {
	case "cannot_reply_to_message", "thread_not_found", "invalid_thread_ts", codeGone:
		return true
	}
	return false
}

// said is the body of an answer. Its other words are not kept: they may quote the
// message.
type said struct {
	OK      bool   `json:"ok"`
	Error   string `json:"error"`
	Channel string `json:"channel"`
	TS      string `json:"ts"`
}

// codeForm is what a code of Slack's looks like; anything else may be a text.
var codeForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// failed says what follows from an answer: nil, and what it says, for one that
// took the message.
func failed(a send.Answer, err error) (said, *surface.DeliveryError) {
	if err != nil {
		if e, ok := errors.AsType[*surface.DeliveryError](err); ok {
			return said{}, e
		}
		return said{}, refuse(surface.Unknown, "unclassified", "")
	}
	var s said
	if json.Unmarshal(a.Body, &s) != nil { // a proxy's page: its status says enough
		s = said{}
	}
	good := a.Status >= 200 && a.Status < 300
	switch {
	case good && s.OK:
		return s, nil
	case good && s.Error == "":
		return said{}, refuse(surface.Unknown, "answer", "Slack answered, but what it said cannot be read")
	}
	m := find(a.Status, s.Error)
	e := refuse(m.class, m.code, m.hint)
	if e.Class == surface.RateLimited || e.Class == surface.Transient {
		e.RetryAfter = send.RetryAfter(a.Header, time.Now())
		e.Account = e.Class == surface.RateLimited // Slack counts by method and workspace
	}
	return said{}, e
}

// find looks a refusal up: by its code, else by its status, else by what is left.
func find(status int, code string) meaning {
	number := strconv.Itoa(status)
	for _, key := range []string{code, number} {
		for _, m := range meanings() {
			if m.code == key {
				return m
			}
		}
	}
	switch {
	case status >= 500:
		return meaning{number, surface.Transient, hintTrouble}
	case codeForm.MatchString(code):
		return meaning{code, surface.Permanent, "see the code on the method's page in Slack's documentation"}
	case status >= 200 && status < 300:
		number = "refused"
	}
	return meaning{number, surface.Permanent, "see the account's api; that is not how Slack refuses"}
}

// refuse is an error without a cause.
func refuse(class surface.Class, code, hint string) *surface.DeliveryError {
	return &surface.DeliveryError{Class: class, Code: code, Hint: hint}
}
