package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/catalog"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/lower"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// goalCards is the time of a card, as a multiple of that of the same content in
// markdown.
const goalCards = 3.0

// cardRatios compares cards of every shape with what they show, written as
// markdown: the example of the shape, and one of about 64 KB. Both end in messages
// for Telegram that were checked.
func cardRatios(rounds int) error {
	c, err := catalog.New(cards.Skill())
	if err != nil {
		return err
	}
	fmt.Printf("\ncards on Telegram: validate + lower + render + check, to the same content as markdown\n")
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "shape\tKB\tmarkdown µs\tcard µs\tratio\tread\tvalidate\tlower\tthe rest\t")
	worst := 0.0
	for _, s := range cards.Shapes() {
		for _, large := range []bool{false, true} {
			payload := s.Example.Payload
			if large {
				if payload, err = grown(payload, 64<<10); err != nil {
					return err
				}
			}
			ratio, err := cardRatio(w, c, s, payload, rounds)
			if err != nil {
				return fmt.Errorf("%s: %w", s.Tool, err)
			}
			worst = max(worst, ratio)
		}
	}
	w.Flush()
	fmt.Printf("worst %.2f (goal %.1f)\n", worst, goalCards)
	return nil
}

// telegram is where cards are compared: the surface that splits most.
func telegram() (surface.Profile, dialect.Dialect) { return profiles[0].profile, profiles[0].dialect }

// cardRatio measures one card and writes a row.
func cardRatio(w *tabwriter.Writer, c *catalog.Catalog, s cards.Shape, payload []byte, rounds int) (float64, error) {
	envelope := fmt.Appendf(nil, `{"semantic_type":%q,"payload":%s}`, s.Example.Type, payload)
	p, k := telegram()
	blocks, err := cardBlocks(c, envelope, p)
	if err != nil {
		return 0, err
	}
	d := &doc.Document{Version: doc.SchemaVersion, Blocks: blocks}
	gfm := profiles[3]
	r, err := layout.Render(context.Background(), surface.RenderRequest{Doc: d, Profile: gfm.profile, Kind: surface.Assistant}, gfm.dialect)
	if err != nil || len(r.Chunks) != 1 {
		return 0, fmt.Errorf("as markdown it is %d chunks: %w", len(r.Chunks), err)
	}
	source := r.Chunks[0].Text
	o, err := c.Open(envelope)
	if err != nil {
		return 0, err
	}
	var failed error
	keep := func(err error) {
		if err != nil {
			failed = err
		}
	}
	took := interleave(rounds, max(1, 2<<10/len(envelope)*8),
		func() { keep(pipeline(source, p, k)) },
		func() {
			blocks, err := cardBlocks(c, envelope, p)
			keep(err)
			keep(sent(&doc.Document{Version: doc.SchemaVersion, Blocks: blocks}, p, k))
		},
		func() { _, err := card.ParseOutput(envelope); keep(err) },
		func() { _, err := c.Open(envelope); keep(err) },
		func() { keep(faced(c, o, p)) },
	)
	if failed != nil {
		return 0, failed
	}
	ratio := float64(took[1]) / float64(took[0])
	share := func(t time.Duration) string { return fmt.Sprintf("%.0f %%", 100*float64(t)/float64(took[1])) }
	fmt.Fprintf(w, "%s\t%d\t%.0f\t%.0f\t%.2f\t%s\t%s\t%s\t%s\t\n", strings.TrimSuffix(strings.TrimPrefix(s.Tool, "emit_"), "_card"), (len(payload)+512)>>10,
		float64(took[0].Nanoseconds())/1000, float64(took[1].Nanoseconds())/1000, ratio,
		share(took[2]), share(took[3]-took[2]), share(took[4]), share(took[1]-took[3]-took[4]))
	return ratio, nil
}

