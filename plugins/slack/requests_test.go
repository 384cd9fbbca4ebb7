package main

import (
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestGoldenRequests shows what goes out, for a person to read. The built binary
// asks the same as the transport in this process.
func TestGoldenRequests(t *testing.T) {
	sdktest.EachWay(t, plugin(), ".", func(t *testing.T, send func(surface.Account) *sdktest.Sender) {
		platform := fake.NewSlack(fake.SlackOptions{Token: token, Now: func() time.Time { return time.Unix(1_700_000_000, 0) }})
		t.Cleanup(platform.Close)
		s := send(account(platform.API()))
		record := sdktest.NewRecord(t, s, platform.Server)
		first, err := s.Send(t.Context(), part("*bold* &lt;&amp; <https://x.org/?a=1&amp;b=2|link>\n```\nx := 1\n```"))
		record.Step("post", err)
		_, err = s.Send(t.Context(), plain("*a* <!channel> & <@U1>"))
		record.Step("plain", err)
		r := part("a")
		r.Target.Thread, r.Silent = "1700000000.000100", true
		_, err = s.Send(t.Context(), r)
		record.Step("in a thread", err)
		r = part("a")
		r.ReplyTo = &first.Refs[0]
		_, err = s.Send(t.Context(), r)
		record.Step("reply", err)
		_, err = s.Edit(t.Context(), first.Refs[0], part("_new_"))
		record.Step("edit", err)
		_, err = s.Edit(t.Context(), first.Refs[0], plain("_new_ <!here>"))
		record.Step("plain edit", err)
		record.Step("delete", s.Delete(t.Context(), part("").Target, first.Refs[0]))
		record.Golden("testdata/transport/requests.txtar", "Every kind of request that the transport makes.")
	})
}
