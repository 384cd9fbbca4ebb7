package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

func TestAccount(t *testing.T) {
	for _, k := range []struct {
		settings, code, why string
	}{
		{`{"url":"https://example.org/hook?a=b"}`, "", "an address is enough"},
		{`{"url":"http://example.org","secret":"` + secret + `","mode":"binary","allow":["example.org"],"headers":{"X-A":"b"}}`, "", "all of it"},
		{`{"url":"https://example.org","secret":["` + secret + `","` + another + `"]}`, "", "two secrets"},
		{`{"url":"https://example.org","secret":""}`, "", "no secret"},
		{``, "settings", "nothing"},
		{`{}`, "url", "no address"},
		{`{"url":"ftp://planted.example"}`, "url", "no address of the web"},
		{`{"url":"https:///planted"}`, "url", "no host"},
		{`{"url":"https://planted:planted@example.org"}`, "url", "a password"},
		{`{"url":"https://example.org#planted"}`, "url", "a fragment"},
		{`{"url":"https://example.org","secret":"planted"}`, "secret", "a secret that is none"},
		{`{"url":"https://example.org","secret":["` + secret + `","whsec_planted"]}`, "secret", "the second is none"},
		{`{"url":"https://example.org","secret":[""]}`, "secret", "an empty one in a list"},
		{`{"url":"https://example.org","secret":5}`, "settings", "a number"},
		{`{"url":"https://example.org","secret":["` + strings.Repeat(secret+`","`, 4) + secret + `"]}`, "settings", "five"},
		{`{"url":"https://example.org","mode":"planted"}`, "mode", "no such mode"},
		{`{"url":"https://example.org","planted":"x"}`, "settings", "an unknown setting"},
		{`{"url":"https://example.org","headers":{"Webhook-Id":"planted"}}`, "headers", "one of ours"},
		{`{"url":"https://example.org","headers":{"ce-id":"planted"}}`, "headers", "another, in small letters"},
		{`{"url":"https://example.org","headers":{"host":"planted"}}`, "headers", "another host"},
		{`{"url":"https://example.org","headers":{"Transfer-Encoding":"planted"}}`, "headers", "one of the connection"},
		{`{"url":"https://example.org","headers":{"X-A":"planted\r\nX-B: c"}}`, "headers", "two in one"},
		{`{"url":"https://example.org","headers":{"X A":"planted"}}`, "headers", "no name of a header"},
	} {
		_, err := open(t.Context(), surface.Account{Settings: json.RawMessage(k.settings)})
		e, _ := errors.AsType[*surface.DeliveryError](err)
		if (e == nil) != (k.code == "") || e != nil && (e.Code != k.code || strings.Contains(e.Error(), "planted")) {
			t.Errorf("%s: %v, want %q", k.why, err, k.code)
		}
	}
}
