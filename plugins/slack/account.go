package main

import (
	"context"
	"regexp"

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
    "token": {"type": "string", "writeOnly": true, "pattern": "` + tokenPattern + `", "description": "The bot's token (xoxb-…), from the app's page OAuth & Permissions"},
    "api": {"type": "string", "format": "uri", "default": "` + defaultAPI + `", "description": "Where the Web API is; https, or http on loopback"}
  }
}`
	addressSchema = `{"type": "string", "pattern": "^[CGDUW][A-Z0-9]{1,30}$", "description": "The id of a channel, or of a user for direct messages; the ts of a message may stand behind it, as the target's thread"}`
)

// defaultAPI is where Slack is.
const defaultAPI = "https://slack.com/api"

// tokenPattern is what a token looks like. It goes into a header.
const tokenPattern = `^xox[A-Za-z0-9.-]{1,500}$`

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
	base, ok := send.Base(s.API, defaultAPI, send.Loopback)
	switch {
	case !tokenForm.MatchString(s.Token):
		return nil, refuse(surface.Permanent, "token", "a token begins with xoxb-; copy it again from the app's page OAuth & Permissions")
	case !ok:
		return nil, refuse(surface.Permanent, "api", "api is an https address without a query, or an http one on loopback")
	}
	return &transport{
		base: base + "/", token: s.Token,
		client: send.New(send.Config{UserAgent: "vak-slack/" + version}),
	}, nil
}
