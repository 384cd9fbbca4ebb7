package main

import (
	"errors"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// FuzzContent sends whatever a renderer may come up with: what the transport lets
// through is markup that the server reads, and notifies nobody.
func FuzzContent(f *testing.F) {
	for _, s := range []string{
		"<b>a</b> &lt; <i>@\u2060x</i>", "<a href=\"https://x.org/@abc\">https://x.org/@abc</a>", "<a href=\"tg://x\">@abc</a>",
		"<pre><code class=\"language-go\">@abc</code></pre>@abc", "<blockquote><code>@a</code><s>b@abc</s></blockquote>", "<tg-spoiler>@</tg-spoiler>abc",
		"https://a.bc/@abc (http://a.bc/@abc) .http://a.bc/@abc", "@abc\r@abc\t@abc",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := postOffice(t, fake.TelegramOptions{})
		for _, r := range []surface.SendRequest{part(text), plain(text)} {
			_, err := p.Send(t.Context(), r)
			if e, ok := errors.AsType[*surface.DeliveryError](err); ok && e.Code == "cannot_parse_entities" {
				t.Errorf("%s %q was let through and refused", r.Form, text)
			}
		}
		for _, m := range p.platform.Messages() {
			if len(m.Notified) > 0 {
				t.Errorf("%q notifies %v", m.Raw, m.Notified)
			}
		}
	})
}
