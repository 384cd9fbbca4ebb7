package core

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

const metricCard = `{"semantic_type":"metric","payload":{"label":"Build time","value":41.5,"unit":"s"}}`

// texts renders a draft as the surfaces of this process show it.
func texts(t *testing.T, d Draft) string {
	t.Helper()
	c := open(t, Config{})
	p, err := c.Render(context.Background(), d, surface.Target{Surface: "log", Address: "x"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, k := range p[0].Chunks {
		b.WriteString(k.Text)
	}
	for _, g := range p[0].Diagnostics {
		b.WriteString("\n[" + g.Code + "]")
	}
	return b.String()
}

func TestWaysIn(t *testing.T) {
	args := json.RawMessage(`{"semantic_type":"metric","label":"Build time","value":41.5,"unit":"s"}`)
	bare := texts(t, Draft{Markdown: metricCard})
	for _, c := range []struct {
		why string
		in  Draft
	}{
		{"a fence", Draft{Markdown: "```vak\n" + metricCard + "\n```"}},
		{"a tool that hands over cards", Draft{Tools: []ToolUse{{Name: "emit_metric_card", Arguments: args}}}},
		{"the result of another tool", Draft{Tools: []ToolUse{{Name: "measure", Result: metricCard}}}},
		{"the call of another tool", Draft{Tools: []ToolUse{{Name: "show", Arguments: json.RawMessage(metricCard)}}}},
	} {
		if got := texts(t, c.in); got != bare {
			t.Errorf("%s:\n%s\nwant\n%s", c.why, got, bare)
		}
	}
	t.Log(bare)
	if strings.Contains(bare, "{") || !strings.Contains(bare, "41.5 s") {
		t.Errorf("no form for people:\n%s", bare)
	}
}

func TestCardsOfATurn(t *testing.T) {
	ctx := context.Background()
	c := held(t, t.TempDir(), "", func(c *Config) { c.NoDelivery = false })
	s, err := c.Session(ctx, "demo")
	if err != nil {
		t.Fatal(err)
	}
	turn, err := s.Begin(ctx, TurnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	args := json.RawMessage(`{"label":"Build time","value":41.5,"unit":"s"}`)
	bad := json.RawMessage(`{"tests":"none"}`)
	for _, b := range []ledger.Body{
		&ledger.ToolCall{CallID: "1", Name: "emit_test_report_card", Arguments: bad},
		&ledger.ToolResult{CallID: "1", Name: "emit_test_report_card", OK: false, Content: "/tests: expected an array"},
		&ledger.ToolCall{CallID: "2", Name: "emit_metric_card", Arguments: json.RawMessage(`{"semantic_type":"metric",` + string(args[1:]))},
		&ledger.ToolResult{CallID: "2", Name: "emit_metric_card", OK: true, Content: "shown"},
		&ledger.ToolCall{CallID: "3", Name: "shell", Arguments: json.RawMessage(`{"command":"go test ./..."}`)},
		&ledger.ToolResult{CallID: "3", Name: "shell", OK: true, Content: "ok", JSON: json.RawMessage(`{"exit_code":0}`)},
	} {
		if _, err := turn.Append(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := turn.Complete(ctx, Draft{Markdown: "x", Tools: []ToolUse{{Name: "y"}}}); !errors.Is(err, ErrDraft) {
		t.Errorf("tools of a draft that is kept: %v", err)
	}
	early, err := turn.Deliver(ctx, Draft{Markdown: "Still building."}, Delivery{Target: "log:early"})
	if err != nil {
		t.Fatal(err)
	}
	settled(t, c, early[0])
	if p, err := c.Packet(ctx, early[0]); err != nil || len(p.Chunks) != 1 || p.Chunks[0].Text != "Still building." {
		t.Errorf("what goes out in the middle of a turn shows its cards, too: %+v, %v", p.Chunks, err)
	}
	done, err := turn.Complete(ctx, Draft{Markdown: "The build took 41.5 s."}, Delivery{Target: "log:x"})
	if err != nil {
		t.Fatal(err)
	}
	settled(t, c, done.Jobs[0])
	sub, _, err := c.outbox.Content(ctx, done.Jobs[0])
	if err != nil {
		t.Fatal(err)
	}
	one, err := desk{c}.answer(ctx, sub)
	if other, again := (desk{c}).answer(ctx, sub); err != nil || again != nil || one != other {
		t.Errorf("the answer is compiled for every target: %v, %v", err, again)
	}
	w, err := c.WhyJob(ctx, done.Jobs[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Packet(ctx, done.Jobs[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Chunks) != 1 || p.Chunks[0].Text != "Build time: 41.5 s" {
		t.Errorf("the card is the answer: %+v", p.Chunks)
	}
	if len(p.Diagnostics) != 1 || p.Diagnostics[0].Code != "text_in_ledger" {
		t.Errorf("what is not shown is said: %+v", p.Diagnostics)
	}
	if w.Entry != done.Entry.String() || w.Recipe.ID == "" || !slices.Contains(w.Signals.Tools, "pass_fail") || len(w.Renderers) != 1 || w.Renderers[0].Renderer != "core" {
		t.Errorf("why: %+v", w)
	}
	middle, _, err := c.outbox.Content(ctx, early[0])
	if err != nil {
		t.Fatal(err)
	}
	c.answers.forget(middle.Source, c.epochOf(middle.Epoch)) // now that something follows it
	if all, err := c.WhyEntry(ctx, middle.Source, "log"); err != nil || len(all) != 1 || len(all[0].Renderers) != 1 || all[0].Renderers[0].Kind != doc.KindParagraph {
		t.Errorf("what went out in the middle of the turn has its cards later: %+v, %v", all, err)
	}
	all, err := c.WhyEntry(ctx, done.Entry, "log")
	if err != nil || len(all) != 1 || all[0].Recipe != w.Recipe || all[0].Summary != w.Summary {
		t.Errorf("why of the entry: %+v, %v", all, err)
	}
	if _, err := c.WhyEntry(ctx, ledger.EntryID{Session: "demo", Seq: 2}); !errors.Is(err, ErrDraft) {
		t.Errorf("a call has no look: %v", err)
	}
	if _, err := c.WhyJob(ctx, "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("no job: %v", err)
	}
}

func TestNotesBesideCards(t *testing.T) {
	tools := []ToolUse{{Name: "measure", Result: metricCard}}
	if got := texts(t, Draft{Tools: tools, Markdown: "Note: measured twice."}); got != "Build time: 41.5 s\n\nNote: measured twice." {
		t.Errorf("a note: %q", got)
	}
	if got := texts(t, Draft{Tools: append(tools, tools...), Markdown: "Note: a fence\n\n```vak\n" + metricCard + "\n```"}); strings.Count(got, "41.5") != 1 || !strings.Contains(got, "[card_repeated]") {
		t.Errorf("three times the same card: %q", got)
	}
	if got := texts(t, Draft{Tools: []ToolUse{{Name: "measure", Result: metricCard, Failed: true}}, Markdown: "none"}); got != "none" {
		t.Errorf("a tool that failed: %q", got)
	}
}

// TestLongCards has a card of which not all is shown be followed by its JSON where
// that fits, and else by a line that says where the rest is.
func TestLongCards(t *testing.T) {
	chart := chartCard(400)
	c := open(t, Config{})
	small := surface.Target{Surface: "nowhere", Address: "x"} // of which nothing is known: 2000 code points
	p, err := c.Render(context.Background(), Draft{Markdown: chart}, small, surface.Target{Surface: "log", Address: "x"})
	if err != nil {
		t.Fatal(err)
	}
	last := p[0].Coverage.Blocks[len(p[0].Coverage.Blocks)-1]
	if last.Disposition != surface.Omitted || last.Reason != "in_ledger" {
		t.Errorf("where it does not fit, coverage says so: %+v", last)
	}
	var log strings.Builder
	for _, k := range p[1].Chunks {
		log.WriteString(k.Text)
	}
	if !strings.Contains(log.String(), `"x": 399`) {
		t.Errorf("where it fits, the payload follows:\n%.2000s", log.String())
	}
}
