package ledger_test

import (
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/ledger"
)

// kilobyte is a message of 1 KB, as an assistant writes it.
func kilobyte() *ledger.Record {
	return &ledger.Record{
		Session: "bench", Seq: 2, Time: at(0), Turn: ledger.TurnID{Session: "bench", Seq: 1}, Prev: ledger.HashOf(nil),
		Body: &ledger.Message{Role: ledger.Assistant, Markdown: strings.Repeat("Some words, \"quoted\" and não.\n", 33), Metadata: map[string]string{"title": "Words"}},
	}
}

func BenchmarkAppend(b *testing.B) {
	r := kilobyte()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = ledger.Append(buf[:0], r)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkParse(b *testing.B) {
	line := ledger.Append(nil, kilobyte())
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ledger.Parse(line); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkChainAppend is what a store pays for a record: both and the hash.
func BenchmarkChainAppend(b *testing.B) {
	r := kilobyte()
	start := ledger.Chain{Session: "bench", Seq: 1, Head: ledger.HashOf(nil)}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		c := start
		var err error
		if buf, err = c.Append(buf[:0], r); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(buf)))
}

// BenchmarkToolCall has arguments, which Append reads before it writes them.
func BenchmarkToolCall(b *testing.B) {
	r := kilobyte()
	r.Body = &ledger.ToolCall{CallID: "c", Name: "emit_table_card", Arguments: []byte(`{"rows":[` + strings.Repeat(`{"name":"a b","value":12.5},`, 35) + `{}]}`)}
	b.Run("append", func(b *testing.B) {
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			buf = ledger.Append(buf[:0], r)
		}
		b.SetBytes(int64(len(buf)))
	})
	line := ledger.Append(nil, r)
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ledger.Parse(line); err != nil {
				b.Fatal(err)
			}
		}
	})
}
