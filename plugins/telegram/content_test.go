package main

import (
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestContent holds parts to what Telegram takes, before it is asked.
func TestContent(t *testing.T) {
	quiet, loud := postOffice(t, fake.TelegramOptions{}), postOffice(t, fake.TelegramOptions{})
	const link = `<a href="https://medium.com/@carol">https://medium.com/@carol</a>`
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
		{part(strings.Repeat("😀", 4096)), "", "", false, "4096 characters"},
		{part(strings.Repeat("😀", 4097)), surface.TooLong, "message_too_long", false, "4097"},
		{part("<b>" + strings.Repeat("&amp;", 4096) + "</b>"), "", "", false, "markup is no character"},
		{part("<b>" + strings.Repeat("&amp;", 4097) + "</b>"), surface.TooLong, "message_too_long", false, "one character more"},
		{part(strings.Repeat("<b>a</b>", 100)), "", "", false, "100 pieces of markup"},
		{part(strings.Repeat("<b>a</b>", 101)), surface.Payload, "too_many_entities", false, "101"},
		{part(strings.Repeat("<i>a</i>", 4096) + "a"), surface.TooLong, "text_too_long", false, "32,769 bytes"},
		{plain(strings.Repeat("<", 4096)), "", "", false, "4096 plain characters"},
		{plain(strings.Repeat("<", 4097)), surface.TooLong, "message_too_long", false, "4097 plain ones"},
		{plain(strings.Repeat("a", 4090) + " @abcd"), surface.TooLong, "message_too_long", true, "what keeps a name from being live counts"},
		{form(surface.FormNative), surface.Payload, "form", false, "there is no native form"},
		{form("other"), surface.Payload, "form", false, "no form that there is"},
		{part(" \n"), surface.Permanent, "empty", false, "nothing to read"},

		{part("hi @carol"), surface.Payload, "live_token", true, "a name"},
		{part("hi @\u2060carol a@carol.org @ x"), "", "", false, "none, for the joiner; an address; none"},
		{part("<b>@</b>carol"), surface.Payload, "live_token", true, "a name in pieces"},
		{part("<code>@carol</code> <pre><code class=\"language-x\">@carol</code></pre>"), "", "", false, "code"},
		{part("<code></code>@carol"), surface.Payload, "live_token", true, "behind code"},
		{part(link), "", "", false, "an address that is shown"},
		{part(`<a href="https://x.org">@carol</a>`), surface.Payload, "live_token", true, "a label"},
		{part(`<a href="http://localhost/@carol">http://localhost/@carol</a>`), surface.Payload, "live_token", true, "a link that Telegram drops"},
		{part(`<a href="http://a«b.c/@carol">http://a«b.c/@carol</a>`), surface.Payload, "live_token", true, "one that it may drop"},
		{part(`<a href="tg://user?id=5">c</a>`), surface.Payload, "live_link", true, "a link to a user"},
		{part(`<a href="tg://resolve?domain=x">c</a>`), "", "", false, "another link within Telegram"},

		{part("a < b"), surface.Payload, "markup", false, "a bare <"},
		{part("a & b"), surface.Payload, "markup", false, "a bare &"},
		{part("&#64;carol"), surface.Payload, "markup", false, "an entity that the dialect does not write"},
		{part("<p>a</p>"), surface.Payload, "markup", false, "a tag that it does not write"},
		{part("<b>a</i>"), surface.Payload, "markup", false, "not balanced"},
		{part("<b>a"), surface.Payload, "markup", false, "not closed"},
		{part(`<a href="https://x.org" onclick="x">a</a>`), surface.Payload, "markup", false, "another attribute"},
		{part(`<a href="javascript:x">a</a>`), surface.Payload, "markup", false, "an address that the dialect does not write"},
		{part(`<code class="language-x">@carol</code>`), surface.Payload, "markup", false, "a language without a pre"},
		{part(`<code/>@carol`), surface.Payload, "markup", false, "a tag that ends itself"},

		{plain("hi @carol <b> &amp; https://medium.com/@carol (https://medium.com/@carol) http://localhost/@carol"), "", "", false, "plain text is defused"},
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
	for _, m := range quiet.platform.Messages() {
		if len(m.Notified) > 0 {
			t.Errorf("%q notifies %v", m.Raw, m.Notified)
		}
	}
	all := quiet.platform.Messages()
	if got, want := all[len(all)-1].Text, "hi @\u2060carol <b> &amp; https://medium.com/@carol (https://medium.com/@carol) http://localhost/@\u2060carol"; got != want {
		t.Errorf("plain: %q, want %q", got, want)
	}
}

// TestRendered sends what vak renders of hostile answers, in both forms: none of
// it is refused, and nobody is notified.
func TestRendered(t *testing.T) {
	p := postOffice(t, fake.TelegramOptions{})
	p.Rendered(t, plugin(), "testdata/*.txtar", compile.Markdown, part(""),
		"a @**all** b @all @<b>x</b> `@c` **@**all (@y) &#64;zed\n\n> @q\n\n- @l\n  - `a`@m\n\n```go\n@f <\n```\n\n| @h | b |\n|---|---|\n| @c | [@l](https://x.org/@y) |\n",
		"[@all](https://x.com/@all) https://medium.com/@user/x <ftp://h/@all> [z](http://localhost/@all) ![@q](https://x.org/@i) [foo](vance:/@bar) [l](https://a.b/@x|y)\n\n<http://localhost/@all> ||@s||",
		"a < b & c > d \"e\" &amp; &lt;b&gt; <p>x</p> <b>y</b> &#x40;abc \u202e x\ty",
		strings.Repeat("**bold @abc** ", 900),
	)
	for _, m := range p.platform.Messages() {
		if len(m.Notified) > 0 {
			t.Errorf("%q notifies %v", m.Raw, m.Notified)
		}
	}
}
