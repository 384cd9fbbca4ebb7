package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/plugins/webhook/internal/reach"
	"github.com/seed-1ae66336/vak/plugins/webhook/internal/sign"
	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

const (
	accountSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["url"],
  "properties": {
    "url": {"type": "string", "format": "uri", "description": "Where packets are posted to; http or https, without a name and a password in it"},
    "secret": {
      "writeOnly": true,
      "description": "What packets are signed with: whsec_ and 24 to 64 bytes in base64; several while receivers change to a new one. Without it nothing is signed",
      "anyOf": [{"type": "string"}, {"type": "array", "maxItems": 4, "items": {"type": "string"}}]
    },
    "mode": {"enum": ["", "structured", "binary", "plain"], "description": "structured (or empty): a CloudEvent in JSON; binary: its attributes in headers, the packet as the body; plain: the packet alone"},
    "allow": {"type": "array", "maxItems": 32, "items": {"type": "string"}, "description": "Hosts that may have a private address and any port"},
    "headers": {"type": "object", "maxProperties": 32, "additionalProperties": {"type": "string"}, "description": "Further headers, such as Authorization"}
  }
}`
	addressForm   = `^[A-Za-z0-9._-]{1,64}$`
	addressSchema = `{"type": "string", "pattern": "` + addressForm + `", "description": "A name of your own, which the packet tells as its target; where it goes is the account's"}`
)

// settings are those of an account.
type settings struct {
	URL     string            `json:"url"`
	Secret  secrets           `json:"secret"`
	Mode    string            `json:"mode"`
	Allow   []string          `json:"allow"`
	Headers map[string]string `json:"headers"`
}

// secrets is one string or a list of them.
type secrets []string

func (s *secrets) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*s = nil
		if one != "" {
			*s = secrets{one}
		}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(s))
}

// Bounds of lists in settings.
const (
	maxSecrets = 4
	maxHosts   = 32
	maxHeaders = 32
)

// What a header may be made of (RFC 9110, 5.5 and 5.6.2).
var (
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$")
	headerValue = regexp.MustCompile(`^[!-~](?:[\t -~]*[!-~])?$`)
)

// open makes the transport of an account. Its errors tell which setting is wrong,
// and nothing of what it says.
func open(_ context.Context, a surface.Account) (surface.Transport, error) {
	wrong := func(code, hint string) (surface.Transport, error) {
		return nil, refuse(surface.Permanent, code, hint)
	}
	var s settings
	if send.Settings(a.Settings, &s) != nil {
		return wrong("settings", "give the account a url, and nothing but url, secret, mode, allow and headers")
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return wrong("url", "url is an address of the web, without a name and a password in it; those go into headers")
	}
	t := &transport{url: s.URL, mode: s.Mode, now: time.Now, header: http.Header{}}
	switch s.Mode {
	case "":
		t.mode = structured
	case structured, binary, plain:
	default:
		return wrong("mode", "mode is structured, binary or plain")
	}
	if len(s.Secret) > maxSecrets || len(s.Allow) > maxHosts || len(s.Headers) > maxHeaders {
		return wrong("settings", "there may be 4 secrets, 32 hosts and 32 headers")
	}
	for _, secret := range s.Secret {
		k, err := sign.ParseKey(secret)
		if err != nil {
			return wrong("secret", err.Error())
		}
		t.keys = append(t.keys, k)
	}
	for k, v := range s.Headers {
		if !headerName.MatchString(k) || !headerValue.MatchString(v) || ours(k) {
			return wrong("headers", "a header is not valid, or is one that vak sets itself")
		}
		t.header.Set(k, v)
	}
	t.client = send.New(send.Config{
		UserAgent: "vak-webhook/" + version, MaxAnswer: 64 << 10, Control: reach.New(u.Hostname(), s.Allow).Control,
	})
	return t, nil
}

// ours reports whether a header is not an account's to set.
func ours(name string) bool {
	name = textproto.CanonicalMIMEHeaderKey(name)
	for _, prefix := range []string{"Webhook-", "Ce-", "Proxy-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	switch name {
	case "Host", "Content-Type", "Content-Length", "Content-Encoding", "Transfer-Encoding", "Connection", "Keep-Alive", "Te",
		"Trailer", "Upgrade", "Expect", "Idempotency-Key":
		return true
	}
	return false
}
