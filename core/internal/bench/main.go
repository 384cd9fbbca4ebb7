// Command bench measures the pipeline in ratios to goldmark's parser, in one
// run on one machine, so that the figures mean something elsewhere too.
//
//	bench              compile, and compile + render + check by dialect
//	bench -jsonl VAK   a megabyte of README files through "vak preview --jsonl"
//	bench -delivery    from Deliver to the first call of a transport
//	bench -planning    plans and signals among 10,000 recipes and keywords, and 10
//	bench -epochs      calls to skill packs, epochs, and from an installation to a card
//	bench -cards       cards of every shape, to what they show as markdown
//
// Measurements are interleaved, so that a busy moment hits all of them alike, and
// of each the lower quartile counts: what else a machine does only ever adds time.
package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/cli"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

//go:embed testdata/*.md
var files embed.FS

// The goals, as multiples of the time that goldmark takes to parse.
const (
	goalCompile  = 1.6
	goalPipeline = 4.0
)

func main() {
	rounds := flag.Int("rounds", 25, "measurements of each figure; the lower quartile counts")
	vak := flag.String("jsonl", "", "measure this vak instead")
	deliver := flag.Bool("delivery", false, "measure the way from Deliver to a transport instead")
	plans := flag.Bool("planning", false, "measure plans and signals among many recipes and keywords instead")
	shapes := flag.Bool("cards", false, "measure cards against the same content as markdown instead")
	packs := flag.Bool("epochs", false, "measure calls to skill packs, epochs, and the way from an installation to a card instead")
	flag.Parse()
	err := errors.New("unexpected arguments")
	switch {
	case flag.NArg() > 0:
	case *deliver:
		err = delivery(*rounds)
	case *packs:
		err = epochs(*rounds)
	case *shapes:
		err = cardRatios(*rounds)
	case *plans:
		err = planning(*rounds)
	case *vak != "":
		err = throughput(*vak)
	default:
		err = ratios(*rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A corpus is text of one sort.
type corpus struct {
	name string
	text string
}

func corpora() []corpus {
	read := func(name string) string {
		b, err := files.ReadFile("testdata/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		return string(b)
	}
	return []corpus{
		{"spec", read("spec.md")},
		{"demo", cli.DemoAnswer()},
		{"readme", read("readme-server.md") + "\n" + read("readme-library.md")},
	}
}

// sized is about n bytes of c: whole blocks from its beginning, repeated where
// it is too short.
func (c corpus) sized(n int) string {
	s := strings.Repeat(c.text+"\n\n", n/len(c.text)+1)
	if end := strings.LastIndex(s[:n], "\n\n"); end > 0 {
		return s[:end]
	}
	return s[:n]
}

// profiles are those of the surfaces, as far as they bear on the work.
var profiles = []struct {
	dialect dialect.Dialect
	profile surface.Profile
}{
	{dialect.TelegramHTML, surface.Profile{Surface: "telegram", Dialect: "html", Grid: 40, Can: surface.Capabilities{Code: true, Links: true},
		Limit: surface.Limit{Max: 4096, Unit: surface.UTF16, Of: surface.Visible, MaxBytes: 32_768, MaxEntities: 100, MaxEntityBytes: 9000}}},
	{dialect.SlackMrkdwn, surface.Profile{Surface: "slack", Dialect: "mrkdwn", Grid: 80, Can: surface.Capabilities{Code: true, Links: true},
		Limit: surface.Limit{Max: 3900, Unit: surface.Codepoint, Of: surface.Sent}}},
	{dialect.DiscordMarkdown, surface.Profile{Surface: "discord", Dialect: "discord", Grid: 56, Can: surface.Capabilities{Code: true, Links: true},
		Limit: surface.Limit{Max: 1900, Unit: surface.Codepoint, Of: surface.Sent}}},
	{dialect.GFM, surface.Profile{Surface: "webhook", Dialect: "markdown",
		Can: surface.Capabilities{StructuredBlocks: true, Tables: true, Code: true, Links: true, Media: true}}},
	{dialect.PlainText, surface.Profile{Surface: "log", Dialect: "plain", Grid: 100, Can: surface.Capabilities{Code: true}}},
}

// ratios prints the table.
func ratios(rounds int) error {
	all := corpora()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "corpus\tKB\tgoldmark µs\tcompile\t")
	for _, p := range profiles {
		fmt.Fprintf(w, "%s\t", p.profile.Surface)
	}
	fmt.Fprintln(w)
	worstCompile, worst := 0.0, 0.0
	for _, c := range all {
		for _, kb := range []int{1, 4, 64} {
			source := c.sized(kb << 10)
			took, err := measure(source, rounds)
			if err != nil {
				return err
			}
			base := took[0]
			fmt.Fprintf(w, "%s\t%d\t%.0f\t", c.name, kb, float64(base.Nanoseconds())/1000)
			for i, t := range took[1:] {
				ratio := float64(t) / float64(base)
				fmt.Fprintf(w, "%.2f\t", ratio)
				if i == 0 {
					worstCompile = max(worstCompile, ratio)
				} else {
					worst = max(worst, ratio)
				}
			}
			fmt.Fprintln(w)
		}
	}
	w.Flush()
	fmt.Printf("\ncompile: times goldmark's Parser().Parse, worst %.2f, goal %.1f\n", worstCompile, goalCompile)
	fmt.Printf("by surface: compile + render + split with plain form + coverage, worst %.2f, goal %.1f\n", worst, goalPipeline)
	return nil
}

// measure gives the time of goldmark's parser, of the compiler, and of
// the whole pipeline for each profile.
func measure(source string, rounds int) ([]time.Duration, error) {
	md := goldmark.New(goldmark.WithExtensions(
		extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote, extension.Linkify))
	bytes := []byte(source)
	work := []func() error{
		func() error { md.Parser().Parse(text.NewReader(bytes)); return nil },
		func() error { _, err := compile.Markdown(source); return err },
	}
	for _, p := range profiles {
		work = append(work, func() error { return pipeline(source, p.profile, p.dialect) })
	}
	times := make([][]time.Duration, len(work))
	for range rounds {
		for i, f := range work {
			// Enough repetitions for the clock, few enough for a table in seconds.
			n := 1 + (64<<10)/len(source)/4
			start := time.Now()
			for range n {
				if err := f(); err != nil {
					return nil, err
				}
			}
			times[i] = append(times[i], time.Since(start)/time.Duration(n))
		}
	}
	out := make([]time.Duration, len(work))
	for i, t := range times {
		slices.Sort(t)
		out[i] = t[len(t)/4]
	}
	return out, nil
}

func pipeline(source string, p surface.Profile, k dialect.Dialect) error {
	d, err := compile.Markdown(source)
	if err != nil {
		return err
	}
	return sent(d, p, k)
}
