package main

import (
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// FuzzContent sends whatever a renderer may come up with, and changes it to the
// same: nothing that the transport lets through notifies, or is cut.
func FuzzContent(f *testing.F) {
	for _, s := range []string{
		"*a* <https://x.org|<!here>> &lt;!channel&gt;", "<!channel", "`<@U1>` <#C1>", "<mailto:a@b.c|@here> @channel",
		"<https://x.org\n<!everyone>", "<<!here>>", "<!subteam^S1|x>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := postOffice(t, fake.SlackOptions{})
		sent, err := p.Send(t.Context(), part("a"))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []surface.SendRequest{part(text), plain(text)} {
			p.Send(t.Context(), r) // refused or not
			p.Edit(t.Context(), sent.Refs[0], r)
			for _, m := range p.platform.Messages() {
				if len(m.Notified) > 0 || m.Cut {
					t.Errorf("%q notifies %v", m.Text, m.Notified)
				}
			}
		}
	})
}
