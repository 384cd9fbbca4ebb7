package main

import (
	"context"
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
    "api": {"type": "string", "format": "uri", "default": "` + defaultAPI + `", "description": "Where the API is; https, or http on loopback"}
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
	var s settings
	if send.Settings(a.Settings, &s) != nil {
		return nil, refuse(surface.Permanent, "settings", "give the account a token, and nothing but token and api")
	}
	base, ok := send.Base(s.API, defaultAPI, send.Loopback)
	switch {
	case s.Token == "":
		return nil, refuse(surface.Permanent, "token", "give the account the bot's token")
	case strings.ContainsFunc(s.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, refuse(surface.Permanent, "token", "the token has a character that no token has; copy it again, without the word Bot")
	case !ok:
		return nil, refuse(surface.Permanent, "api", "api is an https address without a query, or an http one on loopback")
	}
	return &transport{
		api: base, token: s.Token,
		client: send.New(send.Config{UserAgent: "DiscordBot (https://github.com/seed-1ae66336/vak, " + version + ")"}),
	}, nil
}
