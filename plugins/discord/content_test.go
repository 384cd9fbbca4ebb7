package main

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/doc/doctest"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func TestPlainContent(t *testing.T) {
	for _, k := range []struct{ in, want, why string }{
		{"a_b *c* [d]", `a\_b \*c\* \[d]`, "markup is shown as it stands"},
		{"# one\n- two\n3. four\n> five", "\\# one\n\\- two\n3\\. four\n\\> five", "so is what starts a line"},
		{"label (https://example.org/a_b_c*) x_y", `label (<https://example.org/a_b_c>\*) x\_y`, "an address stays what it is"},
		{"see https://example.org/a_(b). <https://x.org>", `see <https://example.org/a_(b)>. \<<https://x.org>>`, "and ends where the sentence goes on"},
		{"@everyone, <@1>", `\@everyone, \<@1>`, "nobody is called"},
		{"", "", "nothing"},
	} {
		if got := plainContent(k.in); got != k.want {
			t.Errorf("%s: %q, want %q", k.why, got, k.want)
		}
	}
	long := strings.Repeat("*", 1500) + "@here"
	if got := plainContent(long); got != strings.Repeat("*", 1500)+`\@here` {
		t.Errorf("where it would be too long only what is live is escaped: %d characters", utf8.RuneCountInString(got))
	}
}

// TestPlainIsShown reads random plain text back: all of it is seen, and none of it
// is live.
func TestPlainIsShown(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"a", "b c", "*", "**", "_", "`", "```", "~~", "||", "\\", "<", ">", "@", "everyone", "@here", "<@1>", "<#2>", "<t:1>", "#", "# ", "- ", "1. ",
		"https://example.org/x_y", "http", "://", "[", "](", ")", "\n", "é", "漢字", "🎉", ":", "/",
	})
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(word, 1, 20).Draw(t, "words"), "")
		out := plainContent(in)
		if liveToken(out, false) {
			t.Fatalf("%q is live: %q", in, out)
		}
		seen := string(dialect.DiscordMarkdown.Visible(nil, []byte(out)))
		clean := strings.NewReplacer("\n", "", " ", "", "\u2060", "", "\u200b", "")
		if got, want := clean.Replace(seen), clean.Replace(in); got != want {
			t.Fatalf("%q is sent as %q and read as %q", in, out, seen)
		}
	})
}

// TestRenderingIsNeverLive sends no rendering into the lock that is meant for what
// did not come from the renderer.
func TestRenderingIsNeverLive(t *testing.T) {
	r := sdktest.Run(t, plugin())
	bait := []string{"@everyone", "<@1>", "<@&1>", "a@here", "`@here`", "<t:1:R>", "https://example.org/@here", "</x:1>", "<id:guide>", "<:e:1>"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append([]string{" ", "`", "\\", "*"}, bait...)), 1, 6).Draw(t, "bait"), "")
		d := &doc.Document{Version: doc.SchemaVersion, Blocks: []doc.Block{
			&doc.Paragraph{ID: "1", Inlines: []doc.Inline{&doc.Text{Text: text}, &doc.CodeSpan{Text: text}, &doc.Text{Text: text}}},
			&doc.Code{ID: "2", Text: text},
		}}
		if rapid.Bool().Draw(t, "random") {
			d = doctest.Random(t, doctest.Options{})
		}
		for _, links := range []string{"angle", "masked", "bare"} {
			p := plugin().Info.Profiles[0]
			p.Links = links
			out, err := r.Render(context.Background(), surface.RenderRequest{Doc: d, Profile: p})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range out.Chunks {
				if liveToken(c.Text, false) {
					t.Fatalf("a rendering is refused as live:\n%s", c.Text)
				}
			}
		}
	})
}

// TestRendered sends what vak renders of hostile answers, in both forms: none of
// it is refused, nothing is live, and nobody is notified.
func TestRendered(t *testing.T) {
	d := newDiscord(t, fake.DiscordOptions{})
	newBot(t, d.API(), nil).Rendered(t, plugin(), "testdata/*.txtar", compile.Markdown, part(""),
		"@everyone **@here** `@everyone` <@1> <@&2> <#3> [a@here](https://example.org/@everyone)\n\n```\n<@1>\n```\n\n> @here\n\n| <@&1> | b |\n|---|---|\n| <t:1:R> | [<@1>](https://example.org/<@1>) |\n",
		"\\@everyone \\\\<@1> `` `@here` `` `@here\n\n<!-- @here --> <details><summary>@everyone</summary><@1></details> ![@here](https://example.org/@here) <id:guide> <:e:1>",
		strings.Repeat("**@everyone <@1> a@here** ", 500),
	)
	for _, m := range d.Messages() {
		if len(m.Notified) > 0 || liveToken(m.Content, false) {
			t.Errorf("%q is live, or notifies %v", m.Content, m.Notified)
		}
	}
}
