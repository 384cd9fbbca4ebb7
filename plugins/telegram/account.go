package main

import (
	"context"
	"regexp"

	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// accountSchema describes settings; addressSchema a chat.
const (
	accountSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["token"],
  "properties": {
    "token": {"type": "string", "writeOnly": true, "pattern": "` + tokenPattern + `", "description": "The bot's token, from @BotFather"},
    "api": {"type": "string", "format": "uri", "default": "` + defaultAPI + `", "description": "Where the Bot API is: https, or http for a server of your own on loopback, at a private address or at a name without a dot"}
  }
}`
	addressSchema = `{"type": "string", "pattern": "^(-?[1-9][0-9]{0,17}|@[A-Za-z][A-Za-z0-9_]{3,31})$", "description": "The id of a chat, or the @name of a public group or channel; the id of a topic may stand behind it, as the target's thread"}`
)

// defaultAPI is where Telegram's own server is.
const defaultAPI = "https://api.telegram.org"

// tokenPattern is what a token looks like. It goes into a path.
const tokenPattern = `^[0-9]{1,20}:[A-Za-z0-9_-]{1,128}$`

var tokenForm = regexp.MustCompile(tokenPattern)

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
	// A Bot API server of one's own speaks http only, so that near ones may.
	base, ok := send.Base(s.API, defaultAPI, send.Nearby)
	switch {
	case !tokenForm.MatchString(s.Token):
		return nil, refuse(surface.Permanent, "token", "a token is a number, a colon and letters, as @BotFather shows it; copy it again")
	case !ok:
		return nil, refuse(surface.Permanent, "api", "api is an https address without a query, or an http one on loopback, in a private network or of a name without a dot")
	}
	return &transport{
		base:   base + "/bot" + s.Token + "/",
		client: send.New(send.Config{UserAgent: "vak-telegram/" + version}),
	}, nil
}
