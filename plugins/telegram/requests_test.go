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
		platform := fake.NewTelegram(fake.TelegramOptions{Token: token})
		t.Cleanup(platform.Close)
		s := send(account(platform.URL))
		record := sdktest.NewRecord(t, s, platform.Server)
		first, err := s.Send(t.Context(), part("<b>bold</b> &lt;&amp;&quot; <a href=\"https://x.org/?a=1&amp;b=2\">link</a>\n<pre><code class=\"language-go\">x := 1</code></pre>"))
		record.Step("send", err)
		_, err = s.Send(t.Context(), plain("<b> & @carol"))
		record.Step("plain", err)
		r := part("a")
		r.Target.Thread, r.Silent, r.ReplyTo = "17", true, &first.Refs[0]
		_, err = s.Send(t.Context(), r)
		record.Step("silent reply in a topic", err)
		r = part("a")
		r.Target.Address = "@some_channel"
		_, err = s.Send(t.Context(), r)
		record.Step("a channel by its name", err)
		_, err = s.Edit(t.Context(), first.Refs[0], part("<i>new</i>"))
		record.Step("edit", err)
		record.Step("delete", s.Delete(t.Context(), part("").Target, first.Refs[0]))
		record.Golden("testdata/transport/requests.txtar", "Every kind of request that the transport makes.")
	})
}
