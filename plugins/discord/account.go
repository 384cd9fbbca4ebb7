package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/netip"
	"net/url"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// accountSchema describes settings; addressSchema the id of a channel.
const (
	accountSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["token"],
  "properties": {
    "token": {"type": "string", "writeOnly": true, "minLength": 1, "description": "The bot's token, from the developer portal, without the word Bot"},
    "api": {"type": "string", "format": "uri", "default": "https://discord.com/api/v10", "description": "Where the API is; https, or http on loopback"}
  }
}`
	addressSchema = `{"type": "string", "pattern": "^[0-9]{15,20}$", "description": "The id of a channel; that of a thread may stand behind it, as the target's thread"}`
)

// defaultAPI is where Discord is.
const defaultAPI = "https://discord.com/api/v10"

// settings are those of an account.
type settings struct {
	Token string `json:"token"`
	API   string `json:"api"`
}

// open makes the transport of an account. Its errors tell which setting is wrong,
// and nothing of what it says.
func open(_ context.Context, a surface.Account) (surface.Transport, error) {
	wrong := func(code, hint string) (surface.Transport, error) {
		return nil, &surface.DeliveryError{Class: surface.Permanent, Code: code, Hint: hint}
	}
	var s settings
	dec := json.NewDecoder(bytes.NewReader(a.Settings))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil || dec.Decode(new(any)) != io.EOF {
		return wrong("settings", "give the account a token, and nothing but token and api")
	}
	if s.API == "" {
		s.API = defaultAPI
	}
	switch {
	case s.Token == "":
		return wrong("token", "give the account the bot's token")
	case strings.ContainsFunc(s.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return wrong("token", "the token has a character that no token has; copy it again, without the word Bot")
	case !plausible(s.API):
		return wrong("api", "api is an https address without a query, or an http one on loopback")
	}
	return &transport{
		api: strings.TrimRight(s.API, "/"), token: s.Token,
		client: send.New(send.Config{UserAgent: "DiscordBot (https://github.com/seed-1ae66336/vak, " + version + ")"}),
	}, nil
}

// plausible reports whether the token may be sent to api.
func plausible(api string) bool {
	u, err := url.Parse(api)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && ip.IsLoopback())
}
