package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/netip"
	"net/url"
	"regexp"
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
    "token": {"type": "string", "writeOnly": true, "pattern": "^xox[A-Za-z0-9.-]{1,500}$", "description": "The bot's token (xoxb-…), from the app's page OAuth & Permissions"},
    "api": {"type": "string", "format": "uri", "default": "https://slack.com/api", "description": "Where the Web API is; https, or http on loopback"}
  }
}`
	addressSchema = `{"type": "string", "pattern": "^[CGDUW][A-Z0-9]{1,30}$", "description": "The id of a channel, or of a user for direct messages; the ts of a message may stand behind it, as the target's thread"}`
)

// defaultAPI is where Slack is.
const defaultAPI = "https://slack.com/api"

// settings are those of an account.
type settings struct {
	Token string `json:"token"`
	API   string `json:"api"`
}

// tokenForm is what a token looks like. It goes into a header.
var tokenForm = regexp.MustCompile(`^xox[A-Za-z0-9.-]{1,500}$`)

// open makes the transport of an account. Its errors tell which setting is wrong,
// and nothing of what it says.
func open(_ context.Context, a surface.Account) (surface.Transport, error) {
	wrong := func(code, hint string) (surface.Transport, error) {
		return nil, refuse(surface.Permanent, code, hint)
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
	case !tokenForm.MatchString(s.Token):
		return wrong("token", "a token begins with xoxb-; copy it again from the app's page OAuth & Permissions")
	case !plausible(s.API):
		return wrong("api", "api is an https address without a query, or an http one on loopback")
	}
	return &transport{
		base: strings.TrimRight(s.API, "/") + "/", token: s.Token,
		client: send.New(send.Config{UserAgent: "vak-slack/" + version}),
	}, nil
}

// plausible reports whether the token may be sent to api.
func plausible(api string) bool {
	u, err := url.Parse(api)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && ip.IsLoopback())
}
