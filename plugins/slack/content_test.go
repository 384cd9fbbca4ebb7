package main

import (
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestContent holds parts to what Slack takes, before it is asked.
func TestContent(t *testing.T) {
	quiet, loud := postOffice(t, fake.SlackOptions{}), postOffice(t, fake.SlackOptions{})
	form := func(f surface.Form) surface.SendRequest {
		r := part("a")
		r.Form = f
		return r
	}
	for _, k := range []struct {
		r     surface.SendRequest
		class surface.Class // empty: sent
		code  string
		live  bool // what is refused is sent where mentions are live
		why   string
	}{
		{part(strings.Repeat("😀", 4000)), "", "", false, "4,000 characters"},
		{part(strings.Repeat("😀", 4001)), surface.TooLong, "msg_too_long", false, "4,001"},
		{part(strings.Repeat("&amp;", 800)), "", "", false, "escapes count"},
		{part(strings.Repeat("&amp;", 800) + "a"), surface.TooLong, "msg_too_long", false, "one more"},
		{plain(strings.Repeat("a", 3999) + "<"), "", "", false, "plain text counts before it is escaped"},
		{plain(strings.Repeat("a", 4000) + "<"), surface.TooLong, "msg_too_long", false, "4,001 plain characters"},
		{plain(strings.Repeat("&", 3200)), "", "", false, "16,000 characters once it is escaped"},
		{plain(strings.Repeat("&", 3200) + "a"), surface.TooLong, "msg_too_long", false, "one more than these"},
		{form(surface.FormNative), surface.Payload, "form", false, "there is no native form"},
		{form("other"), surface.Payload, "form", false, "no form that there is"},
		{part(" \n"), surface.Permanent, "no_text", false, "nothing to read"},

		{part("<!channel>"), surface.Payload, "live_token", false, "everybody in the channel"},
		{part("a `<!here|here>`"), surface.Payload, "live_token", false, "in code it is live, too"},
		{part("```\n<!everyone>\n```"), surface.Payload, "live_token", false, "in a fence as well"},
		{part("<!subteam^S1>"), surface.Payload, "live_token", false, "a group"},
		{part("<!date^1^{date}|x>"), surface.Payload, "live_token", false, "a date"},
		{part("<#C1>"), surface.Payload, "live_token", false, "a channel"},
		{part("<!channel"), surface.Payload, "live_token", false, "half a token"},
		{part("<https://x.org|<!channel>>"), surface.Payload, "live_token", false, "in a label"},
		{part("<@U1> <@W2|x>"), surface.Payload, "live_token", true, "users"},
		{part("<@everyone>"), surface.Payload, "live_token", false, "no user"},
		{part("<https://x.org> <http://x.org/?a=1&amp;b|l> <mailto:a@b.c> <tel:+1|@channel>"), "", "", false, "addresses"},
		{part("&lt;!channel&gt; @channel @here"), "", "", false, "escaped; and names, which are not linked"},
		{part("a < b"), surface.Payload, "markup", false, "a bare <"},
		{part("<javascript:x>"), surface.Payload, "markup", false, "an address that the dialect does not write"},
		{part("<https://x.org\n|y>"), surface.Payload, "markup", false, "an address over two lines"},

		{plain("*a* <!channel> & <@U1> <https://x.org>"), "", "", false, "plain text is escaped"},
	} {
		before := len(quiet.platform.Requests())
		_, err := quiet.Send(t.Context(), k.r)
		n := len(quiet.platform.Requests()) - before
		switch {
		case k.class == "" && (err != nil || n != 1):
			t.Errorf("%s: %v, %d requests", k.why, err, n)
		case k.class != "":
			sdktest.Refused(t, k.why, err, k.class, k.code)
			if n != 0 {
				t.Errorf("%s: %d requests", k.why, n)
			}
		}
		k.r.Mentions = surface.LiveMentions
		if _, err := loud.Send(t.Context(), k.r); (err == nil) != (k.class == "" || k.live) {
			t.Errorf("%s: where mentions are live: %v", k.why, err)
		}
	}
	all := quiet.platform.Messages()
	for _, m := range all {
		if len(m.Notified) > 0 || m.Unfurls || m.Cut {
			t.Errorf("%+v", m)
		}
	}
	if m, want := all[len(all)-1], "*a* &lt;!channel&gt; &amp; &lt;@U1&gt; &lt;https://x.org&gt;"; m.Text != want || m.Mrkdwn {
		t.Errorf("plain: %+v, want the text %q", m, want)
	}
}

// TestContentOfEdits counts in bytes.
func TestContentOfEdits(t *testing.T) {
	p := postOffice(t, fake.SlackOptions{})
	sent, err := p.Send(t.Context(), part("a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		r   surface.SendRequest
		ok  bool
		why string
	}{
		{part(strings.Repeat("ü", 1900)), true, "3,800 bytes"},
		{part(strings.Repeat("ü", 1900) + "a"), false, "one more"},
		{plain(strings.Repeat("&", 760)), true, "3,800 bytes once it is escaped"},
		{plain(strings.Repeat("&", 760) + "a"), false, "one more than these"},
	} {
		before := len(p.platform.Requests())
		_, err := p.Edit(t.Context(), sent.Refs[0], k.r)
		if n := len(p.platform.Requests()) - before; k.ok && (err != nil || n != 1) || !k.ok && n != 0 {
			t.Errorf("%s: %v, %d requests", k.why, err, n)
		}
		if !k.ok {
			sdktest.Refused(t, k.why, err, surface.TooLong, "msg_too_long")
		}
	}
	_, err = p.Edit(t.Context(), sent.Refs[0], part("<!channel>"))
	sdktest.Refused(t, "everybody in the channel", err, surface.Payload, "live_token")
}

// TestRendered sends what vak renders of hostile answers, in both forms: none of
// it is refused, and nobody is notified.
func TestRendered(t *testing.T) {
	p := postOffice(t, fake.SlackOptions{})
	p.Rendered(t, plugin(), "testdata/*.txtar", compile.Markdown, part(""),
		"<!channel> `<!here>` <@U123> [a|b](https://x.org) **<!everyone>**\n\n```\n<!channel>\n```\n\n> <@U1>\n\n| <!here> | b |\n|---|---|\n| <#C1> | [<!channel>](https://x.org/<!here>) |\n",
		"mailto:a@b.c https://e.com/<!x> a & b &lt;!channel&gt; a < b > c <javascript:x> <https://x.org/?a=1&b=2> [l](tel:+123) <https://x.org\n/y>",
		"<!-- <!channel> --> <details><summary><!here></summary>x</details> <a href=\"https://x.org\"><@U1></a> ![<!here>](https://x.org/<!channel>)",
		strings.Repeat("**<!channel> & @abc** ", 900),
	)
	for _, m := range p.platform.Messages() {
		if len(m.Notified) > 0 || m.Cut {
			t.Errorf("%q notifies %v", m.Text, m.Notified)
		}
	}
}