// cardBlocks are those of a card as core makes them.
func cardBlocks(c *catalog.Catalog, envelope []byte, p surface.Profile) ([]doc.Block, error) {
	o, err := c.Open(envelope)
	if err != nil {
		return nil, err
	}
	b, err := card.AppendOutput(nil, o)
	if err != nil {
		return nil, err
	}
	return blocksOf(c, o, string(b), p)
}

func faced(c *catalog.Catalog, o card.Output, p surface.Profile) error {
	_, err := blocksOf(c, o, "", p)
	return err
}

func blocksOf(c *catalog.Catalog, o card.Output, output string, p surface.Profile) ([]doc.Block, error) {
	t, err := c.Lower(context.Background(), o)
	if err != nil {
		return nil, err
	}
	f := lower.NewFace(o, t)
	d := &doc.Document{Version: doc.SchemaVersion, Blocks: []doc.Block{&doc.Structured{ID: "1", Output: output}}}
	d, _ = lower.Cards(d, func(*doc.Structured) *lower.Face { return f }, lower.Options{Width: p.Grid, Appendix: lower.Never})
	return d.Blocks, nil
}

// sent renders a document and checks what comes of it.
func sent(d *doc.Document, p surface.Profile, k dialect.Dialect) error {
	d = doc.Lower(d, doc.Support{Version: doc.SchemaVersion, Blocks: layout.Blocks()})
	r, err := layout.Render(context.Background(), surface.RenderRequest{Doc: d, Profile: p, Kind: surface.Assistant}, k)
	if err != nil {
		return err
	}
	if lost := cover.Check(d, p, r, k).Losses; len(lost) > 0 {
		return fmt.Errorf("%s loses %s in block %s", p.Surface, lost[0].What, lost[0].Block)
	}
	return nil
}

// interleave is the lower quartile of the time of each, n times in a row.
func interleave(rounds, n int, work ...func()) []time.Duration {
	times := make([][]time.Duration, len(work))
	for range rounds {
		for i, f := range work {
			start := time.Now()
			for range n {
				f()
			}
			times[i] = append(times[i], time.Since(start)/time.Duration(n))
		}
	}
	out := make([]time.Duration, len(work))
	for i, t := range times {
		slices.Sort(t)
		out[i] = t[len(t)/4]
	}
	return out
}

// grown is a payload with the elements of its largest array, or else the words of
// its longest text, again and again until it has about size bytes.
func grown(payload []byte, size int) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(payload, &members); err != nil {
		return nil, err
	}
	name := longest(members, '[')
	if name == "" {
		name = longest(members, '"')
		var text string
		if err := json.Unmarshal(members[name], &text); err != nil {
			return nil, err
		}
		members[name], _ = json.Marshal(strings.Repeat(text+"\n", size/len(text)))
		if name != "output" && name != "html" { // others have a bound of their own
			members[name] = members[name][:min(len(members[name]), 1500)]
			members[name][len(members[name])-1] = '"'
		}
		return json.Marshal(members)
	}
	if name == "series" {
		return grownChart(payload, size)
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(members[name], &elements); err != nil {
		return nil, err
	}
	times := max(1, size/len(members[name]))
	members[name], _ = json.Marshal(slices.Repeat(elements, times))
	for _, count := range []string{"passed", "failed", "skipped", "total"} {
		delete(members, count) // they come to something else now
	}
	return json.Marshal(members)
}

// longest is the member of the most bytes of those that begin with a character.
func longest(members map[string]json.RawMessage, first byte) string {
	best := ""
	for name, m := range members {
		if m[0] == first && (best == "" || len(m) > len(members[best]) || len(m) == len(members[best]) && name < best) {
			best = name
		}
	}
	return best
}

// grownChart is a chart with as many points as there is room for.
func grownChart(payload []byte, size int) ([]byte, error) {
	var chart map[string]any
	if err := json.Unmarshal(payload, &chart); err != nil {
		return nil, err
	}
	var points []any
	for i := range size / 20 {
		points = append(points, map[string]any{"x": i, "y": i * i % 997})
	}
	chart["series"] = []any{map[string]any{"name": "load", "points": points}}
	return json.Marshal(chart)
}
