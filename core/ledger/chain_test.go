package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/ledger"
)

// each gives lines, and then err unless it is nil.
func each(lines [][]byte, err error) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, line := range lines {
			if !yield(line, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func TestChain(t *testing.T) {
	_, _, lines := everything(t)
	other := ledger.Chain{Session: "other"}
	foreign, err := other.Append(nil, &ledger.Record{Time: at(0), Body: &ledger.Activity{What: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(lines[1], []byte("Compare"), []byte("Contrast"), 1)
	for _, c := range []struct {
		lines [][]byte
		line  int
		err   error
		why   string
	}{
		{lines, 0, nil, "all as it was written"},
		{lines[1:], 1, ledger.ErrGap, "the first is lost"},
		{[][]byte{lines[0], lines[2]}, 2, ledger.ErrGap, "one in the middle is lost"},
		{[][]byte{lines[0], lines[1], lines[1]}, 3, ledger.ErrGap, "one is there twice"},
		{[][]byte{lines[0], lines[2], lines[1]}, 2, ledger.ErrGap, "two are swapped"},
		{[][]byte{lines[0], changed, lines[2]}, 3, ledger.ErrBroken, "one was changed, which the next one knows"},
		{[][]byte{lines[0], append(bytes.Clone(lines[1]), ' '), lines[2]}, 3, ledger.ErrBroken, "space is a change too"},
		{[][]byte{lines[0], foreign}, 2, ledger.ErrSession, "one of another session"},
		{[][]byte{lines[0], lines[1][:40]}, 2, ledger.ErrSyntax, "a torn line"},
		{[][]byte{lines[0], {}}, 2, ledger.ErrSyntax, "an empty line"},
	} {
		var chain ledger.Chain
		var failed *ledger.ChainError
		var offset int64
		for n, line := range c.lines {
			before := chain
			if _, err := chain.Add(line); err != nil {
				if !errors.As(err, &failed) || chain != before {
					t.Errorf("%s: %v, or the chain moved", c.why, err)
				}
				if n+1 != c.line {
					t.Errorf("%s: line %d refused", c.why, n+1)
				}
				break
			}
			offset += int64(len(line)) + 1
		}
		if c.err == nil {
			if failed != nil || chain.Head != ledger.HashOf(lines[len(lines)-1]) || chain.Seq != ledger.Seq(len(lines)) || chain.Session != "demo" {
				t.Errorf("%s: %v, %+v", c.why, failed, chain)
			}
			continue
		}
		if failed == nil || !errors.Is(failed, c.err) || failed.Line != c.line || failed.Offset != offset || failed.Seq != ledger.Seq(c.line) {
			t.Errorf("%s: got %v, want %v in line %d at %d", c.why, failed, c.err, c.line, offset)
		}
	}
}

// TestChainGoesOn shows that a chain can be taken up behind any record.
func TestChainGoesOn(t *testing.T) {
	_, records, lines := everything(t)
	c := ledger.Chain{Session: "demo", Seq: 3, Head: ledger.HashOf(lines[2])}
	for n, line := range lines[3:] {
		if r, err := c.Add(line); err != nil || !reflect.DeepEqual(r, records[n+3]) {
			t.Fatalf("record %d: %v, %+v", n+4, err, r)
		}
	}
	c = ledger.Chain{Session: "another", Seq: 3, Head: ledger.HashOf(lines[2])}
	if _, err := c.Add(lines[3]); !errors.Is(err, ledger.ErrSession) {
		t.Errorf("a record of another session: %v", err)
	}
}

// TestChainAppend shows that nothing which Parse would refuse gets out.
func TestChainAppend(t *testing.T) {
	start := ledger.Chain{Session: "s"}
	activity := func(extra ...ledger.Member) ledger.Record {
		return ledger.Record{Time: at(0), Body: &ledger.Activity{What: "x"}, Extra: extra}
	}
	one := json.RawMessage("1")
	for _, c := range []struct {
		chain ledger.Chain
		r     ledger.Record
		why   string
	}{
		{ledger.Chain{}, activity(), "no session"},
		{ledger.Chain{Session: "../s"}, activity(), "a session that is none"},
		{start, ledger.Record{Time: at(0)}, "no body"},
		{start, ledger.Record{Time: at(0).AddDate(9000, 0, 0), Body: &ledger.Activity{What: "x"}}, "a year of five digits"},
		{start, ledger.Record{Time: at(0).AddDate(-3000, 0, 0), Body: &ledger.Activity{What: "x"}}, "a year before zero"},
		{start, ledger.Record{Time: at(0), Turn: ledger.TurnID{Session: "s", Seq: 1}, Body: &ledger.Activity{What: "x"}}, "a turn that has not begun"},
		{start, ledger.Record{Time: at(0), Body: &ledger.Activity{What: "no word"}}, "a word that is none"},
		{start, ledger.Record{Time: at(0), Body: &ledger.Activity{What: "x\xff"}}, "a word that is not UTF-8"},
		{start, ledger.Record{Time: at(0), Body: &ledger.Message{Role: "admin"}}, "no such role"},
		{start, ledger.Record{Time: at(0), Body: &ledger.Message{Role: ledger.User, Metadata: map[string]string{"a\xff": "", "a\xfe": ""}}}, "two keys that are one in UTF-8"},
		{start, ledger.Record{Time: at(0), Body: &ledger.Turn{Phase: ledger.End, Status: ledger.Complete}}, "the end of no turn"},
		{start, activity(ledger.Member{Name: "seq", Value: one}), "an extra member that the record has"},
		{start, activity(ledger.Member{Name: "what", Value: one}), "one that the body has"},
		{start, activity(ledger.Member{Name: "a", Value: one}, ledger.Member{Name: "a", Value: one}), "one twice"},
		{start, ledger.Record{Time: at(0), Body: &ledger.Message{Role: ledger.User, Markdown: strings.Repeat("a", ledger.MaxLine)}}, "more than a line holds"},
	} {
		before := c.chain
		dst := []byte("dst")
		got, err := c.chain.Append(dst, &c.r)
		var ce *ledger.ChainError
		if !errors.As(err, &ce) || string(got) != "dst" || c.chain != before {
			t.Errorf("%s: %v, %d bytes", c.why, err, len(got))
		}
	}

	r := activity(ledger.Member{Name: "a"})
	line, err := start.Append([]byte("dst"), &r)
	if want := `dst{"v":1,"session":"s","seq":1,"time":"2026-03-01T09:00:00.005Z","kind":"activity","what":"x","a":null}`; err != nil || string(line) != want {
		t.Errorf("a member without a value: %v, %s", err, line)
	}
	if r.Session != "s" || r.Seq != 1 || start.Seq != 1 {
		t.Errorf("got %+v, %+v", r, start)
	}
}

func TestRecords(t *testing.T) {
	_, want, lines := everything(t)
	broken := errors.New("disk")
	for _, c := range []struct {
		lines iter.Seq2[[]byte, error]
		n     int
		err   error
		why   string
	}{
		{each(lines, nil), len(lines), nil, "all"},
		{each(lines[:3], broken), 3, broken, "an error of what reads them"},
		{each([][]byte{lines[0], lines[2], lines[3]}, broken), 1, ledger.ErrGap, "nothing behind a gap"},
		{each(nil, nil), 0, nil, "none"},
	} {
		n, failures := 0, 0
		for r, err := range ledger.Records(c.lines) {
			if err != nil {
				if failures++; !errors.Is(err, c.err) {
					t.Errorf("%s: %v", c.why, err)
				}
				continue
			}
			if !reflect.DeepEqual(r, want[n]) {
				t.Errorf("%s: record %d is %+v", c.why, n, r)
			}
			n++
		}
		if n != c.n || (failures == 1) != (c.err != nil) {
			t.Errorf("%s: %d records, %d failures", c.why, n, failures)
		}
	}
	for range ledger.Records(each(lines, nil)) {
		break // a reader may stop
	}
}

func TestVerify(t *testing.T) {
	_, _, lines := everything(t)
	want := ledger.Report{Session: "demo", Records: len(lines), First: at(0), Last: at(len(lines) - 1), Head: ledger.HashOf(lines[len(lines)-1]), Turns: ledger.Turns{Partial: 1}}
	if got, err := ledger.Verify(each(lines, nil)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}

	disk := errors.New("disk")
	got, err := ledger.Verify(each(lines[:3], disk))
	want = ledger.Report{Session: "demo", Records: 3, First: at(0), Last: at(2), Head: ledger.HashOf(lines[2]), Turns: ledger.Turns{Open: []ledger.TurnID{{Session: "demo", Seq: 1}}}}
	if !errors.Is(err, disk) || !reflect.DeepEqual(got, want) {
		t.Errorf("an error of what reads: got %+v, %v\nwant %+v", got, err, want)
	}

	got, err = ledger.Verify(each([][]byte{lines[0], lines[1], lines[3], lines[4]}, disk))
	if err != nil || got.Records != 2 || got.Broken == nil || got.Broken.Line != 3 || !errors.Is(got.Broken, ledger.ErrGap) || got.Head != ledger.HashOf(lines[1]) {
		t.Errorf("a gap: got %+v, %v", got, err)
	}

	if got, err = ledger.Verify(each(nil, nil)); err != nil || !reflect.DeepEqual(got, ledger.Report{}) {
		t.Errorf("nothing: got %+v, %v", got, err)
	}
}

// TestVerifyTurns counts turns by their ends.
func TestVerifyTurns(t *testing.T) {
	chain := ledger.Chain{Session: "s"}
	var lines [][]byte
	add := func(turn ledger.TurnID, b ledger.Body) ledger.TurnID {
		r := ledger.Record{Time: at(len(lines)), Turn: turn, Body: b}
		line, err := chain.Append(nil, &r)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
		return r.Turn
	}
	begin := func() ledger.TurnID { return add(ledger.TurnID{}, &ledger.Turn{Phase: ledger.Begin}) }
	end := func(turn ledger.TurnID, s ledger.Status) { add(turn, &ledger.Turn{Phase: ledger.End, Status: s}) }
	for range 12 {
		begin() // stays open: more than one, so that their order is seen
	}
	ended := begin()
	end(ended, ledger.Complete)
	end(ended, ledger.Complete) // once more
	for n, s := range []ledger.Status{ledger.Complete, ledger.Partial, ledger.Failed, ledger.Cancelled} {
		for range n + 1 {
			end(begin(), s)
		}
	}
	newer := `{"v":2,"session":"s","seq":` + ledger.EntryID{Session: "s", Seq: chain.Seq + 1}.String()[2:] + `,"time":"2026-03-01T09:00:00.000Z","prev":"` + chain.Head.String() + `","kind":"turn"}`
	got, err := ledger.Verify(each(append(lines, []byte(newer)), nil))
	want := ledger.Turns{Complete: 2, Partial: 2, Failed: 3, Cancelled: 4, Stray: 1}
	for n := range 12 {
		want.Open = append(want.Open, ledger.TurnID{Session: "s", Seq: ledger.Seq(n + 1)})
	}
	if err != nil || got.Broken != nil || !reflect.DeepEqual(got.Turns, want) || got.Unknown != 1 {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}
