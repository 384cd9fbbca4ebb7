package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A meaning is what follows from a code.
type meaning struct {
	code  string // Discord's own, or an HTTP status where the body has none
	class surface.Class
	hint  string
}

// codeUnknownMessage is the code for a message that is gone.
const codeUnknownMessage = "10008"

const (
	hintAccess = "invite the bot to the server, and let it see the channel and write there"
	hintToken  = "put the bot's current token into the account"
	hintOurs   = "this is a mistake of vak; please report it with the code"
)

// meanings lists the codes of Discord that matter to whoever posts messages. What
// would never arrive at a target, whatever it says, closes the target: Discord
// bans addresses that go on being refused (10,000 answers of 401, 403 or 429 in
// ten minutes).
func meanings() []meaning {
	return []meaning{
		// Nothing will arrive there.
		{"10003", surface.TargetGone, "there is no such channel any more, or the bot cannot see it; check the id"},
		{"10004", surface.TargetGone, "there is no such server any more, or the bot is not on it"},
		{"10015", surface.TargetGone, "the webhook is gone"},
		{"50001", surface.TargetGone, hintAccess},
		{"50007", surface.TargetGone, "this user takes no direct messages from the bot"},
		{"50008", surface.TargetGone, "this channel takes no messages; use that of one of its threads, or another"},
		{"50013", surface.TargetGone, hintAccess},
		{"50083", surface.TargetGone, "the thread is archived; open it again, then retry"},
		{"160005", surface.TargetGone, "the thread is locked; unlock it, then retry"},

		// This message will not arrive.
		{"200000", surface.Permanent, "AutoMod of the server blocked it"},
		{"240000", surface.Permanent, "it holds a link that the server blocks"},
		{"50005", surface.Permanent, "a bot changes only what it wrote itself"},
		{"50021", surface.Permanent, "a message of the system cannot be changed"},
		{"50027", surface.Permanent, "the webhook's token is not valid"},
		{codeUnknownMessage, surface.Permanent, "the message is gone; send it anew"},
		{"40001", surface.Permanent, hintToken},
		{"40333", surface.Permanent, "Discord refuses the program by its name; see the account's api"},
		{"401", surface.Permanent, hintToken},

		// It has to be said in another way.
		{"50035", surface.Payload, hintOurs},
		{"50006", surface.Payload, "Discord sees nothing in it"},
		{"50109", surface.Payload, hintOurs},
		{"40005", surface.TooLong, "the request is too large"},
		{"413", surface.TooLong, "the request is too large"},

		// Later.
		{"429", surface.RateLimited, ""},
		{"20016", surface.RateLimited, "the channel has slow mode; let the bot pass it by giving it the permission to manage messages"},
		{"20028", surface.RateLimited, "the channel has had too many messages"},
		{"20029", surface.RateLimited, "the server has had too many messages"},
		{"31001", surface.RateLimited, ""},
		{"40062", surface.RateLimited, ""},
		{"130000", surface.RateLimited, "Discord is overloaded"},
		{"30046", surface.RateLimited, "an old message takes few changes"},
		{"408", surface.Transient, ""},
	}
}

// said is the body of a refusal. Its words are not kept: they may quote the
// message.
type said struct {
	Code       int             `json:"code"`
	RetryAfter float64         `json:"retry_after"`
	Global     bool            `json:"global"`
	Errors     json.RawMessage `json:"errors"` // a tree of fields, with lists _errors of codes
}

// failed says what follows from an answer; nil for one that took the message.
func failed(a send.Answer, err error) *surface.DeliveryError {
	if err != nil {
		if e, ok := errors.AsType[*surface.DeliveryError](err); ok {
			return e
		}
		return refuse(surface.Unknown, "unclassified", "")
	}
	if a.Status >= 200 && a.Status < 300 {
		return nil
	}
	var s said
	json.Unmarshal(a.Body, &s) // a proxy's page is no JSON: the status says enough
	m := find(a.Status, s.Code)
	e := refuse(m.class, m.code, m.hint)
	switch {
	case e.Code == "50035" && contentTooLong(s.Errors):
		e.Class, e.Code, e.Hint = surface.TooLong, "BASE_TYPE_MAX_LENGTH", "Discord takes 2000 characters"
	case e.Class == surface.RateLimited || e.Class == surface.Transient:
		e.RetryAfter = max(send.Seconds(s.RetryAfter), send.RetryAfter(a.Header, time.Now()))
		if e.Code == "429" && (s.Global || a.Header.Get("X-RateLimit-Scope") == "global") {
			e.Account, e.Hint = true, "the bot as a whole sends too much"
		}
	}
	return e
}

// exhausted is how long the channel takes nothing more, by the answer to a message
// that was the last one that it took. (Rate Limits: X-RateLimit-Reset-After)
func exhausted(h http.Header) time.Duration {
	if strings.TrimSpace(h.Get("X-RateLimit-Remaining")) != "0" {
		return 0
	}
	s, err := strconv.ParseFloat(strings.TrimSpace(h.Get("X-RateLimit-Reset-After")), 64)
	if err != nil {
		return 0
	}
	return send.Seconds(s)
}

// find looks a refusal up: its code, else its status, else what is left.
func find(status, code int) meaning {
	all := meanings()
	number := strconv.Itoa(status)
	if code != 0 {
		for _, m := range all {
			if m.code == strconv.Itoa(code) {
				return m
			}
		}
	}
	for _, m := range all {
		if m.code == number {
			return m
		}
	}
	if status >= 500 {
		return meaning{number, surface.Transient, "Discord is in trouble"}
	}
	if code != 0 {
		number = strconv.Itoa(code)
	}
	return meaning{number, surface.Permanent, "see the code in Discord's list of JSON error codes"}
}

// contentTooLong reports whether it is the text that is too long, and not
// something else in the request.
func contentTooLong(tree json.RawMessage) bool {
	var fields struct {
		Content struct {
			Errors []struct {
				Code string `json:"code"`
			} `json:"_errors"`
		} `json:"content"`
	}
	if json.Unmarshal(tree, &fields) != nil {
		return false
	}
	for _, e := range fields.Content.Errors {
		if e.Code == "BASE_TYPE_MAX_LENGTH" || e.Code == "BASE_TYPE_BAD_LENGTH" {
			return true
		}
	}
	return false
}

// noReply reports whether an answer refuses what is replied to, and so that
// nothing was posted.
func noReply(a send.Answer) bool {
	if a.Status < 400 || a.Status >= 500 {
		return false
	}
	var s said
	if json.Unmarshal(a.Body, &s) != nil {
		return false
	}
	var fields map[string]json.RawMessage
	json.Unmarshal(s.Errors, &fields)
	_, named := fields["message_reference"]
	return s.Code == 160002 || s.Code == 10008 && a.Status == http.StatusNotFound || s.Code == 50035 && named
}

// refuse is an error without a cause.
func refuse(class surface.Class, code, hint string) *surface.DeliveryError {
	return &surface.DeliveryError{Class: class, Code: code, Hint: hint}
}
