package ledger_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

var update = flag.Bool("update", false, "write the golden files anew")

// at is a time n seconds after the first one of these tests.
func at(n int) time.Time {
	return time.Date(2026, 3, 1, 9, 0, n, 5e6, time.UTC)
}

// everything is a session with a record for each part of the format.
func everything(t testing.TB) (names []string, records []ledger.Record, lines [][]byte) {
	chain := ledger.Chain{Session: "demo"}
	turn := ledger.TurnID{}
	add := func(name string, b ledger.Body, more ...ledger.Member) {
		r := ledger.Record{Time: at(len(lines)), Turn: turn, Body: b, Extra: more}
		line, err := chain.Append(nil, &r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, ok := b.(*ledger.Turn); ok {
			turn = r.Turn
		}
		names, records, lines = append(names, name), append(records, r), append(lines, line)
	}
	add("turn_begin", &ledger.Turn{Phase: ledger.Begin, Epoch: 7, Digest: "5d41", Key: "k-1"})
	add("message_user", &ledger.Message{Role: ledger.User, Markdown: "Compare *A* and B <&>\n\t\"quoted\" \\ \x00 \x1b \x7f \u2028 👍"})
	add("tool_call", &ledger.ToolCall{CallID: "c1", Name: "search", Arguments: json.RawMessage(`{"q":"a b","n":1.50e3,"deep":[[],{"é":"\u00e9"}]}`)})
	add("tool_result", &ledger.ToolResult{CallID: "c1", Name: "search", OK: true, Content: "two hits", JSON: json.RawMessage(`{"hits":2}`)})
	add("tool_result_failed", &ledger.ToolResult{CallID: "c2", Name: "search"})
	add("message_draft", &ledger.Message{Role: ledger.Assistant, Markdown: "A draft."})
	add("message_control", &ledger.Message{Role: ledger.User, Markdown: "Try again.", Control: ledger.RepairNudge})
	add("message_answer", &ledger.Message{Role: ledger.Assistant, Markdown: "The answer.", MessageKind: surface.TaskSummary, Metadata: map[string]string{"title": "A or B", "lang": "en"}})
	add("message_not_utf8", &ledger.Message{Role: ledger.Worker, Markdown: "caf\xe9\n"})
	add("message_payload", &ledger.Message{Role: ledger.Assistant, Markdown: "Deploy?", MessageKind: surface.Approval, Payload: json.RawMessage(`{"question":"Deploy?"}`)})
	add("activity", &ledger.Activity{What: ledger.ApprovalRequested, Detail: "deploy", Data: json.RawMessage(`{"action":"ok"}`)})
	add("presentation", &ledger.Presentation{
		Entry: ledger.EntryID{Session: "demo", Seq: 8}, Item: "i1", Plan: json.RawMessage(`{"recipe":"answer.basic"}`),
		Renderers:        []ledger.BlockRenderer{{Block: "1", Renderer: "telegram"}, {Block: "2.1.1", Renderer: "core/plain", Extra: ledger.Extra{{Name: "ms", Value: json.RawMessage("4")}}}},
		TemplateRevision: "3", ProfileDigest: "9f86",
		Trees: []ledger.Tree{{SHA256: ledger.HashOf([]byte("{}")), Tree: json.RawMessage("{}")}, {SHA256: ledger.HashOf(nil), Extra: ledger.Extra{{Name: "pack", Value: json.RawMessage(`"core"`)}}}},
	})
	add("extra", &ledger.Activity{What: "something_new"}, ledger.Member{Name: "colour", Value: json.RawMessage(`["red",null]`)}, ledger.Member{Name: "a b", Value: json.RawMessage("1")})
	add("turn_end", &ledger.Turn{Phase: ledger.End, Status: ledger.Partial, Reason: "the process was killed"})
	turn = ledger.TurnID{}
	add("outside_a_turn", &ledger.Activity{What: ledger.Compaction})
	add("presentation_on_a_target", &ledger.Presentation{
		Entry: ledger.EntryID{Session: "demo", Seq: 8}, Target: "telegram:-1001", Job: "demo/3:1:telegram:-1001", Epoch: 7,
		Trees: []ledger.Tree{{Card: ledger.HashOf([]byte("card")), SHA256: ledger.HashOf([]byte("{}")), Tree: json.RawMessage("{}")}},
	})
	return names, records, lines
}

// TestForm pins the form, byte by byte: it changes only with a version.
func TestForm(t *testing.T) {
	const file = "testdata/form.txtar"
	names, records, lines := everything(t)
	if *update {
		a := &txtar.Archive{Comment: []byte("The form of records: one session, one part of the format after the other.\nMade by go test -update; see TestForm.\n\n")}
		for i, line := range lines {
			a.Files = append(a.Files, txtar.File{Name: names[i], Data: append(bytes.Clone(line), '\n')})
		}
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Files) != len(lines) {
		t.Fatalf("%d golden records for %d", len(a.Files), len(lines))
	}
	var chain ledger.Chain
	for i, f := range a.Files {
		want := bytes.TrimSuffix(f.Data, []byte("\n"))
		if f.Name != names[i] || !bytes.Equal(lines[i], want) {
			t.Errorf("%s\n got %s\nwant %s", f.Name, lines[i], want)
		}
		line := bytes.Clone(want)
		r, err := chain.Add(line)
		clear(line) // the record shares no memory with it
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if !reflect.DeepEqual(r, records[i]) {
			t.Errorf("%s read\n got %+v\nwant %+v", f.Name, r, records[i])
		}
		if got := ledger.Append(nil, &r); !bytes.Equal(got, want) {
			t.Errorf("%s read and written again\n got %s\nwant %s", f.Name, got, want)
		}
		if !json.Valid(want) {
			t.Errorf("%s is not JSON", f.Name)
		}
	}
}

// TestEverything shows that everything sets every field of every body, so that
// one that is added has to be in the tests and so in the form.
func TestEverything(t *testing.T) {
	_, records, _ := everything(t)
	set := make(map[string]bool)
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			visit(v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				visit(v.Index(i))
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[time.Time]() {
				return
			}
			for i := range v.NumField() {
				name := v.Type().Name() + "." + v.Type().Field(i).Name
				set[name] = set[name] || !v.Field(i).IsZero()
				visit(v.Field(i))
			}
		}
	}
	for i := range records {
		visit(reflect.ValueOf(records[i]))
	}
	for name, ok := range set {
		if !ok {
			t.Errorf("no record sets %s", name)
		}
	}
}
