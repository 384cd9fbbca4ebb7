package card_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

var update = flag.Bool("update", false, "write the goldens anew")

// A look is a surface as cards are looked at in tests.
type look struct {
	name    string
	dialect dialect.Dialect
	profile surface.Profile
}

func looks() []look {
	return []look{
		{"plain", dialect.PlainText, surface.Profile{Dialect: "plain", Grid: 60}},
		{"html", dialect.TelegramHTML, surface.Profile{Dialect: "html", Grid: 40}},
		{"mrkdwn", dialect.SlackMrkdwn, surface.Profile{Dialect: "mrkdwn", Grid: 80}},
		{"discord", dialect.DiscordMarkdown, surface.Profile{Dialect: "discord", Grid: 56, Links: "angle"}},
		{"markdown", dialect.GFM, surface.Profile{Dialect: "markdown", Can: surface.Capabilities{Tables: true}}},
	}
}

func (s look) show(blocks []doc.Block) (string, error) {
	r, err := layout.Render(context.Background(), surface.RenderRequest{Doc: &doc.Document{Version: doc.SchemaVersion, Blocks: blocks}, Profile: s.profile}, s.dialect)
	if err != nil {
		return "", err
	}
	var sb strings.Builder
	for _, c := range r.Chunks {
		sb.WriteString(c.Text + "\n")
	}
	return sb.String(), nil
}

// Each file in testdata holds a tree in its wire form and what a reader sees of it
// on each surface. The comment says what to look for.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := card.ParseTree(a.Files[0].Data)
			if err != nil {
				t.Fatal(err)
			}
			low := tree.Blocks("7", card.Options{Width: 40})
			out := &txtar.Archive{Comment: a.Comment, Files: a.Files[:1:1]}
			if low.Partial {
				out.Files = append(out.Files, txtar.File{Name: "partial"})
			}
			for _, s := range looks() {
				text, err := s.show(low.Blocks)
				if err != nil {
					t.Fatal(err)
				}
				out.Files = append(out.Files, txtar.File{Name: s.name, Data: []byte(visible(text))})
			}
			got := txtar.Format(out)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := txtar.Format(a); string(got) != string(want) {
				t.Errorf("%s differs; run go test ./sdk/card -update and read the change:\n%s", file, difference(string(want), string(got)))
			}
		})
	}
}

// visible makes characters without a width visible.
func visible(s string) string {
	return strings.NewReplacer("\u2060", "{WJ}", "\u200b", "{ZWSP}").Replace(s)
}

// difference lists the lines in which a and b differ.
func difference(a, b string) string {
	al, bl := strings.Split(a, "\n"), strings.Split(b, "\n")
	var sb strings.Builder
	for i := range max(len(al), len(bl)) {
		var x, y string
		if i < len(al) {
			x = al[i]
		}
		if i < len(bl) {
			y = bl[i]
		}
		if x != y {
			fmt.Fprintf(&sb, "- %s\n+ %s\n", x, y)
		}
	}
	return sb.String()
}
