package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// held opens a core that holds a home with this configuration.
func held(t *testing.T, home, toml string, change ...func(*Config)) *Core {
	t.Helper()
	if toml != "" {
		if err := os.WriteFile(filepath.Join(home, "vak.toml"), []byte(toml), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := Config{Home: home, NoControl: true, NoDelivery: true}
	for _, f := range change {
		f(&config)
	}
	c, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// rendered is the log's packet of a draft.
func rendered(t *testing.T, c *Core, d Draft, target string) packet.Packet {
	t.Helper()
	to, _, err := c.resolve(target)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Render(t.Context(), d, to)
	if err != nil {
		t.Fatal(err)
	}
	return p[0]
}

func text(p packet.Packet) string {
	var parts []string
	for _, c := range p.Chunks {
		parts = append(parts, c.Text)
	}
	return strings.Join(parts, "\n")
}

func codes(p packet.Packet) []string {
	var out []string
	for _, d := range p.Diagnostics {
		out = append(out, d.Code)
	}
	return out
}

const reportTOML = `
[templates.mine]
revision = 2
format = """
{?title}
# {title}
{/title}

{body}

{?metadata.source}*From {metadata.source}*{/metadata.source}
"""

[policy]
template = "mine"

[targets.bare]
to = "log:bare"
template = "none"

[targets.missing]
to = "log:missing"
template = "nobody"

[targets.built]
to = "log:built"
template = "titled"
`

func TestTemplateOfTarget(t *testing.T) {
	c := held(t, t.TempDir(), reportTOML)
	d := Draft{Markdown: "Text *x*.\n", Metadata: map[string]string{"title": "**T**", "source": "me\u202e"}}
	for _, row := range []struct {
		target, want string
		template     *packet.Template
		codes        []string
	}{
		{"log:a", "**T**\n=====\n\nText x.\n\nFrom me\\u202e", &packet.Template{ID: "mine", Revision: 2}, nil},
		{"bare", "Text x.", nil, nil},
		{"missing", "Text x.", nil, []string{"template_missing"}},
		{"built", "**T**\n=====\n\nText x.", &packet.Template{ID: "titled", Revision: 1}, nil},
	} {
		p := rendered(t, c, d, row.target)
		if text(p) != row.want || !slices.Equal(codes(p), row.codes) || fmt.Sprint(p.Template != nil) != fmt.Sprint(row.template != nil) || p.Template != nil && *p.Template != *row.template {
			t.Errorf("%s: %q, %+v, %v", row.target, text(p), p.Template, p.Diagnostics)
		}
		if p.FallbackMarkdown != d.Markdown || strings.Contains(string(p.Payload), "**T**") || p.Coverage.Basis != packet.Verified {
			t.Errorf("%s: the packet is not the answer's own: %+v", row.target, p)
		}
	}
}

// TestTemplateKinds has every kind: those with content of their own, and answers
// that show nothing, are put into none.
func TestTemplateKinds(t *testing.T) {
	c := held(t, t.TempDir(), reportTOML)
	for _, row := range []struct {
		draft Draft
		used  bool
	}{
		{Draft{Markdown: "x"}, true},
		{Draft{Markdown: "x", Kind: surface.TaskSummary}, true},
		{Draft{Markdown: "x", Kind: surface.User}, true},
		{Draft{Markdown: "x", Alert: &Alert{Severity: Info}}, false},
		{Draft{Markdown: "x", Approval: &Approval{Options: []Option{{ID: "a", Verb: "A"}}}}, false},
		{Draft{Markdown: "x", Progress: &Progress{Done: 1}}, false},
		{Draft{Markdown: "x", ToolResult: &ToolResult{Tool: "t"}}, false},
		{Draft{Markdown: " \n"}, false},
	} {
		row.draft.Metadata = map[string]string{"title": "T"}
		if p := rendered(t, c, row.draft, "log:a"); (p.Template != nil) != row.used || len(p.Diagnostics) > 0 && row.used || strings.Contains(text(p), "T\n=") != row.used {
			t.Errorf("%s: %q, %+v", p.Kind, text(p), p.Template)
		}
	}
}

// TestTemplateEscaped has an answer of which the log gets a document of its own.
func TestTemplateEscaped(t *testing.T) {
	c := held(t, t.TempDir(), reportTOML)
	p := rendered(t, c, Draft{Markdown: "a\x1b[31mb\n"}, "log:a")
	if text(p) != `a\x1b[31mb` && text(p) != `a\u001b[31mb` {
		t.Errorf("%q", text(p))
	}
}

// TestTemplatesOnAllSurfaces has the shipped plugins split an answer in a template
// over many chunks: core reads every one of them back.
func TestTemplatesOnAllSurfaces(t *testing.T) {
	c := open(t, Config{Settings: Settings{}})
	format := "# Report: {title}\n\n> {?metadata.by}by {metadata.by}{/metadata.by}\n\n| blocks | by |\n|---|---|\n| {block_count} | {metadata.by} |\n\n{body}\n\n- end of *{title}*\n\n{source_markdown}\n"
	var long strings.Builder
	long.WriteString("# A [link](https://example.com/x) **title**\n\n")
	for i := range 120 {
		fmt.Fprintf(&long, "Paragraph %d with **bold** and `code` and some more words to fill it up.\n\n- item %d\n- other\n\n", i, i)
	}
	a, err := c.Prepare(Draft{Markdown: long.String(), Metadata: map[string]string{"by": "me & <b>you</b> {body}"}})
	if err != nil {
		t.Fatal(err)
	}
	if a, err = a.WithTemplate("big", 3, format); err != nil {
		t.Fatal(err)
	}
	for _, to := range targets("telegram", "slack", "discord", "webhook", "log") {
		p, err := a.Render(t.Context(), to)
		if err != nil {
			t.Fatal(err)
		}
		if p.Renderer.ID != to.Surface || len(p.Diagnostics) > 0 || p.Coverage.Basis != packet.Verified || p.Template == nil || p.Template.Revision != 3 {
			t.Errorf("%s: by %s, %v, %+v", to, p.Renderer.ID, p.Diagnostics, p.Template)
		}
		if to.Surface != "log" && to.Surface != "webhook" && len(p.Chunks) < 3 {
			t.Errorf("%s: only %d chunks", to, len(p.Chunks))
		}
		if !strings.Contains(p.Chunks[0].Plain, "Report: A") || !strings.Contains(p.Chunks[len(p.Chunks)-1].Plain, "Paragraph 119") {
			t.Errorf("%s: %q", to, p.Chunks[0].Plain)
		}
	}
}

func rows(t *testing.T, c *Core, id string) []string {
	t.Helper()
	all, err := c.Templates(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range all {
		if r.ID == id {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %d active=%v %s %s%s %s", r.Origin, r.Revision, r.Active, r.Overridden, r.Problem, r.Warning, strings.Join(r.UsedBy, ", "))))
		}
	}
	return out
}

func TestProposals(t *testing.T) {
	home := t.TempDir()
	c := held(t, home, "[policy]\ntemplate = \"idea\"\n[targets.x]\nto = \"log:x\"\n")
	ctx := t.Context()
	propose := func(id string, revision int, format string) error {
		_, err := c.ProposeTemplate(ctx, id, revision, format)
		return err
	}
	if p, err := c.ProposeTemplate(ctx, "idea", 0, "one\n\n{body}"); err != nil || p.Revision != 1 || p.Origin != TemplateProposal || p.Active || p.Proposed.IsZero() {
		t.Fatalf("%+v, %v", p, err)
	}
	d := Draft{Markdown: "Text."}
	if p := rendered(t, c, d, "x"); text(p) != "Text." || !slices.Equal(codes(p), []string{"template_missing"}) {
		t.Errorf("before it is active: %q %v", text(p), p.Diagnostics)
	}
	if w := c.templateWarnings(); len(w) != 1 || !strings.Contains(w[0], "is a proposal that is not active") {
		t.Errorf("warnings %q", w)
	}
	for why, err := range map[string]error{
		"the same revision":      propose("idea", 1, "two\n\n{body}"),
		"another id's":           propose("../x", 1, "{body}"),
		"no id":                  propose("none", 1, "{body}"),
		"no revision":            propose("idea", -1, "{body}"),
		"a format that is wrong": propose("idea", 2, "no body"),
	} {
		if err == nil {
			t.Errorf("%s is taken", why)
		}
	}
	if _, err := c.ActivateTemplate(ctx, "idea", 2); !errors.Is(err, ErrConflict) {
		t.Errorf("activating what nobody proposed: %v", err)
	}
	if p, err := c.ActivateTemplate(ctx, "idea", 1); err != nil || !p.Active {
		t.Errorf("%+v, %v", p, err)
	}
	if p := rendered(t, c, d, "x"); text(p) != "one\n\nText." || p.Template == nil || *p.Template != (packet.Template{ID: "idea", Revision: 1}) {
		t.Errorf("active: %q %v", text(p), p.Diagnostics)
	}
	if err := propose("idea", 5, "five\n\n{body}"); err != nil {
		t.Fatal(err)
	}
	if p := rendered(t, c, d, "x"); text(p) != "one\n\nText." {
		t.Errorf("a later proposal is used before it is active: %q", text(p))
	}

	// A restart keeps all of it, and what another version wrote.
	c.Close()
	path := filepath.Join(home, templatesName)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	b = []byte(strings.Replace(strings.Replace(string(b), `{"`, `{"later":{"a":1},"`, 1), `"active":true`, `"active":true,"by":"agent 7"`, 1))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	c = held(t, home, "")
	if got := rows(t, c, "idea"); !slices.Equal(got, []string{"proposal 5 active=false", "proposal 1 active=true   target x, policy"}) {
		t.Errorf("after a restart %q", got)
	}
	if _, err := c.ActivateTemplate(ctx, "idea", 5); err != nil {
		t.Fatal(err)
	}
	if p := rendered(t, c, d, "x"); text(p) != "five\n\nText." {
		t.Errorf("%q", text(p))
	}
	if b, _ = os.ReadFile(path); !strings.Contains(string(b), `"later":{"a":1}`) || !strings.Contains(string(b), `"by":"agent 7"`) {
		t.Errorf("what another version wrote is gone: %s", b)
	}
	if err := c.RejectTemplate(ctx, "idea", 5); !errors.Is(err, ErrConflict) {
		t.Errorf("rejecting an active one: %v", err)
	}
	if _, err := c.DeactivateTemplate(ctx, "idea"); err != nil {
		t.Error(err)
	}
	if _, err := c.DeactivateTemplate(ctx, "idea"); !errors.Is(err, ErrNotFound) {
		t.Errorf("twice: %v", err)
	}
	for _, n := range []int{1, 5} {
		if err := c.RejectTemplate(ctx, "idea", n); err != nil {
			t.Error(err)
		}
	}
	if err := propose("idea", 5, "another\n\n{body}"); !errors.Is(err, ErrConflict) {
		t.Errorf("a revision that was rejected can be proposed with other content: %v", err)
	}
	for i := range maxProposals {
		if err := propose(fmt.Sprintf("p%d", i), 0, "{body}"); err != nil {
			t.Fatal(err)
		}
	}
	if err := propose("more", 0, "{body}"); !errors.Is(err, ErrTemplate) {
		t.Errorf("one more than there may be: %v", err)
	}
	r, err := Open(t.Context(), Config{Home: home, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := rows(t, r, "p3"); len(got) != 1 {
		t.Errorf("one that only reads sees %q", got)
	}
	if _, err := r.ProposeTemplate(ctx, "x", 0, "{body}"); !errors.Is(err, ErrReadOnly) {
		t.Errorf("one that only reads proposes: %v", err)
	}
}

// TestPrecedence has templates of one id by everybody.
func TestPrecedence(t *testing.T) {
	home := t.TempDir()
	c := held(t, home, "")
	ctx := t.Context()
	if got := rows(t, c, "titled"); !slices.Equal(got, []string{"builtin 1 active=true"}) {
		t.Errorf("%q", got)
	}
	if _, err := c.ProposeTemplate(ctx, "titled", 7, "proposed\n\n{body}"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ActivateTemplate(ctx, "titled", 7); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, c, "titled"); !slices.Equal(got, []string{"proposal 7 active=true", "builtin 1 active=false proposal"}) {
		t.Errorf("%q", got)
	}
	c.Close()
	c = held(t, home, "[templates.titled]\nformat = \"user {body}\"\n[policy]\ntemplate = \"titled\"\n")
	got := rows(t, c, "titled")
	if len(got) != 3 || !strings.HasPrefix(got[0], "user 1 active=false  line 1, column 6: {body} shares its paragraph") || !slices.Equal(got[1:], []string{"proposal 7 active=false user", "builtin 1 active=false user"}) {
		t.Errorf("%q", got)
	}
	p := rendered(t, c, Draft{Markdown: "Text."}, "log:a")
	if text(p) != "Text." || !slices.Equal(codes(p), []string{"template_failed"}) || p.Template != nil {
		t.Errorf("a user's that is refused: %q, %v", text(p), p.Diagnostics)
	}
	if w := c.templateWarnings(); len(w) != 1 || !strings.Contains(w[0], "vak.toml:") || !strings.Contains(w[0], "line 1, column 6") {
		t.Errorf("%q", w)
	}
}

// TestRevisions has a template of a file change over time.
func TestRevisions(t *testing.T) {
	home := t.TempDir()
	step := func(revision int, word string) (p packet.Packet, warnings []string) {
		t.Helper()
		c := held(t, home, fmt.Sprintf("[templates.a]\nrevision = %d\nformat = \"\"\"%s\n\n{body}\"\"\"\n[policy]\ntemplate = \"a\"\n", revision, word))
		defer c.Close()
		return rendered(t, c, Draft{Markdown: "Text."}, "log:a"), c.templateWarnings()
	}
	if p, w := step(2, "one"); text(p) != "one\n\nText." || len(w) != 0 {
		t.Errorf("first: %q, %q", text(p), w)
	}
	for range 2 { // it is said again as long as it is so
		if p, w := step(2, "two"); text(p) != "two\n\nText." || len(w) != 1 || !strings.Contains(w[0], "raise the revision") {
			t.Errorf("the same revision with another format: %q, %q", text(p), w)
		}
	}
	if p, w := step(3, "three"); text(p) != "three\n\nText." || len(w) != 0 {
		t.Errorf("higher: %q, %q", text(p), w)
	}
	if p, w := step(2, "one"); text(p) != "Text." || len(w) != 1 || !strings.Contains(w[0], "revision 2 is lower than 3") || !slices.Equal(codes(p), []string{"template_failed"}) {
		t.Errorf("lower: %q, %q, %v", text(p), w, p.Diagnostics)
	}
	r, err := Open(t.Context(), Config{Home: home, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if w := r.templateWarnings(); len(w) != 1 || !strings.Contains(w[0], "is lower than 3") {
		t.Errorf("one that only reads says %q", w)
	}
}

// TestDamagedTemplates keeps what cannot be read, and goes on.
func TestDamagedTemplates(t *testing.T) {
	for _, row := range []struct{ why, content, says string }{
		{"no JSON", `{"version":1,`, "was damaged"},
		{"no version", `{}`, "was damaged"},
		{"a list", `[]`, "was damaged"},
		{"a proposal without an id", `{"version":1,"proposals":[{}]}`, "was damaged"},
		{"a wrong type", `{"version":1,"revisions":[{"id":1}]}`, "was damaged"},
		{"a newer version", `{"version":2,"proposals":7}`, "newer vak"},
	} {
		t.Run(row.why, func(t *testing.T) {
			if strings.Contains(row.says, "newer") {
				row.content = `{"version":2,"proposals":[]}`
			}
			home := t.TempDir()
			path := filepath.Join(home, templatesName)
			if err := os.WriteFile(path, []byte(row.content), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Open(t.Context(), Config{Home: home, ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			if w := r.templateWarnings(); len(w) != 1 {
				t.Errorf("one that only reads says %q", w)
			}
			r.Close()
			if b, _ := os.ReadFile(path); string(b) != row.content {
				t.Fatalf("one that only reads has changed it")
			}
			c := held(t, home, reportTOML)
			if p := rendered(t, c, Draft{Markdown: "Text."}, "built"); text(p) != "Text." || p.Template == nil {
				t.Errorf("%q, %+v", text(p), p)
			}
			if w := strings.Join(c.templateWarnings(), "\n"); !strings.Contains(w, row.says) {
				t.Errorf("%q", w)
			}
			_, err = c.ProposeTemplate(t.Context(), "x", 0, "{body}")
			aside, _ := filepath.Glob(path + ".damaged-*")
			if row.says == "newer vak" {
				if b, _ := os.ReadFile(path); string(b) != row.content || !errors.Is(err, ErrHome) {
					t.Errorf("a newer file was changed: %s, %v", b, err)
				}
				return
			}
			if err != nil || len(aside) != 1 {
				t.Errorf("%v, kept aside: %q", err, aside)
			}
			if b, _ := os.ReadFile(aside[0]); string(b) != row.content {
				t.Errorf("kept aside: %q", b)
			}
		})
	}
}

// TestMetadata goes through the ledger, and makes content another.
func TestMetadata(t *testing.T) {
	home := t.TempDir()
	c := held(t, home, reportTOML)
	d := Draft{Markdown: "Text.", Metadata: map[string]string{"title": "T", "source": "s"}}
	ids, err := c.Deliver(t.Context(), d, Delivery{Target: "log:a", ID: "j1"})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.Deliver(t.Context(), d, Delivery{Target: "log:a", ID: "j1"}); err != nil || !slices.Equal(again, ids) {
		t.Errorf("the same again: %v, %v", again, err)
	}
	other := d
	other.Metadata = map[string]string{"title": "T"}
	if _, err := c.Deliver(t.Context(), other, Delivery{Target: "log:a", ID: "j1"}); !errors.Is(err, ErrConflict) {
		t.Errorf("other metadata: %v", err)
	}
	s, err := c.Session(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	complete := func(d Draft) (Completed, error) {
		turn, err := s.Begin(t.Context(), TurnOptions{Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		return turn.Complete(t.Context(), d, Delivery{Target: "log:b"})
	}
	if _, err := complete(d); err != nil {
		t.Fatal(err)
	}
	if done, err := complete(d); err != nil || !done.Repeated {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := complete(other); !errors.Is(err, ErrTurn) {
		t.Errorf("a turn with other metadata: %v", err)
	}
	c.Close()

	c = held(t, home, "", func(c *Config) { c.NoDelivery = false })
	want := "T\n=\n\nText.\n\nFrom s\n"
	settled(t, c, "j1")
	if b, err := os.ReadFile(filepath.Join(home, "log", "a.log")); string(b) != want {
		t.Errorf("%q, %v", b, err)
	}
	p, err := c.Packet(t.Context(), "j1")
	if err != nil || p.Template == nil || *p.Template != (packet.Template{ID: "mine", Revision: 2}) {
		t.Errorf("%+v, %v", p.Template, err)
	}
	c.Close()

	// What was rendered stays what it was, whatever templates are then.
	c = held(t, home, strings.ReplaceAll(reportTOML, "revision = 2", "revision = 3"))
	if p, err := c.Packet(t.Context(), "j1"); err != nil || p.Template == nil || p.Template.Revision != 2 || text(p)+"\n" != want {
		t.Errorf("%+v, %v", p, err)
	}
}

// settled waits for a job to end.
func settled(t *testing.T, c *Core, id string) {
	t.Helper()
	for range 1000 {
		j, err := c.Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if j.State == JobDelivered {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("job %s does not end", id)
}

func TestMetadataBounds(t *testing.T) {
	many := map[string]string{}
	for i := range maxMetadata + 1 {
		many[fmt.Sprintf("k%d", i)] = ""
	}
	for why, m := range map[string]map[string]string{
		"too many":       many,
		"a capital":      {"Title": "x"},
		"an empty key":   {"": "x"},
		"a long key":     {strings.Repeat("k", 65): "x"},
		"a digit first":  {"1a": "x"},
		"not UTF-8":      {"a": "secret\xff"},
		"too long":       {"a": strings.Repeat("secret", maxValue/6+1)},
		"a key to break": {"a}": "x"},
	} {
		err := (&Draft{Metadata: m}).checkMetadata()
		if !errors.Is(err, ErrDraft) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", why, err)
		}
	}
	if err := (&Draft{Metadata: map[string]string{"a.b-c_d9": strings.Repeat("x", maxValue)}}).checkMetadata(); err != nil {
		t.Error(err)
	}
}

// TestTemplateMidFlight has the configuration change between two answers, and
// proposals change while answers are rendered.
func TestTemplateMidFlight(t *testing.T) {
	home := t.TempDir()
	c := held(t, home, reportTOML)
	if p := rendered(t, c, Draft{Markdown: "x"}, "log:a"); p.Template == nil || p.Template.Revision != 2 {
		t.Fatalf("%+v", p.Template)
	}
	if err := os.WriteFile(filepath.Join(home, "vak.toml"), []byte(strings.ReplaceAll(reportTOML, "revision = 2", "revision = 9")), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := rendered(t, c, Draft{Markdown: "x"}, "log:a"); p.Template == nil || p.Template.Revision != 9 {
		t.Errorf("%+v", p.Template)
	}
	done := make(chan error)
	go func() {
		defer close(done)
		for i := range 20 {
			if _, err := c.ProposeTemplate(context.Background(), "nobody", 0, fmt.Sprintf("v%d\n\n{body}", i+1)); err != nil {
				done <- err
				return
			}
			if _, err := c.ActivateTemplate(context.Background(), "nobody", i+1); err != nil {
				done <- err
				return
			}
		}
	}()
	for open := true; open; {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			open = false
		default:
			p := rendered(t, c, Draft{Markdown: "x"}, "missing")
			if want := "x"; p.Template != nil {
				want = fmt.Sprintf("v%d\n\nx", p.Template.Revision)
				if text(p) != want {
					t.Fatalf("%q is not revision %d", text(p), p.Template.Revision)
				}
			} else if text(p) != want {
				t.Fatalf("%q", text(p))
			}
		}
	}
}

// TestTemplateLogsNoText has a template and an answer with a marker, and looks for
// it in the log.
func TestTemplateLogsNoText(t *testing.T) {
	var out strings.Builder
	c := held(t, t.TempDir(), reportTOML, func(c *Config) {
		c.Log = hclog.New(&hclog.LoggerOptions{Output: &out, Level: hclog.Trace})
	})
	rendered(t, c, Draft{Markdown: "marker17 text", Metadata: map[string]string{"title": "marker17"}}, "missing")
	if strings.Contains(out.String(), "marker17") || !strings.Contains(out.String(), "nobody") {
		t.Errorf("%s", out.String())
	}
}

func FuzzTemplatesFile(f *testing.F) {
	f.Add([]byte(`{"version":1,"revisions":[{"id":"a","owner":"user","revision":3,"sha256":"00"}],"proposals":[{"id":"b","revision":1,"format":"{body}","proposed":"2026-01-02T03:04:05Z","active":true,"x":1}],"y":[2]}`))
	f.Add([]byte(`{"version":2}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := parseTemplates(b)
		if err != nil {
			return
		}
		once, err := k.marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseTemplates(once)
		if err != nil {
			t.Fatalf("%s cannot be read: %v", once, err)
		}
		if twice, err := again.marshal(); err != nil || string(twice) != string(once) || !json.Valid(once) {
			t.Fatalf("%s became %s, %v", once, twice, err)
		}
	})
}

// TestTemplateOfProject has a trusted project's templates, which go before what is
// built in or proposed, and behind the user's.
func TestTemplateOfProject(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	put := func(dir, name, content string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(project, ".vak"), "output.toml", "[policy]\ntemplate = \"titled\"\n[templates.titled]\nrevision = 9\nformat = \"\"\"project\n\n{body}\"\"\"\n")
	in := func(c *Config) { c.Project = project }
	d := Draft{Markdown: "Text."}

	c := held(t, home, "", in)
	if p := rendered(t, c, d, "log:a"); p.Template != nil {
		t.Errorf("a project that nobody trusts has its template used: %q", text(p))
	}
	c.Close()
	if _, err := Trust(home, project); err != nil {
		t.Fatal(err)
	}
	c = held(t, home, "", in)
	if p := rendered(t, c, d, "log:a"); text(p) != "project\n\nText." || p.Template == nil || p.Template.Revision != 9 {
		t.Errorf("%q, %+v", text(p), p.Template)
	}
	if got := rows(t, c, "titled"); !slices.Equal(got, []string{"project 9 active=true   policy", "builtin 1 active=false project"}) {
		t.Errorf("%q", got)
	}
	c.Close()

	// The user's own has revisions of its own.
	put(home, "output.toml", "[templates.titled]\nformat = \"\"\"user\n\n{body}\"\"\"\n")
	c = held(t, home, "", in)
	if p := rendered(t, c, d, "log:a"); text(p) != "user\n\nText." || p.Template.Revision != 1 {
		t.Errorf("%q, %+v", text(p), p.Template)
	}
	if w := c.templateWarnings(); len(w) > 0 {
		t.Errorf("%q", w)
	}
}
