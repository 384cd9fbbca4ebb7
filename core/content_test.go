package core_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func TestKinds(t *testing.T) {
	c, err := core.Open(t.Context(), core.Config{ReadOnly: true, Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	expires := time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)
	for _, k := range []struct {
		draft              core.Draft
		kind               surface.Kind
		text, payload, why string
	}{
		{core.Draft{Markdown: "Disk at **91 %**", Alert: &core.Alert{Severity: core.Critical}}, surface.Alert,
			"Critical alert\n\nDisk at 91 %", `{"severity":"critical","document":{`, "an alert says how bad it is"},
		{core.Draft{Markdown: "indexing", Progress: &core.Progress{Done: 3, Total: 10}}, surface.Progress,
			"3 of 10 done\n\nindexing", `{"done":3,"total":10,"note":{`, "a progress says how far"},
		{core.Draft{Progress: &core.Progress{Done: 3}}, surface.Progress, "3 done", `{"done":3,"note":{`, "a progress needs no note"},
		{core.Draft{Markdown: "`ok`", ToolResult: &core.ToolResult{Tool: "go test", OK: true}}, surface.ToolResult,
			"go test: done\n\nok", `{"tool":"go test","ok":true,"document":{`, "a tool's result names the tool"},
		{core.Draft{Markdown: "Deploy?", Approval: &core.Approval{Expires: expires, Options: []core.Option{
			{ID: "y", Verb: "Deploy now"}, {ID: "n", Verb: "1. <b>Not *now*</b>", Data: json.RawMessage(`{"a":1}`)}}}}, surface.Approval,
			"Deploy?\n\n1. Deploy now\n2. 1. <b>Not *now*</b>\n\nAnswer before 2026-03-04 05:06 UTC.",
			`{"options":[{"id":"y","verb":"Deploy now"},{"id":"n","verb":"1. \u003cb\u003eNot *now*\u003c/b\u003e","data":{"a":1}}],"expires_at":"2026-03-04T05:06:00Z","question":{`,
			"options print as a numbered list where there are no buttons, whatever their words"},
	} {
		ps, err := c.Render(t.Context(), k.draft, surface.Target{Surface: "log"})
		if err != nil {
			t.Errorf("%s: %v", k.why, err)
			continue
		}
		p := ps[0]
		if p.Kind != k.kind || len(p.Chunks) != 1 || p.Chunks[0].Text != k.text {
			t.Errorf("%s: %s %+v\nwant %q", k.why, p.Kind, p.Chunks, k.text)
		}
		if !strings.HasPrefix(string(p.Payload), k.payload) || !json.Valid(p.Payload) {
			t.Errorf("%s: payload %s\nwant %s…", k.why, p.Payload, k.payload)
		}
		if p.FallbackMarkdown != k.draft.Markdown {
			t.Errorf("%s: the source is %q", k.why, p.FallbackMarkdown)
		}
		if want := k.kind == surface.Approval; want != (len(p.Actions) == 2) || want && !p.Actions[1].Expires.Equal(expires) {
			t.Errorf("%s: actions %+v", k.why, p.Actions)
		}
	}
}

func TestDraftsThatMayNotGo(t *testing.T) {
	c, err := core.Open(t.Context(), core.Config{ReadOnly: true, Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	option := func(id, verb string) core.Draft {
		return core.Draft{Approval: &core.Approval{Options: []core.Option{{ID: id, Verb: verb}}}}
	}
	for _, k := range []struct {
		draft core.Draft
		why   string
	}{
		{core.Draft{Markdown: "a", Kind: "system"}, "what the runtime says to the model goes to nobody else"},
		{core.Draft{Markdown: "a", Kind: "tool_call"}, "nor does a call of a tool"},
		{core.Draft{Markdown: "a", Kind: surface.Approval}, "an approval has options"},
		{core.Draft{Kind: surface.Alert, Progress: &core.Progress{}}, "kind and content have to match"},
		{core.Draft{Alert: &core.Alert{Severity: core.Info}, Progress: &core.Progress{}}, "it is one of them"},
		{core.Draft{Alert: &core.Alert{Severity: "bad"}}, "a severity that there is not"},
		{core.Draft{Progress: &core.Progress{Done: 3, Total: 2}}, "more done than there is"},
		{core.Draft{ToolResult: &core.ToolResult{}}, "a result of no tool"},
		{core.Draft{Approval: &core.Approval{}}, "no option"},
		{option("a b", "x"), "an id with a space"},
		{option(strings.Repeat("x", 33), "x"), "a long id"},
		{option("a", ""), "no verb"},
		{core.Draft{Approval: &core.Approval{Options: []core.Option{{ID: "a", Verb: "x"}, {ID: "a", Verb: "y"}}}}, "an id twice"},
		{core.Draft{Approval: &core.Approval{Options: []core.Option{{ID: "a", Verb: "x", Data: json.RawMessage("{")}}}}, "data that is no JSON"},
	} {
		if _, err := c.Render(t.Context(), k.draft, surface.Target{Surface: "log"}); !errors.Is(err, core.ErrDraft) {
			t.Errorf("%s: %v", k.why, err)
		}
	}
}
