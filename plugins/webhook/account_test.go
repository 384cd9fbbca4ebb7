package main

import (
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
)

func TestAccount(t *testing.T) {
	sdktest.Accounts(t, plugin(), []sdktest.AccountCase{
		{Settings: `{"url":"https://example.org/hook?a=b"}`, Why: "an address is enough"},
		{Settings: `{"url":"http://example.org","secret":"` + secret + `","mode":"binary","allow":["example.org"],"headers":{"X-A":"b"}}`, Why: "all of it"},
		{Settings: `{"url":"https://example.org","secret":["` + secret + `","` + another + `"]}`, Why: "two secrets"},
		{Settings: `{"url":"https://example.org","secret":""}`, Why: "no secret"},
		{Settings: ``, Code: "settings", Why: "nothing"},
		{Settings: `{}`, Code: "url", Why: "no address"},
		{Settings: `{"url":"ftp://planted.example"}`, Code: "url", Why: "no address of the web"},
		{Settings: `{"url":"https:///planted"}`, Code: "url", Why: "no host"},
		{Settings: `{"url":"https://planted:planted@example.org"}`, Code: "url", Why: "a password"},
		{Settings: `{"url":"https://example.org#planted"}`, Code: "url", Why: "a fragment"},
		{Settings: `{"url":"https://example.org","secret":"planted"}`, Code: "secret", Why: "a secret that is none"},
		{Settings: `{"url":"https://example.org","secret":["` + secret + `","whsec_planted"]}`, Code: "secret", Why: "the second is none"},
		{Settings: `{"url":"https://example.org","secret":[""]}`, Code: "secret", Why: "an empty one in a list"},
		{Settings: `{"url":"https://example.org","secret":5}`, Code: "settings", Why: "a number"},
		{Settings: `{"url":"https://example.org","secret":["` + strings.Repeat(secret+`","`, 4) + secret + `"]}`, Code: "settings", Why: "five"},
		{Settings: `{"url":"https://example.org","mode":"planted"}`, Code: "mode", Why: "no such mode"},
		{Settings: `{"url":"https://example.org","planted":"x"}`, Code: "settings", Why: "an unknown setting"},
		{Settings: `{"url":"https://example.org","headers":{"Webhook-Id":"planted"}}`, Code: "headers", Why: "one of ours"},
		{Settings: `{"url":"https://example.org","headers":{"ce-id":"planted"}}`, Code: "headers", Why: "another, in small letters"},
		{Settings: `{"url":"https://example.org","headers":{"host":"planted"}}`, Code: "headers", Why: "another host"},
		{Settings: `{"url":"https://example.org","headers":{"Transfer-Encoding":"planted"}}`, Code: "headers", Why: "one of the connection"},
		{Settings: `{"url":"https://example.org","headers":{"X-A":"planted\r\nX-B: c"}}`, Code: "headers", Why: "two in one"},
		{Settings: `{"url":"https://example.org","headers":{"X A":"planted"}}`, Code: "headers", Why: "no name of a header"},
	}, "planted")
}
