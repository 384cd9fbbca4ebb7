package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// script makes a session of words: "begin" and "end" open and close the turn,
// "begin:b" and "end:b" one named b. Others are a message each, "a:draft" one in
// the turn, "b.a:draft" one in turn b, "-.a:draft" one outside of turns. Writers
// are u user, a assistant, w worker, t tool, s system; n a repair nudge, p a
// presentation check, g a stop guard; K an assistant's progress, S its summary.
// "call" is a tool call.
func script(t testing.TB, words string) []ledger.Record {
	t.Helper()
	chain := ledger.Chain{Session: "s"}
	turns := make(map[string]ledger.TurnID)
	var out []ledger.Record
	for word := range strings.FieldsSeq(words) {
		who, text, _ := strings.Cut(word, ":")
		turn := ""
		if in, rest, ok := strings.Cut(who, "."); ok {
			turn, who = in, rest
		} else if who == "begin" || who == "end" {
			turn, text = text, ""
		}
		m := &ledger.Message{Role: ledger.Assistant, Markdown: text}
		var b ledger.Body = m
		switch who {
		case "begin":
			b = &ledger.Turn{Phase: ledger.Begin}
		case "end":
			b = &ledger.Turn{Phase: ledger.End, Status: ledger.Complete}
		case "call":
			b = &ledger.ToolCall{Name: "x"}
		case "a":
		case "u":
			m.Role = ledger.User
		case "w":
			m.Role = ledger.Worker
		case "t":
			m.Role = ledger.Tool
		case "s":
			m.Role = ledger.System
		case "n":
			m.Role, m.Control = ledger.User, ledger.RepairNudge
		case "p":
			m.Role, m.Control = ledger.User, ledger.PresentationCheck
		case "g":
			m.Role, m.Control = ledger.User, ledger.StopGuard
		case "K":
			m.MessageKind = surface.Progress
		case "S":
			m.MessageKind = surface.TaskSummary
		default:
			t.Fatalf("no such word: %s", word)
		}
		r := ledger.Record{Time: at(len(out)), Turn: turns[turn], Body: b}
		if who == "begin" {
			r.Turn = ledger.TurnID{}
		}
		if _, err := chain.Append(nil, &r); err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		if who == "begin" {
			turns[turn] = r.Turn
		}
		out = append(out, r)
	}
	return out
}

func all(records []ledger.Record, err error) iter.Seq2[ledger.Record, error] {
	return func(yield func(ledger.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(ledger.Record{}, err)
		}
	}
}

// texts gives the texts of what is projected.
func texts(t testing.TB, records []ledger.Record) string {
	t.Helper()
	var out []string
	for e, err := range ledger.Messages(all(records, nil)) {
		if err != nil {
			t.Fatal(err)
		}
		r := records[e.ID.Seq-1]
		if r.ID() != e.ID || r.Body != ledger.Body(e.Message) || e.Turn != r.Turn || !e.Time.Equal(r.Time) || e.Kind == "" {
			t.Errorf("%+v is not of %+v", e, r)
		}
		out = append(out, e.Message.Markdown)
	}
	return strings.Join(out, " ")
}

