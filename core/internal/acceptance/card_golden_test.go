package acceptance

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

var update = flag.Bool("update", false, "write the goldens of cards anew; read the diff before you commit it")

// A question is what somebody wants to know of a card who looks at it on a phone,
// and what has to stand within its first lines for them to know it.
type question struct {
	golden  string
	shape   string // the tool's short name
	asks    string
	lines   int // lines that are not empty, from the top
	answers []string
}

// questions has one row for every golden: the example of its shape, or, with a
// card.json in it, a card that is larger or harder to show.
var questions = []question{
	{"universal", "universal", "Who owns the house, and when was it built?", 5, []string{"Harbour Street 12", "Owner: Lindqvist & Sons", "Built: 1926"}},
	{"research", "research", "Do they work, and who says so?", 4, []string{"Yes, in most of them", "3.1 on average", "[1]"}},
	{"diff", "diff", "Which file changed, and how much?", 3, []string{"shop/price.go (+2 −1)"}},
	{"test_report", "test_report", "Which test failed, and why?", 5, []string{"1 failed, 1 skipped, 3 passed of 5", "TestTotal/half_cents", "got 1005, want 1004"}},
	{"terminal", "terminal", "Did the command work, and how full is the disk?", 4, []string{"df -h /srv", "Exit: 0", "96%"}},
	{"table", "table", "What is the fastest way, and what does it cost?", 10, []string{"The train is the fastest", "4.7", "59.9"}},
	{"timeline", "timeline", "What holds the move up?", 9, []string{"the customs number is what could delay it", "Customs number", "blocked"}},
	{"recipe", "recipe", "How long does step 3 take?", 13, []string{"3. Bake at 220 °C", "55 minutes"}},
	{"ui_preview", "ui_preview", "Is the form ready, and where is it?", 3, []string{"Sign-up form", "in progress", "prototypes/sign-up.html"}},
	{"chart", "chart", "Does the traffic rise, and how high is it at most?", 4, []string{"Traffic rises from 120 to 840", "max 840 (12:00)"}},
	{"media", "media", "Where does the link lead, and is it worth it?", 2, []string{"Tides: two hundred years", "Maritime Museum", "Until 6 September"}},
	{"metric", "metric", "Do I need an umbrella?", 3, []string{"Temperature: 7.5 °C", "Light rain"}},

	{"universal_search", "universal", "Which flats are below 1,300 €?", 3, []string{"Three of 41 are below 1,300 €"}},
	{"research_eight", "research", "Is it good for small firms, and how sure is that?", 8, []string{"For most of those that tried it, yes", "[1] [2]", "what remains"}},
	{"diff_three", "diff", "Why was it changed, and where does it begin?", 4, []string{"leaked a descriptor", "archive/open.go (+7 −2)"}},
	{"test_report_thirty", "test_report", "Which tests failed, and why?", 12, []string{"2 failed, 1 skipped, 27 passed of 30 in 6.4 s", "config.TestMergeConflict", "port = 8080", "config.TestWatchRename", "no event within 5 s"}},
	{"terminal_failed", "terminal", "Did the deployment work, and how long did it take?", 4, []string{"make deploy ENV=staging", "Exit: 2 (12 min 34 s)"}},
	{"table_wide", "table", "Which parser is the fastest?", 6, []string{"gold is the fastest", "812"}},
	{"table_compared", "table", "What does each cost a year?", 9, []string{"2,900 €", "4,780 €"}},
	{"timeline_checklist", "timeline", "What is left to do?", 6, []string{"Book the ferry", "until Friday", "Water the plants"}},
	{"timeline_incident", "timeline", "What happened, and when did it begin?", 3, []string{"A migration locked the orders table", "14:02 Migration 0231 starts"}},
	{"timeline_faq", "timeline", "How long do I have?", 3, []string{"How long do I have?", "30 days"}},
	{"recipe_long", "recipe", "How long does the broth simmer?", 16, []string{"2. Simmer in 4 l of water", "12 hours"}},
	{"ui_preview_failed", "ui_preview", "Is it ready?", 2, []string{"Price table", "✗ failed"}},
	{"chart_400", "chart", "When was the spike, and how high?", 4, []string{"one spike in minute 217", "Minute 217"}},
	{"chart_two", "chart", "Who leads in Q4?", 8, []string{"overtook single sales in Q3", "last 3.6 € m (Q4)", "last 1.5 € m (Q4)"}},
	{"media_image", "media", "Where does the ferry leave?", 2, []string{"the ferry leaves from pier 3", "five-minute walk"}},
	{"media_audio", "media", "What is it, and how long?", 1, []string{"Audio: Voice memo of the meeting, 3 minutes", "MP3"}},
	{"metric_one", "metric", "How many tickets are open, and is that more than before?", 1, []string{"Open tickets: 42 tickets (−3 since Monday)"}},
	{"metric_many", "metric", "How slow is the slowest percent?", 7, []string{"P99", "140.0 ms"}},
}

