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

// accountSchema describes settings; addressSchema a chat.
const (
	accountSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["token"],
  "properties": {
    "token": {"type": "string", "writeOnly": true, "pattern": "^[0-9]{1,20}:[A-Za-z0-9_-]{1,128}$", "description": "The bot's token, from @BotFather"},
    "api": {"type": "string", "format": "uri", "default": "https://api.telegram.org", "description": "Where the Bot API is: https, or http for a server of your own on loopback, at a private address or at a name without a dot"}
  }
}`
	addressSchema = `{"type": "string", "pattern": "^(-?[1-9][0-9]{0,17}|@[A-Za-z][A-Za-z0-9_]{3,31})$", "description": "The id of a chat, or the @name of a public group or channel; the id of a topic may stand behind it, as the target's thread"}`
)

// defaultAPI is where Telegram's own server is.
const defaultAPI = "https://api.telegram.org"

// settings are those of an account.
type settings struct {
	Token string `json:"token"`
	API   string `json:"api"`
}

// tokenForm is what a token looks like. It goes into a path.
var tokenForm = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{1,128}$`)

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
		return wrong("token", "a token is a number, a colon and letters, as @BotFather shows it; copy it again")
	case !plausible(s.API):
		return wrong("api", "api is an https address without a query, or an http one on loopback, in a private network or of a name without a dot")
	}
	return &transport{
		base:   strings.TrimRight(s.API, "/") + "/bot" + s.Token + "/",
		client: send.New(send.Config{UserAgent: "vak-telegram/" + version}),
	}, nil
}

// plausible reports whether the token may be sent to api. A Bot API server of
// one's own speaks http only, so that near ones may.
func plausible(api string) bool {
	u, err := url.Parse(api)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	if u.Scheme != "http" {
		return u.Scheme == "https"
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err != nil && !strings.Contains(u.Hostname(), ".") || err == nil && (ip.IsLoopback() || ip.IsPrivate())
}