func TestMessages(t *testing.T) {
	for _, c := range []struct{ session, want, why string }{
		{"begin u:hi a:answer end", "hi answer", "a question and its answer"},
		{"begin u:hi a:draft n:again a:answer end", "hi answer", "a draft, a nudge and the answer"},
		{"begin u:hi a:draft p:card a:answer end", "hi answer", "the presentation check is one too"},
		{"begin u:hi S:draft n:again a:answer end", "hi answer", "a summary is an answer"},
		{"begin u:hi a:draft n:again S:answer end", "hi answer", "also as the later one"},
		{"begin u:hi a:draft n:again a:answer", "hi answer", "in a turn that has not ended"},
		{"begin u:hi a:draft n:again call a:answer end", "hi answer", "with a call between"},
		{"begin u:hi a:draft n:again n:again a:answer end", "hi answer", "two nudges for one draft"},
		{"begin u:hi a:one n:again a:two p:card a:three end", "hi three", "each nudge makes its own draft"},
		{"begin u:hi a:look call a:draft n:again a:answer end", "hi look answer", "what was said before the draft is no draft"},
		{"begin u:hi a:draft n:again end", "hi draft", "nothing better came"},
		{"begin u:hi a:draft n:again", "hi draft", "nor has it yet"},
		{"begin u:hi a:draft n:again end begin a:answer end", "hi draft answer", "the answer of another turn replaces nothing"},
		{"begin u:hi a:draft n:again u:stop a:answer end", "hi draft stop answer", "a user came between"},
		{"begin u:hi a:draft n:again -.u:stop a:answer end", "hi draft stop answer", "also from outside the turn"},
		{"begin u:hi a:draft g:stop a:answer end", "hi draft answer", "another control asks for nothing again"},
		{"begin u:hi a:one a:two end", "hi one two", "two answers without a nudge"},
		{"begin u:hi n:again a:one a:two end", "hi one two", "a nudge before the first answer"},
		{"begin u:hi a:draft K:half n:again K:most a:answer end", "hi half most answer", "progress is no draft"},
		{"begin u:hi a:draft n:again K:most end", "hi draft most", "nor an answer"},
		{"begin u:hi a:draft w:help n:again w:more t:out a:answer end", "hi help more out answer", "workers and tools give no answer"},
		{"begin s:prompt u:hi a:answer end", "hi answer", "what the system says is for the model"},
		{"begin:a begin:b a.u:one b.u:two a.a:draft b.a:kept a.n:again b.a:other a.a:answer end:a end:b", "one two kept other answer", "two turns at once"},
		{"begin:a begin:b a.a:draft -.K:note b.a:kept b.n:again a.n:again a.a:answer end:a end:b", "note kept answer", "order stays where one is held back"},
		{"a:draft n:again a:answer", "answer", "outside of turns"},
		{"a:draft n:again begin a:answer end", "draft answer", "outside and inside a turn"},
		{"", "", "nothing"},
		{"begin end", "", "nobody said a word"},
	} {
		if got := texts(t, script(t, c.session)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
}

// TestMessagesStreams shows that nothing is held back longer than it takes to
// know that it is no draft.
func TestMessagesStreams(t *testing.T) {
	for _, c := range []struct {
		session string
		after   int // records until the last message is given
		why     string
	}{
		{"begin u:hi", 2, "a user's message at once"},
		{"begin u:hi a:one call call a:two end", 7, "the last answer with the end of its turn"},
		{"begin a:draft n:again a:answer end", 5, "also where there was a draft"},
		{"begin a:one u:more", 3, "with the next user's message"},
	} {
		read, last := 0, 0
		records := func(yield func(ledger.Record, error) bool) {
			for _, r := range script(t, c.session+" call call") {
				if read++; !yield(r, nil) {
					return
				}
			}
		}
		for range ledger.Messages(records) {
			last = read
		}
		if last != c.after {
			t.Errorf("%s: %d records were read, not %d", c.why, last, c.after)
		}
	}
}

func TestMessagesErrors(t *testing.T) {
	disk := errors.New("disk")
	records := script(t, "begin u:hi a:draft n:again")
	var got []string
	for e, err := range ledger.Messages(all(records, disk)) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, e.Message.Markdown)
	}
	if !slices.Equal(got, []string{"hi", "draft", "disk"}) {
		t.Errorf("got %q", got)
	}
	for stop := range 3 { // a reader may stop anywhere
		n := 0
		for range ledger.Messages(all(records, disk)) {
			if n++; n > stop {
				break
			}
		}
		if n != stop+1 {
			t.Errorf("%d messages, stopped behind %d", n, stop+1)
		}
	}
}

func TestProjected(t *testing.T) {
	for _, c := range []struct {
		m    ledger.Message
		kind surface.Kind
		ok   bool
		why  string
	}{
		{ledger.Message{Role: ledger.Assistant}, surface.Assistant, true, "an answer"},
		{ledger.Message{Role: ledger.Worker}, surface.Assistant, true, "a worker's"},
		{ledger.Message{Role: ledger.User}, surface.User, true, "a question"},
		{ledger.Message{Role: ledger.Tool}, surface.ToolResult, true, "a tool's text"},
		{ledger.Message{Role: ledger.System}, "", false, "for the model"},
		{ledger.Message{Role: ledger.System, MessageKind: surface.Alert}, surface.Alert, true, "for people"},
		{ledger.Message{Role: ledger.Assistant, MessageKind: "steering"}, "steering", false, "a kind that may not go out"},
		{ledger.Message{Role: ledger.User, Control: "anything"}, surface.User, false, "written by the runtime"},
	} {
		if kind, ok := c.m.Projected(); kind != c.kind || ok != c.ok {
			t.Errorf("%s: got %s, %v", c.why, kind, ok)
		}
	}
}