// TestCardGoldens shows cards on every surface, and that a reader finds what they
// look for at the top.
func TestCardGoldens(t *testing.T) {
	shapes := map[string]cards.Shape{}
	for _, s := range cards.Shapes() {
		shapes[short(s)] = s
	}
	asked := map[string]bool{}
	for _, q := range questions {
		asked[q.shape], asked[q.golden+".txtar"] = true, true
		t.Run(q.golden, func(t *testing.T) {
			s, ok := shapes[q.shape]
			if !ok {
				t.Fatalf("there is no shape %s", q.shape)
			}
			q.test(t, s)
		})
	}
	for name := range shapes {
		if !asked[name] {
			t.Errorf("nobody asks anything of %s", name)
		}
	}
	files, err := os.ReadDir(filepath.Join("testdata", "cards"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !asked[f.Name()] {
			t.Errorf("nobody asks anything of %s", f.Name())
		}
	}
}

func (q question) test(t *testing.T, s cards.Shape) {
	file := filepath.Join("testdata", "cards", q.golden+".txtar")
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	in, want := "", map[string]string{}
	for _, f := range a.Files {
		if f.Name == "card.json" {
			in = string(f.Data)
		} else {
			want[f.Name] = string(f.Data)
		}
	}
	markdown := in
	if in == "" {
		markdown = envelope(s.Example.Type, s.Example.Payload)
	}
	out := &txtar.Archive{Comment: []byte("Asked: " + q.asks + "\n")}
	if in != "" {
		out.Files = append(out.Files, txtar.File{Name: "card.json", Data: []byte(in)})
	}
	for _, one := range render(t, vak(t), markdown, surfaces...) {
		rules(t, one)
		q.answered(t, one)
		got := golden(one)
		out.Files = append(out.Files, txtar.File{Name: one.on, Data: []byte(got)})
		if !*update && got != want[one.on] {
			t.Errorf("%s shows\n%s\nwant\n%s", one.on, got, want[one.on])
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// answered looks for the answers in the first lines that a reader sees.
func (q question) answered(t *testing.T, s *shown) {
	t.Helper()
	text := clean(s.joined.text())
	if s.profile.Dialect == "markdown" {
		// Its reader has a line for every cell of a table; people have rows.
		text = markup.ReplaceAllString(gfmLink.ReplaceAllString(s.sent(), "$1"), "")
	}
	var top []string
	for line := range strings.Lines(text) {
		if strings.Trim(line, "-= \n") != "" && len(top) < q.lines {
			top = append(top, strings.TrimSpace(line))
		}
	}
	text = strings.Join(top, "\n")
	for _, a := range q.answers {
		if !strings.Contains(text, a) {
			t.Errorf("%s: %s\nnot %q in the first %d lines:\n%s", s.on, q.asks, a, q.lines, text)
		}
	}
}

var (
	gfmLink = regexp.MustCompile(`\[([^\[\]]+)\]\((?:<[^<>]*>|[^()]*)\)`)
	markup  = regexp.MustCompile("(?m)^```.*$|\\\\|[*`]")
)

// golden is what is sent, for people to read. The middle of what is long is left
// out: nothing of it is lost, which other tests show.
func golden(s *shown) string {
	const most, head, foot = 90, 40, 12
	var sb strings.Builder
	for i, c := range s.chunks {
		if len(s.chunks) > 1 {
			fmt.Fprintf(&sb, "== %d of %d\n", i+1, len(s.chunks))
		}
		lines := strings.Split(c.Text, "\n")
		if len(lines) > most {
			gap := fmt.Sprintf("== %d lines are left out of this file", len(lines)-head-foot)
			lines = slices.Concat(lines[:head], []string{gap}, lines[len(lines)-foot:])
		}
		sb.WriteString(strings.Join(lines, "\n") + "\n")
	}
	for _, d := range s.said {
		fmt.Fprintf(&sb, "== says %s\n", d.Code)
	}
	for _, b := range s.blocks {
		if inLedger(b) {
			fmt.Fprintf(&sb, "== omitted in_ledger\n")
		}
	}
	return sb.String()
}

// TestShapesDiffer compares the structure of the examples: the kinds of blocks and
// of what stands in them. Two shapes that look alike would be one.
func TestShapesDiffer(t *testing.T) {
	of := map[string]string{}
	for _, s := range cards.Shapes() {
		d := render(t, vak(t), envelope(s.Example.Type, s.Example.Payload), "slack")[0].doc
		sig := structure(d.Blocks)
		t.Log(short(s), sig)
		if of[sig] != "" {
			t.Errorf("%s and %s are both %s", of[sig], s.Tool, sig)
		}
		of[sig] = s.Tool
	}
}

// structure is the kinds of blocks, with those of inlines in brackets; what comes
// several times in a row counts once.
func structure(blocks []doc.Block) string {
	var out []string
	for _, b := range blocks {
		one := string(b.Kind())
		switch b := b.(type) {
		case *doc.Paragraph:
			one += inlineKinds(b.Inlines)
		case *doc.List:
			if b.Ordered {
				one = "ordered " + one
			}
			var inner []doc.Block
			for _, it := range b.Items {
				inner = append(inner, it.Blocks...)
				if it.Task != doc.NoTask {
					one = "task " + string(b.Kind())
				}
			}
			one += " (" + structure(inner) + ")"
		case *doc.Quote:
			one += " (" + structure(b.Blocks) + ")"
		case *doc.Code:
			one += " " + b.Language
		}
		if len(out) == 0 || out[len(out)-1] != one {
			out = append(out, one)
		}
	}
	return strings.Join(out, ", ")
}

func inlineKinds(ins []doc.Inline) string {
	var out []string
	for _, in := range ins {
		one := strings.TrimPrefix(fmt.Sprintf("%T", in), "*doc.")
		if one != "Text" && !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " " + strings.Join(out, "+")
}
