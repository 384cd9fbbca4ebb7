package core

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestCardContext has what a card says of itself be its closing line.
func TestCardContext(t *testing.T) {
	got := texts(t, Draft{Markdown: `{"semantic_type":"metric","payload":{"label":"Build time","value":41.5},"context":{"as_of":"2026-05-04","comparison_basis":"the week before","period":{"start":"2026-05-01","end":"2026-05-04"},"evidence":[{"id":"run-17","kind":"ci_run"}]}}`})
	lines := strings.Split(strings.TrimSpace(got), "\n")
	last := lines[len(lines)-1]
	if lines[0] != "Build time: 41.5" || len(lines) < 3 {
		t.Fatalf("%q", got)
	}
	for _, part := range []string{"2026-05-04", "the week before", "2026-05-01", "run-17"} {
		if !strings.Contains(last, part) {
			t.Errorf("the closing line has no %q: %q", part, last)
		}
	}
}

// TestCardsWithin has a card be shown wherever a block may stand.
func TestCardsWithin(t *testing.T) {
	fence := func(indent string) string {
		return indent + "```vak\n" + indent + metricCard + "\n" + indent + "```\n"
	}
	for _, c := range []struct{ why, in string }{
		{"a quote", fence("> ")},
		{"a list", "- one\n\n" + fence("  ")},
		{"a list in a quote", "> 1. one\n>\n" + fence(">    ")},
		{"a callout", "> [!NOTE]\n" + fence("> ")},
	} {
		if got := texts(t, Draft{Markdown: c.in}); !strings.Contains(got, "Build time: 41.5 s") || strings.Contains(got, "semantic_type") {
			t.Errorf("%s:\n%s", c.why, got)
		}
	}
	c := configuredCore(t, "[templates.framed]\nformat = '''\n# {title}\n\n{body}\n\nend'''\n[targets.ops]\nto = 'log:ops'\ntemplate = 'framed'\n", "", Config{})
	p, err := c.Render(t.Context(), Draft{Markdown: metricCard, Metadata: map[string]string{"title": "T"}}, surface.Target{Surface: "log", Address: "ops"})
	if err != nil {
		t.Fatal(err)
	}
	if got := p[0].Chunks[0].Text; got != "T\n=\n\nBuild time: 41.5 s\n\nend" {
		t.Errorf("a template: %q", got)
	}
}

// TestManyCards renders many cards in a time that does not grow without bounds.
func TestManyCards(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "Figure %d\n\n```vak\n{\"semantic_type\":\"metric\",\"payload\":{\"label\":\"Figure %[1]d\",\"value\":%[1]d}}\n```\n\n", i)
	}
	start := time.Now()
	got := texts(t, Draft{Markdown: b.String()})
	if took := time.Since(start); took > time.Minute {
		t.Errorf("200 cards take %v", took)
	}
	for i := range 200 {
		if !strings.Contains(got, fmt.Sprintf("Figure %d: %d\n", i, i)) && !strings.HasSuffix(strings.TrimSpace(got), fmt.Sprintf("Figure %d: %d", i, i)) {
			t.Fatalf("card %d is not there", i)
		}
	}
}

// TestCardsOfWidths renders one answer at the same time on surfaces with grids of
// different widths: each gets what it gets alone.
func TestCardsOfWidths(t *testing.T) {
	card := chartCard(60) // its spark line is as wide as there is room
	c := configuredCore(t, "[surfaces.log]\ngrid = 100\n[targets.narrow]\nto = 'log:narrow'\ngrid = 20\n", "", Config{})
	targets := []surface.Target{{Surface: "log", Address: "wide"}, {Surface: "log", Address: "narrow"}}
	var alone []string
	for _, to := range targets {
		p, err := c.Render(t.Context(), Draft{Markdown: card}, to)
		if err != nil {
			t.Fatal(err)
		}
		alone = append(alone, p[0].Chunks[0].Text)
	}
	if alone[0] == alone[1] {
		t.Fatalf("the width makes no difference:\n%s", alone[0])
	}
	a, err := c.Prepare(Draft{Markdown: card})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			p, err := a.Render(t.Context(), targets[i%2])
			if err != nil || p.Chunks[0].Text != alone[i%2] {
				t.Errorf("on %s: %v", targets[i%2], err)
			}
		})
	}
	wg.Wait()
}

// TestRefusedCalls says of a call that hands over no card where it is wrong, and
// nothing of what it holds.
func TestRefusedCalls(t *testing.T) {
	got := texts(t, Draft{Markdown: "text", Tools: []ToolUse{
		{Name: "emit_metric_card", Arguments: []byte(`{"label":"planted","value":1}`)},
		{Name: "emit_metric_card", Arguments: []byte(`{"label":"planted"}`), Failed: true},
		{Name: "emit_log_line", Arguments: []byte(`{"label":"planted"}`)},
	}})
	if !strings.HasPrefix(got, "text") || strings.Count(got, "[card_call_refused]") != 1 || strings.Contains(got, "planted") {
		t.Errorf("%s", got)
	}
	a, err := open(t, Config{}).Prepare(Draft{Tools: []ToolUse{{Name: "emit_metric_card", Arguments: []byte(`{"label":"planted","value":1}`)}}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Render(t.Context(), surface.Target{Surface: "log", Address: "x"})
	if err != nil || len(p.Diagnostics) == 0 || !strings.Contains(p.Diagnostics[0].Message, "/semantic_type") || strings.Contains(p.Diagnostics[0].Message, "planted") {
		t.Errorf("%+v, %v", p.Diagnostics, err)
	}
}
