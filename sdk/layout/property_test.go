package layout_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/doc/doctest"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A case is a dialect with a profile as a surface would declare it.
type setting struct {
	dialect dialect.Dialect
	profile surface.Profile
}

func settings() []setting {
	return []setting{
		{dialect.TelegramHTML, surface.Profile{Dialect: "html", Grid: 40, Limit: surface.Limit{
			Max: 4096, Unit: surface.UTF16, Of: surface.Visible, MaxBytes: 32768, MaxEntities: 100, MaxEntityBytes: 9000}}},
		{dialect.SlackMrkdwn, surface.Profile{Dialect: "mrkdwn", Grid: 80, Limit: surface.Limit{Max: 3900}}},
		{dialect.DiscordMarkdown, surface.Profile{Dialect: "discord", Grid: 56, Links: "angle", Limit: surface.Limit{Max: 1900}}},
		{dialect.DiscordMarkdown, surface.Profile{Dialect: "discord", Grid: 56, Links: "masked", Limit: surface.Limit{Max: 1900}}},
		{dialect.GFM, surface.Profile{Dialect: "markdown", Can: surface.Capabilities{Tables: true}}},
		{dialect.PlainText, surface.Profile{Dialect: "plain", Grid: 100, Limit: surface.Limit{Max: 2000}}},
	}
}

// failer is what tests and properties have in common.
type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func render(t failer, d *doc.Document, s setting) surface.Rendering {
	t.Helper()
	r, err := layout.Render(context.Background(), surface.RenderRequest{Doc: d, Profile: s.profile}, s.dialect)
	if err != nil {
		t.Fatalf("%s: %v", s.dialect.Name(), err)
	}
	return r
}

// within reports what limit of l the size breaks, or "".
func within(sz dialect.Size, l surface.Limit) string {
	c := sz.Sent
	if l.Of == surface.Visible {
		c = sz.Visible
	}
	n := c.Codepoints
	switch l.Unit {
	case surface.UTF16:
		n = c.UTF16
	case surface.Byte:
		n = c.Bytes
	}
	switch {
	case l.Max > 0 && n > l.Max:
		return "max"
	case l.MaxBytes > 0 && sz.Sent.Bytes > l.MaxBytes:
		return "bytes"
	case l.MaxEntities > 0 && sz.Entities > l.MaxEntities:
		return "entities"
	case l.MaxEntityBytes > 0 && sz.EntityBytes > l.MaxEntityBytes:
		return "entity bytes"
	}
	return ""
}

// solid is s without blanks and characters that have no width.
func solid(s string) []rune {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		if !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) {
			out = append(out, r)
		}
	}
	return out
}

// counted checks that got holds every rune of want at least as often.
func counted(want, got []rune) (rune, bool) {
	n := map[rune]int{}
	for _, r := range got {
		n[r]++
	}
	for _, r := range want {
		if n[r]--; n[r] < 0 {
			return r, false
		}
	}
	return 0, true
}

// check holds a rendering to the rules that every rendering must keep.
func check(t failer, d *doc.Document, s setting, r surface.Rendering) {
	t.Helper()
	var text, plain strings.Builder
	for i, c := range r.Chunks {
		if !utf8.ValidString(c.Text) || !utf8.ValidString(c.Plain) {
			t.Fatalf("%s: chunk %d is not UTF-8", s.dialect.Name(), i)
		}
		if over := within(s.dialect.Measure([]byte(c.Text)), s.profile.Limit); over != "" {
			t.Fatalf("%s: chunk %d breaks the limit of %s:\n%s", s.dialect.Name(), i, over, c.Text)
		}
		pl := surface.Limit{Max: s.profile.Limit.Max, Unit: s.profile.Limit.Unit, MaxBytes: s.profile.Limit.MaxBytes}
		if over := within(dialect.PlainText.Measure([]byte(c.Plain)), pl); over != "" {
			t.Fatalf("%s: the plain form of chunk %d breaks the limit of %s:\n%s", s.dialect.Name(), i, over, c.Plain)
		}
		if len(c.Blocks) == 0 {
			t.Fatalf("%s: chunk %d names no block", s.dialect.Name(), i)
		}
		seen := s.dialect.Visible(nil, []byte(c.Text))
		if len(solid(string(seen))) == 0 {
			t.Fatalf("%s: chunk %d shows nothing: %q", s.dialect.Name(), i, c.Text)
		}
		text.Write(seen)
		plain.WriteString(c.Plain)
	}
	var want []rune
	for _, b := range d.Blocks {
		for p := range doc.Parts(b) {
			if p.Role != doc.RoleTask {
				want = append(want, solid(p.Text)...)
			}
		}
	}
	if ch, ok := counted(want, solid(text.String())); !ok {
		t.Fatalf("%s: %q is missing in:\n%s", s.dialect.Name(), ch, quoteAll(r)+"\nof "+string(want))
	}
	if ch, ok := counted(want, solid(plain.String())); !ok {
		t.Fatalf("%s: %q is missing in the plain form:\n%s", s.dialect.Name(), ch, quoteAll(r))
	}
}

// quoteAll prints the chunks of r so that every character can be seen.
func quoteAll(r surface.Rendering) string {
	var sb strings.Builder
	for i, c := range r.Chunks {
		fmt.Fprintf(&sb, "%d text  %q\n%d plain %q\n", i, c.Text, i, c.Plain)
	}
	return sb.String()
}

func TestEveryDocumentIsShownWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := doctest.Random(rt, doctest.Options{})
		d = doc.Lower(d, doc.Support{Version: doc.SchemaVersion, Blocks: layout.Blocks()})
		ss := settings()
		s := ss[rapid.IntRange(0, len(ss)-1).Draw(rt, "setting")]
		if s.profile.Limit.Max > 0 {
			s.profile.Limit.Max = rapid.SampledFrom([]int{s.profile.Limit.Max, 64, 65, 100, 250, 700}).Draw(rt, "max")
		}
		r := render(rt, d, s)
		check(rt, d, s, r)
		if again := render(rt, d, s); !reflect.DeepEqual(r, again) {
			rt.Fatalf("the same document was rendered in two ways")
		}
	})
}
