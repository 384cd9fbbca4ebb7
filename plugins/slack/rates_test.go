package main

import (
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestRateOfWorkspace has the whole account wait: Slack counts by method and
// workspace.
func TestRateOfWorkspace(t *testing.T) {
	p := postOffice(t, fake.SlackOptions{})
	p.platform.Next(fake.SlackRateLimit(3), fake.Answer{Status: 503, Header: map[string][]string{"Retry-After": {"3"}}})
	for _, want := range []struct {
		class   surface.Class
		code    string
		account bool
	}{{surface.RateLimited, "ratelimited", true}, {surface.Transient, "503", false}} {
		_, err := p.Send(t.Context(), part("a"))
		if e := sdktest.Refused(t, want.code, err, want.class, want.code); e.Account != want.account {
			t.Errorf("%s: of the account: %v", want.code, e.Account)
		}
	}
}
