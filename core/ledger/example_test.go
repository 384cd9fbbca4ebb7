package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"github.com/seed-1ae66336/vak/core/ledger"
)

// talk is a short session, as the bytes of its file.
func talk() []byte {
	var file []byte
	chain := ledger.Chain{Session: "demo"}
	var turn ledger.TurnID
	for n, b := range []ledger.Body{
		&ledger.Turn{Phase: ledger.Begin, Epoch: 7},
		&ledger.Message{Role: ledger.User, Markdown: "Is it **on**?"},
		&ledger.Message{Role: ledger.Assistant, Markdown: "Yes"},
		&ledger.Message{Role: ledger.User, Markdown: "Say it as a sentence.", Control: ledger.RepairNudge},
		&ledger.Message{Role: ledger.Assistant, Markdown: "Yes, it is on."},
		&ledger.Turn{Phase: ledger.End, Status: ledger.Complete},
	} {
		r := ledger.Record{Time: time.Date(2026, 3, 1, 9, 0, n, 0, time.UTC), Turn: turn, Body: b}
		line, err := chain.Append(nil, &r)
		if err != nil {
			panic(err)
		}
		turn = r.Turn
		file = append(append(file, line...), '\n')
	}
	return file
}

// lines gives the lines of a file without their newlines.
func lines(file []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for line := range bytes.Lines(file) {
			if !yield(bytes.TrimSuffix(line, []byte("\n")), nil) {
				return
			}
		}
	}
}

func ExampleAppend() {
	r := ledger.Record{
		Session: "demo", Seq: 1, Time: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
		Body: &ledger.Message{Role: ledger.User, Markdown: "Is it **on**?\n"},
	}
	fmt.Printf("%s\n", ledger.Append(nil, &r))
	// Output:
	// {"v":1,"session":"demo","seq":1,"time":"2026-03-01T09:00:00.000Z","kind":"message","role":"user","markdown":"Is it **on**?\n"}
}

func ExampleParse() {
	line := []byte(`{"v":1,"session":"demo","seq":1,"time":"2026-03-01T09:00:00.000Z","kind":"message","role":"user","markdown":"Hello","mood":"good"}`)
	r, err := ledger.Parse(line)
	if err != nil {
		fmt.Println(err)
		return
	}
	switch b := r.Body.(type) {
	case *ledger.Message:
		fmt.Println(r.ID(), b.Role, b.Markdown, r.Extra[0].Name)
	case *ledger.Unknown:
		fmt.Println("written by a newer version:", b.Name)
	}

	_, err = ledger.Parse([]byte(`{"v":1,"session":"demo","seq":1,"kind":"message","role":"nobody"}`))
	var pe *ledger.ParseError
	fmt.Println(errors.As(err, &pe), err)
	// Output:
	// demo/1 user Hello mood
	// true ledger: invalid record: not one of the words that stand here at role (offset 64)
}

func ExampleChain() {
	chain := ledger.Chain{Session: "demo"}
	for _, text := range []string{"one", "two"} {
		r := ledger.Record{Time: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Body: &ledger.Message{Role: ledger.User, Markdown: text}}
		line, err := chain.Append(nil, &r)
		fmt.Printf("%s %v %v\n", r.ID(), ledger.HashOf(line) == chain.Head, err)
	}
	// Output:
	// demo/1 true <nil>
	// demo/2 true <nil>
}

func ExampleVerify() {
	file := talk()
	rep, err := ledger.Verify(lines(file))
	fmt.Println(rep.Session, rep.Records, "records,", rep.Turns.Complete, "turn complete,", rep.Broken, err)

	rep, err = ledger.Verify(lines(bytes.Replace(file, []byte("sentence"), []byte("question"), 1)))
	fmt.Println(rep.Records, "records,", rep.Broken.What, err)
	fmt.Println(rep.Broken)
	// Output:
	// demo 6 records, 1 turn complete, <nil> <nil>
	// 4 records, hash chain broken <nil>
	// ledger: session demo: record 5 (line 5, offset 796): hash chain broken
}

func ExampleMessages() {
	for e, err := range ledger.Messages(ledger.Records(lines(talk()))) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.ID, e.Kind, e.Message.Markdown)
	}
	// Output:
	// demo/2 user Is it **on**?
	// demo/5 assistant Yes, it is on.
}

func ExampleTranscript() {
	if err := ledger.Transcript(os.Stdout, ledger.Records(lines(talk()))); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ## User <!-- demo/2 -->
	//
	// Is it **on**?
	//
	// ## Assistant <!-- demo/5 -->
	//
	// Yes, it is on.
}
