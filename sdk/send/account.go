package send

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"net/url"
	"strings"
)

// ErrSettings is returned for settings that are no JSON object of the members that
// are known. It quotes none of them.
var ErrSettings = errors.New("send: the settings are not those of an account")

// Settings decodes the settings of an account into the struct that into points to.
// A member that the struct does not have is an error, and so is what stands behind
// the object.
func Settings(settings json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(settings))
	dec.DisallowUnknownFields()
	if dec.Decode(into) != nil || dec.Decode(new(any)) != io.EOF {
		return ErrSettings
	}
	return nil
}

// Clear says where a token may be sent without TLS.
type Clear int

// The places.
const (
	Loopback Clear = iota // this machine, by address or as localhost
	Nearby                // there, a private address, or a name without a dot
)

// Base is the address below which a platform's methods are, without a slash at its
// end: api, or what is usual where that is empty. It reports false for an address
// that no token may be sent to: one that is neither https nor a near one in the
// clear, or that has a name and a password, a query or a fragment.
func Base(api, usual string, clear Clear) (string, bool) {
	if api == "" {
		api = usual
	}
	u, err := url.Parse(api)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", false
	}
	return strings.TrimRight(api, "/"), u.Scheme == "https" || u.Scheme == "http" && near(u.Hostname(), clear)
}

// near reports whether host may be spoken to in the clear.
func near(host string, clear Clear) bool {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host == "localhost" || clear == Nearby && !strings.Contains(host, ".")
	}
	return ip.IsLoopback() || clear == Nearby && ip.IsPrivate()
}