// TestMessagesProperty shows what holds for any session: order stays, nothing is
// given twice, what no rule excludes is given, and no more is left out than
// there are nudges.
func TestMessagesProperty(t *testing.T) {
	words := rapid.SliceOf(rapid.SampledFrom(strings.Fields("begin end u:x a:x n:x p:x g:x S:x K:x w:x t:x s:x call begin:b end:b b.a:x b.n:x b.u:x -.a:x -.n:x")))
	rapid.Check(t, func(rt *rapid.T) {
		open := make(map[string]bool)
		var ok []string
		for _, w := range words.Draw(rt, "words") {
			turn := ""
			if strings.HasPrefix(w, "b.") || strings.HasSuffix(w, ":b") {
				turn = "b"
			}
			switch { // ends and members of turns that have not begun are no session
			case strings.HasPrefix(w, "begin"):
				open[turn] = true
			case strings.HasPrefix(w, "-."):
			case strings.HasPrefix(w, "end") && !open[turn]:
				continue
			}
			ok = append(ok, w)
		}
		records := script(t, strings.Join(ok, " "))
		may := make(map[ledger.EntryID]bool) // it can be a draft
		nudges := 0
		var want []ledger.EntryID
		for _, r := range records {
			m, ok := r.Body.(*ledger.Message)
			if !ok {
				continue
			}
			if m.Control.Retries() {
				nudges++
			}
			if _, ok := m.Projected(); ok {
				want = append(want, r.ID())
				may[r.ID()] = m.Role == ledger.Assistant && m.MessageKind != surface.Progress
			}
		}
		for e, err := range ledger.Messages(all(records, nil)) {
			if err != nil {
				rt.Fatal(err)
			}
			for len(want) > 0 && want[0] != e.ID {
				if nudges--; nudges < 0 || !may[want[0]] {
					rt.Fatalf("%v: %s was left out", ok, want[0])
				}
				want = want[1:]
			}
			if len(want) == 0 {
				rt.Fatalf("%v: %s is out of order", ok, e.ID)
			}
			want = want[1:]
		}
		if len(want) > 0 {
			rt.Fatalf("%v: %v were left out at the end, where no answer can follow", ok, want)
		}
	})
}

func TestTranscript(t *testing.T) {
	const file = "testdata/transcript.txtar"
	_, records, _ := everything(t)
	records[1].Body.(*ledger.Message).Markdown = "Compare *A*\r\nand B"
	extra := script(t, "s:prompt u:Question K: t:out g:nudge")
	extra[2].Body.(*ledger.Message).Payload = json.RawMessage("{\"note\":\"````\"}")
	extra[3].Body.(*ledger.Message).Markdown = "ends in a newline\n"
	got := &txtar.Archive{Comment: []byte("What a person gets to read of a session. Made by go test -update; see TestTranscript.\n\n")}
	for _, c := range []struct {
		name    string
		records []ledger.Record
	}{{"everything", records}, {"roles", extra}, {"nothing", nil}} {
		var b bytes.Buffer
		if err := ledger.Transcript(&b, all(c.records, nil)); err != nil {
			t.Fatal(err)
		}
		got.Files = append(got.Files, txtar.File{Name: c.name, Data: b.Bytes()})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(txtar.Format(got), want) {
		t.Errorf("got\n%s\nwant\n%s", txtar.Format(got), want)
	}
}

// TestTranscriptErrors shows that a transcript that is not whole says so.
func TestTranscriptErrors(t *testing.T) {
	disk := errors.New("disk")
	var b bytes.Buffer
	if err := ledger.Transcript(&b, all(script(t, "u:hi"), disk)); !errors.Is(err, disk) || !strings.Contains(b.String(), "hi") {
		t.Errorf("got %v, %q", err, b.String())
	}
	if err := ledger.Transcript(failing{disk}, all(script(t, "u:hi u:hi"), nil)); !errors.Is(err, disk) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }
