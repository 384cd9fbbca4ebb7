package main

import (
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestGoldenRequests shows what goes out, for a person to read. The built binary
// asks the same as the transport in this process.
func TestGoldenRequests(t *testing.T) {
	sdktest.EachWay(t, plugin(), ".", func(t *testing.T, send func(surface.Account) *sdktest.Sender) {
		d := newDiscord(t, fake.DiscordOptions{})
		s := send(account(d.API(), nil))
		record := sdktest.NewRecord(t, s, d.Server)
		first, err := s.Send(t.Context(), part("# News\n**bold** & <https://example.org/a?b=c&d>"))
		record.Step("a message", err)
		_, err = s.Send(t.Context(), with(part("a reply"), func(r *surface.SendRequest) {
			r.Key, r.Silent, r.ReplyTo = "k2", true, &first.Refs[0]
		}))
		record.Step("silently, in reply", err)
		_, err = s.Send(t.Context(), with(part("in a thread"), func(r *surface.SendRequest) { r.Key, r.Target.Thread = "k3", thread }))
		record.Step("in a thread", err)
		_, err = s.Send(t.Context(), with(part("<b>"), func(r *surface.SendRequest) {
			r.Key, r.Form, r.Chunk.Plain = "k4", surface.FormPlain, "@everyone: *not bold* (https://example.org/a_b)"
		}))
		record.Step("plain", err)
		_, err = s.Send(t.Context(), with(part("<@1> look"), func(r *surface.SendRequest) { r.Key, r.Mentions = "k5", surface.LiveMentions }))
		record.Step("with mentions of users live", err)
		_, err = s.Edit(t.Context(), first.Refs[0], part("changed"))
		record.Step("a change", err)
		record.Step("a deletion", s.Delete(t.Context(), part("").Target, first.Refs[0]))
		record.Golden("testdata/transport/requests.txtar", "Every kind of request that the transport makes.")
	})
}
