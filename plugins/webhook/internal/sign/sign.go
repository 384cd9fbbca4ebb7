package sign

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
)

// A Key signs. It prints as nothing.
type Key struct{ secret []byte }

// String keeps a key out of what is printed.
func (Key) String() string { return "[key]" }

// GoString does so, too.
func (Key) GoString() string { return "[key]" }

// errSecret says nothing of the secret.
var errSecret = errors.New("a secret is whsec_ and 24 to 64 bytes in base64")

// ParseKey reads a secret: whsec_ and 24 to 64 bytes in base64.
func ParseKey(secret string) (Key, error) {
	text, ok := strings.CutPrefix(secret, "whsec_")
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	if !ok || err != nil || len(b) < 24 || len(b) > 64 {
		return Key{}, errSecret
	}
	return Key{b}, nil
}

// Signature is the value of webhook-signature: one signature for each key, parted
// by spaces, so that a receiver that knows one of them accepts it.
func Signature(keys []Key, id string, at time.Time, body []byte) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		mac := hmac.New(sha256.New, k.secret)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		out[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(out, " ")
}
